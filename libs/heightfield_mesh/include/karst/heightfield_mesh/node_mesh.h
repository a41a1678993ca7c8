#pragma once

#include <karst/heightfield_mesh/node_pool.h>
#include <karst/heightfield_mesh/node_writer.h>
#include <karst/heightfield_mesh/vertex_layout.h>

#include <span>

namespace karst::heightfield {

/// A heightfield as one mesh: a pool and its writers, into memory that the caller gives at each update (a
/// mapped buffer, say). The memory must keep what was written before; only what changed is written again.
///
///     NodeMesh mesh = *NodeMesh::create(raster, {}, VertexLayout::compact());
///     std::vector<uint32_t> vertices(mesh.vertexWords()), indices(mesh.pool().indexCapacity());
///     mesh.update(raster, camera, vertices, indices);   // each frame
///     // draw: indices 0 .. mesh.pool().indexCount(), one indexed draw
///
/// Threads: one at a time; the work runs over externals.jobs.
class NodeMesh {
  public:
    static Result<NodeMesh> create(const HeightRaster& raster, const NodeCutOptions& options,
                                   const VertexLayout& layout, const Externals& externals = {});

    /// Errors of NodePool::update, and memory that is too small.
    Result<NodePoolUpdate> update(const HeightRaster& raster, const WorldPosition& camera,
                                  std::span<std::uint32_t> vertices, std::span<std::uint32_t> indices);
    Result<NodePoolUpdate> update(const HeightRaster& raster, const WorldPosition& camera, NodeCut::Keep keep,
                                  std::span<std::uint32_t> vertices, std::span<std::uint32_t> indices);

    NodePool& pool() { return m_pool; }
    const NodePool& pool() const { return m_pool; }
    const VertexLayout& layout() const { return m_layout; }
    std::size_t vertexWords() const { return m_pool.vertexCapacity() * m_layout.strideWords; }

  private:
    NodeMesh(NodePool pool, const VertexLayout& layout, JobSystem& jobs);
    Result<void> checkMemory(std::span<std::uint32_t> vertices, std::span<std::uint32_t> indices) const;
    Result<NodePoolUpdate> write(const HeightRaster& raster, Result<NodePoolUpdate> update,
                                 std::span<std::uint32_t> vertices, std::span<std::uint32_t> indices);

    NodePool m_pool;
    VertexLayout m_layout;
    JobSystem* m_jobs;
};

}  // namespace karst::heightfield
