#pragma once

#include <golden/gpu_test.h>
#include <karst/render/render_view.h>
#include <vulkan/vulkan.h>

#include <array>
#include <cstring>
#include <vector>

#include "gpu_buffer.h"
#include "gpu_image.h"

namespace karst::render {

/// What passes of kind GBuffer or DepthPrepass draw into, read back: the kind's colours, and depth.
class ReadbackTarget {
  public:
    ReadbackTarget(app::VulkanContext& context, PassKind kind, std::uint32_t side)
        : m_fn(DeviceFunctions::load(context.description()).value()), m_kind(kind), m_side(side) {
        for (std::size_t i = firstImage(); i <= kDepth; ++i) {
            GpuImageDesc desc;
            desc.format = i == kDepth ? VK_FORMAT_D32_SFLOAT : kGBufferFormats[i];
            desc.width = desc.height = side;
            desc.usage =
                VK_IMAGE_USAGE_TRANSFER_SRC_BIT | (i == kDepth ? VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT
                                                               : VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT);
            m_images[i] = createImage(m_fn, "readback", desc).value();
            GpuImageViewDesc view;
            view.image = m_images[i].image;
            view.format = desc.format;
            view.aspect = aspectOf(i);
            view.type = VK_IMAGE_VIEW_TYPE_2D;
            m_views[i] = createImageView(m_fn, "readback", view).value();
            m_bytes[i] = createBuffer(m_fn, "readback", std::uint64_t{side} * side * 4,
                                      VK_BUFFER_USAGE_TRANSFER_DST_BIT, MemoryKind::HostVisible)
                             .value();
        }
    }
    ReadbackTarget(const ReadbackTarget&) = delete;
    ReadbackTarget& operator=(const ReadbackTarget&) = delete;
    ~ReadbackTarget() {
        for (std::size_t i = firstImage(); i <= kDepth; ++i) {
            m_fn.DestroyImageView(m_fn.device, m_views[i], nullptr);
            destroyImage(m_fn, m_images[i]);
            destroyBuffer(m_fn, m_bytes[i]);
        }
    }

    PassTarget target() const { return {m_kind, {}}; }
    VkRect2D area() const { return {{0, 0}, {m_side, m_side}}; }

    void begin(VkCommandBuffer commands) {
        std::array<VkRenderingAttachmentInfo, kDepth + 1> attachments{};
        for (std::size_t i = firstImage(); i <= kDepth; ++i) {
            change(commands, i, VK_IMAGE_LAYOUT_UNDEFINED, attachmentLayout(i));
            attachments[i].sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO;
            attachments[i].imageView = m_views[i];
            attachments[i].imageLayout = attachmentLayout(i);
            attachments[i].loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
            attachments[i].storeOp = VK_ATTACHMENT_STORE_OP_STORE;
        }
        VkRenderingInfo info{};
        info.sType = VK_STRUCTURE_TYPE_RENDERING_INFO;
        info.renderArea = area();
        info.layerCount = 1;
        info.colorAttachmentCount = static_cast<std::uint32_t>(kDepth - firstImage());
        info.pColorAttachments = attachments.data();
        info.pDepthAttachment = &attachments[kDepth];
        m_fn.CmdBeginRendering(commands, &info);
    }
    void end(VkCommandBuffer commands) {
        m_fn.CmdEndRendering(commands);
        for (std::size_t i = firstImage(); i <= kDepth; ++i) {
            change(commands, i, attachmentLayout(i), VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
            VkBufferImageCopy copy{};
            copy.imageSubresource = {aspectOf(i), 0, 0, 1};
            copy.imageExtent = {m_side, m_side, 1};
            vkCmdCopyImageToBuffer(commands, m_images[i].image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                                   m_bytes[i].buffer, 1, &copy);
        }
    }

    /// A byte of a pixel of the colours 0 (albedo, sRGB) and 2 (material).
    int byte(std::size_t image, std::size_t pixel, std::size_t channel) const {
        std::uint8_t out = 0;
        std::memcpy(&out, m_bytes[image].mapped + pixel * 4 + channel, 1);
        return out;
    }
    /// Of colour 1.
    Vec3f normal(std::size_t pixel) const {
        std::uint32_t word = 0;
        std::memcpy(&word, m_bytes[1].mapped + pixel * 4, 4);
        const auto part = [&](int shift) {
            return static_cast<float>(word >> shift & 1023u) / 1023.0f * 2.0f - 1.0f;
        };
        return {part(0), part(10), part(20)};
    }
    std::vector<float> depth() const {
        std::vector<float> out(std::size_t{m_side} * m_side);
        std::memcpy(out.data(), m_bytes[kDepth].mapped, out.size() * sizeof(float));
        return out;
    }

  private:
    static constexpr std::size_t kDepth = 3;
    std::size_t firstImage() const { return m_kind == PassKind::GBuffer ? 0 : kDepth; }
    static VkImageAspectFlags aspectOf(std::size_t i) {
        return i == kDepth ? VK_IMAGE_ASPECT_DEPTH_BIT : VK_IMAGE_ASPECT_COLOR_BIT;
    }
    static VkImageLayout attachmentLayout(std::size_t i) {
        return i == kDepth ? VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL
                           : VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL;
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
    PassKind m_kind;
    std::uint32_t m_side;
    std::array<GpuImage, kDepth + 1> m_images;
    std::array<VkImageView, kDepth + 1> m_views{};
    std::array<GpuBuffer, kDepth + 1> m_bytes;
};

}  // namespace karst::render
