#include "tile_selection_state.h"

// How finely each selected tile and each of its edges is drawn (spec rows H12, H13, H15).

namespace karst::heightfield {

// Leaves, and the tiles walked through, depth first from each root; then what lies across the leaves' sides.
void TileSelector::State::listLeaves() {
    work.clear();
    for (std::uint32_t root = rootCount; root-- > 0;)
        work.push_back(root);
    while (!work.empty()) {
        const std::uint32_t index = work.back();
        work.pop_back();
        Node& node = nodes[index];
        if (node.tile == nullptr) continue;
        used.push_back(node.key);
        if (node.standing == Standing::Inner) {
            for (std::uint32_t i = 4; i-- > 0;)
                work.push_back(node.children + i);
            continue;
        }
        node.leaf = static_cast<std::uint32_t>(leaves.size());
        Level& level = levelOf(node.key.level);
        Leaf& leaf = leaves.emplace_back();
        leaf.key = node.key;
        leaf.node = index;
        leaf.nextOfLevel = level.firstLeaf;
        level.firstLeaf = node.leaf;
    }
    for (const Level& level : levels) {
        for (std::uint32_t index = level.firstLeaf; index != kNone; index = leaves[index].nextOfLevel)
            linkLeaf(index);
    }
}

void TileSelector::State::linkLeaf(std::uint32_t index) {
    Leaf& leaf = leaves[index];
    for (std::uint32_t side = 0; side < 4; ++side) {
        const std::uint32_t beside = neighbour(leaf.node, side);
        if (beside == kNone || nodes[beside].standing != Standing::Leaf) continue;
        if (nodes[beside].key.level == leaf.key.level)
            leaf.beside[side] = nodes[beside].leaf;
        else
            links.push_back({index, nodes[beside].leaf, side});
    }
}

// Each leaf takes the detail its view asks for, between its level and its parent's (roots: up to their
// coarsest), held down beside others so that nothing jumps when tiles switch:
//  - beside smaller tiles, as holdBesideSmaller says;
//  - a smaller neighbour that may split brings a tile down with itself: when that neighbour is at its finest,
//    and so about to split, the tile, which would have to split too, is at its finest as well;
//  - a root loses its single coarsest level while a neighbouring root that may split goes through the last
//    level before it does.
void TileSelector::State::chooseDetails() {
    for (Leaf& leaf : leaves) {
        const double top = leaf.key.level + (isRoot(leaf.key) ? tileLevels : 1);
        leaf.detail = std::clamp(nodes[leaf.node].raw, static_cast<double>(leaf.key.level), top);
    }
    holdBesideSmaller();
    const double most = tileLevels - 1;
    // Finest first, so that a leaf is final before it brings its coarser neighbours down.
    for (const Link& link : links) {
        const Leaf& fine = leaves[link.fine];
        Leaf& coarse = leaves[link.coarse];
        if (!splittable(fine.key)) continue;
        const double range = isRoot(coarse.key) ? most : std::min(most, 1.0);
        coarse.detail = std::min(coarse.detail, coarse.key.level + range * (fine.detail - fine.key.level));
    }
    if (tileLevels > 1 && layout.rootLevel() > finestLevel) {
        // A root brought down here is still a level or more above its finest, and so brings down no other.
        for (const Leaf& leaf : leaves) {
            if (!isRoot(leaf.key)) continue;
            for (const std::uint32_t beside : leaf.beside) {
                if (beside == kNone) continue;
                leaves[beside].detail = std::min(leaves[beside].detail, leaf.detail + most);
            }
        }
    }
    for (Leaf& leaf : leaves)
        leaf.selected = leaf.detail;
}

// A tile beside smaller ones gives up its single coarsest level: drawn there, its edge would have no vertex
// at the middle, where the smaller tiles' corners are, and they hold no sample of its far end. One level
// finer, each of them holds both ends of the part of the edge that is its own.
void TileSelector::State::holdBesideSmaller() {
    for (const Link& link : links) {
        Leaf& coarse = leaves[link.coarse];
        coarse.detail = std::min(coarse.detail, coarse.key.level + tileLevels - 1.0);
    }
}

// Each edge takes the coarsest detail along it, a smaller tile its larger neighbour's whole edge.
void TileSelector::State::reconcileEdges(Vector<TileNode>& out) const {
    out.resize(leaves.size());
    for (std::size_t i = 0; i < leaves.size(); ++i) {
        const Leaf& leaf = leaves[i];
        TileNode& node = out[i];
        node.key = leaf.key;
        node.detail = static_cast<float>(leaf.detail);
        for (std::uint32_t side = 0; side < 4; ++side) {
            const std::uint32_t beside = leaf.beside[side];
            const double other = beside != kNone ? leaves[beside].detail : leaf.detail;
            node.edges[side] = static_cast<float>(std::max(leaf.detail, other));
        }
    }
    for (const Link& link : links) {
        float& whole = out[link.coarse].edges[link.side ^ 1];
        whole = std::max(whole, out[link.fine].detail);
    }
    for (const Link& link : links)
        out[link.fine].edges[link.side] = out[link.coarse].edges[link.side ^ 1];
}

}  // namespace karst::heightfield
