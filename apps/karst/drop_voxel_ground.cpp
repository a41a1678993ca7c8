#include <common/voxel_light.h>
#include <common/voxel_picture.h>
#include <karst/physics/voxel_colliders.h>
#include <karst/voxel/fill_shapes.h>
#include <karst/voxel_sqlite/voxel_store.h>

#include <algorithm>
#include <cstdio>

#include "drop_bodies.h"
#include "drop_ground.h"
#include "picture_maker.h"

namespace karst::tool {
namespace {

class VoxelGround final : public DropGround {
  public:
    VoxelGround(voxel::Grid grid, std::shared_ptr<physics::TerrainShape> shape, const Externals& externals)
        : m_grid(std::move(grid)), m_externals(externals), m_colliders(shape, {}, externals) {
        m_shape = std::move(shape);
        const voxel::CellBox cells = m_grid.snapshot().chunkBounds();
        const WorldPosition min = m_grid.placement().cellCorner(cells.min);
        const WorldPosition max = m_grid.placement().cellCorner(cells.max);
        m_rect = {min.x, min.z, max.x, max.z};
    }

    Rect rect() const override { return m_rect; }
    double spacing() const override { return m_grid.placement().cellSize; }
    const char* pieces() const override { return "chunks"; }

    Result<std::uint32_t> follow(std::span<const physics::HeightColliderAnchor>) override {
        const auto updated = m_colliders.update(m_grid);
        if (!updated) return updated.error();
        return updated->replaced;
    }

    Result<bool> dig(WorldPosition at, double radius) override {
        // Two cells stay between the hole and the lower side, below its middle and its rim.
        const Vec3d origin = m_shape->definition().origin;
        for (const Vec3d side : {Vec3d{0, 0, 0}, {1, 0, 0}, {-1, 0, 0}, {0, 0, 1}, {0, 0, -1}}) {
            const Vec3d below = at + side * radius - origin;
            const double low = m_shape->bounds().min.y - 1;
            const auto under = m_shape->castRay({{below.x, low, below.z}, {0, 1, 0}});
            if (!under || low + under->t > at.y - origin.y - radius - 2 * spacing()) return false;
        }
        const auto dug = voxel::fillBall(m_grid, at, radius, voxel::kAir);
        if (!dug) return dug.error();
        return dug->changedCells > 0;
    }

    Result<void> draw(const DropPicture& picture, std::span<const DroppedBody> bodies) override {
        const voxel::GridSnapshot snapshot = m_grid.snapshot();
        const voxel::GridPlacement& placement = m_grid.placement();
        const app::VoxelPicture shown = app::makeVoxelPicture(snapshot, {}, *m_externals.jobs);
        app::PictureMesh things;
        app::VoxelLight light(snapshot);
        insertBodies(things, bodies, [&](WorldPosition at, Vec3f normal) {
            const Vec3d cells = (at - placement.origin) * (1 / placement.cellSize);
            return BodyLight{1, light.sky(cells, normal, 0.5)};
        });

        const GroundScale ground{groundBounds(), spacing()};
        GroundView view = picture.view.view;
        defaultView(picture.things, view);
        picture.view.place(view);
        const auto camera = cameraOf(view, ground);
        if (!camera) return camera.error();
        auto context = app::VulkanContext::create();
        if (!context) return context.error();
        auto renderer =
            app::VoxelPictureRenderer::create(*context, {.width = view.width, .height = view.height});
        if (!renderer) return renderer.error();
        render::SceneSettings scene = sceneOf(ground, *camera, 0);
        scene.sky.visibility *= 8;  // a piece of ground, not a landscape: the air is clear across it
        const auto drawn = renderer->draw(shown, scene, &things);
        if (!drawn) return drawn.error();
        if (const auto written = app::writePng(picture.output, drawn->image); !written) return written;
        std::printf("%s: %d x %d, %zu triangles, on %s\n", picture.output.c_str(), view.width, view.height,
                    shown.triangles + things.indices.size() / 3, context->deviceName().c_str());
        return {};
    }

  private:
    Bounds groundBounds() const {
        const Bounds bounds = m_shape->bounds();
        const Vec3d origin = m_shape->definition().origin;
        return {bounds.min + origin, bounds.max + origin};
    }

    voxel::Grid m_grid;
    Externals m_externals;
    Rect m_rect;
    physics::VoxelColliders m_colliders;
};

}  // namespace

Result<std::unique_ptr<DropGround>> openVoxelGround(const std::string& file, const Externals& externals) {
    auto store = voxel::VoxelStore::open(file, {.readOnly = true});
    if (!store) return store.error();
    auto grid = store->load(externals);
    if (!grid) return grid.error();
    const voxel::CellBox cells = grid->snapshot().chunkBounds();
    if (cells.empty()) return makeError(ErrorCode::InvalidArgument, "%s: it is empty", file.c_str());
    physics::TerrainShapeDefinition definition = physics::shapeDefinitionFor(grid->placement(), cells);
    definition.origin =
        (grid->placement().cellCorner(cells.min) + grid->placement().cellCorner(cells.max)) * 0.5;
    auto shape = physics::TerrainShape::create(definition);
    if (!shape) return shape.error();
    auto ground = std::make_unique<VoxelGround>(std::move(*grid), std::move(*shape), externals);
    return std::unique_ptr<DropGround>(std::move(ground));
}

}  // namespace karst::tool
