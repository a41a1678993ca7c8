#pragma once

#include <common/vulkan_context.h>
#include <karst/base/result.h>

#include <cstdint>
#include <memory>

struct ImDrawData;

namespace karst::viewer {

/// Draws Dear ImGui's panels over a picture, with dynamic rendering into an _UNORM colour attachment, without
/// depth.
///
/// Threads: one at a time.
class ImGuiPass {
  public:
    /// ImGui's context must be there; its font atlas is uploaded once. The context must outlive the pass.
    static Result<ImGuiPass> create(app::VulkanContext& context, VkFormat colorFormat,
                                    std::uint32_t framesInFlight);
    ImGuiPass(ImGuiPass&&) noexcept;
    ImGuiPass& operator=(ImGuiPass&&) = delete;
    ~ImGuiPass();

    /// Inside a rendering scope of one sample. `slot`: 0 .. framesInFlight - 1; the GPU is done with what the
    /// slot drew last.
    Result<void> record(VkCommandBuffer commands, const ImDrawData& data, std::uint32_t slot);

  private:
    struct Impl;
    explicit ImGuiPass(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> m_impl;
};

}  // namespace karst::viewer
