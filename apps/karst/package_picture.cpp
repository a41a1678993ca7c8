#include <karst/base/thread_pool.h>
#include <karst/heightfield/package_tile_source.h>
#include <karst/heightfield_mesh/tile_mesh.h>
#include <karst/heightfield_stream/detail_resolver.h>
#include <karst/heightfield_stream/streamer.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <thread>

#include "ground_picture.h"
#include "package_access.h"
#include "picture_maker.h"

namespace karst::tool {
namespace {

using namespace heightfield;
using Clock = std::chrono::steady_clock;

void waitALittle() {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
}

Result<std::unique_ptr<PackageTileSource>> openWhenReady(const std::string& package, double seconds,
                                                         const Externals& externals) {
    Result<std::unique_ptr<PackageTileSource>> source = openTileSource(package, externals);
    if (!source) return source;
    const auto end = Clock::now() + std::chrono::duration<double>(seconds);
    while (!(*source)->ready()) {
        (*source)->update();
        if ((*source)->state() == PackageTileSource::State::Failed) return (*source)->error();
        if (Clock::now() > end) {
            return makeError(ErrorCode::Io, "%s: no manifest came within %g seconds", package.c_str(),
                             seconds);
        }
        waitALittle();
    }
    return source;
}

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

struct Settled {
    Surface surface;
    std::uint64_t updates = 0;
    std::uint32_t missing = 0;  // tiles that failed
};

// Updates until nothing more comes for this view.
Result<Settled> settle(TileStreamer& streamer, const TileView& view, double seconds) {
    const Interest interest = view;
    const auto end = Clock::now() + std::chrono::duration<double>(seconds);
    Settled settled;
    for (;;) {
        const Result<StreamingReport> report = streamer.update({&interest, 1});
        if (!report) return report.error();
        ++settled.updates;
        settled.surface = streamer.surface();
        settled.missing = report->wanted;
        if (!settled.surface.empty() && report->settled() && report->waiting == 0) return settled;
        if (Clock::now() > end) {
            if (!settled.surface.empty()) return settled;
            return makeError(ErrorCode::Io, "the package's root tiles did not come within %g seconds",
                             seconds);
        }
        if (report->pending > 0 && report->loaded == 0) waitALittle();
    }
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
        std::optional<TileDetailOptions> detail;
        if (drawing.detailLevels > 0) {
            // Relief that fits the samples: rough ground moves by up to a fifth of their spacing.
            const double spacing = std::min(layout.spacingX, layout.spacingZ);
            detail.emplace();
            detail->levels = drawing.detailLevels;
            detail->materials[0] = {0.02 * spacing, 0};
            detail->materials[1] = {0.2 * spacing, 0.7};
        }
        Result<std::shared_ptr<const TileResolver>> resolver = makeDetailResolver(layout, detail);
        if (!resolver) return resolver.error();
        options.resolver = *resolver;
    }
    Result<TileStreamer> streamer =
        TileStreamer::create(layout, std::move(*source), std::move(options), parallel);
    if (!streamer) return streamer.error();
    for (const Crater& crater : drawing.craters) {
        if (const Result<void> dug = streamer->addCrater(crater); !dug) return dug;
    }

    Result<PictureMaker> maker = PictureMaker::create(drawing.view.width, drawing.view.height);
    if (!maker) return maker.error();
    GroundView view = drawing.view;
    GroundScale ground{{{rect.minX, range.min, rect.minZ}, {rect.maxX, range.max, rect.maxZ}},
                       std::min(layout.spacingX, layout.spacingZ)};
    bool measured = false;
    TileSelector selector(parallel);
    const Vec3d origin{layout.originX, 0,
                       layout.originZ};  // fixed, so that the ground's pattern stays with the ground
    TileMesh mesh;
    for (int picture = 0; picture < drawing.pictures; ++picture) {
        TileView tiles;
        tiles.projectionScale = view.height / (2 * std::tan(view.verticalFov / 2));
        tiles.tolerance = drawing.tolerance;
        if (!measured) {
            // The roots know how high the ground really is; a look from the middle brings them.
            tiles.eye = ground.bounds.center();
            tiles.tolerance = 1e9;
            Result<Settled> roots = settle(*streamer, tiles, drawing.timeoutSeconds);
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
        const Result<Settled> settled = settle(*streamer, tiles, drawing.timeoutSeconds);
        if (!settled) return settled.error();
        const TileSelection selection = selector.select(settled->surface, tiles, drawing.detailLevels);
        buildTileMesh(settled->surface, selection.nodes, VertexLayout::compact(), origin, mesh, threads);
        const auto drawn = maker->draw({mesh.vertices, mesh.indices, origin}, *camera, ground);
        if (!drawn) return drawn.error();
        const std::string output = drawing.pictures > 1 ? numbered(drawing.output, picture) : drawing.output;
        if (const auto written = app::writePng(output, drawn->image); !written) return written;
        std::printf(
            "%s: %d x %d, %u of %zu resident tiles, %llu vertices, %u %s, settled after %llu updates, on "
            "%s\n",
            output.c_str(), shot.width, shot.height, mesh.tiles, settled->surface.tiles().size(),
            static_cast<unsigned long long>(mesh.vertexCount), drawn->terrain.draws,
            drawn->terrain.draws == 1 ? "draw" : "draws", static_cast<unsigned long long>(settled->updates),
            maker->deviceName().c_str());
        std::fflush(stdout);
        if (settled->missing > 0) {
            std::fprintf(stderr, "karst render: %u tiles that this view wants could not be loaded\n",
                         settled->missing);
        }
    }
    return {};
}

}  // namespace karst::tool
