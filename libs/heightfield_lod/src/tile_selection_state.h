#pragma once

#include "screen_detail.h"

#include <karst/heightfield_lod/tile_selection.h>

#include <algorithm>

namespace karst::heightfield {

/// The tree that one selection walks: nodes in blocks of four siblings, each with links to its neighbours.
/// Steps of a selection, in the order of the data: walk (tile_selection_walk.cpp) splits nodes and lists what
/// is missing; drawn details, then edges (tile_selection_edges.cpp).
struct TileSelector::State {
    static constexpr std::uint32_t kNone = ~0u;
    static constexpr int kLevels = TileLayout::kMaxStoredLevels + TileLayout::kMaxDetailLevels;

    enum class Standing : std::uint8_t { Staged, Leaf, Inner };
    enum class Answer : std::uint8_t { Unknown, No, Yes };

    struct Node {
        TileKey key;
        const HeightTile* tile = nullptr;  // null: a sibling without ground, which is never drawn
        double raw = kTooCoarse;           // detail that the view asks for
        double detail = 0;                 // detail that is drawn
        std::uint32_t neighbours[4] = {kNone, kNone, kNone, kNone};  // of this level or coarser, when linked
        std::uint32_t children = kNone;                              // first of four
        std::uint32_t nextOfLevel = kNone;                           // among the leaves
        Standing standing = Standing::Staged;
        Answer staged = Answer::Unknown;    // are all children resident?
        Answer maySplit = Answer::Unknown;  // the same, and for the coarser neighbours that must split first
        bool asked = false;                 // its missing children are listed
    };

    explicit State(const Externals& externals)
        : nodes(*externals.allocator),
          work(*externals.allocator),
          leaves(*externals.allocator),
          drawn(*externals.allocator),
          coarsened(*externals.allocator),
          wanted(*externals.allocator),
          used(*externals.allocator) {}

    // tile_selection_walk.cpp
    bool begin(const Surface& surface, const TileView& view, std::uint32_t detailLevels);
    void walk();
    void listLeaves();
    void listPrefetched();
    std::uint32_t neighbour(std::uint32_t index, std::uint32_t side);
    // tile_selection_edges.cpp
    void chooseDetails();
    void holdBesideSmaller();
    void reconcileEdges(Vector<TileNode>& out);

    bool splittable(const Node& node) const { return node.key.level > finestLevel; }
    bool isRoot(const Node& node) const { return node.key.level == layout.rootLevel(); }

    TileLayout layout;
    std::int32_t tileLevels = 1;
    std::int32_t finestLevel = 0;      // nothing is drawn below it
    const Surface* surface = nullptr;  // during select()
    DetailView view;
    std::uint32_t rootCount = 0;
    Vector<Node> nodes;
    Vector<std::uint32_t> work;    // nodes to look at
    Vector<std::uint32_t> leaves;  // in the order they are given
    std::uint32_t firstOfLevel[kLevels] = {};
    Vector<TileNode> drawn, coarsened;
    Vector<WantedTile> wanted;
    Vector<TileKey> used;

  private:
    std::uint32_t addNode(const TileKey& key, const HeightTile* tile);
    void activate(std::uint32_t index);
    bool stageChildren(std::uint32_t index);
    bool maySplit(std::uint32_t index);
    void split(std::uint32_t index);
    void ask(std::uint32_t index);
    void want(std::uint32_t index, bool prefetch);
    std::uint32_t childBeside(const Node& parent, const TileKey& of, std::uint32_t side) const;
    double edgeDetail(std::uint32_t index, std::uint32_t side);
};

/// Steps to the neighbour beyond a side.
inline constexpr int kSideStepX[4] = {-1, 1, 0, 0};
inline constexpr int kSideStepZ[4] = {0, 0, -1, 1};

}  // namespace karst::heightfield
