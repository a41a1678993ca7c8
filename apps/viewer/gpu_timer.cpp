#include "gpu_timer.h"

#include <utility>

namespace karst::viewer {

GpuTimer::GpuTimer(GpuTimer&& other) noexcept
    : m_device(other.m_device),
      m_pool(std::exchange(other.m_pool, VK_NULL_HANDLE)),
      m_period(other.m_period),
      m_mask(other.m_mask),
      m_used(std::move(other.m_used)),
      m_milliseconds(other.m_milliseconds) {}

GpuTimer::~GpuTimer() {
    if (m_pool) vkDestroyQueryPool(m_device, m_pool, nullptr);
}

Result<GpuTimer> GpuTimer::create(app::VulkanContext& context, std::uint32_t framesInFlight) {
    GpuTimer timer;
    timer.m_device = context.device();
    timer.m_used.assign(framesInFlight, false);
    std::uint32_t count = 0;
    vkGetPhysicalDeviceQueueFamilyProperties(context.physicalDevice(), &count, nullptr);
    std::vector<VkQueueFamilyProperties> families(count);
    vkGetPhysicalDeviceQueueFamilyProperties(context.physicalDevice(), &count, families.data());
    const std::uint32_t bits = families[context.queueFamily()].timestampValidBits;
    if (bits == 0) return timer;
    timer.m_mask = bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
    VkPhysicalDeviceProperties properties{};
    vkGetPhysicalDeviceProperties(context.physicalDevice(), &properties);
    timer.m_period = double{properties.limits.timestampPeriod};
    VkQueryPoolCreateInfo info{VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO};
    info.queryType = VK_QUERY_TYPE_TIMESTAMP;
    info.queryCount = framesInFlight * Count;
    const VkResult code = vkCreateQueryPool(timer.m_device, &info, nullptr, &timer.m_pool);
    if (code != VK_SUCCESS) return app::vulkanError("vkCreateQueryPool", code);
    return timer;
}

void GpuTimer::beginFrame(VkCommandBuffer commands, std::uint32_t slot) {
    if (!m_pool) return;
    if (m_used[slot]) {
        std::array<std::uint64_t, Count> ticks{};
        const VkResult code = vkGetQueryPoolResults(m_device, m_pool, slot * Count, Count, sizeof ticks,
                                                    ticks.data(), sizeof ticks[0], VK_QUERY_RESULT_64_BIT);
        for (std::size_t i = 1; i < Count && code == VK_SUCCESS; ++i)
            m_milliseconds[i] = static_cast<double>((ticks[i] - ticks[i - 1]) & m_mask) * m_period * 1e-6;
    }
    m_used[slot] = true;
    vkCmdResetQueryPool(commands, m_pool, slot * Count, Count);
    mark(commands, slot, Begin);
}

void GpuTimer::mark(VkCommandBuffer commands, std::uint32_t slot, Mark mark) {
    if (m_pool)
        vkCmdWriteTimestamp2(commands, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, m_pool, slot * Count + mark);
}

}  // namespace karst::viewer
