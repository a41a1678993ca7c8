#pragma once

#include <common/one_shot.h>
#include <golden/gpu_test.h>
#include <karst/render/tile_shading.h>

#include <cstring>
#include <optional>
#include <vector>

#include "gpu_buffer.h"
#include "gpu_image.h"

namespace karst::render {

/// Draws tiles by visibility and compute into images of its own: what a host does, for tests.
class ShadedTiles {
  public:
    static constexpr std::uint8_t kUntouched[4] = {255, 0, 255, 255};

    ShadedTiles(app::VulkanContext& context, std::uint32_t width, std::uint32_t height,
                const ShadowMapsDesc& shadows = {}, std::uint32_t layerLimit = 0)
        : m_context(context),
          m_extent{width, height},
          m_fn(DeviceFunctions::load(context.description()).value()),
          m_scene(SceneUniforms::create(context.description(), shadows).value()),
          m_terrain(TileTerrain::create(context.description(), {.layerLimit = layerLimit}).value()),
          m_shading(TileShading::create(context.description(), m_scene).value()),
          m_visibility(
              TilePass::create(context.description(), m_scene,
                               {{PassKind::Visibility,
                                 {VK_FORMAT_UNDEFINED, VK_FORMAT_D32_SFLOAT, VK_SAMPLE_COUNT_1_BIT}}})
                  .value()),
          m_casters(TilePass::create(context.description(), m_scene, {ShadowMaps::target()}).value()) {
        constexpr VkImageUsageFlags kSampled = VK_IMAGE_USAGE_SAMPLED_BIT;
        m_seen = make(kVisibilityFormat, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | kSampled,
                      VK_IMAGE_ASPECT_COLOR_BIT);
        m_depth = make(VK_FORMAT_D32_SFLOAT, VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT | kSampled,
                       VK_IMAGE_ASPECT_DEPTH_BIT);
        m_color = make(
            VK_FORMAT_R8G8B8A8_UNORM,
            VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT,
            VK_IMAGE_ASPECT_COLOR_BIT);
        EXPECT_TRUE(m_shading.bind(0, {m_seen.view, m_depth.view, m_color.view}));
        const VkDeviceSize bytes = VkDeviceSize{width} * height * 4;
        m_before = createBuffer(m_fn, "before", bytes, VK_BUFFER_USAGE_TRANSFER_SRC_BIT,
                                MemoryKind::HostVisible)
                       .value();
        m_back =
            createBuffer(m_fn, "shaded", bytes, VK_BUFFER_USAGE_TRANSFER_DST_BIT, MemoryKind::HostVisible)
                .value();
        for (VkDeviceSize i = 0; i < bytes; ++i)
            m_before.mapped[i] = std::byte{kUntouched[i % 4]};
    }
    ShadedTiles(const ShadedTiles&) = delete;
    ShadedTiles& operator=(const ShadedTiles&) = delete;
    ~ShadedTiles() {
        destroyBuffer(m_fn, m_before);
        destroyBuffer(m_fn, m_back);
        for (Attachment* one : {&m_seen, &m_depth, &m_color}) {
            m_fn.DestroyImageView(m_fn.device, one->view, nullptr);
            destroyImage(m_fn, one->image);
        }
    }

    /// RGBA, sRGB; kUntouched where no tile is.
    std::vector<std::uint8_t> draw(const heightfield::Surface& surface, SceneSettings settings,
                                   const TileTerrainSettings& tiles = {}) {
        settings.camera.aspect = static_cast<double>(m_extent.width) / m_extent.height;
        const auto done = app::submitAndWait(m_context, [&](VkCommandBuffer commands) -> Result<void> {
            if (auto good = m_scene.recordUpdate(commands, settings); !good) return good;
            std::vector<RenderView> views{m_scene.camera()};
            const CascadeViews& cascades = m_scene.cascades();
            views.insert(views.end(), cascades.views.begin(), cascades.views.begin() + cascades.count);
            auto stats = m_terrain.prepare(surface, settings.camera, m_extent.height, tiles, views);
            if (!stats) return stats.error();
            m_terrain.recordUploads(commands);
            ShadowMaps& maps = m_scene.shadowMaps();
            for (int i = 0; i < cascades.count; ++i) {
                maps.recordBeginCascade(commands, i);
                m_terrain.record(commands, m_scene, static_cast<std::size_t>(i) + 1, m_casters,
                                 maps.cascadeArea());
                maps.recordEnd(commands);
            }
            recordPicture(commands);
            return {};
        });
        EXPECT_TRUE(done) << (done ? "" : done.error().message);
        std::vector<std::uint8_t> out(m_back.bytes);
        std::memcpy(out.data(), m_back.mapped, out.size());
        return out;
    }

    TileTerrain& terrain() { return m_terrain; }
    TileShading& shading() { return m_shading; }

  private:
    struct Attachment {
        GpuImage image;
        VkImageView view = VK_NULL_HANDLE;
        VkImageAspectFlags aspect = VK_IMAGE_ASPECT_COLOR_BIT;
    };

    Attachment make(VkFormat format, VkImageUsageFlags usage, VkImageAspectFlags aspect) {
        Attachment out;
        out.aspect = aspect;
        out.image =
            createImage(
                m_fn, "shaded",
                {.format = format, .width = m_extent.width, .height = m_extent.height, .usage = usage})
                .value();
        out.view =
            createImageView(
                m_fn, "shaded",
                {.image = out.image.image, .format = format, .aspect = aspect, .type = VK_IMAGE_VIEW_TYPE_2D})
                .value();
        return out;
    }

    void barrier(VkCommandBuffer commands, const Attachment& one, VkImageLayout from, VkImageLayout to) {
        ImageBarrier barrier;
        barrier.image = one.image.image;
        barrier.aspect = one.aspect;
        barrier.from = from;
        barrier.to = to;
        barrier.fromStage = barrier.toStage = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;
        barrier.fromAccess = VK_ACCESS_2_MEMORY_WRITE_BIT;
        barrier.toAccess = VK_ACCESS_2_MEMORY_READ_BIT | VK_ACCESS_2_MEMORY_WRITE_BIT;
        recordBarrier(m_fn, commands, barrier);
    }

    void recordPicture(VkCommandBuffer commands) {
        constexpr VkImageLayout kColor = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
                                kDepth = VK_IMAGE_LAYOUT_DEPTH_ATTACHMENT_OPTIMAL,
                                kRead = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL,
                                kGeneral = VK_IMAGE_LAYOUT_GENERAL, kNone = VK_IMAGE_LAYOUT_UNDEFINED;
        barrier(commands, m_seen, kNone, kColor);
        barrier(commands, m_depth, kNone, kDepth);
        barrier(commands, m_color, kNone, kGeneral);
        VkBufferImageCopy copy{};
        copy.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
        copy.imageExtent = {m_extent.width, m_extent.height, 1};
        m_fn.CmdCopyBufferToImage(commands, m_before.buffer, m_color.image.image, kGeneral, 1, &copy);
        barrier(commands, m_color, kGeneral, kGeneral);
        VkRenderingAttachmentInfo seen{VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO};
        seen.imageView = m_seen.view;
        seen.imageLayout = kColor;
        seen.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
        seen.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
        VkRenderingAttachmentInfo depth = seen;
        depth.imageView = m_depth.view;
        depth.imageLayout = kDepth;
        const VkRect2D area{{0, 0}, m_extent};
        VkRenderingInfo info{VK_STRUCTURE_TYPE_RENDERING_INFO};
        info.renderArea = area;
        info.layerCount = info.colorAttachmentCount = 1;
        info.pColorAttachments = &seen;
        info.pDepthAttachment = &depth;
        m_fn.CmdBeginRendering(commands, &info);
        m_terrain.record(commands, m_scene, 0, m_visibility, area);
        m_fn.CmdEndRendering(commands);
        barrier(commands, m_seen, kColor, kRead);
        barrier(commands, m_depth, kDepth, kRead);
        m_shading.record(commands, m_scene, m_terrain, 0, 0, area);
        barrier(commands, m_color, kGeneral, kGeneral);
        vkCmdCopyImageToBuffer(commands, m_color.image.image, kGeneral, m_back.buffer, 1, &copy);
    }

    app::VulkanContext& m_context;
    VkExtent2D m_extent;
    DeviceFunctions m_fn;
    SceneUniforms m_scene;
    TileTerrain m_terrain;
    TileShading m_shading;
    TilePass m_visibility, m_casters;
    Attachment m_seen, m_depth, m_color;
    GpuBuffer m_before, m_back;
};

}  // namespace karst::render
