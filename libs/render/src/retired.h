#pragma once

#include <vector>

#include "gpu_buffer.h"
#include "gpu_image.h"

namespace karst::render {

/// What frames in flight may still read, and nothing else any more: destroyed when the GPU is done with them.
class Retired {
  public:
    Retired(const DeviceFunctions& fn, std::uint32_t framesInFlight)
        : m_fn(fn), m_framesInFlight(framesInFlight) {}
    Retired(const Retired&) = delete;
    Retired& operator=(const Retired&) = delete;
    ~Retired();

    /// Begins a frame; the GPU is done with the one framesInFlight begins ago.
    void begin();
    /// Takes them, and leaves the caller's handles null.
    void add(GpuBuffer& buffer);
    void add(GpuImage& image, VkImageView& view);
    void add(VkDescriptorPool& pool);

  private:
    struct Entry {
        std::uint64_t frame = 0;
        GpuBuffer buffer;
        GpuImage image;
        VkImageView view = VK_NULL_HANDLE;
        VkDescriptorPool pool = VK_NULL_HANDLE;
    };
    void destroy(Entry& entry);

    const DeviceFunctions& m_fn;
    std::uint32_t m_framesInFlight;
    std::uint64_t m_frame = 0;
    std::vector<Entry> m_entries;
};

}  // namespace karst::render
