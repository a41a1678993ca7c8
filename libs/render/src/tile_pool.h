#pragma once

#include <karst/base/job_system.h>
#include <karst/heightfield_mesh/tile_layer.h>
#include <karst/heightfield_mesh/tile_slopes.h>

#include <array>
#include <span>
#include <unordered_map>
#include <vector>

#include "retired.h"

namespace karst::render {

/// The layers of the tiles that are drawn (spec rows H18, H20): an array of R32F pictures (TileLayerShape)
/// and one of RG16F pictures of their slopes (TileSlopeShape), which double up to a limit. A tile keeps its
/// layer from frame to frame as long as no other needs it.
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

    /// Bytes of one layer: the heights, then the slopes.
    std::size_t layerBytes() const { return m_shape.bytes() + m_slopeShape.bytes(); }

    /// Writes layer `upload` of uploads() for recordUploads; `out` is layerBytes() bytes (asserted), aligned
    /// as words are. Any thread, while nothing else is called.
    void writeUpload(const heightfield::TileLayout& layout, std::size_t upload,
                     std::span<std::byte> out) const;

    /// Records the copies of what was placed: layer i of uploads() from `staging` at offset + i *
    /// layerBytes(); outside of a rendering scope. What was placed and not recorded before the next place()
    /// is placed again then.
    void recordUploads(VkCommandBuffer commands, VkBuffer staging, VkDeviceSize offset);

    /// Gives all memory back once the GPU is done with it.
    void release();

    /// Changes when view() is another image's.
    std::uint64_t generation() const { return m_generation; }
    VkImageView view() const { return m_images.views[kHeights]; }
    VkImageView slopesView() const { return m_images.views[kSlopes]; }
    VkImage slopesImage() const { return m_images.images[kSlopes].image; }
    VkImage image() const { return m_images.images[kHeights].image; }
    const heightfield::TileLayerShape& shape() const { return m_shape; }
    std::uint32_t layers() const { return static_cast<std::uint32_t>(m_slots.size()); }
    std::uint32_t limit() const { return m_limit; }

  private:
    struct Slot {
        std::uint64_t key = 0;  // packed; 0 is no tile's
        std::uint64_t stamp = 0;
        std::uint64_t frame = 0;  // when it was last drawn
    };
    enum Kind : std::size_t { kHeights, kSlopes, kKinds };
    struct Images {
        std::array<GpuImage, kKinds> images;
        std::array<VkImageView, kKinds> views{};
        bool empty() const { return images[kHeights].image == VK_NULL_HANDLE; }
    };
    Result<void> grow(std::uint32_t layers);
    Result<Images> createImages(std::uint32_t layers) const;
    void retire(Images& images);
    VkExtent3D extentOf(std::size_t kind) const;
    void forgetUnrecorded();
    void recordKind(VkCommandBuffer commands, std::size_t kind, VkBuffer staging, VkDeviceSize offset);

    const DeviceFunctions& m_fn;
    Retired& m_retired;
    std::uint32_t m_limit;
    heightfield::TileLayerShape m_shape;
    heightfield::TileSlopeShape m_slopeShape;
    Images m_images;
    bool m_imagesAreNew = false;  // their layout is undefined
    Images m_grownFrom;           // whose layers are to be copied
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
