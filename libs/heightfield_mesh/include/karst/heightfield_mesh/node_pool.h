#pragma once

#include <karst/heightfield/height_raster.h>
#include <karst/heightfield_lod/node_cut.h>

#include <cstdint>
#include <span>

namespace karst::heightfield {

/// What one update did to a pool.
struct NodePoolUpdate {
    /// Something has to be written again, or the number of nodes changed.
    bool changed = false;
    std::uint32_t nodeCount = 0;
    /// Slots whose vertices must be written again. Valid until the next update.
    std::span<const std::uint32_t> remeshedSlots;
    /// Index runs that must be written again, by their place in the draw. Valid until the next update.
    std::span<const std::uint32_t> rewrittenRuns;
};

/// A fixed number of slots, each of nodeVerts x nodeVerts vertices, and which node of the cut lies in which
/// (spec rows N1, N2, N11, N12). The vertices of all slots are one buffer of fixed size, slot after slot; the
/// triangles of the nodes in use are the first nodeCount() runs of another, each of the same length, so that
/// any cut is one indexed draw of the same two buffers. A node keeps its slot as long as it stays in the cut.
///
/// A slot's vertices are written again only where its node is new to the cut, its mask of coarser edges
/// changed, the camera moved and its vertices slide (or did when last written), the raster's generation
/// passed the one they were written at and the change lies under it, or invalidate() marked it.
///
/// Threads: one at a time. After the first update at full load nothing is allocated.
class NodePool {
  public:
    struct Slot {
        NodeKey key;
        std::uint8_t coarserEdges = 0;
        bool fullDensity = false;
        bool inUse = false;
        bool sliding =
            false;  ///< some vertex was neither at rest nor untouched by the morph when last written
        std::uint64_t generation = 0;  ///< of the raster, up to which the vertices are right
        std::uint32_t run = 0;         ///< place of its index run in the draw
    };

    static Result<NodePool> create(const HeightRaster& raster, const NodeCutOptions& options,
                                   const Externals& externals = {});

    /// Follows the camera: takes the cut, gives new nodes slots, lists what must be written. From the camera,
    /// raster generation and marks of the last update it does nothing and says changed = false. Fails,
    /// changing nothing, where the raster is not of the shape the pool was made for.
    Result<NodePoolUpdate> update(const HeightRaster& raster, const WorldPosition& camera);

    /// The same with nodes left out (NodeCut::select); `keep` is asked at every call.
    Result<NodePoolUpdate> update(const HeightRaster& raster, const WorldPosition& camera,
                                  NodeCut::Keep keep);

    /// The same with the caller's own cut. Refuses, by name and changing nothing, a node that does not stand
    /// on the grid or comes twice, and more nodes than the pool holds. That the nodes do not overlap, are
    /// balanced and carry the right edge masks is the caller's part.
    Result<NodePoolUpdate> updateWithNodes(const HeightRaster& raster, const WorldPosition& camera,
                                           std::span<const CutNode> nodes);

    /// Marks the nodes that overlap a rect of the world: the next update lists them.
    void invalidate(const Rect& area);

    const NodeGrid& grid() const { return m_cut.grid(); }
    const NodeCut& cut() const { return m_cut; }
    const WorldPosition& camera() const { return m_camera; }
    std::uint32_t maxNodes() const { return m_cut.options().maxNodes; }
    std::uint32_t nodeCount() const { return static_cast<std::uint32_t>(m_order.size()); }

    /// Slots in draw order: run r draws slotOrder()[r].
    std::span<const std::uint32_t> slotOrder() const { return m_order; }
    const Slot& slot(std::uint32_t index) const { return m_slots[index]; }

    /// The drawn rect by the raster's declared height range, never less (spec row N16).
    Bounds bounds() const;

    std::uint32_t verticesPerSlot() const { return grid().nodeVerts() * grid().nodeVerts(); }
    std::uint32_t indicesPerRun() const { return grid().quads() * grid().quads() * 6; }
    /// Of the whole pool, whatever is in use.
    std::size_t vertexCapacity() const { return std::size_t{maxNodes()} * verticesPerSlot(); }
    std::size_t indexCapacity() const { return std::size_t{maxNodes()} * indicesPerRun(); }
    /// Of the draw: nodeCount() runs.
    std::uint32_t indexCount() const { return nodeCount() * indicesPerRun(); }

  private:
    NodePool(NodeCut cut, const Externals& externals);
    Result<void> checkShape(const HeightRaster& raster) const;
    bool nothingNew(const HeightRaster& raster, const WorldPosition& camera) const;
    NodePoolUpdate follow(const HeightRaster& raster, const WorldPosition& camera,
                          std::span<const CutNode> nodes);
    bool slides(const CutNode& node, const WorldPosition& camera) const;

    NodeCut m_cut;
    GroundShape m_shape;
    WorldPosition m_camera;
    double m_split = 0;
    std::uint64_t m_generation = 0;
    bool m_marked = true;  // something waits for the next update
    Vector<Slot> m_slots;
    Vector<std::uint8_t> m_dirty;   // by slot: invalidated
    Vector<std::uint32_t> m_seen;   // by slot: update that saw its node in the cut
    Vector<std::uint32_t> m_order;  // run -> slot
    Vector<std::uint32_t> m_free;   // lowest last
    Vector<std::uint32_t> m_remeshed;
    Vector<std::uint32_t> m_rewritten;
    Vector<std::uint8_t> m_runDirty;
    Vector<std::uint32_t> m_wanted;  // nodes without a slot yet
    NodeTable m_bySlot;
    std::uint32_t m_updateCount = 0;
};

}  // namespace karst::heightfield
