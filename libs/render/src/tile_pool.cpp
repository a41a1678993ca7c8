#include "tile_pool.h"

#include <karst/base/assert.h>

#include <algorithm>
#include <cstring>

namespace karst::render {

using namespace heightfield;

namespace {

constexpr VkPipelineStageFlags2 kReadStages = VK_PIPELINE_STAGE_2_VERTEX_SHADER_BIT |
                                              VK_PIPELINE_STAGE_2_FRAGMENT_SHADER_BIT |
                                              VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT;

}  // namespace

VkExtent3D TilePool::extentOf(std::size_t kind) const {
    return kind == kHeights ? VkExtent3D{m_shape.width, m_shape.height, 1}
                            : VkExtent3D{m_slopeShape.width, m_slopeShape.height, 1};
}

Result<TilePool::Images> TilePool::createImages(std::uint32_t layers) const {
    constexpr const char* kNames[kKinds] = {"karst tile pool", "karst tile slopes"};
    constexpr VkFormat kFormats[kKinds] = {VK_FORMAT_R32_SFLOAT, VK_FORMAT_R16G16_SFLOAT};
    Images out;
    for (std::size_t kind = 0; kind < kKinds; ++kind) {
        GpuImageDesc desc;
        desc.format = kFormats[kind];
        desc.width = extentOf(kind).width;
        desc.height = extentOf(kind).height;
        desc.layers = layers;
        desc.usage =
            VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
        Result<VkImageView> view = VkImageView{VK_NULL_HANDLE};
        auto image = createImage(m_fn, kNames[kind], desc);
        if (image) {
            out.images[kind] = *image;
            view = createImageView(m_fn, kNames[kind],
                                   {.image = image->image, .format = desc.format, .layers = layers});
        }
        if (!image || !view) {
            for (std::size_t made = 0; made < kKinds; ++made) {
                if (out.views[made]) m_fn.DestroyImageView(m_fn.device, out.views[made], nullptr);
                destroyImage(m_fn, out.images[made]);
            }
            return image ? view.error() : image.error();
        }
        out.views[kind] = *view;
    }
    return out;
}

void TilePool::retire(Images& images) {
    for (std::size_t kind = 0; kind < kKinds; ++kind)
        m_retired.add(images.images[kind], images.views[kind]);
    images = {};
}

Result<void> TilePool::grow(std::uint32_t layers) {
    auto images = createImages(layers);
    if (!images) return images.error();
    if (!m_images.empty() && !m_imagesAreNew) {
        m_grownFrom = m_images;
        m_grownFromLayers = this->layers();
    } else {
        retire(m_images);
    }
    m_images = *images;
    m_imagesAreNew = true;
    ++m_generation;
    for (std::uint32_t layer = layers; layer-- > m_slots.size();)
        m_free.push_back(layer);
    m_slots.resize(layers);
    return {};
}

void TilePool::writeUpload(const TileLayout& layout, std::size_t upload, std::span<std::byte> out) const {
    KARST_ASSERT(out.size() == layerBytes());
    const Upload& one = m_uploads[upload];
    // Where the GPU reads may be slow to read back: the slopes are made from a copy in the cache.
    thread_local std::vector<float> heights;
    heights.resize(m_shape.size());
    writeTileLayer(layout, m_shape, *one.tile, one.sources, heights);
    std::memcpy(out.data(), heights.data(), m_shape.bytes());
    writeTileSlopes(m_slopeShape, m_shape, heights, one.tile->key.level,
                    {reinterpret_cast<std::uint32_t*>(out.data() + m_shape.bytes()), m_slopeShape.size()});
}

// The host prepared a frame and did not record it: the layers hold something else than the slots say.
void TilePool::forgetUnrecorded() {
    if (m_recorded) return;
    for (const Upload& upload : m_uploads)
        m_slots[upload.layer].stamp = 0;
    if (!m_grownFrom.empty()) {
        retire(m_grownFrom);
        for (Slot& slot : m_slots)
            slot.stamp = 0;
    }
    m_recorded = true;
}

Result<void> TilePool::place(const Surface& surface, bool surfaceChanged, std::span<const TileKey> tiles,
                             std::span<std::uint32_t> layers) {
    KARST_ASSERT(tiles.size() == layers.size() && tiles.size() <= m_limit);
    forgetUnrecorded();
    ++m_frame;
    m_uploads.clear();
    m_shape = tileLayerShape(surface.layout());
    m_slopeShape = tileSlopeShape(m_shape);
    const auto count = static_cast<std::uint32_t>(tiles.size());
    if (count > this->layers()) {
        std::uint32_t room = std::max(this->layers(), kFirstLayers);
        while (room < count)
            room *= 2;
        if (Result<void> grown = grow(std::min(room, m_limit)); !grown) return grown;
    }
    constexpr std::uint32_t kNone = ~0u;
    std::uint32_t missing = 0;
    for (std::uint32_t t = 0; t < count; ++t) {
        const auto found = m_layerOf.find(tiles[t].packed());
        layers[t] = found == m_layerOf.end() ? kNone : found->second;
        if (layers[t] == kNone)
            ++missing;
        else
            m_slots[layers[t]].frame = m_frame;
    }
    if (missing > m_free.size()) {
        // Those that are not drawn now, the longest unseen taken first (from the back).
        std::vector<std::uint32_t> unseen;
        for (std::uint32_t layer = 0; layer < this->layers(); ++layer) {
            if (m_slots[layer].key != 0 && m_slots[layer].frame != m_frame) unseen.push_back(layer);
        }
        std::sort(unseen.begin(), unseen.end(), [this](std::uint32_t a, std::uint32_t b) {
            return m_slots[a].frame != m_slots[b].frame ? m_slots[a].frame < m_slots[b].frame : a < b;
        });
        for (std::size_t i = 0; m_free.size() < missing; ++i) {
            m_layerOf.erase(m_slots[unseen[i]].key);
            m_slots[unseen[i]] = {};
            m_free.push_back(unseen[i]);
        }
    }
    for (std::uint32_t t = 0; t < count; ++t) {
        const bool isNew = layers[t] == kNone;
        if (isNew) {
            layers[t] = m_free.back();
            m_free.pop_back();
            m_slots[layers[t]] = {tiles[t].packed(), 0, m_frame};
            m_layerOf[tiles[t].packed()] = layers[t];
        }
        Slot& slot = m_slots[layers[t]];
        if (slot.stamp != 0 && !surfaceChanged) continue;
        const HeightTile* tile = surface.find(tiles[t]);
        KARST_ASSERT(tile != nullptr);
        const LayerSources sources = layerSources(surface, tiles[t]);
        const std::uint64_t stamp = layerStamp(*tile, sources);
        if (stamp == slot.stamp) continue;
        slot.stamp = stamp;
        m_uploads.push_back({tile, sources, layers[t]});
    }
    m_recorded = m_uploads.empty() && m_grownFrom.empty();
    return {};
}

void TilePool::recordUploads(VkCommandBuffer commands, VkBuffer staging, VkDeviceSize offset) {
    if (m_recorded || m_images.empty()) return;
    m_recorded = true;
    for (std::size_t kind = 0; kind < kKinds; ++kind) {
        recordKind(commands, kind, staging, offset);
        offset += m_shape.bytes();
    }
    retire(m_grownFrom);
    m_imagesAreNew = false;
}

void TilePool::recordKind(VkCommandBuffer commands, std::size_t kind, VkBuffer staging, VkDeviceSize offset) {
    const VkImage image = m_images.images[kind].image;
    ImageBarrier barrier;
    barrier.image = image;
    barrier.layers = layers();
    barrier.from = m_imagesAreNew ? VK_IMAGE_LAYOUT_UNDEFINED : VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL;
    barrier.to = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL;
    barrier.fromStage = kReadStages;
    barrier.toStage = VK_PIPELINE_STAGE_2_COPY_BIT;
    barrier.toAccess = VK_ACCESS_2_TRANSFER_WRITE_BIT;
    recordBarrier(m_fn, commands, barrier);
    if (const VkImage grownFrom = m_grownFrom.images[kind].image) {
        ImageBarrier from;
        from.image = grownFrom;
        from.layers = m_grownFromLayers;
        from.from = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL;
        from.to = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
        from.fromStage = kReadStages | VK_PIPELINE_STAGE_2_COPY_BIT;
        from.fromAccess = VK_ACCESS_2_TRANSFER_WRITE_BIT;
        from.toStage = VK_PIPELINE_STAGE_2_COPY_BIT;
        from.toAccess = VK_ACCESS_2_TRANSFER_READ_BIT;
        recordBarrier(m_fn, commands, from);
        VkImageCopy copy{};
        copy.srcSubresource = copy.dstSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, m_grownFromLayers};
        copy.extent = extentOf(kind);
        m_fn.CmdCopyImage(commands, grownFrom, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, image,
                          VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &copy);
        // A layer that was copied may be written anew.
        ImageBarrier between = barrier;
        between.from = between.to;
        between.fromStage = VK_PIPELINE_STAGE_2_COPY_BIT;
        between.fromAccess = VK_ACCESS_2_TRANSFER_WRITE_BIT;
        recordBarrier(m_fn, commands, between);
    }
    m_copies.clear();
    for (std::size_t i = 0; i < m_uploads.size(); ++i) {
        VkBufferImageCopy copy{};
        copy.bufferOffset = offset + i * layerBytes();
        copy.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, m_uploads[i].layer, 1};
        copy.imageExtent = extentOf(kind);
        m_copies.push_back(copy);
    }
    if (!m_copies.empty()) {
        m_fn.CmdCopyBufferToImage(commands, staging, image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                                  static_cast<std::uint32_t>(m_copies.size()), m_copies.data());
    }
    barrier.from = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL;
    barrier.to = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL;
    barrier.fromStage = VK_PIPELINE_STAGE_2_COPY_BIT;
    barrier.fromAccess = VK_ACCESS_2_TRANSFER_WRITE_BIT;
    barrier.toStage = kReadStages;
    barrier.toAccess = VK_ACCESS_2_SHADER_SAMPLED_READ_BIT;
    recordBarrier(m_fn, commands, barrier);
}

void TilePool::release() {
    retire(m_images);
    retire(m_grownFrom);
    m_imagesAreNew = false;
    m_recorded = true;
    m_slots.clear();
    m_layerOf.clear();
    m_free.clear();
    m_uploads.clear();
    ++m_generation;
}

}  // namespace karst::render
