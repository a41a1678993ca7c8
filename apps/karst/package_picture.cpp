#include <common/tile_picture.h>
#include <karst/base/thread_pool.h>

#include <cmath>
#include <cstdio>

#include "ground_picture.h"
#include "interruption.h"
#include "package_streaming.h"
#include "picture_maker.h"
#include "picture_output.h"
#include "progress_line.h"

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

Result<TileStreamer> makeStreamer(const PackageDrawing& drawing, const Externals& externals) {
    Result<std::unique_ptr<PackageTileSource>> source =
        openWhenReady(drawing.package, drawing.timeoutSeconds, externals);
    if (!source) return source.error();
    const TileLayout layout = (*source)->layout();
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
        TileStreamer::create(layout, std::move(*source), std::move(options), externals);
    if (!streamer) return streamer;
    for (const Crater& crater : drawing.craters) {
        if (const Result<void> dug = streamer->addCrater(crater); !dug) return dug.error();
    }
    return streamer;
}

// The ground that a package streams, and the view of it that the pictures go on from.
struct Scenery {
    TileStreamer streamer;
    GroundScale ground;
    GroundView view;

    Result<Settled> settleView(const PackageDrawing& drawing, const Vec3d& eye, double tolerance) {
        TileView tiles;
        tiles.eye = eye;
        tiles.projectionScale = view.height / (2 * std::tan(view.verticalFov / 2));
        tiles.tolerance = tolerance;
        const Interest interest = tiles;
        return settle(streamer, {&interest, 1}, drawing.timeoutSeconds);
    }
};

// The roots know how high the ground really is; a look from the middle brings them.
Result<Scenery> measure(const PackageDrawing& drawing, TileStreamer streamer) {
    const TileLayout layout = streamer.layout();
    const Rect rect = layout.groundRect();
    const HeightRange range = layout.quantisation;
    Scenery scenery{std::move(streamer),
                    {{{rect.minX, range.min, rect.minZ}, {rect.maxX, range.max, rect.maxZ}},
                     std::min(layout.spacingX, layout.spacingZ)},
                    drawing.view};
    Bounds& bounds = scenery.ground.bounds;
    Result<Settled> roots = scenery.settleView(drawing, bounds.center(), 1e9);
    if (!roots) return roots.error();
    bounds.min.y = range.max;
    bounds.max.y = range.min;
    for (const TilePtr& tile : roots->surface.tiles()) {
        bounds.min.y = std::min(bounds.min.y, double{tile->bounds.min});
        bounds.max.y = std::max(bounds.max.y, double{tile->bounds.max});
    }
    defaultView(bounds, scenery.view);
    if (drawing.hasEye) scenery.view.eye = drawing.view.eye;
    if (drawing.hasTarget) scenery.view.target = drawing.view.target;
    return scenery;
}

}  // namespace

Result<void> drawPackage(const PackageDrawing& drawing, const Externals& externals) {
    ThreadPool threads;
    Externals parallel = externals;
    parallel.jobs = &threads;
    const int width = drawing.view.width, height = drawing.view.height;
    auto output = PictureOutput::create({.pictures = drawing.output,
                                         .video = drawing.video,
                                         .form = {width, height, drawing.framesPerSecond},
                                         .count = drawing.pictures});
    if (!output) return output.error();
    Result<TileStreamer> streamer = makeStreamer(drawing, parallel);
    if (!streamer) return streamer.error();
    Result<app::VulkanContext> context = app::VulkanContext::create();
    if (!context) return context.error();
    Result<app::TilePictureRenderer> renderer = app::TilePictureRenderer::create(
        *context, {.width = width, .height = height, .cascades = 3}, parallel);
    if (!renderer) return renderer.error();
    Result<Scenery> scenery = measure(drawing, std::move(*streamer));
    if (!scenery) return scenery.error();

    const GroundScale& ground = scenery->ground;
    std::optional<ProgressLine> progress;
    if (drawing.output.empty()) progress.emplace("render", *externals.clock);
    for (int picture = 0; picture < drawing.pictures; ++picture) {
        GroundView shot = scenery->view;
        if (drawing.pictures > 1)
            shot.eye = alongPath(shot.eye, drawing.path, double(picture) / (drawing.pictures - 1));
        const Result<CameraView> camera = cameraOf(shot, ground);
        if (!camera) return camera.error();
        const Result<Settled> settled = scenery->settleView(drawing, shot.eye, drawing.tolerance);
        if (!settled) return settled.error();
        render::SceneSettings scene = sceneOf(ground, *camera, 0);
        const Vec3d size = ground.bounds.size();
        scene.cascades.distance = 1.5 * length(size);
        scene.cascades.casterReach = length(size);
        render::TileTerrainSettings settings;
        settings.tolerance = drawing.tolerance;
        const auto drawn = renderer->draw(settled->surface, scene, settings);
        if (!drawn) return drawn.error();
        if (const auto put = output->put(drawn->image); !put) return put;
        if (settled->missing > 0) {
            if (progress) progress->end();
            std::fprintf(stderr, "karst render: %u tiles that this view wants could not be loaded\n",
                         settled->missing);
        }
        if (progress) progress->show(double(picture + 1) / drawing.pictures);
        if (output->file().empty()) continue;
        std::printf(
            "%s: %d x %d, %u of %zu resident tiles, %llu triangles, %u %s, settled after %llu updates, on "
            "%s\n",
            output->file().c_str(), width, height, drawn->stats.drawn, settled->surface.tiles().size(),
            static_cast<unsigned long long>(drawn->drawn.triangles), drawn->drawn.draws,
            drawn->drawn.draws == 1 ? "draw" : "draws", static_cast<unsigned long long>(settled->updates),
            context->deviceName().c_str());
        std::fflush(stdout);
    }
    if (auto finished = output->finish(); !finished) return finished;
    if (progress) progress->end();
    if (!drawing.video.empty()) {
        std::printf("%s: %d x %d, %d frames, %d a second, on %s\n", drawing.video.c_str(), width, height,
                    drawing.pictures, drawing.framesPerSecond, context->deviceName().c_str());
    }
    return {};
}

}  // namespace karst::tool
