#pragma once

#include <karst/base/result.h>

#include <array>
#include <cstddef>
#include <optional>
#include <span>

#include "gpu_buffer.h"

namespace karst::render {

/// Host-visible memory that a frame's uploads are written into and copied from. Each frame in flight has a
/// part of its own; what was allocated from it is free again when that frame's turn comes back.
///
/// Threads: one at a time.
class UploadRing {
  public:
    static constexpr std::uint32_t kMaxFramesInFlight = 8;

    struct Slice {
        VkBuffer buffer = VK_NULL_HANDLE;
        VkDeviceSize offset = 0;
        std::span<std::byte> bytes;
    };

    UploadRing() = default;
    UploadRing(UploadRing&& other) noexcept;
    UploadRing& operator=(UploadRing&& other) noexcept;
    ~UploadRing();

    /// `frameBytes`: what one frame may upload, above 0. `framesInFlight`: 1..kMaxFramesInFlight.
    static Result<UploadRing> create(const DeviceFunctions& fn, const char* name, VkDeviceSize frameBytes,
                                     std::uint32_t framesInFlight);

    /// Begins a frame; the GPU must be done with the one framesInFlight begins ago.
    void begin();
    /// Nothing where the frame's part has no room left. `alignment`: a power of two.
    std::optional<Slice> allocate(VkDeviceSize bytes, VkDeviceSize alignment);
    VkDeviceSize frameBytes() const { return m_frameBytes; }
    VkDeviceSize left() const { return m_frameBytes - m_used; }

  private:
    DeviceFunctions m_fn;
    std::array<GpuBuffer, kMaxFramesInFlight> m_buffers;
    VkDeviceSize m_frameBytes = 0, m_used = 0;
    std::uint32_t m_framesInFlight = 0, m_frame = 0;
};

}  // namespace karst::render
