#include "retired.h"

#include <algorithm>

namespace karst::render {

Retired::~Retired() {
    for (Entry& entry : m_entries)
        destroy(entry);
}

void Retired::begin() {
    ++m_frame;
    std::erase_if(m_entries, [this](Entry& entry) {
        if (entry.frame + m_framesInFlight > m_frame) return false;
        destroy(entry);
        return true;
    });
}

void Retired::add(GpuBuffer& buffer) {
    if (buffer.buffer) m_entries.push_back({m_frame, buffer, {}, VK_NULL_HANDLE, VK_NULL_HANDLE});
    buffer = {};
}

void Retired::add(GpuImage& image, VkImageView& view) {
    if (image.image || view) m_entries.push_back({m_frame, {}, image, view, VK_NULL_HANDLE});
    image = {};
    view = VK_NULL_HANDLE;
}

void Retired::add(VkDescriptorPool& pool) {
    if (pool) m_entries.push_back({m_frame, {}, {}, VK_NULL_HANDLE, pool});
    pool = VK_NULL_HANDLE;
}

void Retired::destroy(Entry& entry) {
    destroyBuffer(m_fn, entry.buffer);
    if (entry.view) m_fn.DestroyImageView(m_fn.device, entry.view, nullptr);
    destroyImage(m_fn, entry.image);
    if (entry.pool) m_fn.DestroyDescriptorPool(m_fn.device, entry.pool, nullptr);
}

}  // namespace karst::render
