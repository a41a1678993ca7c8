#pragma once

#include <karst/base/job_system.h>
#include <karst/heightfield_mesh/tile_layer.h>

#include <span>
#include <unordered_map>
#include <vector>

#include "retired.h"

namespace karst::render {

/// The layers of the tiles that are drawn (spec rows H18, H20): an array of R32F pictures that doubles up to
/// a limit. A tile keeps its layer from frame to frame as long as no other needs it.
class TilePool {
  public:
    static constexpr std::uint32_t kFirstLayers = 16;

    /// A layer to be written.
    struct Upload {
        const heightfield::HeightTile* tile = nullptr;
        heightfield::LayerSources sources{};
        std::uint32_t layer = 0;
    };

    /// `limit`: layers at most, above 0. The references must outlive it.
    TilePool(const DeviceFunctions& fn, Retired& retired, std::uint32_t limit)
        : m_fn(fn), m_retired(retired), m_limit(limit) {}
    TilePool(const TilePool&) = delete;
    TilePool& operator=(const TilePool&) = delete;
    ~TilePool() { release(); }

    /// Gives each of the tiles, all resident, a layer; `layers` has as many entries. No more tiles than the
    /// limit (asserted). Lists in uploads() what is new or has changed. `surfaceChanged`: false where the
    /// surface is the one of the last call. Fails where memory is out, leaving nothing placed.
    Result<void> place(const heightfield::Surface& surface, bool surfaceChanged,
                       std::span<const heightfield::TileKey> tiles, std::span<std::uint32_t> layers);
    std::span<const Upload> uploads() const { return m_uploads; }

    /// Records the copies of what was placed: layer i of uploads() from `staging` at offset + i *
    /// shape.bytes(); outside of a rendering scope. What was placed and not recorded before the next place()
    /// is placed again then.
    void recordUploads(VkCommandBuffer commands, VkBuffer staging, VkDeviceSize offset);

    /// Gives all memory back once the GPU is done with it.
    void release();

    /// Changes when view() is another image's.
    std::uint64_t generation() const { return m_generation; }
    VkImageView view() const { return m_view; }
    VkImage image() const { return m_image.image; }
    const heightfield::TileLayerShape& shape() const { return m_shape; }
    std::uint32_t layers() const { return static_cast<std::uint32_t>(m_slots.size()); }
    std::uint32_t limit() const { return m_limit; }

  private:
    struct Slot {
        std::uint64_t key = 0;  // packed; 0 is no tile's
        std::uint64_t stamp = 0;
        std::uint64_t frame = 0;  // when it was last drawn
    };
    Result<void> grow(std::uint32_t layers);
    void forgetUnrecorded();

    const DeviceFunctions& m_fn;
    Retired& m_retired;
    std::uint32_t m_limit;
    heightfield::TileLayerShape m_shape;
    GpuImage m_image;
    VkImageView m_view = VK_NULL_HANDLE;
    bool m_imageIsNew = false;  // its layout is undefined
    GpuImage m_grownFrom;       // whose layers are to be copied
    VkImageView m_grownFromView = VK_NULL_HANDLE;
    std::uint32_t m_grownFromLayers = 0;
    std::uint64_t m_generation = 0, m_frame = 0;
    bool m_recorded = true;
    std::vector<Slot> m_slots;  // by layer
    std::unordered_map<std::uint64_t, std::uint32_t> m_layerOf;
    std::vector<std::uint32_t> m_free;
    std::vector<Upload> m_uploads;
    std::vector<VkBufferImageCopy> m_copies;
};

}  // namespace karst::render
