#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "collision_checks.h"

namespace karst::voxel_mesh {
namespace {

using test::Random;

std::array<Place, 3> rotated(const WorldTriangle& t) {
    std::array<Place, 3> places{t.place(0), t.place(1), t.place(2)};
    std::rotate(places.begin(), std::min_element(places.begin(), places.end()), places.end());
    return places;
}

TEST(CollisionBuilder, V24_UnreducedItIsTheFullDetailSurfaceOfTheSameField) {
    Random random(1);
    for (int round = 0; round < 4; ++round) {
        const voxel::GridSnapshot grid = collisionWorld(random).snapshot();
        std::vector<std::array<Place, 3>> expected, got;
        for (const Triangle& triangle : allTriangles(grid, 0)) {
            WorldTriangle t{{triangle[0].position, triangle[1].position, triangle[2].position}, 0, {}};
            expected.push_back(rotated(t));
        }
        CollisionOptions options;
        options.reduceFlats = false;
        for (const WorldTriangle& triangle : collisionTriangles(grid, options))
            got.push_back(rotated(triangle));
        std::sort(expected.begin(), expected.end());
        std::sort(got.begin(), got.end());
        ASSERT_GT(expected.size(), 5000u);
        EXPECT_EQ(got, expected);
    }
}

TEST(CollisionBuilder, V25_ReductionKeepsTheRestAndLeavesNoTJunction) {
    Random random(2);
    std::size_t saved = 0;
    for (int round = 0; round < 3; ++round) {
        const voxel::GridSnapshot grid = collisionWorld(random).snapshot();
        CollisionOptions options;
        options.reduceFlats = false;
        const std::vector<WorldTriangle> full = collisionTriangles(grid, options),
                                         reduced = collisionTriangles(grid);
        saved += full.size() - reduced.size();
        // Each edge still has as many triangles to one side as to the other, within a chunk and across:
        // nothing ends in the middle of another's edge.
        const EdgeMap edges = edgesOf(reduced), fullEdges = edgesOf(full);
        for (const auto& [edge, uses] : edges) {
            const auto across = edges.find({edge.second, edge.first});
            const auto before = fullEdges.find(edge);
            const bool openBefore =
                before != fullEdges.end() && fullEdges.find({edge.second, edge.first}) == fullEdges.end();
            ASSERT_EQ(across == edges.end(), openBefore);
            if (across != edges.end()) {
                ASSERT_EQ(across->second.size(), uses.size());
            }
        }
        // A triangle is one of the full surface, or lies in one plane square to an axis, on vertices of the
        // full surface.
        std::set<std::array<Place, 3>> fullTriangles;
        std::set<Place> fullPlaces;
        for (const WorldTriangle& t : full) {
            fullTriangles.insert(rotated(t));
            for (std::size_t i = 0; i < 3; ++i)
                fullPlaces.insert(t.place(i));
        }
        for (const WorldTriangle& t : reduced) {
            for (std::size_t i = 0; i < 3; ++i)
                ASSERT_EQ(fullPlaces.count(t.place(i)), 1u);
            ASSERT_GT(length(t.normal()), 0);
            if (fullTriangles.count(rotated(t)) == 1) continue;
            const auto spread = [&](double Vec3d::*axis) {
                const auto [least, most] =
                    std::minmax({t.points[0].*axis, t.points[1].*axis, t.points[2].*axis});
                return most - least;
            };
            EXPECT_LE(std::min({spread(&Vec3d::x), spread(&Vec3d::y), spread(&Vec3d::z)}), 1e-4);
        }
        // The same area from above, up and down apart, so nothing is lost or laid twice.
        const auto area = [](const std::vector<WorldTriangle>& triangles, double sign) {
            double sum = 0;
            for (const WorldTriangle& t : triangles)
                sum += std::max(0.0, sign * t.normal().y);
            return sum;
        };
        EXPECT_NEAR(area(full, 1), area(reduced, 1), 1e-6 * area(full, 1));
        EXPECT_NEAR(area(full, -1), area(reduced, -1), 1e-6 * area(full, 1));
    }
    EXPECT_GT(saved, 500u);
}

TEST(CollisionBuilder, V25_FlatGroundHasAtLeastEightTimesFewerTriangles) {
    for (const int height : {0, 100, 255}) {
        voxel::Grid grid = makeGrid();
        fill(grid, {{-32, 0, -32}, {64, 16, 64}}, [&](voxel::CellCoord c) {
            return voxel::Cell{kRock, static_cast<std::uint8_t>(c.y < 15 ? 255 : height)};
        });
        const voxel::GridSnapshot snapshot = grid.snapshot();
        CollisionOptions options;
        CollisionBuilder reduced(options);
        options.reduceFlats = false;
        CollisionBuilder full(options);
        const auto a = full.build(snapshot, {0, 0, 0}), b = reduced.build(snapshot, {0, 0, 0});
        ASSERT_EQ(a->triangles().size(), 2048u);
        EXPECT_LE(b->triangles().size() * 8, a->triangles().size());
        // Inside the ground's rim no edge is one to catch on, also not at the chunk's border.
        for (const CollisionTriangle& triangle : b->triangles())
            EXPECT_EQ(triangle.activeEdges, 0);
        for (const CollisionTriangle& triangle : a->triangles())
            EXPECT_EQ(triangle.activeEdges, 0);
    }
}

TEST(CollisionBuilder, V26_AnEdgeIsActiveWhereTheGroundBendsOutwardsAlsoAcrossChunks) {
    Random random(3);
    std::size_t active = 0, inactive = 0, across = 0, touching = 0;
    for (int round = 0; round < 4; ++round) {
        const voxel::GridSnapshot grid = collisionWorld(random).snapshot();
        CollisionOptions options;
        options.reduceFlats = round % 2 == 0;
        options.activeEdgeAngle = round % 3 == 0 ? 0.3 : 0.0873;
        const std::vector<WorldTriangle> triangles = collisionTriangles(grid, options);
        const EdgeMap edges = edgesOf(triangles);
        for (const auto& [edge, uses] : edges) {
            const auto found = edges.find({edge.second, edge.first});
            ASSERT_NE(found, edges.end()) << "the world is closed";
            const auto isActive = [](const std::pair<const WorldTriangle*, std::size_t>& use) {
                return (use.first->activeEdges >> use.second & 1) != 0;
            };
            if (uses.size() > 1 || found->second.size() > 1) {
                for (const auto& use : uses)
                    EXPECT_TRUE(isActive(use));
                ++touching;
                continue;
            }
            const auto& [own, index] = uses.front();
            const auto& [other, otherIndex] = found->second.front();
            ASSERT_EQ(isActive(uses.front()), isActive(found->second.front())) << "both sides agree";
            const Vec3d a = normalized(own->normal()), b = normalized(other->normal());
            const double above = dot(a, other->points[(otherIndex + 2) % 3] - own->points[index]);
            const double limit = std::cos(options.activeEdgeAngle);
            if (std::abs(above) < 1e-4 || std::abs(dot(a, b) - limit) < 1e-4) continue;
            EXPECT_EQ(isActive(uses.front()), above < 0 && dot(a, b) < limit);
            ++(isActive(uses.front()) ? active : inactive);
            across += own->chunk == other->chunk ? 0u : 1u;
        }
    }
    EXPECT_GT(active, 3000u);
    EXPECT_GT(inactive, 3000u);
    EXPECT_GT(across, 300u);
    EXPECT_GT(touching, 0u);
}

TEST(CollisionBuilder, V26_ChunksShareTheirBorderVerticesToTheBit) {
    Random random(4);
    const voxel::GridSnapshot grid = collisionWorld(random).snapshot();
    std::map<Place, std::set<std::tuple<int, int, int>>> users;
    std::size_t doubled = 0;
    for (const voxel::ChunkCoord chunk : meshCandidates(grid)) {
        const CollisionSurfacePtr surface = CollisionBuilder().build(grid, chunk);
        if (surface == nullptr) continue;
        std::set<Place> own;
        const voxel::CellCoord first = voxel::firstCell(chunk);
        for (const Vec3f p : surface->vertices()) {
            const Place place{double{p.x} + first.x, double{p.y} + first.y, double{p.z} + first.z};
            EXPECT_TRUE(own.insert(place).second) << "a vertex is kept once";
            users[place].insert({chunk.x, chunk.y, chunk.z});
        }
    }
    for (const auto& [place, chunks] : users)
        doubled += chunks.size() > 1 ? 1u : 0u;
    EXPECT_GT(doubled, 100u);
}

TEST(CollisionBuilder, V24_ChunksWithoutASurfaceHaveNone) {
    voxel::Grid grid = makeGrid();
    fill(grid, {{0, 0, 0}, {64, 64, 64}}, [](voxel::CellCoord) { return voxel::Cell{kRock, 255}; });
    fill(grid, {{96, 0, 0}, {128, 32, 32}}, [](voxel::CellCoord) { return voxel::Cell{kWater, 255}; });
    const voxel::GridSnapshot snapshot = grid.snapshot();
    CollisionBuilder builder;
    EXPECT_EQ(builder.build(snapshot, {3, 0, 0}), nullptr) << "water is no ground";
    EXPECT_EQ(builder.build(snapshot, {7, 7, 7}), nullptr);
    EXPECT_NE(builder.build(snapshot, {-1, 0, 0}), nullptr) << "its edges reach into the rock";
    EXPECT_EQ(builder.build(snapshot, {0, 0, 0}), nullptr) << "all solid, and so are its upper neighbours";
}

}  // namespace
}  // namespace karst::voxel_mesh
