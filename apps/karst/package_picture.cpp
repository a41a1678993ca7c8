#include <common/tile_picture.h>
#include <karst/base/thread_pool.h>

#include <cmath>
#include <cstdio>

#include "ground_picture.h"
#include "package_streaming.h"
#include "picture_maker.h"

namespace karst::tool {
namespace {

using namespace heightfield;

// The place on the way from the eye through the path's points at a share of its length.
Vec3d alongPath(const Vec3d& eye, const std::vector<Vec3d>& path, double share) {
    double whole = 0;
    Vec3d from = eye;
    for (const Vec3d& to : path) {
        whole += length(to - from);
        from = to;
    }
    double left = whole * share;
    from = eye;
    for (const Vec3d& to : path) {
        const double part = length(to - from);
        if (left <= part) return part > 0 ? from + (to - from) * (left / part) : to;
        left -= part;
        from = to;
    }
    return from;
}

std::string numbered(const std::string& output, int number) {
    char digits[16];
    std::snprintf(digits, sizeof digits, "-%03d", number);
    std::string name = output.substr(0, output.size() - 4);
    name += digits;
    return name + ".png";
}

}  // namespace

Result<void> drawPackage(const PackageDrawing& drawing, const Externals& externals) {
    ThreadPool threads;
    Externals parallel = externals;
    parallel.jobs = &threads;
    Result<std::unique_ptr<PackageTileSource>> source =
        openWhenReady(drawing.package, drawing.timeoutSeconds, parallel);
    if (!source) return source.error();
    const TileLayout layout = (*source)->layout();
    const Rect rect = layout.groundRect();
    const HeightRange range = layout.quantisation;

    TileStreamerOptions options;
    options.maximumResidentTiles = 8192;
    options.maximumPendingLoads = 64;
    options.maximumSynthesesPerUpdate = 256;
    options.detailLevels = drawing.detailLevels;
    if (drawing.detailLevels > 0 || !drawing.craters.empty()) {
        auto resolver = groundResolver(layout, drawing.detailLevels);
        if (!resolver) return resolver.error();
        options.resolver = *resolver;
    }
    Result<TileStreamer> streamer =
        TileStreamer::create(layout, std::move(*source), std::move(options), parallel);
    if (!streamer) return streamer.error();
    for (const Crater& crater : drawing.craters) {
        if (const Result<void> dug = streamer->addCrater(crater); !dug) return dug;
    }

    Result<app::VulkanContext> context = app::VulkanContext::create();
    if (!context) return context.error();
    Result<app::TilePictureRenderer> renderer = app::TilePictureRenderer::create(
        *context, {.width = drawing.view.width, .height = drawing.view.height, .cascades = 3}, parallel);
    if (!renderer) return renderer.error();
    GroundView view = drawing.view;
    GroundScale ground{{{rect.minX, range.min, rect.minZ}, {rect.maxX, range.max, rect.maxZ}},
                       std::min(layout.spacingX, layout.spacingZ)};
    bool measured = false;
    const auto settleView = [&](const TileView& seen) {
        const Interest interest = seen;
        return settle(*streamer, {&interest, 1}, drawing.timeoutSeconds);
    };
    for (int picture = 0; picture < drawing.pictures; ++picture) {
        TileView tiles;
        tiles.projectionScale = view.height / (2 * std::tan(view.verticalFov / 2));
        tiles.tolerance = drawing.tolerance;
        if (!measured) {
            // The roots know how high the ground really is; a look from the middle brings them.
            tiles.eye = ground.bounds.center();
            tiles.tolerance = 1e9;
            Result<Settled> roots = settleView(tiles);
            if (!roots) return roots.error();
            ground.bounds.min.y = range.max;
            ground.bounds.max.y = range.min;
            for (const TilePtr& tile : roots->surface.tiles()) {
                ground.bounds.min.y = std::min(ground.bounds.min.y, double{tile->bounds.min});
                ground.bounds.max.y = std::max(ground.bounds.max.y, double{tile->bounds.max});
            }
            measured = true;
            tiles.tolerance = drawing.tolerance;
            defaultView(ground.bounds, view);
            if (drawing.hasEye) view.eye = drawing.view.eye;
            if (drawing.hasTarget) view.target = drawing.view.target;
        }
        GroundView shot = view;
        if (drawing.pictures > 1) {
            shot.eye =
                alongPath(view.eye, drawing.path, static_cast<double>(picture) / (drawing.pictures - 1));
        }
        const Result<CameraView> camera = cameraOf(shot, ground);
        if (!camera) return camera.error();
        tiles.eye = shot.eye;
        const Result<Settled> settled = settleView(tiles);
        if (!settled) return settled.error();
        render::SceneSettings scene = sceneOf(ground, *camera, 0);
        const Vec3d size = ground.bounds.size();
        scene.cascades.distance = 1.5 * length(size);
        scene.cascades.casterReach = length(size);
        render::TileTerrainSettings settings;
        settings.tolerance = drawing.tolerance;
        const auto drawn = renderer->draw(settled->surface, scene, settings);
        if (!drawn) return drawn.error();
        const std::string output = drawing.pictures > 1 ? numbered(drawing.output, picture) : drawing.output;
        if (const auto written = app::writePng(output, drawn->image); !written) return written;
        std::printf(
            "%s: %d x %d, %u of %zu resident tiles, %llu triangles, %u %s, settled after %llu updates, on "
            "%s\n",
            output.c_str(), shot.width, shot.height, drawn->stats.drawn, settled->surface.tiles().size(),
            static_cast<unsigned long long>(drawn->drawn.triangles), drawn->drawn.draws,
            drawn->drawn.draws == 1 ? "draw" : "draws", static_cast<unsigned long long>(settled->updates),
            context->deviceName().c_str());
        std::fflush(stdout);
        if (settled->missing > 0) {
            std::fprintf(stderr, "karst render: %u tiles that this view wants could not be loaded\n",
                         settled->missing);
        }
    }
    return {};
}

}  // namespace karst::tool
