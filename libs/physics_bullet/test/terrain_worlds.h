#pragma once

// Bullet worlds on voxel ground and on height tiles, and what the ground is at a point of them.

#include <gtest/gtest.h>
#include <karst/heightfield/crater.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "../../voxel_mesh/test/surface_checks.h"
#include "bullet_world.h"

namespace karst::physics_bullet {

inline constexpr voxel::Cell kSolid{4, 255};

/// A body of ground in a Bullet world whose zero is the shape's.
struct TerrainWorld {
    std::shared_ptr<physics::TerrainShape> shape;
    BulletWorld bullet;
    std::unique_ptr<TerrainBody> terrain;

    /// Is the first ground above the point met from behind?
    bool isInside(const btVector3& at) const {
        const auto hit = shape->castRay({toDouble(at), {0, 1, 0}});
        return hit && hit->normal.y > 0;
    }
    /// To the nearest triangle, or `reach` where none is nearer.
    double distanceToGround(const btVector3& at, double reach) const {
        double nearest = reach;
        const auto r = static_cast<btScalar>(reach);
        shape->trianglesInBox(fromBullet(at - btVector3(r, r, r)), fromBullet(at + btVector3(r, r, r)),
                              [&](const physics::TerrainTriangle& t) {
                                  nearest = std::min(nearest, distanceTo(t, toDouble(at)));
                              });
        return nearest;
    }

  private:
    static double distanceTo(const physics::TerrainTriangle& triangle, Vec3d p) {
        double nearest = 1e300;
        const Vec3d v[3] = {toDouble(triangle.vertices[0]), toDouble(triangle.vertices[1]),
                            toDouble(triangle.vertices[2])};
        const Vec3d area = cross(v[1] - v[0], v[2] - v[0]);
        bool over = dot(area, area) > 0;
        for (int i = 0; i < 3; ++i) {
            const Vec3d edge = v[(i + 1) % 3] - v[i];
            const double t = std::clamp(dot(p - v[i], edge) / std::max(dot(edge, edge), 1e-30), 0.0, 1.0);
            nearest = std::min(nearest, length(p - v[i] - edge * t));
            over = over && dot(cross(edge, p - v[i]), area) >= 0;
        }
        return over ? std::min(nearest, std::abs(dot(p - v[0], area)) / length(area)) : nearest;
    }
};

/// Cells of 1 m.
struct VoxelWorld : TerrainWorld {
    voxel::Grid grid;
    std::unique_ptr<physics::VoxelColliders> colliders;

    template <class CellOf>
    VoxelWorld(const voxel::CellBox& cells, CellOf cellOf) : grid(makeGrid()) {
        voxel_mesh::fill(grid, cells, cellOf);
        shape = *physics::TerrainShape::create(physics::shapeDefinitionFor(grid.placement(), cells));
        colliders = std::make_unique<physics::VoxelColliders>(shape);
        EXPECT_TRUE(colliders->update(grid).ok());
        terrain = std::make_unique<TerrainBody>(bullet.world, shape);
    }
    static voxel::Grid makeGrid() {
        voxel::GridDefinition definition;
        definition.placement.cellSize = 1;
        return std::move(voxel::Grid::create(definition)).value();
    }
    /// Takes the grid's edits in. Returns the bodies woken.
    int sync() {
        EXPECT_TRUE(colliders->update(grid).ok());
        return terrain->sync();
    }
};

/// Tiles of 32 x 32 cells of one stored level, with heights of a function and with craters.
struct HeightWorld : TerrainWorld {
    static constexpr std::uint32_t kTileCells = 32;
    heightfield::TileLayout layout;
    std::map<heightfield::TileKey, heightfield::TilePtr> untouched;
    std::vector<heightfield::Crater> craters;
    std::unique_ptr<physics::HeightColliders> colliders;
    physics::HeightColliderUpdate last;
    std::vector<heightfield::TilePtr> tiles;

    template <class HeightOf>
    HeightWorld(std::uint32_t tilesX, std::uint32_t tilesZ, double spacing, HeightOf heightOf) {
        layout.tileCells = kTileCells;
        layout.rootsX = tilesX;
        layout.rootsZ = tilesZ;
        layout.spacingX = layout.spacingZ = spacing;
        layout.samplesX = tilesX * kTileCells + 1;
        layout.samplesZ = tilesZ * kTileCells + 1;
        layout.originX = -0.5 * spacing * kTileCells * tilesX;
        layout.originZ = -0.5 * spacing * kTileCells * tilesZ;
        layout.quantisation = {-1000, 1000};
        for (std::uint32_t z = 0; z < tilesZ; ++z) {
            for (std::uint32_t x = 0; x < tilesX; ++x) {
                auto tile = std::make_shared<heightfield::HeightTile>();
                tile->key = {0, x, z};
                tile->side = layout.tileSide();
                tile->bounds = {-1000, 1000};
                tile->errors.assign(layout.tileLevels() + 1, 0.0);
                for (int j = -1; j <= static_cast<int>(kTileCells) + 1; ++j) {
                    for (int i = -1; i <= static_cast<int>(kTileCells) + 1; ++i) {
                        tile->samples.push_back(static_cast<float>(
                            heightOf(layout.originX + spacing * (i + static_cast<int>(x * kTileCells)),
                                     layout.originZ + spacing * (j + static_cast<int>(z * kTileCells)))));
                    }
                }
                untouched[tile->key] = tile;
            }
        }
        for (const auto& [key, tile] : untouched)
            tiles.push_back(tile);
        shape = *physics::TerrainShape::create(physics::shapeDefinitionFor(surface()));
        colliders = std::make_unique<physics::HeightColliders>(shape);
        sync();
        terrain = std::make_unique<TerrainBody>(bullet.world, shape);
    }
    heightfield::Surface surface() const { return *heightfield::Surface::fromTiles(layout, tiles, 0); }
    /// One crater more: the tiles that it reaches are made anew of the untouched ones. Returns the bodies
    /// woken.
    int dig(const heightfield::Crater& crater) {
        craters.push_back(crater);
        for (heightfield::TilePtr& tile : tiles) {
            if (heightfield::reaches(crater, layout, tile->key))
                tile = heightfield::applyCraters(untouched[tile->key], layout, craters);
        }
        return sync();
    }

  private:
    int sync() {
        const physics::HeightColliderAnchor all{{}, 1e6};
        const auto updated = colliders->update(surface(), {&all, 1});
        EXPECT_TRUE(updated.ok());
        if (updated.ok()) last = *updated;
        return terrain ? terrain->sync() : 0;
    }
};

}  // namespace karst::physics_bullet
