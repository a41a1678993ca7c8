#include "tile_selection_state.h"

// The tree of a selection (spec rows H11 - H13). A node splits where the view asks for it or where a much
// finer neighbour needs it, and where all it takes is resident: its children, and those of the coarser
// neighbours that must split first. What is resident alone decides whether a node may split, so the tree does
// not depend on the order in which nodes are looked at. Where a coarse neighbour's children are missing, the
// finer side is not split in the first place, which is the same as merging it afterwards.

namespace karst::heightfield {

bool TileSelector::State::begin(const Surface& newSurface, const TileView& newView,
                                std::uint32_t detailLevels) {
    nodes.clear();
    work.clear();
    leaves.clear();
    links.clear();
    drawn.clear();
    wanted.clear();
    used.clear();
    rootCount = 0;
    surface = &newSurface;
    if (newSurface.empty()) return false;
    layout = newSurface.layout();
    tileLevels = static_cast<std::int32_t>(layout.tileLevels());
    finestLevel = -static_cast<std::int32_t>(std::min(detailLevels, TileLayout::kMaxDetailLevels));
    view = DetailView::make(newView, std::max(layout.spacingX, layout.spacingZ),
                            layout.rootLevel() + tileLevels);
    for (std::size_t i = 0; i < kLevels; ++i) {
        // Tiles begin before the last sample: the number of spans that the cells reach into.
        const double span = std::ldexp(layout.tileCells, kLowestLevel + static_cast<int>(i));
        levels[i] = {static_cast<std::uint32_t>(std::ceil((layout.samplesX - 1.0) / span)),
                     static_cast<std::uint32_t>(std::ceil((layout.samplesZ - 1.0) / span)), kNone};
    }
    bool complete = true;
    for (std::uint32_t z = 0; z < layout.rootsZ; ++z) {
        for (std::uint32_t x = 0; x < layout.rootsX; ++x) {
            const TileKey key{layout.rootLevel(), x, z};
            const auto index = static_cast<std::uint32_t>(nodes.size());
            Node& node = nodes.emplace_back();
            node.key = key;
            if (hasGround(key)) {
                node.tile = surface->find(key);
                if (node.tile == nullptr) {
                    wanted.push_back({key, false});
                    complete = false;
                }
            }
            if (x > 0) {
                node.neighbours[kSideLowX] = index - 1;
                nodes[index - 1].neighbours[kSideHighX] = index;
            }
            if (z > 0) {
                node.neighbours[kSideLowZ] = index - layout.rootsX;
                nodes[index - layout.rootsX].neighbours[kSideHighZ] = index;
            }
        }
    }
    rootCount = static_cast<std::uint32_t>(nodes.size());
    return complete;
}

void TileSelector::State::activate(std::uint32_t index) {
    Node& node = nodes[index];
    const HeightTile& tile = *node.tile;
    const Rect rect = layout.footprint(node.key);
    const Bounds box{{rect.minX, tile.bounds.min, rect.minZ}, {rect.maxX, tile.bounds.max, rect.maxZ}};
    node.standing = Standing::Leaf;
    node.raw = screenDetail(
        view, box, node.key.level, static_cast<std::uint32_t>(tileLevels),
        [&](std::uint32_t i) { return tile.errorAt(node.key.level + static_cast<std::int32_t>(i)); });
    if (node.raw == kTooCoarse && splittable(node.key)) work.push_back(index);
}

// Looks the children up, once. True where all that hold ground are resident.
bool TileSelector::State::stageChildren(std::uint32_t index) {
    if (nodes[index].staged != Answer::Unknown) return nodes[index].staged == Answer::Yes;
    const TileKey key = nodes[index].key;
    const HeightTile* found[4] = {};
    bool all = true;
    for (std::uint32_t i = 0; i < 4 && all; ++i) {
        const TileKey child = key.child(i);
        if (!hasGround(child)) continue;
        found[i] = surface->find(child);
        all = found[i] != nullptr;
    }
    nodes[index].staged = all ? Answer::Yes : Answer::No;
    if (!all) return false;
    const auto first = static_cast<std::uint32_t>(nodes.size());
    nodes.resize(nodes.size() + 4);
    for (std::uint32_t i = 0; i < 4; ++i) {
        nodes[first + i].key = key.child(i);
        nodes[first + i].tile = found[i];
        // Four tables on their way at once: most of a selection's time is waiting for them.
        if (found[i] != nullptr) __builtin_prefetch(found[i]->errors.data());
    }
    nodes[index].children = first;
    return true;
}

// May the node split, by what is resident? Levels rise with each step, so that the recursion is as deep as
// the pyramid at most.
bool TileSelector::State::maySplit(std::uint32_t index) {
    if (nodes[index].maySplit != Answer::Unknown) return nodes[index].maySplit == Answer::Yes;
    bool may = splittable(nodes[index].key) && stageChildren(index);
    for (std::uint32_t side = 0; side < 4 && may; ++side) {
        const std::uint32_t beside = neighbour(index, side);
        if (beside != kNone && nodes[beside].key.level > nodes[index].key.level) may = maySplit(beside);
    }
    nodes[index].maySplit = may ? Answer::Yes : Answer::No;
    return may;
}

// Splits a node that may be, the coarser neighbours first: no child ends beside a tile two levels coarser.
void TileSelector::State::split(std::uint32_t index) {
    for (std::uint32_t side = 0; side < 4; ++side) {
        for (;;) {
            const std::uint32_t beside = neighbour(index, side);
            if (beside == kNone || nodes[beside].key.level <= nodes[index].key.level) break;
            split(beside);
        }
    }
    Node& node = nodes[index];
    node.standing = Standing::Inner;
    for (std::uint32_t i = 0; i < 4; ++i) {
        Node& child = nodes[node.children + i];
        if (child.tile == nullptr) continue;
        child.neighbours[kSideLowX] = (i & 1) != 0 ? node.children + i - 1 : node.neighbours[kSideLowX];
        child.neighbours[kSideHighX] = (i & 1) == 0 ? node.children + i + 1 : node.neighbours[kSideHighX];
        child.neighbours[kSideLowZ] = (i & 2) != 0 ? node.children + i - 2 : node.neighbours[kSideLowZ];
        child.neighbours[kSideHighZ] = (i & 2) == 0 ? node.children + i + 2 : node.neighbours[kSideHighZ];
        activate(node.children + i);
    }
}

void TileSelector::State::want(const TileKey& key, bool prefetch) {
    for (std::uint32_t i = 0; i < 4; ++i) {
        const TileKey child = key.child(i);
        if (hasGround(child) && surface->find(child) == nullptr) wanted.push_back({child, prefetch});
    }
}

// Lists what keeps a node from splitting: its own missing children and those of the coarser neighbours.
void TileSelector::State::ask(std::uint32_t index) {
    if (nodes[index].asked) return;
    nodes[index].asked = true;
    if (!stageChildren(index)) want(nodes[index].key, false);
    for (std::uint32_t side = 0; side < 4; ++side) {
        const std::uint32_t beside = neighbour(index, side);
        if (beside != kNone && nodes[beside].key.level > nodes[index].key.level) ask(beside);
    }
}

void TileSelector::State::walk() {
    for (std::uint32_t i = 0; i < rootCount; ++i) {
        if (nodes[i].tile != nullptr) activate(i);
    }
    for (std::size_t i = 0; i < work.size(); ++i) {
        const std::uint32_t index = work[i];
        if (nodes[index].standing == Standing::Leaf && maySplit(index)) split(index);
    }
    for (const std::uint32_t index : work) {
        if (nodes[index].standing == Standing::Leaf) ask(index);
    }
}

// Children of leaves that are drawn within half a level of their finest will be needed soon.
void TileSelector::State::listPrefetched() {
    for (const Leaf& leaf : leaves) {
        const Node& node = nodes[leaf.node];
        if (node.asked || node.staged == Answer::Yes || !splittable(leaf.key)) continue;
        if (leaf.detail < leaf.key.level + 0.5) want(leaf.key, true);
    }
    sortWanted();
}

// By level, coarsest first, then what is needed before prefetch, then by row: as one number each.
void TileSelector::State::sortWanted() {
    // No level has more tiles along an axis than the finest detail of the most cells in the least tiles.
    constexpr std::uint32_t kBits = 28, kMask = (1u << kBits) - 1;
    static_assert((TileLayout::kMaxCells << TileLayout::kMaxDetailLevels) / 2 <= kMask);
    constexpr std::int32_t kCoarsest = TileLayout::kMaxStoredLevels;
    wantedOrder.clear();
    for (const WantedTile& tile : wanted) {
        const auto rank =
            static_cast<std::uint64_t>(kCoarsest - tile.key.level) << 1 | (tile.prefetch ? 1u : 0u);
        wantedOrder.push_back((rank << kBits | tile.key.z) << kBits | tile.key.x);
    }
    std::sort(wantedOrder.begin(), wantedOrder.end());
    wanted.clear();
    for (const std::uint64_t code : wantedOrder) {
        const std::uint64_t rank = code >> 2 * kBits;
        wanted.push_back(
            {{kCoarsest - static_cast<std::int32_t>(rank >> 1), static_cast<std::uint32_t>(code) & kMask,
              static_cast<std::uint32_t>(code >> kBits) & kMask},
             (rank & 1) != 0});
    }
}

}  // namespace karst::heightfield
