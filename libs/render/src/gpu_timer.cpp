#include <karst/render/gpu_timer.h>

#include <array>
#include <vector>

#include "device_functions.h"

namespace karst::render {

namespace {

constexpr std::uint32_t kMaxFramesInFlight = 8, kMaxSpans = 256;

struct Span {
    const char* name = "";
    bool stopped = false;
};

}  // namespace

struct GpuTimer::Impl {
    DeviceFunctions fn;
    GpuTimerDesc desc;
    VkQueryPool pool = VK_NULL_HANDLE;
    double millisecondsPerTick = 0;
    std::uint64_t mask = ~std::uint64_t{0};  // the bits that the queue family's timestamps have
    std::uint32_t frame = 0;
    std::array<std::vector<Span>, kMaxFramesInFlight> spans;
    std::vector<Time> times;

    explicit Impl(const DeviceFunctions& functions) : fn(functions) {}
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;
    ~Impl() {
        if (pool) fn.DestroyQueryPool(fn.device, pool, nullptr);
    }

    // Two queries a span, frame after frame.
    std::uint32_t queryOf(std::uint32_t span) const { return (frame * desc.spans + span) * 2; }

    void read() {
        times.clear();
        for (std::uint32_t s = 0; s < spans[frame].size(); ++s) {
            if (!spans[frame][s].stopped) continue;
            std::uint64_t ticks[2] = {};
            const VkResult code = fn.GetQueryPoolResults(fn.device, pool, queryOf(s), 2, sizeof(ticks), ticks,
                                                         sizeof(ticks[0]), VK_QUERY_RESULT_64_BIT);
            if (code != VK_SUCCESS) continue;
            const std::uint64_t passed = (ticks[1] - ticks[0]) & mask;
            times.push_back({spans[frame][s].name, static_cast<double>(passed) * millisecondsPerTick});
        }
    }
};

GpuTimer::GpuTimer(std::unique_ptr<Impl> impl) : m_impl(std::move(impl)) {}
GpuTimer::GpuTimer(GpuTimer&&) noexcept = default;
GpuTimer& GpuTimer::operator=(GpuTimer&&) noexcept = default;
GpuTimer::~GpuTimer() = default;

Result<GpuTimer> GpuTimer::create(const VulkanDevice& device, const GpuTimerDesc& desc) {
    if (desc.spans < 1 || desc.spans > kMaxSpans) {
        return makeError(ErrorCode::InvalidArgument, "gpu timer: %u spans are not in 1..%u", desc.spans,
                         kMaxSpans);
    }
    if (desc.framesInFlight < 1 || desc.framesInFlight > kMaxFramesInFlight) {
        return makeError(ErrorCode::InvalidArgument, "gpu timer: framesInFlight %u is not in 1..%u",
                         desc.framesInFlight, kMaxFramesInFlight);
    }
    auto fn = DeviceFunctions::load(device);
    if (!fn) return fn.error();
    std::uint32_t count = 0;
    fn->GetPhysicalDeviceQueueFamilyProperties(fn->physicalDevice, &count, nullptr);
    std::vector<VkQueueFamilyProperties> families(count);
    fn->GetPhysicalDeviceQueueFamilyProperties(fn->physicalDevice, &count, families.data());
    const std::uint32_t bits =
        device.queueFamily < count ? families[device.queueFamily].timestampValidBits : 0;
    if (bits == 0) {
        return makeError(ErrorCode::InvalidArgument, "gpu timer: queue family %u has no timestamps",
                         device.queueFamily);
    }
    VkPhysicalDeviceProperties properties{};
    fn->GetPhysicalDeviceProperties(fn->physicalDevice, &properties);
    auto impl = std::make_unique<Impl>(*fn);
    impl->desc = desc;
    impl->millisecondsPerTick = static_cast<double>(properties.limits.timestampPeriod) * 1e-6;
    if (bits < 64) impl->mask = (std::uint64_t{1} << bits) - 1;
    VkQueryPoolCreateInfo info{VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO};
    info.queryType = VK_QUERY_TYPE_TIMESTAMP;
    info.queryCount = desc.spans * desc.framesInFlight * 2;
    const VkResult code = fn->CreateQueryPool(fn->device, &info, nullptr, &impl->pool);
    if (code != VK_SUCCESS) return vulkanError("vkCreateQueryPool", "gpu timer", code);
    fn->setName(VK_OBJECT_TYPE_QUERY_POOL, impl->pool, "karst gpu timer");
    return GpuTimer(std::move(impl));
}

void GpuTimer::recordBegin(VkCommandBuffer commands) {
    Impl& impl = *m_impl;
    impl.frame = (impl.frame + 1) % impl.desc.framesInFlight;
    impl.read();
    impl.spans[impl.frame].clear();
    impl.fn.CmdResetQueryPool(commands, impl.pool, impl.queryOf(0), impl.desc.spans * 2);
}

std::uint32_t GpuTimer::recordStart(VkCommandBuffer commands, const char* name) {
    Impl& impl = *m_impl;
    std::vector<Span>& spans = impl.spans[impl.frame];
    const auto span = static_cast<std::uint32_t>(spans.size());
    if (span >= impl.desc.spans) return span;
    spans.push_back({name, false});
    impl.fn.CmdWriteTimestamp2(commands, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, impl.pool, impl.queryOf(span));
    return span;
}

void GpuTimer::recordStop(VkCommandBuffer commands, std::uint32_t span) {
    Impl& impl = *m_impl;
    std::vector<Span>& spans = impl.spans[impl.frame];
    if (span >= spans.size() || spans[span].stopped) return;
    spans[span].stopped = true;
    impl.fn.CmdWriteTimestamp2(commands, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, impl.pool,
                               impl.queryOf(span) + 1);
}

std::span<const GpuTimer::Time> GpuTimer::times() const {
    return m_impl->times;
}

}  // namespace karst::render
