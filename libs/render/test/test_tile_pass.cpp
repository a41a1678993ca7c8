#include <gmock/gmock.h>

#include "tile_ground.h"

namespace karst::render {

namespace {

using testing::HasSubstr;

class TilePassTest : public TileTest {};

// Three colours and depth, read back.
class GBufferTarget {
  public:
    static constexpr std::uint32_t kSide = 64;

    explicit GBufferTarget(app::VulkanContext& context)
        : m_fn(DeviceFunctions::load(context.description()).value()) {
        for (std::size_t i = 0; i < 4; ++i) {
            const bool depth = i == 3;
            const VkFormat format = depth ? VK_FORMAT_D32_SFLOAT : kGBufferFormats[i];
            GpuImageDesc desc;
            desc.format = format;
            desc.width = desc.height = kSide;
            desc.usage =
                VK_IMAGE_USAGE_TRANSFER_SRC_BIT |
                (depth ? VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT : VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT);
            m_images[i] = createImage(m_fn, "g-buffer", desc).value();
            GpuImageViewDesc view;
            view.image = m_images[i].image;
            view.format = format;
            view.aspect = aspectOf(i);
            view.type = VK_IMAGE_VIEW_TYPE_2D;
            m_views[i] = createImageView(m_fn, "g-buffer", view).value();
            m_bytes[i] = createBuffer(m_fn, "g-buffer", kSide * kSide * 4, VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                                      MemoryKind::HostVisible)
                             .value();
        }
    }
    ~GBufferTarget() {
        for (std::size_t i = 0; i < 4; ++i) {
            m_fn.DestroyImageView(m_fn.device, m_views[i], nullptr);
            destroyImage(m_fn, m_images[i]);
            destroyBuffer(m_fn, m_bytes[i]);
        }
    }

    void begin(VkCommandBuffer commands) {
        std::array<VkRenderingAttachmentInfo, 4> attachments{};
        for (std::size_t i = 0; i < 4; ++i) {
            const VkImageLayout layout = i == 3 ? VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL
                                                : VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL;
            change(commands, i, VK_IMAGE_LAYOUT_UNDEFINED, layout);
            attachments[i].sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO;
            attachments[i].imageView = m_views[i];
            attachments[i].imageLayout = layout;
            attachments[i].loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
            attachments[i].storeOp = VK_ATTACHMENT_STORE_OP_STORE;
        }
        VkRenderingInfo info{};
        info.sType = VK_STRUCTURE_TYPE_RENDERING_INFO;
        info.renderArea = area();
        info.layerCount = 1;
        info.colorAttachmentCount = 3;
        info.pColorAttachments = attachments.data();
        info.pDepthAttachment = &attachments[3];
        m_fn.CmdBeginRendering(commands, &info);
    }
    void end(VkCommandBuffer commands) {
        m_fn.CmdEndRendering(commands);
        for (std::size_t i = 0; i < 4; ++i) {
            change(commands, i,
                   i == 3 ? VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL
                          : VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
                   VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
            VkBufferImageCopy copy{};
            copy.imageSubresource = {aspectOf(i), 0, 0, 1};
            copy.imageExtent = {kSide, kSide, 1};
            vkCmdCopyImageToBuffer(commands, m_images[i].image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                                   m_bytes[i].buffer, 1, &copy);
        }
    }
    std::uint32_t word(std::size_t image, std::size_t pixel) const {
        std::uint32_t out = 0;
        std::memcpy(&out, m_bytes[image].mapped + pixel * 4, 4);
        return out;
    }
    static VkRect2D area() { return {{0, 0}, {kSide, kSide}}; }

  private:
    static VkImageAspectFlags aspectOf(std::size_t i) {
        return i == 3 ? VK_IMAGE_ASPECT_DEPTH_BIT : VK_IMAGE_ASPECT_COLOR_BIT;
    }
    void change(VkCommandBuffer commands, std::size_t i, VkImageLayout from, VkImageLayout to) {
        ImageBarrier barrier;
        barrier.image = m_images[i].image;
        barrier.aspect = aspectOf(i);
        barrier.from = from;
        barrier.to = to;
        barrier.fromStage = barrier.toStage = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;
        barrier.fromAccess = VK_ACCESS_2_MEMORY_WRITE_BIT;
        barrier.toAccess = VK_ACCESS_2_MEMORY_READ_BIT | VK_ACCESS_2_MEMORY_WRITE_BIT;
        recordBarrier(m_fn, commands, barrier);
    }

    DeviceFunctions m_fn;
    std::array<GpuImage, 4> m_images;
    std::array<VkImageView, 4> m_views{};
    std::array<GpuBuffer, 4> m_bytes;
};

TEST_F(TilePassTest, H22_TheGBufferHoldsNormalsAndAlbedoAtTheSameDepth) {
    GBufferTarget target(context());
    auto scene = SceneUniforms::create(device());
    ASSERT_TRUE(scene);
    PassTarget kind;
    kind.kind = PassKind::GBuffer;
    auto pass = TilePass::create(device(), *scene, {kind});
    ASSERT_TRUE(pass) << pass.error().message;
    auto terrain = TileTerrain::create(device());
    ASSERT_TRUE(terrain);
    // A plane that rises by half a metre each metre to the east.
    const heightfield::Surface slope =
        test::makeGround({.samples = 65}, [](double x, double) { return 0.5 * x; });
    SceneSettings settings = look({32, 60, 32}, {32, 16, 32});
    settings.materials.detailSize = 1e-3f;
    settings.materials.normalDetail = 0;
    settings.materials.relief = 1;
    TileDrawStats drawn;
    const auto done = app::submitAndWait(context(), [&](VkCommandBuffer commands) -> Result<void> {
        if (auto updated = scene->recordUpdate(commands, settings); !updated) return updated;
        auto stats = terrain->prepare(slope, settings.camera, 64, {}, {&scene->camera(), 1});
        if (!stats) return stats.error();
        terrain->recordUploads(commands);
        target.begin(commands);
        drawn = terrain->record(commands, *scene, 0, *pass, target.area());
        target.end(commands);
        return {};
    });
    ASSERT_TRUE(done) << done.error().message;
    EXPECT_GE(drawn.tiles, 1u);
    const Vec3d expected = normalized(Vec3d{-0.5, 1, 0});
    for (const std::size_t pixel : {20 * 64 + 20, 32 * 64 + 32, 40 * 64 + 45}) {
        const std::uint32_t normal = target.word(1, pixel);
        const auto part = [&](std::uint32_t shift) { return (normal >> shift & 1023u) / 1023.0 * 2 - 1; };
        EXPECT_NEAR(part(0), expected.x, 0.004);
        EXPECT_NEAR(part(10), expected.y, 0.004);
        EXPECT_NEAR(part(20), expected.z, 0.004);
        EXPECT_NE(target.word(0, pixel) & 0xffffffu, 0u);
        EXPECT_GT(bitCast<float>(target.word(3, pixel)), 0);
    }
    EXPECT_NEAR(0.5 / double{bitCast<float>(target.word(3, 32 * 64 + 32))}, 44, 0.2);
}

TEST_F(TilePassTest, RefusesFormatsByName) {
    auto scene = SceneUniforms::create(device());
    ASSERT_TRUE(scene);
    PassTarget bad;
    bad.formats.color = VK_FORMAT_R16G16B16A16_SFLOAT;
    const auto colour = TilePass::create(device(), *scene, {bad});
    ASSERT_FALSE(colour);
    EXPECT_THAT(colour.error().message, HasSubstr("colour format"));
    bad = {};
    bad.formats.depth = VK_FORMAT_D16_UNORM;
    const auto depth = TilePass::create(device(), *scene, {bad});
    ASSERT_FALSE(depth);
    EXPECT_THAT(depth.error().message, HasSubstr("depth format"));
}

}  // namespace

}  // namespace karst::render
