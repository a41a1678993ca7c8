#include "mesh_workshop.h"

#include <utility>

namespace karst::voxel_stream {

std::unique_ptr<MeshWorkshop::Tools> MeshWorkshop::take() {
    {
        const std::lock_guard lock(m_mutex);
        if (!m_tools.empty()) {
            std::unique_ptr<Tools> tools = std::move(m_tools.back());
            m_tools.pop_back();
            return tools;
        }
    }
    return std::make_unique<Tools>(m_options.surface);
}

void MeshWorkshop::giveBack(std::unique_ptr<Tools> tools) {
    const std::lock_guard lock(m_mutex);
    m_tools.push_back(std::move(tools));
}

MeshResult MeshWorkshop::make(Tools& tools, const voxel::GridSnapshot& grid,
                              const MeshRequest& request) const {
    MeshResult result;
    result.request = request;
    if (request.solid) {
        tools.surfaces.build(grid, request.chunk, request.level, result.solid);
        result.solidVertices = result.solid.vertices.size();
        result.solidIndices = voxel_mesh::appendSkirt(result.solid, m_options.skirt);
    }
    if (request.water) tools.water.build(grid, request.chunk, result.water);
    if (m_options.keepGeometry) {
        result.solid.vertices.shrink_to_fit();
        result.solid.indices.shrink_to_fit();
        result.water.vertices.shrink_to_fit();
        result.water.indices.shrink_to_fit();
    }
    return result;
}

void MeshWorkshop::put(MeshResult result) {
    const std::lock_guard lock(m_mutex);
    m_results.push_back(std::move(result));
}

std::optional<MeshResult> MeshWorkshop::next() {
    const std::lock_guard lock(m_mutex);
    if (m_results.empty()) return std::nullopt;
    std::optional<MeshResult> result(std::move(m_results.front()));
    m_results.pop_front();
    return result;
}

std::size_t MeshWorkshop::waiting() const {
    const std::lock_guard lock(m_mutex);
    return m_results.size();
}

}  // namespace karst::voxel_stream
