#include "tile_selection_state.h"

// How finely each selected tile and each of its edges is drawn (spec rows H12, H13, H15).

namespace karst::heightfield {
namespace {

// The two children along a side.
constexpr std::uint32_t kAlongSide[4][2] = {{0, 2}, {1, 3}, {0, 1}, {2, 3}};

constexpr std::uint32_t opposite(std::uint32_t side) {
    return side ^ 1;
}

}  // namespace

// Each leaf takes the detail its view asks for, between its level and its parent's (roots: up to their
// coarsest), held down beside others so that nothing jumps when tiles switch:
//  - beside smaller tiles, as holdBesideSmaller says;
//  - A smaller neighbour that may split brings a tile down with itself: when that neighbour is at its finest,
//    and so about to split, the tile, which would have to split too, is at its finest as well.
//  - A root loses its single coarsest level while a neighbouring root that may split goes through the last
//    level before it does.
void TileSelector::State::chooseDetails() {
    for (const std::uint32_t index : leaves) {
        Node& node = nodes[index];
        const double top = node.key.level + (isRoot(node) ? tileLevels : 1);
        node.detail = std::clamp(node.raw, static_cast<double>(node.key.level), top);
    }
    holdBesideSmaller();
    const double most = tileLevels - 1;
    // Finest first, so that a leaf is final before it brings its coarser neighbours down.
    for (const std::uint32_t first : firstOfLevel) {
        for (std::uint32_t index = first; index != kNone; index = nodes[index].nextOfLevel) {
            const Node& node = nodes[index];
            if (!splittable(node)) continue;
            for (std::uint32_t side = 0; side < 4; ++side) {
                const std::uint32_t beside = neighbour(index, side);
                if (beside == kNone || nodes[beside].key.level <= node.key.level) continue;
                Node& coarse = nodes[beside];
                const double range = isRoot(coarse) ? most : std::min(most, 1.0);
                const double above = range * (node.detail - node.key.level);
                coarse.detail = std::min(coarse.detail, coarse.key.level + above);
            }
        }
    }
    if (tileLevels < 2 || layout.rootLevel() == finestLevel) return;
    for (const std::uint32_t index : leaves) {
        // A root brought down here is still a level or more above its finest, and so brings down no other.
        if (!isRoot(nodes[index])) continue;
        for (std::uint32_t side = 0; side < 4; ++side) {
            const std::uint32_t beside = neighbour(index, side);
            if (beside == kNone || nodes[beside].standing != Standing::Leaf) continue;
            nodes[beside].detail = std::min(nodes[beside].detail, nodes[index].detail + most);
        }
    }
}

// A tile beside smaller ones gives up its single coarsest level: drawn there, its edge would have no vertex
// at the middle, where the smaller tiles' corners are, and they hold no sample of its far end. One level
// finer, each of them holds both ends of the part of the edge that is its own.
void TileSelector::State::holdBesideSmaller() {
    for (const std::uint32_t index : leaves) {
        for (std::uint32_t side = 0; side < 4; ++side) {
            const std::uint32_t beside = neighbour(index, side);
            if (beside == kNone || nodes[beside].key.level <= nodes[index].key.level) continue;
            Node& coarse = nodes[beside];
            coarse.detail = std::min(coarse.detail, coarse.key.level + tileLevels - 1.0);
        }
    }
}

// The coarsest detail along a whole side of a leaf that has no coarser neighbour there.
double TileSelector::State::edgeDetail(std::uint32_t index, std::uint32_t side) {
    const double own = nodes[index].detail;
    const std::uint32_t beside = neighbour(index, side);
    if (beside == kNone) return own;
    if (nodes[beside].standing == Standing::Leaf) return std::max(own, nodes[beside].detail);
    double coarsest = own;
    for (const std::uint32_t along : kAlongSide[opposite(side)]) {
        const Node& child = nodes[nodes[beside].children + along];
        if (child.tile != nullptr) coarsest = std::max(coarsest, child.detail);
    }
    return coarsest;
}

void TileSelector::State::reconcileEdges(Vector<TileNode>& out) {
    out.clear();
    for (const std::uint32_t index : leaves) {
        TileNode node;
        node.key = nodes[index].key;
        node.detail = static_cast<float>(nodes[index].detail);
        for (std::uint32_t side = 0; side < 4; ++side) {
            const std::uint32_t beside = neighbour(index, side);
            const bool adopts = beside != kNone && nodes[beside].key.level > node.key.level;
            node.edges[side] =
                static_cast<float>(adopts ? edgeDetail(beside, opposite(side)) : edgeDetail(index, side));
        }
        out.push_back(node);
    }
}

}  // namespace karst::heightfield
