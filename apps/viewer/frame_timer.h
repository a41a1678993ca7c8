#pragma once

#include <karst/render/gpu_timer.h>

#include <array>
#include <optional>

namespace karst::viewer {

/// How long the parts of a frame take on the GPU, one after the other; nothing on devices without timestamps.
///
/// Threads: one at a time.
class FrameTimer {
  public:
    enum Part : std::uint32_t { Upload, Shadows, Solid, Sky, Panels, Count };

    FrameTimer(const render::VulkanDevice& device, std::uint32_t framesInFlight);

    /// Takes the times of the frame framesInFlight before, and begins with the first part.
    void begin(VkCommandBuffer commands);
    /// The part before it ends here.
    void next(VkCommandBuffer commands, Part part);
    void end(VkCommandBuffer commands);

    /// Of the last frame that the GPU is known to be done with.
    const std::array<double, Count>& milliseconds() const { return m_milliseconds; }

  private:
    std::optional<render::GpuTimer> m_timer;
    std::uint32_t m_span = 0;
    std::array<double, Count> m_milliseconds{};
};

}  // namespace karst::viewer
