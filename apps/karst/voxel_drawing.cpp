#include "voxel_drawing.h"

#include <common/voxel_picture.h>
#include <karst/voxel_sqlite/voxel_store.h>

#include <cstdio>

#include "picture_maker.h"

namespace karst::tool {
Result<void> drawVoxels(const VoxelDrawing& drawing, const Externals& externals) {
    auto store = voxel::VoxelStore::open(drawing.file, {.readOnly = true});
    if (!store) return store.error();
    const auto grid = store->load(externals);
    if (!grid) return grid.error();
    app::VoxelPictureOptions options;
    options.level = drawing.level;
    const app::VoxelPicture shown = app::makeVoxelPicture(grid->snapshot(), options, *externals.jobs);
    const GroundScale ground{shown.bounds, grid->placement().cellSize};
    if (ground.bounds.empty()) {
        return makeError(ErrorCode::InvalidArgument, "%s: there is nothing to draw", drawing.file.c_str());
    }
    GroundView view = drawing.view;
    defaultView(ground.bounds, view);
    if (drawing.hasEye) view.eye = drawing.view.eye;
    if (drawing.hasTarget) view.target = drawing.view.target;
    const auto camera = cameraOf(view, ground);
    if (!camera) return camera.error();

    auto context = app::VulkanContext::create();
    if (!context) return context.error();
    auto renderer = app::VoxelPictureRenderer::create(*context, {.width = view.width, .height = view.height});
    if (!renderer) return renderer.error();
    render::SceneSettings scene = sceneOf(ground, *camera, 0);
    scene.sky.visibility *= 8;  // a piece of ground, not a landscape: the air is clear across it
    const auto picture = renderer->draw(shown, scene);
    if (!picture) return picture.error();
    if (const auto written = app::writePng(drawing.output, picture->image); !written) return written;
    std::printf("%s: %d x %d, %zu chunks, %zu vertices, %zu triangles, on %s\n", drawing.output.c_str(),
                view.width, view.height, grid->chunkCount(), shown.vertices, shown.triangles,
                context->deviceName().c_str());
    return {};
}

}  // namespace karst::tool
