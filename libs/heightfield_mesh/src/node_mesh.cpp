#include <karst/heightfield_mesh/node_mesh.h>

namespace karst::heightfield {

NodeMesh::NodeMesh(NodePool pool, const VertexLayout& layout, JobSystem& jobs)
    : m_pool(std::move(pool)), m_layout(layout), m_jobs(&jobs) {}

Result<NodeMesh> NodeMesh::create(const HeightRaster& raster, const NodeCutOptions& options,
                                  const VertexLayout& layout, const Externals& externals) {
    if (Result<void> valid = validate(layout); !valid) return valid.error();
    Result<NodePool> pool = NodePool::create(raster, options, externals);
    if (!pool) return pool.error();
    return NodeMesh(std::move(pool).value(), layout, *externals.jobs);
}

Result<void> NodeMesh::checkMemory(std::span<std::uint32_t> vertices,
                                   std::span<std::uint32_t> indices) const {
    if (vertices.size() < vertexWords()) {
        return makeError(ErrorCode::InvalidArgument,
                         "node mesh: vertex memory of %zu words, but the pool needs %zu", vertices.size(),
                         vertexWords());
    }
    if (indices.size() < m_pool.indexCapacity()) {
        return makeError(ErrorCode::InvalidArgument,
                         "node mesh: index memory of %zu numbers, but the pool needs %zu", indices.size(),
                         m_pool.indexCapacity());
    }
    return {};
}

Result<NodePoolUpdate> NodeMesh::write(const HeightRaster& raster, Result<NodePoolUpdate> update,
                                       std::span<std::uint32_t> vertices, std::span<std::uint32_t> indices) {
    if (!update || !update->changed) return update;
    writeNodeVertices(m_pool, raster, m_layout, update->remeshedSlots, vertices, *m_jobs);
    writeNodeIndices(m_pool, raster, update->rewrittenRuns, indices, *m_jobs);
    return update;
}

Result<NodePoolUpdate> NodeMesh::update(const HeightRaster& raster, const WorldPosition& camera,
                                        std::span<std::uint32_t> vertices, std::span<std::uint32_t> indices) {
    if (Result<void> fits = checkMemory(vertices, indices); !fits) return fits.error();
    return write(raster, m_pool.update(raster, camera), vertices, indices);
}

Result<NodePoolUpdate> NodeMesh::update(const HeightRaster& raster, const WorldPosition& camera,
                                        NodeCut::Keep keep, std::span<std::uint32_t> vertices,
                                        std::span<std::uint32_t> indices) {
    if (Result<void> fits = checkMemory(vertices, indices); !fits) return fits.error();
    return write(raster, m_pool.update(raster, camera, keep), vertices, indices);
}

}  // namespace karst::heightfield
