#pragma once

#include <karst/heightfield_lod/lattice.h>
#include <karst/heightfield_lod/root_grid.h>

#include <cstdint>

namespace karst::heightfield {

/// A node of the quadtree: depth 0 is a root; at depth d the grid has root count << d squares a side.
struct NodeKey {
    std::uint32_t depth = 0, x = 0, z = 0;

    bool operator==(const NodeKey&) const = default;
    std::uint64_t packed() const {
        return std::uint64_t{depth} << 58 | std::uint64_t{x} << 29 | std::uint64_t{z};
    }
};

/// Bits of an edge mask.
enum NodeEdge : std::uint8_t {
    kEdgeLowX = 1,
    kEdgeHighX = 2,
    kEdgeLowZ = 4,
    kEdgeHighZ = 8,
};

/// The squares that nodes may be and where their vertices stand: a drawn rect, its roots, the raster's
/// lattice and the number of vertices a node has along a side. Everything is computed from whole indices
/// counted from the rect's low corner (spec row N6), so that two nodes that share a vertex compute it from
/// the same numbers.
///
/// Threads: immutable after make().
class NodeGrid {
  public:
    static constexpr std::uint32_t kMaxDepth = 24;
    static constexpr std::uint32_t kMinNodeVerts = 5;
    static constexpr std::uint32_t kMaxNodeVerts = 65;

    NodeGrid() = default;

    /// `rect` is what is drawn: the raster's rect or a part of it. `minNodeSize` 0 lets nodes refine until
    /// they are as dense as the texels. nodeVerts - 1 must be a multiple of 4.
    static Result<NodeGrid> make(const GroundShape& shape, const Rect& rect, std::uint32_t nodeVerts,
                                 double minNodeSize, const RootGrid& roots);

    const Rect& rect() const { return m_rect; }
    const RootGrid& roots() const { return m_roots; }
    std::uint32_t nodeVerts() const { return m_quads + 1; }
    std::uint32_t quads() const { return m_quads; }
    const LatticeAxis& axisX() const { return m_axisX; }
    const LatticeAxis& axisZ() const { return m_axisZ; }
    /// No node is deeper.
    std::uint32_t maxDepth() const { return m_maxDepth; }

    double nodeSize(std::uint32_t depth) const;
    /// The node's whole square, which may reach past the rect.
    Rect square(const NodeKey& key) const;
    /// The part inside the drawn rect.
    Rect area(const NodeKey& key) const { return intersect(square(key), m_rect); }
    /// Is it a node of this grid with some area inside the drawn rect?
    bool contains(const NodeKey& key) const;

    /// The node whose square this is; refuses, by name, a square that does not stand on the grid.
    Result<NodeKey> keyOfSquare(const Rect& square) const;

    /// Where vertex `index` (0 .. quads) of a node stands before it takes its nearest stop, in texels from
    /// the raster's low edge. `nodeIndex` is the node's x or z.
    double placeX(std::uint32_t depth, std::uint32_t nodeIndex, std::uint32_t index) const;
    double placeZ(std::uint32_t depth, std::uint32_t nodeIndex, std::uint32_t index) const;
    /// The same in world units, held to the drawn rect.
    double positionX(std::uint32_t depth, std::uint32_t nodeIndex, std::uint32_t index) const;
    double positionZ(std::uint32_t depth, std::uint32_t nodeIndex, std::uint32_t index) const;

    /// Do the node's vertices take every stop of its area, so that it draws exactly the raster's cells?
    bool isFullDensity(const NodeKey& key) const;
    bool maySplit(const NodeKey& key) const;

  private:
    bool takesEveryStop(const LatticeAxis& axis, double perRoot, std::uint32_t depth,
                        std::uint32_t nodeIndex) const;

    Rect m_rect;
    RootGrid m_roots;
    LatticeAxis m_axisX, m_axisZ;
    double m_rootTexelsX = 0, m_rootTexelsZ = 0;  // texels across one root
    double m_minNodeSize = 0;
    std::uint32_t m_quads = 32;
    std::uint32_t m_texelDepth = 0;  // first depth at which vertices are no farther apart than texels
    std::uint32_t m_maxDepth = 0;
};

}  // namespace karst::heightfield
