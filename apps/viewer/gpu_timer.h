#pragma once

#include <common/vulkan_context.h>
#include <karst/base/result.h>

#include <array>
#include <cstdint>
#include <vector>

namespace karst::viewer {

/// Milliseconds that parts of a frame take on the GPU, by timestamps; none on devices without.
class GpuTimer {
  public:
    enum Mark : std::uint32_t { Begin, Uploaded, Shadows, Solid, Sky, Panels, Count };

    static Result<GpuTimer> create(app::VulkanContext& context, std::uint32_t framesInFlight);
    GpuTimer(GpuTimer&& other) noexcept;
    GpuTimer& operator=(GpuTimer&&) = delete;
    ~GpuTimer();

    /// Takes the times of what the slot drew last, and begins anew.
    void beginFrame(VkCommandBuffer commands, std::uint32_t slot);
    void mark(VkCommandBuffer commands, std::uint32_t slot, Mark mark);

    /// Between a mark and the one before it; 0 at Begin.
    const std::array<double, Count>& milliseconds() const { return m_milliseconds; }

  private:
    GpuTimer() = default;
    VkDevice m_device = VK_NULL_HANDLE;
    VkQueryPool m_pool = VK_NULL_HANDLE;
    double m_period = 0;  // nanoseconds a tick
    std::uint64_t m_mask = 0;
    std::vector<bool> m_used;
    std::array<double, Count> m_milliseconds{};
};

}  // namespace karst::viewer
