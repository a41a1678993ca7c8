#pragma once

#include <karst/base/result.h>
#include <karst/render/device.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace karst::render {

struct NodeMeshBuffersDesc {
    std::uint64_t vertexBytes = 0;  ///< above 0, a multiple of 4
    std::uint64_t indexBytes = 0;   ///< above 0, a multiple of 4; indices are 32-bit
    /// How many recordUploads the GPU may be behind: the commands of a recordUploads must have finished
    /// before the one framesInFlight calls later. 1..8.
    std::uint32_t framesInFlight = 2;
};

/// What one recordUploads recorded.
struct UploadStats {
    std::uint32_t ranges = 0;  ///< after joining ranges that touch
    std::uint64_t bytes = 0;
};

/// The pool's one vertex and one index buffer on the GPU (spec row N2). Both are allocated once, for the
/// whole pool, and keep their identity; changed ranges are copied into them in place. Contents are undefined
/// until uploaded.
///
/// Memory: vertexBytes + indexBytes on the device, and framesInFlight times as much that the host can see.
/// The GPU must be done with all that was recorded with it before it is destroyed.
///
/// Threads: one at a time.
class NodeMeshBuffers {
  public:
    /// Fails with InvalidArgument for sizes outside their range, DeviceLost where memory is out.
    static Result<NodeMeshBuffers> create(const VulkanDevice& device, const NodeMeshBuffersDesc& desc);
    NodeMeshBuffers(NodeMeshBuffers&&) noexcept;
    NodeMeshBuffers& operator=(NodeMeshBuffers&&) noexcept;
    ~NodeMeshBuffers();

    /// Takes a copy of the bytes for the next recordUploads; of two writes to one place the later wins.
    /// Offset and size are multiples of 4. Refused where the range leaves the buffer.
    Result<void> uploadVertices(std::uint64_t offsetBytes, std::span<const std::byte> bytes);
    Result<void> uploadIndices(std::uint64_t offsetBytes, std::span<const std::byte> bytes);

    /// Records the copies of what was uploaded since the last call, between barriers that order them after
    /// earlier draws and before later ones on the same queue; outside of a rendering scope. Records nothing
    /// where nothing was uploaded.
    UploadStats recordUploads(VkCommandBuffer commands);

    /// Both may also be copied from, and written by shaders (NodeMeshWriter).
    VkBuffer vertexBuffer() const;
    VkBuffer indexBuffer() const;
    std::uint64_t vertexBytes() const;
    std::uint64_t indexBytes() const;

  private:
    struct Impl;
    explicit NodeMeshBuffers(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> m_impl;
};

}  // namespace karst::render
