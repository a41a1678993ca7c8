#include "ground_picture.h"

#include <common/picture_renderer.h>
#include <karst/heightfield_mesh/node_mesh.h>

#include <algorithm>
#include <cmath>

namespace karst::tool {
namespace {

// Materials by the ground's own heights, haze and surface noise by its size, so that ground in any unit looks
// like ground.
render::SceneSettings sceneOf(const heightfield::HeightRaster& raster, const CameraView& camera) {
    render::SceneSettings scene;
    scene.camera = camera;
    const Vec3d size = raster.bounds().size();
    const double across = std::max(size.x, size.z);
    scene.materials.lowHeight = raster.heightRange().min;
    scene.materials.highHeight = std::max(raster.heightRange().max, raster.heightRange().min + 1e-3f);
    scene.materials.detailSize = static_cast<float>(std::min(raster.spacingX(), raster.spacingZ()) / 8);
    scene.sky.visibility = static_cast<float>(across * 4);
    scene.sky.hazeHeight = raster.heightRange().min;
    scene.sky.hazeThickness = static_cast<float>(std::max(size.y * 1.5, across * 0.02));
    return scene;
}

}  // namespace

Result<GroundPicture> drawGround(const heightfield::HeightRaster& raster, const GroundView& view,
                                 const Externals& externals) {
    const double nearPlane = std::max(1e-3, 1e-2 * std::min(raster.spacingX(), raster.spacingZ()));
    Result<CameraView> camera = CameraView::lookAt(view.eye, view.target, view.verticalFov,
                                                   static_cast<double>(view.width) / view.height, nearPlane);
    if (!camera) return camera.error();

    const heightfield::VertexLayout layout = heightfield::VertexLayout::compact();
    Result<heightfield::NodeMesh> mesh = heightfield::NodeMesh::create(raster, {}, layout, externals);
    if (!mesh) return mesh.error();
    std::vector<std::uint32_t> vertices(mesh->vertexWords()), indices(mesh->pool().indexCapacity());
    const auto update = mesh->update(raster, camera->position, vertices, indices);
    if (!update) return update.error();

    Result<app::VulkanContext> context = app::VulkanContext::create();
    if (!context) return context.error();
    Result<app::PictureRenderer> renderer = app::PictureRenderer::create(
        *context, {.width = view.width, .height = view.height, .layout = layout});
    if (!renderer) return renderer.error();
    const auto vertexBytes = std::as_bytes(std::span(vertices)),
               indexBytes = std::as_bytes(std::span(indices));
    auto buffers = render::NodeMeshBuffers::create(
        context->description(), {.vertexBytes = vertexBytes.size(), .indexBytes = indexBytes.size()});
    if (!buffers) return buffers.error();
    const heightfield::NodePool& pool = mesh->pool();
    const std::size_t slotBytes = std::size_t{pool.verticesPerSlot()} * layout.strideWords * 4;
    for (const std::uint32_t slot : update->remeshedSlots) {
        const auto put =
            buffers->uploadVertices(slot * slotBytes, vertexBytes.subspan(slot * slotBytes, slotBytes));
        if (!put) return put.error();
    }
    const std::size_t drawnBytes = std::size_t{pool.indexCount()} * 4;
    if (const auto put = buffers->uploadIndices(0, indexBytes.first(drawnBytes)); !put) return put.error();

    auto picture = renderer->draw(*buffers, pool.indexCount(), sceneOf(raster, *camera));
    if (!picture) return picture.error();
    GroundPicture out;
    out.image = std::move(picture->image);
    out.nodes = pool.nodeCount();
    out.vertices = std::uint64_t{pool.nodeCount()} * pool.verticesPerSlot();
    out.triangles = picture->terrain.triangles;
    out.draws = picture->terrain.draws;
    out.device = context->deviceName();
    return out;
}

}  // namespace karst::tool
