#include "frame_renderer.h"

#include <algorithm>
#include <array>

#include "scene_look.h"

namespace karst::viewer {

namespace {

constexpr std::uint32_t kCascadeTexels = 1536;
constexpr VkPipelineStageFlags2 kColorStage = VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT;
constexpr VkPipelineStageFlags2 kDepthStages =
    VK_PIPELINE_STAGE_2_EARLY_FRAGMENT_TESTS_BIT | VK_PIPELINE_STAGE_2_LATE_FRAGMENT_TESTS_BIT;

// From the frame before to this one, which drops the contents.
VkImageMemoryBarrier2 attachmentBarrier(VkImage image, bool color) {
    VkImageMemoryBarrier2 b{VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER_2};
    b.image = image;
    b.srcStageMask = b.dstStageMask = color ? kColorStage : kDepthStages;
    b.srcAccessMask =
        color ? VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT : VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT;
    b.dstAccessMask = b.srcAccessMask | (color ? VK_ACCESS_2_COLOR_ATTACHMENT_READ_BIT
                                               : VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_READ_BIT);
    b.oldLayout = VK_IMAGE_LAYOUT_UNDEFINED;
    b.newLayout = VK_IMAGE_LAYOUT_ATTACHMENT_OPTIMAL;
    b.srcQueueFamilyIndex = b.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
    b.subresourceRange = {
        static_cast<VkImageAspectFlags>(color ? VK_IMAGE_ASPECT_COLOR_BIT : VK_IMAGE_ASPECT_DEPTH_BIT), 0, 1,
        0, 1};
    return b;
}

}  // namespace

Result<FrameRenderer> FrameRenderer::create(app::VulkanContext& context, app::Swapchain& swapchain,
                                            VkSampleCountFlagBits samples) {
    const render::VulkanDevice device = context.description();
    auto scene =
        render::SceneUniforms::create(device, {.cascades = kCascades, .cascadeResolution = kCascadeTexels});
    if (!scene) return scene.error();
    auto sky = render::SkyPass::create(device, *scene, {.color = swapchain.format(), .samples = samples});
    if (!sky) return sky.error();
    auto panels = ImGuiPass::create(context, swapchain.format(), app::Swapchain::kFramesInFlight);
    if (!panels) return panels.error();
    return FrameRenderer(context, swapchain, samples, std::move(*scene), std::move(*sky), std::move(*panels),
                         FrameTimer(device, app::Swapchain::kFramesInFlight));
}

DrawingContext FrameRenderer::drawingContext(const Externals& externals) const {
    return {.device = m_context->description(),
            .scene = &m_scene,
            .formats = {m_swapchain->format(), VK_FORMAT_D32_SFLOAT, m_samples},
            .framesInFlight = app::Swapchain::kFramesInFlight,
            .externals = externals};
}

Result<void> FrameRenderer::createAttachments(VkExtent2D extent) {
    if (extent.width == m_extent.width && extent.height == m_extent.height) return {};
    vkDeviceWaitIdle(m_context->device());
    auto depth = app::GpuPicture::create(*m_context, {.extent = extent,
                                                      .format = VK_FORMAT_D32_SFLOAT,
                                                      .usage = VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT,
                                                      .aspect = VK_IMAGE_ASPECT_DEPTH_BIT,
                                                      .samples = m_samples});
    if (!depth) return depth.error();
    m_depth = std::move(*depth);
    if (m_samples != VK_SAMPLE_COUNT_1_BIT) {
        auto color = app::GpuPicture::create(*m_context, {.extent = extent,
                                                          .format = m_swapchain->format(),
                                                          .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT,
                                                          .samples = m_samples});
        if (!color) return color.error();
        m_color = std::move(*color);
    }
    m_extent = extent;
    return {};
}

void FrameRenderer::beginScene(const app::Swapchain::Frame& frame) {
    const bool multisampled = m_samples != VK_SAMPLE_COUNT_1_BIT;
    std::array<VkImageMemoryBarrier2, 2> barriers{attachmentBarrier(m_depth.image(), false), {}};
    if (multisampled) barriers[1] = attachmentBarrier(m_color.image(), true);
    VkDependencyInfo dependency{VK_STRUCTURE_TYPE_DEPENDENCY_INFO};
    dependency.imageMemoryBarrierCount = multisampled ? 2 : 1;
    dependency.pImageMemoryBarriers = barriers.data();
    vkCmdPipelineBarrier2(frame.commands, &dependency);

    VkRenderingAttachmentInfo color{VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO};
    color.imageView = multisampled ? m_color.view() : frame.view;
    color.imageLayout = VK_IMAGE_LAYOUT_ATTACHMENT_OPTIMAL;
    color.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
    color.storeOp = multisampled ? VK_ATTACHMENT_STORE_OP_DONT_CARE : VK_ATTACHMENT_STORE_OP_STORE;
    color.clearValue.color = {{0, 0, 0, 1}};
    if (multisampled) {
        color.resolveMode = VK_RESOLVE_MODE_AVERAGE_BIT;
        color.resolveImageView = frame.view;
        color.resolveImageLayout = VK_IMAGE_LAYOUT_ATTACHMENT_OPTIMAL;
    }
    VkRenderingAttachmentInfo depth{VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO};
    depth.imageView = m_depth.view();
    depth.imageLayout = VK_IMAGE_LAYOUT_ATTACHMENT_OPTIMAL;
    depth.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
    depth.storeOp = VK_ATTACHMENT_STORE_OP_DONT_CARE;
    depth.clearValue.depthStencil = {0.0f, 0};
    VkRenderingInfo info{VK_STRUCTURE_TYPE_RENDERING_INFO};
    info.renderArea = {{0, 0}, frame.extent};
    info.layerCount = info.colorAttachmentCount = 1;
    info.pColorAttachments = &color;
    info.pDepthAttachment = &depth;
    vkCmdBeginRendering(frame.commands, &info);
}

void FrameRenderer::beginPanels(const app::Swapchain::Frame& frame) {
    VkMemoryBarrier2 barrier{VK_STRUCTURE_TYPE_MEMORY_BARRIER_2};
    barrier.srcStageMask = barrier.dstStageMask = kColorStage;
    barrier.srcAccessMask = VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT;
    barrier.dstAccessMask = VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT | VK_ACCESS_2_COLOR_ATTACHMENT_READ_BIT;
    VkDependencyInfo dependency{VK_STRUCTURE_TYPE_DEPENDENCY_INFO};
    dependency.memoryBarrierCount = 1;
    dependency.pMemoryBarriers = &barrier;
    vkCmdPipelineBarrier2(frame.commands, &dependency);
    VkRenderingAttachmentInfo color{VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO};
    color.imageView = frame.view;
    color.imageLayout = VK_IMAGE_LAYOUT_ATTACHMENT_OPTIMAL;
    color.loadOp = VK_ATTACHMENT_LOAD_OP_LOAD;
    color.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
    VkRenderingInfo info{VK_STRUCTURE_TYPE_RENDERING_INFO};
    info.renderArea = {{0, 0}, frame.extent};
    info.layerCount = info.colorAttachmentCount = 1;
    info.pColorAttachments = &color;
    vkCmdBeginRendering(frame.commands, &info);
}

void FrameRenderer::drawShadows(VkCommandBuffer commands, const Content& content) {
    render::ShadowMaps& maps = m_scene.shadowMaps();
    const render::CascadeViews& cascades = m_scene.cascades();
    for (int i = 0; i < cascades.count; ++i) {
        maps.recordBeginCascade(commands, i);
        const DrawTarget target{commands,
                                m_scene,
                                cascades.views[static_cast<std::size_t>(i)],
                                static_cast<std::size_t>(i) + 1,
                                render::PassKind::Shadow,
                                maps.cascadeArea()};
        for (GroundDrawing* drawing : content.drawings)
            if (drawing) drawing->draw(target);
        maps.recordEnd(commands);
    }
}

void FrameRenderer::drawScene(VkCommandBuffer commands, const Content& content, VkRect2D area) {
    DrawTarget target{commands,
                      m_scene,
                      m_scene.camera(),
                      0,
                      content.overdraw ? render::PassKind::Overdraw : render::PassKind::Lit,
                      area};
    for (GroundDrawing* drawing : content.drawings)
        if (drawing) drawing->draw(target);
    m_timer.next(commands, FrameTimer::Sky);
    if (content.overdraw) return;
    m_sky.record(commands, m_scene, area);
    for (GroundDrawing* drawing : content.drawings)
        if (drawing) drawing->drawWater(target);
    if (!content.wireframe) return;
    target.kind = render::PassKind::Wireframe;
    for (GroundDrawing* drawing : content.drawings)
        if (drawing) drawing->draw(target);
}

Result<void> FrameRenderer::draw(const app::Swapchain::Frame& frame, const Content& content) {
    if (auto made = createAttachments(frame.extent); !made) return made;
    const VkCommandBuffer commands = frame.commands;
    const bool anything = content.drawings[0] != nullptr;
    m_timer.begin(commands);
    if (anything) {
        // The cascades are known after this.
        if (auto updated = m_scene.recordUpdate(commands, content.settings); !updated) return updated;
        std::array<render::RenderView, 1 + render::kMaxCascades> views;
        views[0] = m_scene.camera();
        const render::CascadeViews& cascades = m_scene.cascades();
        std::copy_n(cascades.views.begin(), cascades.count, views.begin() + 1);
        const FrameViews all{content.settings.camera, static_cast<double>(frame.extent.height),
                             std::span(views).first(1 + static_cast<std::size_t>(cascades.count))};
        for (GroundDrawing* drawing : content.drawings) {
            if (!drawing) continue;
            if (auto ready = drawing->prepare(commands, all); !ready) return ready;
        }
    }
    m_timer.next(commands, FrameTimer::Shadows);
    if (anything) drawShadows(commands, content);
    m_timer.next(commands, FrameTimer::Solid);

    m_swapchain->recordToAttachment(frame);
    beginScene(frame);
    if (anything) {
        drawScene(commands, content, {{0, 0}, frame.extent});
    } else {
        m_timer.next(commands, FrameTimer::Sky);
    }
    vkCmdEndRendering(commands);
    m_timer.next(commands, FrameTimer::Panels);
    if (content.panels) {
        beginPanels(frame);
        const auto drawn = m_panels.record(commands, *content.panels, frame.slot);
        vkCmdEndRendering(commands);
        if (!drawn) return drawn;
    }
    m_timer.end(commands);
    m_swapchain->recordToPresent(frame);
    return {};
}

}  // namespace karst::viewer
