#pragma once

#include <common/picture_renderer.h>
#include <karst/base/bounds.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "ground_view.h"

namespace karst::tool {

/// What a scene needs to know of the ground.
struct GroundScale {
    Bounds bounds;
    double spacing = 1;  ///< of the finest samples, world units
};

/// The camera of a view, or an error that names what is wrong with it.
Result<CameraView> cameraOf(const GroundView& view, const GroundScale& ground);

/// Materials by the ground's own heights, haze and surface noise by its size, so that ground in any unit
/// looks like ground. `originY` is the world height of what is drawn as y = 0.
render::SceneSettings sceneOf(const GroundScale& ground, const CameraView& camera, double originY);

/// A device and the passes to draw compact meshes of ground with, one draw each, without a window.
class PictureMaker {
  public:
    /// Fails where there is no Vulkan 1.3 device.
    static Result<PictureMaker> create(int width, int height);

    struct Mesh {
        std::span<const std::uint32_t> vertices;  ///< VertexLayout::compact(), relative to `origin`
        std::span<const std::uint32_t> indices;
        WorldPosition origin;
    };
    /// `things` have the mesh's origin.
    Result<app::PictureRenderer::Picture> draw(const Mesh& mesh, CameraView camera, const GroundScale& ground,
                                               const app::PictureMesh* things = nullptr);

    const std::string& deviceName() const { return m_context->deviceName(); }

  private:
    PictureMaker(std::unique_ptr<app::VulkanContext> context, app::PictureRenderer renderer)
        : m_context(std::move(context)), m_renderer(std::move(renderer)) {}

    std::unique_ptr<app::VulkanContext> m_context;
    app::PictureRenderer m_renderer;
};

}  // namespace karst::tool
