#include <gtest/gtest.h>
#include <karst/physics/height_colliders.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "../../heightfield/test/surface_reference.h"

namespace karst::physics {
namespace {

using heightfield::Surface;
using heightfield::TileKey;
using heightfield::TilePtr;
using test::Random;

constexpr double kInf = std::numeric_limits<double>::infinity();

/// A stored level: below 0 the world's tiles are noise that does not even meet at its borders.
std::int32_t storedLevel(const test::ResidentWorld& world) {
    return std::max(world.surface.collisionLevel(), 0);
}

/// The tiles of one level alone, some of them missing.
Surface oneLevel(const test::ResidentWorld& world, std::int32_t level) {
    std::vector<TilePtr> tiles;
    for (const auto& [key, tile] : world.tiles) {
        if (key.level == level) tiles.push_back(tile);
    }
    return *Surface::fromTiles(world.surface.layout(), tiles, level);
}

struct Ground {
    Surface surface;
    std::shared_ptr<TerrainShape> shape;
};

Ground groundOf(const Surface& surface, WorldPosition heightOrigin, WorldPosition shapeOrigin) {
    TerrainShapeDefinition definition = shapeDefinitionFor(surface, heightOrigin);
    definition.origin = shapeOrigin;
    Ground ground{surface, *TerrainShape::create(definition)};
    HeightColliders colliders(ground.shape);
    const HeightColliderAnchor anchor{heightOrigin, 1e6};
    EXPECT_TRUE(colliders.update(surface, {&anchor, 1}).ok());
    return ground;
}

std::vector<TerrainTriangle> all(const TerrainShape& shape) {
    std::vector<TerrainTriangle> out;
    shape.trianglesInBox({-1e9f, -1e9f, -1e9f}, {1e9f, 1e9f, 1e9f},
                         [&](const TerrainTriangle& t) { out.push_back(t); });
    return out;
}

using Point = std::tuple<float, float, float>;
Point pointOf(Vec3f v) {
    return {v.x, v.y, v.z};
}

TEST(TerrainShapeHeights, H29_TrianglesAreThoseOfTheCollisionLevelWithTheOneDiagonal) {
    Random random(1);
    for (int round = 0; round < 60; ++round) {
        const auto world = test::ResidentWorld::make(random, 0);
        const std::int32_t level = world.surface.collisionLevel();
        const WorldPosition at{std::floor(random.range(-100, 100)), 3, std::floor(random.range(-100, 100))};
        const Ground ground = groundOf(oneLevel(world, level), at, {1, 2, 3});
        std::set<std::array<Point, 3>> expected;
        const heightfield::TileLayout& layout = world.surface.layout();
        for (const auto& [key, tile] : world.tiles) {
            if (key.level != level) continue;
            const int cells = static_cast<int>(layout.tileCells);
            for (int z = 0; z < cells; ++z) {
                for (int x = 0; x < cells; ++x) {
                    const double cornerX =
                        layout.originX +
                        static_cast<double>(std::int64_t{key.x} * cells + x) * layout.strideX(level);
                    const double cornerZ =
                        layout.originZ +
                        static_cast<double>(std::int64_t{key.z} * cells + z) * layout.strideZ(level);
                    if (tile->isHole(x, z) || cornerX >= layout.groundRect().maxX ||
                        cornerZ >= layout.groundRect().maxZ)
                        continue;
                    const auto vertex = [&, &of = *tile](int i, int j) -> Point {
                        return {static_cast<float>(at.x - 1 + cornerX + i * layout.strideX(level)),
                                static_cast<float>(at.y - 2 + double{of.sample(x + i, z + j)}),
                                static_cast<float>(at.z - 3 + cornerZ + j * layout.strideZ(level))};
                    };
                    expected.insert({vertex(0, 0), vertex(0, 1), vertex(1, 0)});
                    expected.insert({vertex(1, 1), vertex(1, 0), vertex(0, 1)});
                }
            }
        }
        std::size_t count = 0;
        std::uint64_t before = 0;
        for (const TerrainTriangle& triangle : all(*ground.shape)) {
            const std::array<Point, 3> found{pointOf(triangle.vertices[0]), pointOf(triangle.vertices[1]),
                                             pointOf(triangle.vertices[2])};
            ASSERT_EQ(expected.count(found), 1u) << "round " << round;
            ASSERT_TRUE(count == 0 || triangle.id.value > before);
            before = triangle.id.value;
            const auto again = ground.shape->triangle(triangle.id);
            ASSERT_TRUE(again.has_value());
            EXPECT_TRUE(again->vertices == triangle.vertices && again->activeEdges == triangle.activeEdges);
            ++count;
        }
        EXPECT_EQ(count, expected.size());
    }
}

TEST(TerrainShapeHeights, H29_BoxesGiveExactlyTheTrianglesWhoseBoundsTheyMeet) {
    Random random(2);
    std::size_t found = 0;
    for (int round = 0; round < 40; ++round) {
        const auto world = test::ResidentWorld::make(random, 0);
        const Ground ground = groundOf(oneLevel(world, storedLevel(world)), {5, 0, -7}, {});
        const std::vector<TerrainTriangle> triangles = all(*ground.shape);
        for (int i = 0; i < 50 && !triangles.empty(); ++i) {
            // About a vertex, at times with a side exactly on it.
            const Vec3f corner =
                triangles[static_cast<std::size_t>(random.integer(0, static_cast<int>(triangles.size()) - 1))]
                    .vertices[0];
            const auto size = [&] {
                return static_cast<float>(random.chance(0.2) ? 0.0 : random.range(0, 6));
            };
            const Vec3f min{corner.x - size(), corner.y - size(), corner.z - size()};
            const Vec3f max{corner.x + size(), corner.y + size(), corner.z + size()};
            std::vector<std::uint64_t> expected, got;
            for (const TerrainTriangle& t : triangles) {
                const auto meets = [&](auto member, float low, float high) {
                    float least = t.vertices[0].*member, most = least;
                    for (const Vec3f& v : t.vertices) {
                        least = std::min(least, v.*member);
                        most = std::max(most, v.*member);
                    }
                    return least <= high && most >= low;
                };
                if (meets(&Vec3f::x, min.x, max.x) && meets(&Vec3f::y, min.y, max.y) &&
                    meets(&Vec3f::z, min.z, max.z)) {
                    expected.push_back(t.id.value);
                }
            }
            ground.shape->trianglesInBox(min, max,
                                         [&](const TerrainTriangle& t) { got.push_back(t.id.value); });
            ASSERT_EQ(got, expected);
            found += got.size();
        }
    }
    EXPECT_GT(found, 2000u);
}

TEST(TerrainShapeHeights, H29_AnEdgeIsActiveWhereTheGroundEndsOrBendsOutwardsAlsoAcrossTiles) {
    Random random(3);
    std::size_t active = 0, inactive = 0, acrossTiles = 0;
    for (int round = 0; round < 60; ++round) {
        const auto world = test::ResidentWorld::make(random, 0);
        const Ground ground = groundOf(oneLevel(world, storedLevel(world)), {}, {});
        const std::vector<TerrainTriangle> triangles = all(*ground.shape);
        // By the vertices' bits: the triangle on the other side runs the edge the other way round.
        std::map<std::pair<Point, Point>, std::pair<const TerrainTriangle*, int>> edges;
        for (const TerrainTriangle& t : triangles) {
            for (int i = 0; i < 3; ++i) {
                const auto key = std::pair(pointOf(t.vertices[static_cast<std::size_t>(i)]),
                                           pointOf(t.vertices[static_cast<std::size_t>((i + 1) % 3)]));
                ASSERT_TRUE(edges.emplace(key, std::pair(&t, i)).second);
            }
        }
        const auto normal = [](const TerrainTriangle& t) {
            return normalized(cross(toDouble(t.vertices[1]) - toDouble(t.vertices[0]),
                                    toDouble(t.vertices[2]) - toDouble(t.vertices[0])));
        };
        for (const auto& [edge, of] : edges) {
            const auto& [triangle, index] = of;
            const bool isActive = (triangle->activeEdges >> index & 1) != 0;
            const auto across = edges.find({edge.second, edge.first});
            if (across == edges.end()) {
                EXPECT_TRUE(isActive);
                ++active;
                continue;
            }
            const auto& [other, otherIndex] = across->second;
            EXPECT_EQ(isActive, (other->activeEdges >> otherIndex & 1) != 0) << "both sides of an edge agree";
            const Vec3d opposite = toDouble(other->vertices[static_cast<std::size_t>((otherIndex + 2) % 3)]);
            const double above = dot(normal(*triangle), opposite - toDouble(triangle->vertices[0]));
            const double cosine = dot(normal(*triangle), normal(*other)), limit = std::cos(0.0873);
            if (std::abs(above) < 1e-4 || std::abs(cosine - limit) < 1e-4) continue;
            EXPECT_EQ(isActive, above < 0 && cosine < limit);
            ++(isActive ? active : inactive);
            acrossTiles += triangle->id.value >> 32 != other->id.value >> 32 ? 1u : 0u;
        }
    }
    EXPECT_GT(active, 1000u);
    EXPECT_GT(inactive, 1000u);
    EXPECT_GT(acrossTiles, 500u);
}

TEST(TerrainShapeHeights, H29_RaysMeetWhatTheSurfacesOwnRayCastMeets) {
    Random random(4);
    int hits = 0, misses = 0, differ = 0;
    for (int round = 0; round < 150; ++round) {
        const auto world = test::ResidentWorld::make(random, 0);
        const Surface surface = oneLevel(world, storedLevel(world));
        const WorldPosition at{random.range(-1000, 1000), random.range(-10, 10), random.range(-1000, 1000)};
        const WorldPosition origin{random.range(-1000, 1000), 0, 0};
        const Ground ground = groundOf(surface, at, origin);
        const heightfield::SurfaceIndex index(surface);
        for (int i = 0; i < 100; ++i) {
            const Ray local = world.randomRay(random);
            const double maxT = random.chance(0.3) ? random.range(0, 2) : kInf;
            const auto expected = index.castRay(local, maxT);
            const auto got = ground.shape->castRay({local.origin + at - origin, local.direction}, maxT);
            if (expected.hit() != got.has_value() || (got && std::abs(got->t - expected.t) > 1e-7)) {
                // The collider's last cell of a coarse level is whole, also where the ground ends inside it.
                const Vec3d point = got ? local.at(got->t) : Vec3d{};
                if (got && !surface.layout().groundRect().contains(point.x, point.z)) continue;
                // Borders of holes may be told either way: rays along a line of the lattice run on them.
                EXPECT_TRUE(local.direction.x == 0 || local.direction.z == 0);
                ++differ;
                continue;
            }
            ++(got ? hits : misses);
            if (got) {
                const auto triangle = ground.shape->triangle(got->id);
                ASSERT_TRUE(triangle.has_value());
                const Vec3d point = local.at(got->t) + at - origin;
                const Vec3d corner = toDouble(triangle->vertices[0]);
                EXPECT_NEAR(dot(toDouble(got->normal), point - corner), 0, 1e-3);
                EXPECT_GT(got->normal.y, 0);
            }
        }
    }
    EXPECT_GT(hits, 3000);
    EXPECT_GT(misses, 1000);
    EXPECT_LT(differ, 40) << "of 15000";
}

TEST(TerrainShapeHeights, H29_NoRayAimedAtASampleOrAnEdgeIsLost) {
    Random random(5);
    int aimed = 0;
    for (int round = 0; round < 60; ++round) {
        // Ground without holes, whole, so that every ray down has something to meet.
        const auto pyramid = test::randomPyramid(random, static_cast<std::uint32_t>(random.integer(5, 60)),
                                                 static_cast<std::uint32_t>(random.integer(5, 60)),
                                                 1u << random.integer(1, 4), 0, 12, 0);
        std::vector<TilePtr> tiles;
        for (const auto& [key, tile] : pyramid.tiles) {
            if (key.level == 0) tiles.push_back(tile);
        }
        const Surface surface = *Surface::fromTiles(pyramid.layout, tiles, 0);
        const Ground ground = groundOf(surface, {}, {random.range(-10, 10), 0, random.range(-10, 10)});
        const heightfield::TileLayout& l = pyramid.layout;
        for (int i = 0; i < 200; ++i) {
            const double u = random.integer(1, static_cast<int>(l.samplesX) - 2),
                         v = random.integer(1, static_cast<int>(l.samplesZ) - 2);
            const double along = random.chance(0.5) ? 0 : random.integer(0, 1024) / 1024.0;
            const bool isDiagonal = random.chance(0.3);
            const double x = l.originX + (u + (isDiagonal ? along : 0)) * l.spacingX;
            const double z = l.originZ + (v + (isDiagonal           ? -along
                                               : random.chance(0.5) ? along
                                                                    : 0)) *
                                             l.spacingZ;
            const auto height = heightfield::heightAt(surface, x, z);
            if (!height) continue;
            const Vec3d target{x, *height, z};
            const Vec3d side{random.range(-0.3, 0.3), random.range(0.5, 1), random.range(-0.3, 0.3)};
            const Vec3d from = random.chance(0.4) ? target + Vec3d{0, 100, 0} : target + side * 60;
            // From above all ground to below it, over the ground all the way: the ray must cross.
            const Vec3d to = target + (target - from);
            if (!l.groundRect().contains(from.x, from.z) || !l.groundRect().contains(to.x, to.z)) continue;
            const auto hit = ground.shape->castRay({from - ground.shape->definition().origin, target - from});
            ASSERT_TRUE(hit.has_value()) << "at " << x << ", " << z;
            EXPECT_LT(hit->t, 1.5);
            ++aimed;
        }
    }
    EXPECT_GT(aimed, 5000);
}

TEST(TerrainShapeHeights, H29_OnlyChangedTilesAreSetAndTilesOutsideOfAnchorsAreCleared) {
    Random random(6);
    const auto pyramid = test::randomPyramid(random, 129, 129, 16, 0, 10, 0);
    std::vector<TilePtr> tiles;
    for (const auto& [key, tile] : pyramid.tiles)
        tiles.push_back(tile);
    const Surface surface = *Surface::fromTiles(pyramid.layout, tiles, 0);
    auto shape = *TerrainShape::create(shapeDefinitionFor(surface));
    HeightColliders colliders(shape);
    const heightfield::TileLayout& l = pyramid.layout;
    const double size = l.tileSizeX(0);
    const auto inTile = [&](int x, int z) {
        return Vec3d{l.originX + (x + 0.5) * size, 0, l.originZ + (z + 0.5) * l.tileSizeZ(0)};
    };

    std::vector<HeightColliderAnchor> anchors{{inTile(1, 1), 0.1}, {inTile(6, 6), 0.1}};
    auto update = *colliders.update(surface, anchors);
    EXPECT_EQ(update.set, 2u);
    ASSERT_NE(shape->tile(1, 1), nullptr);
    EXPECT_NE(shape->tile(6, 6), nullptr);
    EXPECT_EQ(shape->tile(2, 1), nullptr);
    EXPECT_EQ(shape->takeDirtyBoxes().size(), 2u);

    update = *colliders.update(surface, anchors);
    EXPECT_EQ(std::tuple(update.set, update.cleared, update.kept), std::tuple(0u, 0u, 2u));
    EXPECT_TRUE(shape->takeDirtyBoxes().empty());

    // A crater gives one of them new samples.
    auto dug = std::make_shared<heightfield::HeightTile>(
        **std::find_if(tiles.begin(), tiles.end(), [](const TilePtr& t) {
            return t->key == TileKey{0, 1, 1};
        }));
    dug->revision = 1;
    for (float& sample : dug->samples)
        sample -= 5;
    std::vector<TilePtr> after = tiles;
    for (TilePtr& tile : after)
        tile = tile->key == dug->key ? TilePtr(dug) : tile;
    const HeightColliderTilePtr untouched = shape->tile(6, 6);
    update = *colliders.update(*Surface::fromTiles(pyramid.layout, after, 0), anchors);
    EXPECT_EQ(std::tuple(update.set, update.cleared, update.kept), std::tuple(1u, 0u, 1u));
    EXPECT_EQ(shape->tile(6, 6), untouched);
    const auto dirty = shape->takeDirtyBoxes();
    ASSERT_EQ(dirty.size(), 2u) << "the old ground and the new";
    EXPECT_NEAR(dirty[0].max.y - dirty[1].max.y, 5, 1e-4);

    // Away from the first anchor, and wide around the second.
    anchors = {{inTile(6, 6), size}};
    update = *colliders.update(surface, anchors);
    EXPECT_EQ(update.cleared, 1u);
    EXPECT_EQ(shape->tile(1, 1), nullptr);
    for (int z = 5; z <= 7; ++z) {
        for (int x = 5; x <= 7; ++x)
            EXPECT_NE(shape->tile(static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(z)), nullptr);
    }
    EXPECT_EQ(shape->tile(4, 4), nullptr);

    // A tile that is not resident is missing, not guessed.
    std::erase_if(after, [](const TilePtr& tile) { return tile->key == TileKey{0, 6, 6}; });
    update = *colliders.update(*Surface::fromTiles(pyramid.layout, after, 0), anchors);
    EXPECT_EQ(update.missing, 1u);
    EXPECT_EQ(shape->tile(6, 6), nullptr);

    const HeightColliderAnchor bad{{0, std::nan(""), 0}, 1};
    EXPECT_FALSE(colliders.update(surface, {&bad, 1}).ok());
    EXPECT_FALSE(colliders.update(*Surface::fromTiles(pyramid.layout, tiles, 1), anchors).ok());
    EXPECT_NE(shape->tile(5, 5), nullptr) << "a refused update changes nothing";
    update = *colliders.update(Surface(), anchors);
    EXPECT_EQ(update.cleared, 8u);
    EXPECT_TRUE(shape->bounds().empty());
}

TEST(TerrainShapeHeights, RefusesWrongDefinitionsSlotsAndRays) {
    TerrainShapeDefinition definition;
    definition.origin.x = std::nan("");
    EXPECT_FALSE(TerrainShape::create(definition).ok());
    definition = {};
    definition.voxels.cellSize = 0;
    EXPECT_FALSE(TerrainShape::create(definition).ok());
    definition = {};
    definition.maxChunk = {-1, 0, 0};
    EXPECT_FALSE(TerrainShape::create(definition).ok());
    definition.maxChunk = {1 << 20, 1 << 20, 1 << 20};
    const auto tooLarge = TerrainShape::create(definition);
    ASSERT_FALSE(tooLarge.ok());
    EXPECT_EQ(tooLarge.error().code, ErrorCode::TooLarge);
    definition = {};
    definition.maxTileX = definition.maxTileZ = 1;
    EXPECT_FALSE(TerrainShape::create(definition).ok()) << "the layout is not one";

    Random random(7);
    const auto pyramid = test::randomPyramid(random, 40, 40, 8, 0, 10, 0);
    std::vector<TilePtr> tiles;
    for (const auto& [key, tile] : pyramid.tiles)
        tiles.push_back(tile);
    const Surface surface = *Surface::fromTiles(pyramid.layout, tiles, 0);
    auto shape = *TerrainShape::create(shapeDefinitionFor(surface));
    const auto tile = std::make_shared<const HeightColliderTile>(surface.share({0, 0, 0}), pyramid.layout);
    EXPECT_FALSE(shape->setTile(1, 0, tile).ok());
    EXPECT_FALSE(shape->setTile(99, 0, tile).ok());
    EXPECT_FALSE(shape->setChunk({0, 0, 0}, nullptr).ok());
    EXPECT_TRUE(shape->setTile(0, 0, tile).ok());
    EXPECT_FALSE(shape->castRay({{0, 0, 0}, {0, 0, 0}}).has_value());
    EXPECT_FALSE(shape->castRay({{0, std::nan(""), 0}, {0, -1, 0}}).has_value());
    EXPECT_FALSE(shape->castRay({{1, 50, 1}, {0, -1, 0}}, -1).has_value());
    EXPECT_FALSE(shape->triangle(TriangleId{}).has_value());
}

}  // namespace
}  // namespace karst::physics
