#include "frame_timer.h"

#include <algorithm>
#include <iterator>

namespace karst::viewer {

namespace {

// Each is its own object: a time's name is one of these.
constexpr const char* kNames[] = {"upload", "shadows", "solid", "sky", "panels"};
static_assert(std::size(kNames) == FrameTimer::Count);

}  // namespace

FrameTimer::FrameTimer(const render::VulkanDevice& device, std::uint32_t framesInFlight) {
    auto timer = render::GpuTimer::create(device, {.spans = Count, .framesInFlight = framesInFlight});
    if (timer) m_timer.emplace(std::move(*timer));
}

void FrameTimer::begin(VkCommandBuffer commands) {
    if (!m_timer) return;
    m_timer->recordBegin(commands);
    for (const render::GpuTimer::Time& time : m_timer->times()) {
        const auto part = std::find(std::begin(kNames), std::end(kNames), time.name) - std::begin(kNames);
        if (part < Count) m_milliseconds[static_cast<std::size_t>(part)] = time.milliseconds;
    }
    m_span = m_timer->recordStart(commands, kNames[0]);
}

void FrameTimer::next(VkCommandBuffer commands, Part part) {
    if (!m_timer) return;
    m_timer->recordStop(commands, m_span);
    m_span = m_timer->recordStart(commands, kNames[part]);
}

void FrameTimer::end(VkCommandBuffer commands) {
    if (m_timer) m_timer->recordStop(commands, m_span);
}

}  // namespace karst::viewer
