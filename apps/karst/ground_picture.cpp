#include "ground_picture.h"

#include <karst/heightfield_mesh/node_mesh.h>

#include <algorithm>
#include <cstdio>

#include "picture_maker.h"

namespace karst::tool {

Result<void> drawRaster(const heightfield::HeightRaster& raster, const GroundView& view,
                        const std::string& output, const Externals& externals) {
    const GroundScale ground{raster.bounds(), std::min(raster.spacingX(), raster.spacingZ())};
    Result<CameraView> camera = cameraOf(view, ground);
    if (!camera) return camera.error();
    Result<heightfield::NodeMesh> mesh =
        heightfield::NodeMesh::create(raster, {}, heightfield::VertexLayout::compact(), externals);
    if (!mesh) return mesh.error();
    std::vector<std::uint32_t> vertices(mesh->vertexWords()), indices(mesh->pool().indexCapacity());
    const auto update = mesh->update(raster, camera->position, vertices, indices);
    if (!update) return update.error();

    Result<PictureMaker> maker = PictureMaker::create(view.width, view.height);
    if (!maker) return maker.error();
    const heightfield::NodePool& pool = mesh->pool();
    const auto picture =
        maker->draw({vertices, std::span(indices).first(pool.indexCount()), {}}, *camera, ground);
    if (!picture) return picture.error();
    if (const auto written = app::writePng(output, picture->image); !written) return written;
    std::printf(
        "%s: %d x %d, %u nodes, %llu vertices, %u %s, on %s\n", output.c_str(), view.width, view.height,
        pool.nodeCount(), static_cast<unsigned long long>(pool.nodeCount()) * pool.verticesPerSlot(),
        picture->terrain.draws, picture->terrain.draws == 1 ? "draw" : "draws", maker->deviceName().c_str());
    return {};
}

}  // namespace karst::tool
