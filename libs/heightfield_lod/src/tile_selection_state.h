#pragma once

#include "screen_detail.h"

#include <karst/heightfield_lod/tile_selection.h>

#include <algorithm>

namespace karst::heightfield {

/// One selection, in the order of its steps: a tree of nodes in blocks of four siblings, split by what the
/// view asks for, and the list of what is missing (tile_selection_walk.cpp); then its leaves with links
/// across their sides, their details and edges (tile_selection_edges.cpp).
struct TileSelector::State {
    static constexpr std::uint32_t kNone = ~0u;
    static constexpr std::int32_t kLowestLevel = -static_cast<std::int32_t>(TileLayout::kMaxDetailLevels);
    static constexpr std::size_t kLevels = TileLayout::kMaxStoredLevels + TileLayout::kMaxDetailLevels;

    enum class Standing : std::uint8_t { Staged, Leaf, Inner };
    enum class Answer : std::uint8_t { Unknown, No, Yes };

    struct Node {
        TileKey key;
        std::uint32_t children = kNone;    // first of four
        const HeightTile* tile = nullptr;  // null: a sibling without ground, which is never drawn
        double raw = kTooCoarse;           // detail that the view asks for
        std::uint32_t neighbours[4] = {kNone, kNone, kNone, kNone};  // of this level or coarser, when linked
        std::uint32_t leaf = kNone;                                  // its place among the leaves
        Standing standing = Standing::Staged;
        Answer staged = Answer::Unknown;    // are all children resident?
        Answer maySplit = Answer::Unknown;  // the same, and for the coarser neighbours that must split first
        bool asked = false;                 // its missing children are listed
    };

    struct Leaf {
        TileKey key;
        std::uint32_t node = kNone;
        std::uint32_t beside[4] = {kNone, kNone, kNone, kNone};  // leaves of the same level
        double detail = 0;
        double selected = 0;  // as select() left it, for coarsen()
        std::uint32_t nextOfLevel = kNone;
    };

    struct Link {
        std::uint32_t fine = 0, coarse = 0;  // leaves
        std::uint32_t side = 0;              // of the fine one
    };

    // What the tests of keys need, once a level.
    struct Level {
        std::uint32_t endX = 0, endZ = 0;  // tiles from here on hold no ground
        std::uint32_t firstLeaf = kNone;
    };

    explicit State(const Externals& externals)
        : nodes(*externals.allocator),
          work(*externals.allocator),
          leaves(*externals.allocator),
          links(*externals.allocator),
          drawn(*externals.allocator),
          coarsened(*externals.allocator),
          wanted(*externals.allocator),
          wantedOrder(*externals.allocator),
          used(*externals.allocator) {}

    // tile_selection_walk.cpp
    bool begin(const Surface& surface, const TileView& view, std::uint32_t detailLevels);
    void walk();
    void listPrefetched();
    void sortWanted();
    // tile_selection_edges.cpp
    void listLeaves();
    void chooseDetails();
    void holdBesideSmaller();
    void reconcileEdges(Vector<TileNode>& out) const;

    Level& levelOf(std::int32_t level) { return levels[static_cast<std::size_t>(level - kLowestLevel)]; }
    bool hasGround(const TileKey& key) {
        const Level& level = levelOf(key.level);
        return key.x < level.endX && key.z < level.endZ;
    }
    bool splittable(const TileKey& key) const { return key.level > finestLevel; }
    bool isRoot(const TileKey& key) const { return key.level == layout.rootLevel(); }

    TileLayout layout;
    std::int32_t tileLevels = 1;
    std::int32_t finestLevel = 0;      // nothing is drawn below it
    const Surface* surface = nullptr;  // during select()
    DetailView view;
    Level levels[kLevels];
    std::uint32_t rootCount = 0;
    Vector<Node> nodes;
    Vector<std::uint32_t> work;  // nodes to look at
    Vector<Leaf> leaves;         // in the order they are given
    Vector<Link> links;          // finest first
    Vector<TileNode> drawn, coarsened;
    Vector<WantedTile> wanted;
    Vector<std::uint64_t> wantedOrder;  // codes of `wanted` while it is sorted
    Vector<TileKey> used;

  private:
    std::uint32_t neighbour(std::uint32_t index, std::uint32_t side);
    void activate(std::uint32_t index);
    bool stageChildren(std::uint32_t index);
    bool maySplit(std::uint32_t index);
    void split(std::uint32_t index);
    void ask(std::uint32_t index);
    void want(const TileKey& key, bool prefetch);
    void linkLeaf(std::uint32_t index);
};

// The node across a side that is nearest in level, of the node's own level or coarser; kNone where no ground
// is. Links are followed down as far as the tree has grown since they were made.
inline std::uint32_t TileSelector::State::neighbour(std::uint32_t index, std::uint32_t side) {
    Node& node = nodes[index];
    const std::uint32_t linked = node.neighbours[side];
    std::uint32_t found = linked;
    if (found == kNone) return kNone;
    while (nodes[found].standing == Standing::Inner && nodes[found].key.level > node.key.level) {
        // The child beside this node.
        const auto shift = static_cast<std::uint32_t>(nodes[found].key.level - 1 - node.key.level);
        const std::uint32_t x = node.key.x + (side == kSideHighX) - (side == kSideLowX);
        const std::uint32_t z = node.key.z + (side == kSideHighZ) - (side == kSideLowZ);
        found = nodes[found].children + ((x >> shift & 1) | (z >> shift & 1) << 1);
    }
    if (nodes[found].tile == nullptr) found = kNone;
    if (found != linked) node.neighbours[side] = found;
    return found;
}

}  // namespace karst::heightfield
