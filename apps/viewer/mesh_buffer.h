#pragma once

#include <karst/render/node_mesh_buffers.h>

#include <cstdint>
#include <deque>
#include <memory>
#include <span>

namespace karst::viewer {

/// Vertex and index buffers that are replaced by larger ones as a mesh grows. Old ones are kept until no
/// frame in flight draws them.
class MeshBuffer {
  public:
    MeshBuffer(const render::VulkanDevice& device, std::uint32_t framesInFlight)
        : m_device(device), m_framesInFlight(framesInFlight) {}

    /// Call once a frame, before anything else.
    void beginFrame();
    /// Room for so many bytes; true where the buffers are new and empty.
    Result<bool> reserve(std::uint64_t vertexBytes, std::uint64_t indexBytes);
    render::NodeMeshBuffers* buffers() const { return m_now.get(); }
    std::uint64_t bytes() const { return m_now ? m_now->vertexBytes() + m_now->indexBytes() : 0; }

  private:
    struct Retired {
        std::unique_ptr<render::NodeMeshBuffers> buffers;
        std::uint64_t frame;
    };
    render::VulkanDevice m_device;
    std::uint32_t m_framesInFlight;
    std::uint64_t m_frame = 0;
    std::unique_ptr<render::NodeMeshBuffers> m_now;
    std::deque<Retired> m_retired;
};

}  // namespace karst::viewer
