#include <karst/base/thread_pool.h>
#include <karst/heightfield_mesh/tile_mesh.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <thread>

#include "drop_bodies.h"
#include "drop_ground.h"
#include "package_streaming.h"
#include "picture_maker.h"

namespace karst::tool {
namespace {

using namespace heightfield;

constexpr double kSeconds = 120;  // that tiles may take

class HeightGround final : public DropGround {
  public:
    HeightGround(TileStreamer streamer, std::uint32_t detailLevels, Rect rect,
                 std::shared_ptr<physics::TerrainShape> shape, const Externals& externals)
        : m_streamer(std::move(streamer)),
          m_detailLevels(detailLevels),
          m_rect(rect),
          m_externals(externals),
          m_colliders(shape) {
        m_shape = std::move(shape);
    }

    Rect rect() const override { return m_rect; }
    double spacing() const override {
        return std::min(m_streamer.layout().spacingX, m_streamer.layout().spacingZ);
    }
    const char* pieces() const override { return "tiles"; }

    Result<std::uint32_t> follow(std::span<const physics::HeightColliderAnchor> anchors) override {
        std::vector<Interest> interests;
        for (const physics::HeightColliderAnchor& anchor : anchors)
            interests.push_back(CollisionInterest{anchor.position.x, anchor.position.z, anchor.radius});
        std::uint32_t replaced = 0;
        using SteadyClock = std::chrono::steady_clock;
        const auto end = SteadyClock::now() + std::chrono::duration<double>(kSeconds);
        for (;;) {
            const auto report = m_streamer.update(interests);
            if (!report) return report.error();
            const auto updated = m_colliders.update(m_streamer.surface(), anchors);
            if (!updated) return updated.error();
            replaced += updated->set + updated->cleared;
            if (report->wanted == 0 && updated->missing == 0) return replaced;
            if (report->onHold > 0 || SteadyClock::now() > end) {
                return makeError(ErrorCode::Io, "%u tiles below the bodies could not be loaded",
                                 report->wanted);
            }
            // The ground comes before the bodies go on.
            if (report->pending > 0 && report->loaded == 0)
                std::this_thread::sleep_for(std::chrono::microseconds(200));
        }
    }

    Result<bool> dig(WorldPosition at, double radius) override {
        const auto dug = m_streamer.addCrater({at.x, at.z, radius, 0.4 * radius, 0.06 * radius});
        if (!dug) return dug.error();
        return true;
    }

    Result<void> draw(const DropPicture& picture, std::span<const DroppedBody> bodies) override {
        const GroundScale ground{groundBounds(), spacing()};
        GroundView view = picture.view.view;
        defaultView(picture.things, view);
        picture.view.place(view);
        const auto camera = cameraOf(view, ground);
        if (!camera) return camera.error();
        TileView tiles;
        tiles.eye = view.eye;
        tiles.projectionScale = view.height / (2 * std::tan(view.verticalFov / 2));
        tiles.tolerance = 1;
        const Interest interest = tiles;
        const auto settled = settle(m_streamer, {&interest, 1}, kSeconds);
        if (!settled) return settled.error();
        TileSelector selector(m_externals);
        const TileSelection selection = selector.select(settled->surface, tiles, m_detailLevels);
        const TileLayout& layout = m_streamer.layout();
        const Vec3d origin{layout.originX, 0, layout.originZ};
        TileMesh mesh;
        buildTileMesh(settled->surface, selection.nodes, VertexLayout::compact(), origin, mesh,
                      *m_externals.jobs);
        app::PictureMesh things;
        things.origin = origin;
        insertBodies(things, bodies, [](WorldPosition, Vec3f) { return BodyLight(); });

        auto maker = PictureMaker::create(view.width, view.height);
        if (!maker) return maker.error();
        const auto drawn = maker->draw({mesh.vertices, mesh.indices, origin}, *camera, ground, &things);
        if (!drawn) return drawn.error();
        if (const auto written = app::writePng(picture.output, drawn->image); !written) return written;
        std::printf("%s: %d x %d, %u tiles, %zu triangles, on %s\n", picture.output.c_str(), view.width,
                    view.height, mesh.tiles, (mesh.indices.size() + things.indices.size()) / 3,
                    maker->deviceName().c_str());
        return {};
    }

  private:
    /// All of it, as high as the roots know.
    Bounds groundBounds() const {
        const Rect all = m_streamer.layout().groundRect();
        Bounds bounds;
        for (const TilePtr& tile : m_streamer.surface().tiles()) {
            bounds = unite(bounds, {{all.minX, double{tile->bounds.min}, all.minZ},
                                    {all.maxX, double{tile->bounds.max}, all.maxZ}});
        }
        return bounds;
    }

    TileStreamer m_streamer;
    std::uint32_t m_detailLevels;
    Rect m_rect;
    Externals m_externals;
    physics::HeightColliders m_colliders;
};

/// Makes the lattice of the shape no larger than bodies may need: the area and as much again around it.
void narrow(physics::TerrainShapeDefinition& definition, const Rect& area) {
    const TileLayout& layout = definition.heights;
    const double sizeX = layout.tileSizeX(definition.heightLevel);
    const double sizeZ = layout.tileSizeZ(definition.heightLevel);
    const double beyond = std::max({area.width(), area.depth(), 4 * sizeX, 4 * sizeZ});
    const auto tile = [](double at, double size, std::uint32_t most) {
        return static_cast<std::uint32_t>(std::clamp(std::floor(at / size), 0.0, double(most)));
    };
    const std::uint32_t tilesX = definition.maxTileX, tilesZ = definition.maxTileZ;
    definition.minTileX = tile(area.minX - beyond - layout.originX, sizeX, tilesX - 1);
    definition.minTileZ = tile(area.minZ - beyond - layout.originZ, sizeZ, tilesZ - 1);
    definition.maxTileX = tile(area.maxX + beyond - layout.originX, sizeX, tilesX - 1) + 1;
    definition.maxTileZ = tile(area.maxZ + beyond - layout.originZ, sizeZ, tilesZ - 1) + 1;
}

}  // namespace

Result<std::unique_ptr<DropGround>> openHeightGround(const std::string& package, std::uint32_t detailLevels,
                                                     const std::optional<Rect>& area,
                                                     const Externals& externals) {
    auto source = openWhenReady(package, kSeconds, externals);
    if (!source) return source.error();
    const TileLayout layout = (*source)->layout();
    TileStreamerOptions options;
    options.maximumResidentTiles = 8192;
    options.maximumPendingLoads = 64;
    options.maximumSynthesesPerUpdate = 256;
    options.detailLevels = detailLevels;
    options.collisionLevel = -static_cast<std::int32_t>(detailLevels);
    auto resolver = groundResolver(layout, detailLevels);
    if (!resolver) return resolver.error();
    options.resolver = *resolver;
    auto streamer = TileStreamer::create(layout, std::move(*source), std::move(options), externals);
    if (!streamer) return streamer.error();
    const auto roots = settle(*streamer, {}, kSeconds);
    if (!roots) return roots.error();

    const Rect whole = layout.groundRect();
    const Rect wanted = area ? intersect(*area, whole) : whole;
    if (wanted.empty()) {
        return makeError(ErrorCode::InvalidArgument,
                         "--area lies outside of the ground from (%g, %g) to (%g, %g)", whole.minX,
                         whole.minZ, whole.maxX, whole.maxZ);
    }
    physics::TerrainShapeDefinition definition = physics::shapeDefinitionFor(roots->surface);
    narrow(definition, wanted);
    definition.origin = {(wanted.minX + wanted.maxX) / 2, 0, (wanted.minZ + wanted.maxZ) / 2};
    const double sizeX = layout.tileSizeX(definition.heightLevel);
    const double sizeZ = layout.tileSizeZ(definition.heightLevel);
    const Rect rect = intersect(
        whole, {layout.originX + definition.minTileX * sizeX, layout.originZ + definition.minTileZ * sizeZ,
                layout.originX + definition.maxTileX * sizeX, layout.originZ + definition.maxTileZ * sizeZ});
    auto shape = physics::TerrainShape::create(definition);
    if (!shape) return shape.error();
    auto ground = std::make_unique<HeightGround>(std::move(*streamer), detailLevels, rect, std::move(*shape),
                                                 externals);
    return std::unique_ptr<DropGround>(std::move(ground));
}

}  // namespace karst::tool
