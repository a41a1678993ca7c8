#pragma once

#include <karst/base/result.h>
#include <karst/render/device.h>

#include <cstdint>
#include <memory>
#include <span>

namespace karst::render {

struct GpuTimerDesc {
    std::uint32_t spans = 16;  ///< that one frame measures at most: 1..256
    /// How many frames the GPU may be behind: what was recorded after a recordBegin must have finished before
    /// the one framesInFlight calls later. 1..8.
    std::uint32_t framesInFlight = 2;
};

/// How long passes take on the GPU, by timestamps around them. Reads never wait: a frame's times are there
/// when its turn comes back.
///
/// Each frame: recordBegin outside of a rendering scope, then start and stop around what is measured, in any
/// command buffer submitted after it; times() then are those of framesInFlight frames before.
///
/// Threads: one at a time.
class GpuTimer {
  public:
    /// One span of a frame.
    struct Time {
        const char* name = "";
        double milliseconds = 0;
    };

    /// Fails with InvalidArgument for numbers outside their ranges or where the queue family has no
    /// timestamps, DeviceLost where the device refuses.
    static Result<GpuTimer> create(const VulkanDevice& device, const GpuTimerDesc& desc = {});
    GpuTimer(GpuTimer&&) noexcept;
    GpuTimer& operator=(GpuTimer&&) noexcept;
    ~GpuTimer();

    /// Reads the times of the frame whose turn this is, and begins it anew.
    void recordBegin(VkCommandBuffer commands);
    /// Begins a span; `name` must live as long as the timer. Spans may hold others. Beyond desc.spans nothing
    /// is measured.
    std::uint32_t recordStart(VkCommandBuffer commands, const char* name);
    void recordStop(VkCommandBuffer commands, std::uint32_t span);

    /// Of the frame that the last recordBegin read, in the order of their starts. Spans that were not
    /// stopped, or that the GPU has not finished, are left out.
    std::span<const Time> times() const;

  private:
    struct Impl;
    explicit GpuTimer(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> m_impl;
};

}  // namespace karst::render
