#pragma once

#include <karst/heightfield_mesh/node_mesh.h>

#include <cstdint>
#include <map>
#include <memory>

namespace karst::heightfield {

/// The host's mesh that a pool fills: one vertex and one index buffer whose identity never changes.
/// Destroying it releases them. Implemented by the host; called from the thread that calls NodeBindings.
class NodeMeshTarget {
  public:
    virtual ~NodeMeshTarget() = default;

    /// Memory of NodeMesh::vertexWords() words and NodePool::indexCapacity() numbers that keeps what was
    /// written.
    virtual std::span<std::uint32_t> vertices() = 0;
    virtual std::span<std::uint32_t> indices() = 0;

    /// What was written since the last call; the draw is the first pool.indexCount() indices. Called only
    /// after a change.
    virtual void written(const NodePool& pool, const NodePoolUpdate& update) = 0;
};

/// Which entity's geometry is which heightfield drawn through which pool (spec row N17). Entities are the
/// host's numbers. One registry a world; not process-global. Threads: one at a time.
class NodeBindings {
  public:
    struct Binding {
        std::shared_ptr<HeightRaster> raster;
        NodeMesh mesh;
        std::unique_ptr<NodeMeshTarget> target;
    };

    /// Binds an entity, replacing and releasing what it was bound to. Refuses a null raster or target, and a
    /// target whose memory does not hold the mesh; then nothing changes.
    Result<void> bind(std::uint64_t entity, std::shared_ptr<HeightRaster> raster, NodeMesh mesh,
                      std::unique_ptr<NodeMeshTarget> target);

    /// Null where the entity is not bound. Valid until the next bind or unbind.
    Binding* find(std::uint64_t entity);
    bool isBound(std::uint64_t entity) const { return m_bindings.find(entity) != m_bindings.end(); }

    /// Releases the host's mesh, the pool and the registry's share of the raster together. False where not
    /// bound.
    bool unbind(std::uint64_t entity);

    /// Each frame: moves the cut to the camera and writes what changed into the target. Fails by name where
    /// the entity is not bound.
    Result<NodePoolUpdate> followCamera(std::uint64_t entity, const WorldPosition& camera);

    std::size_t size() const { return m_bindings.size(); }

  private:
    std::map<std::uint64_t, Binding> m_bindings;
};

}  // namespace karst::heightfield
