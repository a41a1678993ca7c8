#include "picture_maker.h"

#include <algorithm>
#include <cmath>

namespace karst::tool {
render::SceneSettings sceneOf(const GroundScale& ground, const CameraView& camera, double originY) {
    render::SceneSettings scene;
    scene.camera = camera;
    const Vec3d size = ground.bounds.size();
    const double across = std::max(size.x, size.z);
    const double low = ground.bounds.min.y - originY;
    scene.materials.lowHeight = static_cast<float>(low);
    scene.materials.highHeight = static_cast<float>(low + std::max(size.y, 1e-3));
    scene.materials.detailSize = static_cast<float>(ground.spacing / 8);
    scene.sky.visibility = static_cast<float>(across * 4);
    scene.sky.hazeHeight = static_cast<float>(low);
    scene.sky.hazeThickness = static_cast<float>(std::max(size.y * 1.5, across * 0.02));
    return scene;
}

void defaultView(const Bounds& ground, GroundView& view) {
    const Vec3d size = ground.size();
    const double aspect = static_cast<double>(view.width) / view.height;
    const double across = std::max({size.x / std::max(aspect, 0.1), size.z * 0.8, size.y});
    const double distance = std::max(1e-3, 0.5 * across / std::tan(view.verticalFov / 2));
    view.target = ground.center();
    view.eye = view.target + normalized(Vec3d{0.55, 0.36, 1}) * distance;
}

Result<CameraView> cameraOf(const GroundView& view, const GroundScale& ground) {
    return CameraView::lookAt(view.eye, view.target, view.verticalFov,
                              static_cast<double>(view.width) / view.height,
                              std::max(1e-3, 1e-2 * ground.spacing));
}

Result<PictureMaker> PictureMaker::create(int width, int height) {
    Result<app::VulkanContext> context = app::VulkanContext::create();
    if (!context) return context.error();
    auto kept = std::make_unique<app::VulkanContext>(std::move(*context));
    Result<app::PictureRenderer> renderer =
        app::PictureRenderer::create(*kept, {.width = width, .height = height});
    if (!renderer) return renderer.error();
    return PictureMaker(std::move(kept), std::move(*renderer));
}

Result<app::PictureRenderer::Picture> PictureMaker::draw(const Mesh& mesh, CameraView camera,
                                                         const GroundScale& ground,
                                                         const app::PictureMesh* things) {
    const auto vertices = std::as_bytes(mesh.vertices), indices = std::as_bytes(mesh.indices);
    // A buffer of no bytes cannot be; ground that is all holes has no triangles.
    auto buffers = render::NodeMeshBuffers::create(
        m_context->description(), {.vertexBytes = std::max<std::uint64_t>(vertices.size(), 4),
                                   .indexBytes = std::max<std::uint64_t>(indices.size(), 4),
                                   .framesInFlight = 1});
    if (!buffers) return buffers.error();
    if (!vertices.empty()) {
        if (const auto put = buffers->uploadVertices(0, vertices); !put) return put.error();
    }
    if (!indices.empty()) {
        if (const auto put = buffers->uploadIndices(0, indices); !put) return put.error();
    }
    camera.position = camera.position - mesh.origin;
    return m_renderer.draw(*buffers, static_cast<std::uint32_t>(mesh.indices.size()),
                           sceneOf(ground, camera, mesh.origin.y), things);
}

}  // namespace karst::tool
