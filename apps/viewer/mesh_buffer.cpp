#include "mesh_buffer.h"

#include <algorithm>

namespace karst::viewer {

void MeshBuffer::beginFrame() {
    ++m_frame;
    while (!m_retired.empty() && m_retired.front().frame + m_framesInFlight < m_frame)
        m_retired.pop_front();
}

Result<bool> MeshBuffer::reserve(std::uint64_t vertexBytes, std::uint64_t indexBytes) {
    if (m_now && vertexBytes <= m_now->vertexBytes() && indexBytes <= m_now->indexBytes()) return false;
    const auto grown = [](std::uint64_t bytes) {
        return std::max<std::uint64_t>((bytes + bytes / 2 + 3) & ~std::uint64_t{3}, 1 << 20);
    };
    auto made = render::NodeMeshBuffers::create(
        m_device, {.vertexBytes = std::max(grown(vertexBytes), m_now ? m_now->vertexBytes() : 0),
                   .indexBytes = std::max(grown(indexBytes), m_now ? m_now->indexBytes() : 0),
                   .framesInFlight = m_framesInFlight});
    if (!made) return made.error();
    if (m_now) m_retired.push_back({std::move(m_now), m_frame});
    m_now = std::make_unique<render::NodeMeshBuffers>(std::move(*made));
    return true;
}

}  // namespace karst::viewer
