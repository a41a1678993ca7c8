#pragma once

#include <vulkan/vulkan.h>

#include <cstdio>
#include <cstdlib>

#include "common/one_shot.h"
#include "common/vulkan_context.h"

namespace karst::bench {

/// Ends the program with a word where something fails: a benchmark has no better way.
template <class T>
T orExit(Result<T> result) {
    if (result) return std::move(result).value();
    std::fprintf(stderr, "%s\n", result.error().message.c_str());
    std::exit(1);
}
inline void orExit(Result<void> result) {
    if (result) return;
    std::fprintf(stderr, "%s\n", result.error().message.c_str());
    std::exit(1);
}

/// Seconds that the GPU takes for what is recorded, by two timestamps around it.
class GpuClock {
  public:
    explicit GpuClock(app::VulkanContext& context) : m_context(&context) {
        VkQueryPoolCreateInfo info{VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO};
        info.queryType = VK_QUERY_TYPE_TIMESTAMP;
        info.queryCount = 2;
        vkCreateQueryPool(context.device(), &info, nullptr, &m_pool);
        VkPhysicalDeviceProperties properties{};
        vkGetPhysicalDeviceProperties(context.physicalDevice(), &properties);
        m_secondsPerTick = static_cast<double>(properties.limits.timestampPeriod) * 1e-9;
    }
    GpuClock(const GpuClock&) = delete;
    GpuClock& operator=(const GpuClock&) = delete;
    ~GpuClock() { vkDestroyQueryPool(m_context->device(), m_pool, nullptr); }

    /// `before` is recorded first, outside of the time.
    double seconds(FunctionRef<Result<void>(VkCommandBuffer)> before,
                   FunctionRef<Result<void>(VkCommandBuffer)> record) {
        orExit(app::submitAndWait(*m_context, [&](VkCommandBuffer commands) -> Result<void> {
            vkCmdResetQueryPool(commands, m_pool, 0, 2);
            if (auto done = before(commands); !done) return done;
            vkCmdWriteTimestamp2(commands, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, m_pool, 0);
            if (auto done = record(commands); !done) return done;
            vkCmdWriteTimestamp2(commands, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, m_pool, 1);
            return {};
        }));
        std::uint64_t ticks[2] = {};
        vkGetQueryPoolResults(m_context->device(), m_pool, 0, 2, sizeof ticks, ticks, sizeof ticks[0],
                              VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT);
        return static_cast<double>(ticks[1] - ticks[0]) * m_secondsPerTick;
    }
    double seconds(FunctionRef<Result<void>(VkCommandBuffer)> record) {
        const auto nothing = [](VkCommandBuffer) -> Result<void> { return {}; };
        return seconds(nothing, record);
    }

  private:
    app::VulkanContext* m_context;
    VkQueryPool m_pool = VK_NULL_HANDLE;
    double m_secondsPerTick = 0;
};

/// One device for all benchmarks of a program.
inline app::VulkanContext& gpu() {
    static app::VulkanContext context = orExit(app::VulkanContext::create());
    return context;
}

}  // namespace karst::bench
