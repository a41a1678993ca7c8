#pragma once

#include <karst/base/externals.h>
#include <karst/base/function_ref.h>
#include <karst/base/math.h>
#include <karst/heightfield_lod/node_grid.h>
#include <karst/heightfield_lod/node_table.h>

#include <cstdint>
#include <optional>
#include <span>

namespace karst::heightfield {

struct NodeCutOptions {
    /// Nodes drawn at most; 1 or more.
    std::uint32_t maxNodes = 512;
    /// Vertices along a node's side: 5 to 65, a multiple of 4 plus 1.
    std::uint32_t nodeVerts = 33;
    /// Nodes are never smaller; 0 refines until the mesh is as dense as the texels. World units.
    double minNodeSize = 0;
    /// Side of the root squares; 0 takes the rule of makeRootGrid.
    double rootSize = 0;
    /// What is drawn: the raster's rect, or the part of it that lies in this rect.
    std::optional<Rect> rect;
    /// A node splits nearer than this many of its own sides; at least 1.5. The larger, the finer.
    double splitDistance = 2.0;
    /// The part of a node's distance band, from its far end, in which its vertices slide to the next coarser
    /// level: 0 .. 0.5. Held to 0.5 - 0.7072 / splitDistance, so that a merge never meets a parent that
    /// slides already.
    double morphFraction = 0.14;
};

/// A node of a cut.
struct CutNode {
    NodeKey key;
    std::uint8_t coarserEdges = 0;  ///< NodeEdge bits: the neighbour there is drawn one level coarser
    /// Draws exactly the raster's cells, where it neither slides nor is stitched. A cell that an edge of a
    /// part of the raster (NodeCutOptions::rect) cuts through is drawn as two triangles of the part inside.
    bool fullDensity = false;

    bool operator==(const CutNode&) const = default;
};

/// Squared distances over which the vertices of one depth slide: weight (d^2 - startSq) * scale, held to
/// 0..1.
struct MorphBand {
    float startSq = 0;
    float scale = 0;

    float weight(float distanceSq) const {
        const float w = (distanceSq - startSq) * scale;
        return w < 0.0f ? 0.0f : w > 1.0f ? 1.0f : w;
    }
};

/// Chooses which parts of a rect are drawn at which density (spec rows N1, N9, N10, N13, N14): a quadtree
/// over root squares whose leaves are small near the camera and large far away. Distances are measured from
/// the camera to a node's part inside the rect, at the nearest height of the declared range, so they do not
/// depend on what is drawn.
///
/// The cut is balanced: no leaf borders one more than a level coarser. Where more than maxNodes are kept,
/// splitDistance is lowered in steps until they fit; what is drawn then depends on the camera alone, never on
/// the cuts before.
///
/// Threads: one at a time. Allocates in create(); select() does only where a keep leaves out so much that the
/// tree outgrows three times maxNodes, and then once.
class NodeCut {
  public:
    using Keep = FunctionRef<bool(const CutNode& node, const Rect& square)>;

    static Result<NodeCut> create(const GroundShape& shape, const NodeCutOptions& options,
                                  const Externals& externals = {});

    /// Takes the cut for a camera. A node is left out where `keep` says no: asked once a leaf, after
    /// balancing, so that the budget is spent on what is kept. Edges toward a left-out neighbour are not
    /// stitched. A camera that is not finite keeps the cut as it was.
    std::span<const CutNode> select(const WorldPosition& camera);
    std::span<const CutNode> select(const WorldPosition& camera, Keep keep);

    std::span<const CutNode> nodes() const { return m_nodes; }
    const NodeGrid& grid() const { return m_grid; }
    const NodeCutOptions& options() const { return m_options; }
    const HeightRange& heightRange() const { return m_heightRange; }

    /// splitDistance as the last select() had to lower it to fit the pool.
    double effectiveSplitDistance() const { return m_split; }
    /// Of the last select(); the roots never slide.
    MorphBand morphBand(std::uint32_t depth) const;
    /// Squared distance along Y from the camera to the declared height range.
    double verticalDistanceSq(const WorldPosition& camera) const;

  private:
    explicit NodeCut(const Externals& externals);
    std::span<const CutNode> selectWith(const WorldPosition& camera, const Keep* keep);
    bool grow(const WorldPosition& camera, double split, bool countsAll);
    bool balance(bool countsAll);
    std::uint32_t keepAndLink(const Keep* keep);
    void addLeaf(const NodeKey& key);
    void splitLeaf(std::uint32_t index);

    NodeGrid m_grid;
    NodeCutOptions m_options;
    HeightRange m_heightRange;
    double m_split = 0;
    Vector<CutNode> m_nodes;   // the cut
    Vector<CutNode> m_leaves;  // while selecting
    Vector<std::uint8_t> m_leafState;
    Vector<NodeKey> m_stack;
    NodeTable m_tree;  // every node of the tree: leaf index, or kInner
};

}  // namespace karst::heightfield
