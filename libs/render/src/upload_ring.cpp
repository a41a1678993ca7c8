#include "upload_ring.h"

#include <utility>

namespace karst::render {

UploadRing::UploadRing(UploadRing&& other) noexcept {
    *this = std::move(other);
}

UploadRing& UploadRing::operator=(UploadRing&& other) noexcept {
    std::swap(m_fn, other.m_fn);
    std::swap(m_buffers, other.m_buffers);
    std::swap(m_frameBytes, other.m_frameBytes);
    std::swap(m_used, other.m_used);
    std::swap(m_framesInFlight, other.m_framesInFlight);
    std::swap(m_frame, other.m_frame);
    return *this;
}

UploadRing::~UploadRing() {
    if (!m_fn.device) return;
    for (GpuBuffer& buffer : m_buffers)
        destroyBuffer(m_fn, buffer);
}

Result<UploadRing> UploadRing::create(const DeviceFunctions& fn, const char* name, VkDeviceSize frameBytes,
                                      std::uint32_t framesInFlight) {
    if (framesInFlight < 1 || framesInFlight > kMaxFramesInFlight) {
        return makeError(ErrorCode::InvalidArgument, "%s: framesInFlight %u is not in 1..%u", name,
                         framesInFlight, kMaxFramesInFlight);
    }
    UploadRing ring;
    ring.m_fn = fn;
    ring.m_frameBytes = frameBytes;
    ring.m_framesInFlight = framesInFlight;
    for (std::uint32_t i = 0; i < framesInFlight; ++i) {
        auto buffer =
            createBuffer(fn, name, frameBytes, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, MemoryKind::HostVisible);
        if (!buffer) return buffer.error();
        ring.m_buffers[i] = *buffer;
    }
    return ring;
}

void UploadRing::begin() {
    m_frame = (m_frame + 1) % m_framesInFlight;
    m_used = 0;
}

std::optional<UploadRing::Slice> UploadRing::allocate(VkDeviceSize bytes, VkDeviceSize alignment) {
    const VkDeviceSize offset = (m_used + alignment - 1) & ~(alignment - 1);
    if (offset > m_frameBytes || bytes > m_frameBytes - offset) return std::nullopt;
    m_used = offset + bytes;
    const GpuBuffer& buffer = m_buffers[m_frame];
    return Slice{buffer.buffer, offset, {buffer.mapped + offset, static_cast<std::size_t>(bytes)}};
}

}  // namespace karst::render
