#pragma once

#include <karst/base/externals.h>
#include <karst/base/function_ref.h>
#include <karst/render/scene_uniforms.h>

#include <array>
#include <cstdint>
#include <optional>
#include <span>

namespace karst::viewer {

struct DrawStats {
    std::uint32_t draws = 0;
    std::uint64_t triangles = 0;
    std::uint64_t uploadedBytes = 0;  ///< in the last frame
    std::uint64_t deviceBytes = 0;    ///< held for it
    std::uint64_t refused = 0;        ///< pieces that found no room on the device, in all
};

/// What drawings are made with.
struct DrawingContext {
    render::VulkanDevice device;
    const render::SceneUniforms* scene = nullptr;
    render::AttachmentFormats formats;
    std::uint32_t framesInFlight = 2;
    Externals externals;
};

/// Of one frame: the camera's view first, then those of the sun's shadow.
struct FrameViews {
    CameraView camera;
    double viewportHeight = 0;  ///< pixels
    std::span<const render::RenderView> views;
};

/// Where and how something is drawn, inside a rendering scope.
struct DrawTarget {
    VkCommandBuffer commands = VK_NULL_HANDLE;
    const render::SceneUniforms& scene;
    const render::RenderView& view;
    std::size_t viewIndex = 0;  ///< in the FrameViews of the last prepare
    render::PassKind kind = render::PassKind::Lit;
    VkRect2D area{};
};

/// Draws the ground, or what is on it; how is its own matter. Threads: one at a time.
class GroundDrawing {
  public:
    virtual ~GroundDrawing() = default;

    /// Once a frame, before its rendering scopes: records uploads.
    virtual Result<void> prepare(VkCommandBuffer commands, const FrameViews& views) = 0;
    /// Lit, Shadow, Wireframe or Overdraw.
    virtual void draw(const DrawTarget& target) = 0;
    /// What one sees through, after the sky; Lit only.
    virtual void drawWater(const DrawTarget&) {}
    /// Nothing waits to be uploaded.
    virtual bool settled() const { return true; }
    /// Of the last frame's camera.
    virtual DrawStats stats() const = 0;
};

/// One pass for each kind that the viewer draws; Wireframe only where the device draws lines.
template <class Pass>
class PassSet {
  public:
    using Make = FunctionRef<Result<Pass>(const render::PassTarget&)>;

    static Result<PassSet> create(const DrawingContext& context, Make make) {
        PassSet set;
        for (const render::PassKind kind : {render::PassKind::Lit, render::PassKind::Shadow,
                                            render::PassKind::Wireframe, render::PassKind::Overdraw}) {
            if (kind == render::PassKind::Wireframe && !context.device.fillModeNonSolid) continue;
            const bool shadow = kind == render::PassKind::Shadow;
            auto pass =
                make(shadow ? render::ShadowMaps::target() : render::PassTarget{kind, context.formats});
            if (!pass) return pass.error();
            set.m_passes[static_cast<std::size_t>(kind)].emplace(std::move(*pass));
        }
        return set;
    }

    /// Null where there is none.
    const Pass* of(render::PassKind kind) const {
        const auto& pass = m_passes[static_cast<std::size_t>(kind)];
        return pass ? &*pass : nullptr;
    }

  private:
    std::array<std::optional<Pass>, render::kPassKinds> m_passes;
};

}  // namespace karst::viewer
