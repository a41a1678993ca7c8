#pragma once

#include <common/one_shot.h>
#include <golden/gpu_test.h>
#include <golden/tile_scene.h>
#include <karst/render/ground_shading.h>
#include <karst/render/voxel_pass.h>

#include <cstring>
#include <optional>
#include <vector>

#include "gpu_buffer.h"
#include "gpu_image.h"

namespace karst::render {

/// Draws both grounds by visibility and compute into images of its own: what a host does, for tests.
class ShadedGround {
  public:
    static constexpr std::uint8_t kUntouched[4] = {255, 0, 255, 255};

    ShadedGround(app::VulkanContext& context, std::uint32_t width, std::uint32_t height,
                 const ShadowMapsDesc& shadows = {})
        : m_context(context),
          m_extent{width, height},
          m_fn(DeviceFunctions::load(context.description()).value()),
          m_scene(SceneUniforms::create(context.description(), shadows).value()),
          m_terrain(TileTerrain::create(context.description()).value()),
          m_shading(GroundShading::create(context.description(), m_scene).value()),
          m_visibility(TilePass::create(context.description(), m_scene, {visibility()}).value()),
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
        m_before =
            createBuffer(m_fn, "before", bytes, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, MemoryKind::HostVisible)
                .value();
        m_back =
            createBuffer(m_fn, "shaded", bytes, VK_BUFFER_USAGE_TRANSFER_DST_BIT, MemoryKind::HostVisible)
                .value();
        for (VkDeviceSize i = 0; i < bytes; ++i)
            m_before.mapped[i] = std::byte{kUntouched[i % 4]};
    }
    ShadedGround(const ShadedGround&) = delete;
    ShadedGround& operator=(const ShadedGround&) = delete;
    ~ShadedGround() {
        destroyBuffer(m_fn, m_before);
        destroyBuffer(m_fn, m_back);
        for (Attachment* one : {&m_seen, &m_depth, &m_color}) {
            m_fn.DestroyImageView(m_fn.device, one->view, nullptr);
            destroyImage(m_fn, one->image);
        }
    }

    /// RGBA, sRGB; kUntouched where no ground is. `voxels`: a pool whose chunks are drawn too, or null.
    std::vector<std::uint8_t> draw(const heightfield::Surface& surface, SceneSettings settings,
                                   const TileTerrainSettings& tiles = {}, VoxelPool* voxels = nullptr) {
        if (voxels && !m_voxelVisibility) {
            m_voxelVisibility.emplace(
                VoxelPass::create(m_context.description(), m_scene, *voxels, {visibility()}).value());
        }
        VoxelDraws draws;
        settings.camera.aspect = static_cast<double>(m_extent.width) / m_extent.height;
        const auto done = app::submitAndWait(m_context, [&](VkCommandBuffer commands) -> Result<void> {
            if (auto good = m_scene.recordUpdate(commands, settings); !good) return good;
            std::vector<RenderView> views{m_scene.camera()};
            const CascadeViews& cascades = m_scene.cascades();
            views.insert(views.end(), cascades.views.begin(), cascades.views.begin() + cascades.count);
            auto stats = m_terrain.prepare(surface, settings.camera, m_extent.height, tiles, views);
            if (!stats) return stats.error();
            m_terrain.recordUploads(commands);
            if (voxels) {
                auto uploads = voxels->recordUploads(commands, settings.camera.position);
                if (!uploads) return uploads.error();
                voxels->prepare(&m_scene.camera().frustum, draws);
            }
            ShadowMaps& maps = m_scene.shadowMaps();
            for (int i = 0; i < cascades.count; ++i) {
                maps.recordBeginCascade(commands, i);
                m_terrain.record(commands, m_scene, static_cast<std::size_t>(i) + 1, m_casters,
                                 maps.cascadeArea());
                maps.recordEnd(commands);
            }
            recordPicture(commands, voxels, draws);
            return {};
        });
        EXPECT_TRUE(done) << (done ? "" : done.error().message);
        std::vector<std::uint8_t> out(m_back.bytes);
        std::memcpy(out.data(), m_back.mapped, out.size());
        return out;
    }

    TileTerrain& terrain() { return m_terrain; }
    GroundShading& shading() { return m_shading; }

  private:
    static PassTarget visibility() {
        return {PassKind::Visibility, {VK_FORMAT_UNDEFINED, VK_FORMAT_D32_SFLOAT, VK_SAMPLE_COUNT_1_BIT}};
    }

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

    void recordPicture(VkCommandBuffer commands, const VoxelPool* voxels, const VoxelDraws& draws) {
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
        if (voxels) m_voxelVisibility->record(commands, m_scene, m_scene.camera(), *voxels, draws, area);
        m_fn.CmdEndRendering(commands);
        barrier(commands, m_seen, kColor, kRead);
        barrier(commands, m_depth, kDepth, kRead);
        m_shading.recordTiles(commands, m_scene, m_terrain, 0, 0, area);
        if (voxels) m_shading.recordVoxels(commands, m_scene, m_scene.camera(), *voxels, 0, area);
        barrier(commands, m_color, kGeneral, kGeneral);
        vkCmdCopyImageToBuffer(commands, m_color.image.image, kGeneral, m_back.buffer, 1, &copy);
    }

    app::VulkanContext& m_context;
    VkExtent2D m_extent;
    DeviceFunctions m_fn;
    SceneUniforms m_scene;
    TileTerrain m_terrain;
    GroundShading m_shading;
    TilePass m_visibility, m_casters;
    std::optional<VoxelPass> m_voxelVisibility;
    Attachment m_seen, m_depth, m_color;
    GpuBuffer m_before, m_back;
};

/// Of a picture that was shaded from a lit one.
struct Difference {
    double mean = 0, far = 0;  // of a channel, in steps; share of pixels off by more than 8
    int shaded = 0, missing = 0, outside = 0;
};

// What Lit draws against what visibility and compute make of it.
inline Difference compare(const app::Image& image, const std::vector<float>& depth,
                          const std::vector<std::uint8_t>& shaded) {
    Difference out;
    double sum = 0;
    int far = 0;
    for (int y = 0; y < image.height; ++y) {
        for (int x = 0; x < image.width; ++x) {
            const auto at = static_cast<std::size_t>(y * image.width + x);
            const std::uint8_t* pixel = shaded.data() + at * 4;
            const bool touched = std::memcmp(pixel, ShadedGround::kUntouched, 4) != 0;
            if (depth[at] == 0) {
                out.outside += touched;
                continue;
            }
            if (!touched) {
                ++out.missing;
                continue;
            }
            ++out.shaded;
            int most = 0;
            for (int c = 0; c < 3; ++c) {
                const int off = std::abs(int{pixel[c]} - int{image.pixel(x, y)[static_cast<std::size_t>(c)]});
                sum += off;
                most = std::max(most, off);
            }
            far += most > 8;
        }
    }
    out.mean = sum / (3.0 * std::max(out.shaded, 1));
    out.far = static_cast<double>(far) / std::max(out.shaded, 1);
    return out;
}

}  // namespace karst::render
