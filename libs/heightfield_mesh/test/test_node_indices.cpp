#include <gtest/gtest.h>
#include <karst/heightfield_mesh/node_writer.h>

#include <map>

#include "drawn_mesh.h"

namespace karst::heightfield {
namespace {

void cutRandomHoles(HeightRaster& raster, test::Random& random, int count) {
    for (int i = 0; i < count; ++i) {
        const int x = random.integer(-1, raster.columns() - 1), z = random.integer(-1, raster.rows() - 1);
        raster.setHoles(GridRect{x, z, x + random.integer(1, 5), z + random.integer(1, 5)}, true);
    }
}

TEST(NodeIndices, N2_EveryNodeIsOneRunOfOneDraw) {
    test::Random random(9);
    for (int round = 0; round < 60; ++round) {
        HeightRaster raster = randomRaster(random);
        if (random.chance(0.5)) cutRandomHoles(raster, random, 10);
        DrawnMesh drawn = DrawnMesh::make(raster, randomOptions(random));
        for (int step = 0; step < 4; ++step) {
            drawn.update(raster, randomCamera(random, raster));
            const NodePool& pool = drawn.pool();
            for (std::uint32_t run = 0; run < pool.nodeCount(); ++run) {
                const std::uint32_t slot = pool.slotOrder()[run];
                for (std::uint32_t k = 0; k < pool.indicesPerRun(); ++k) {
                    const std::uint32_t index = drawn.indices[run * pool.indicesPerRun() + k];
                    ASSERT_GE(index, slot * pool.verticesPerSlot());
                    ASSERT_LT(index, (slot + 1) * pool.verticesPerSlot());
                }
            }
        }
    }
}

TEST(NodeIndices, N2_TheRunsAreAlwaysThoseOfAFreshMesh) {
    // Whatever way the pool came to its cut, what is in memory is what a new pool would have written for that
    // node.
    test::Random random(10);
    for (int round = 0; round < 40; ++round) {
        HeightRaster raster = randomRaster(random);
        const NodeCutOptions options = randomOptions(random);
        DrawnMesh drawn = DrawnMesh::make(raster, options);
        WorldPosition camera;
        for (int step = 0; step < 12; ++step) {
            camera = randomCamera(random, raster);
            if (random.chance(0.3)) cutRandomHoles(raster, random, 3);
            if (random.chance(0.3)) {
                const int x = random.integer(0, raster.columns() - 1),
                          z = random.integer(0, raster.rows() - 1);
                const float h =
                    static_cast<float>(random.range(raster.heightRange().min, raster.heightRange().max));
                ASSERT_TRUE(raster.setHeights({x, z, x + 1, z + 1}, std::span(&h, 1)).ok());
            }
            drawn.update(raster, camera);
            DrawnMesh fresh = DrawnMesh::make(raster, options);
            fresh.update(raster, camera);
            ASSERT_EQ(drawn.pool().nodeCount(), fresh.pool().nodeCount());
            std::map<std::uint64_t, std::uint32_t> freshSlots;
            for (const std::uint32_t slot : fresh.pool().slotOrder()) {
                freshSlots[fresh.pool().slot(slot).key.packed()] = slot;
            }
            const std::uint32_t perSlot = drawn.pool().verticesPerSlot();
            const std::uint32_t perRun = drawn.pool().indicesPerRun();
            for (const std::uint32_t slot : drawn.pool().slotOrder()) {
                const auto found = freshSlots.find(drawn.pool().slot(slot).key.packed());
                ASSERT_NE(found, freshSlots.end());
                const std::uint32_t other = found->second;
                for (std::uint32_t v = 0; v < perSlot * 4; ++v) {
                    ASSERT_EQ(drawn.vertices[slot * perSlot * 4 + v], fresh.vertices[other * perSlot * 4 + v])
                        << "round " << round << " step " << step << " word " << v;
                }
                const std::uint32_t run = drawn.pool().slot(slot).run,
                                    otherRun = fresh.pool().slot(other).run;
                for (std::uint32_t k = 0; k < perRun; ++k) {
                    ASSERT_EQ(drawn.indices[run * perRun + k] - slot * perSlot,
                              fresh.indices[otherRun * perRun + k] - other * perSlot);
                }
            }
        }
    }
}

TEST(NodeIndices, N4_QuadsAreSplitAlongTheSurfacesDiagonalAndFaceUp) {
    const HeightRaster raster = makeRaster(64, 64, 1, 2);
    DrawnMesh drawn = DrawnMesh::make(raster, {});
    drawn.update(raster, {32, 60, 32});
    const NodePool& pool = drawn.pool();
    for (std::size_t k = 0; k + 5 < pool.indexCount(); k += 6) {
        const std::uint32_t* t = drawn.indices.data() + k;
        const std::uint32_t row = pool.grid().nodeVerts();
        // Both triangles hold the +Z corner and the +X corner.
        const std::uint32_t v00 = t[0], plusZ = v00 + row, plusX = v00 + 1;
        ASSERT_EQ(t[1], plusZ);
        ASSERT_EQ(t[2], plusX);
        ASSERT_EQ(t[3], plusZ + 1);
        ASSERT_EQ(t[4], plusX);
        ASSERT_EQ(t[5], plusZ);
        for (int tri = 0; tri < 2; ++tri) {
            const Vec3f a = drawn.vertex(t[tri * 3]), b = drawn.vertex(t[tri * 3 + 1]),
                        c = drawn.vertex(t[tri * 3 + 2]);
            ASSERT_GE(cross(b - a, c - a).y, 0.0f);
        }
    }
}

// At full density the cells left out are exactly those that heightAt leaves out.
TEST(NodeIndices, N8_HolesAtFullDensityAreExactlyTheCellsThatHeightAtLeavesOut) {
    test::Random random(19);
    int holes = 0, solid = 0;
    for (int round = 0; round < 120; ++round) {
        HeightRaster raster = randomRaster(random);
        cutRandomHoles(raster, random, 40);
        NodeCutOptions options = randomOptions(random);
        options.maxNodes = 600;
        DrawnMesh drawn = DrawnMesh::make(raster, options);
        drawn.update(raster, randomCamera(random, raster));
        const NodePool& pool = drawn.pool();
        const NodeGrid& grid = pool.grid();
        for (std::uint32_t run = 0; run < pool.nodeCount(); ++run) {
            const NodePool::Slot& slot = pool.slot(pool.slotOrder()[run]);
            if (!slot.fullDensity) continue;
            for (std::uint32_t j = 0; j < grid.quads(); ++j) {
                for (std::uint32_t i = 0; i < grid.quads(); ++i) {
                    const auto stopX = [&](std::uint32_t k) {
                        return grid.axisX().positionOfStop(
                            grid.axisX().nearestStop(grid.placeX(slot.key.depth, slot.key.x, k)));
                    };
                    const auto stopZ = [&](std::uint32_t k) {
                        return grid.axisZ().positionOfStop(
                            grid.axisZ().nearestStop(grid.placeZ(slot.key.depth, slot.key.z, k)));
                    };
                    const double x0 = stopX(i), x1 = stopX(i + 1), z0 = stopZ(j), z1 = stopZ(j + 1);
                    if (!(x0 < x1) || !(z0 < z1)) continue;
                    const std::uint32_t* t =
                        drawn.indices.data() + run * pool.indicesPerRun() + (j * grid.quads() + i) * 6;
                    bool degenerate = true;
                    for (int k = 1; k < 6; ++k)
                        degenerate = degenerate && t[k] == t[0];
                    const double fx = random.range(0.01, 0.99), fz = random.range(0.01, 0.99);
                    const bool hole = !raster.heightAt(x0 + fx * (x1 - x0), z0 + fz * (z1 - z0)).has_value();
                    ASSERT_EQ(degenerate, hole);
                    ++(hole ? holes : solid);
                }
            }
        }
    }
    EXPECT_GT(holes, 1000);
    EXPECT_GT(solid, 1000);
}

TEST(NodeIndices, N8_TheQuadsOwnCentreDecidesAtAnyDensity) {
    HeightRaster raster = makeRaster(512, 512, 1, 2);
    raster.setHoles(Rect{100, 100, 200, 180}, true);
    DrawnMesh drawn = DrawnMesh::make(raster, {});
    drawn.update(raster, {400, 2000, 400});  // far: coarse nodes
    const NodePool& pool = drawn.pool();
    int holes = 0;
    for (std::uint32_t run = 0; run < pool.nodeCount(); ++run) {
        const NodePool::Slot& slot = pool.slot(pool.slotOrder()[run]);
        ASSERT_FALSE(slot.fullDensity);
        for (std::uint32_t q = 0; q < pool.indicesPerRun() / 6; ++q) {
            const std::uint32_t* t = drawn.indices.data() + run * pool.indicesPerRun() + q * 6;
            const Vec3f a = drawn.vertex(t[0]);
            if (t[1] == t[0]) {
                ++holes;
                continue;
            }
            const Vec3f d = drawn.vertex(t[3]);
            const double x = (a.x + d.x) / 2, z = (a.z + d.z) / 2;
            if (x == std::floor(x) || z == std::floor(z)) continue;  // between two cells
            ASSERT_TRUE(raster.heightAt(x, z).has_value());
        }
    }
    EXPECT_GT(holes, 0);
}

TEST(NodeIndices, N8_AChangedMaskMovesTheHoleUnderAStandingCamera) {
    HeightRaster raster = makeRaster(256, 256, 1, 2);
    DrawnMesh drawn = DrawnMesh::make(raster, {});
    const WorldPosition camera{128, 60, 128};
    drawn.update(raster, camera);
    const auto degenerates = [&] {
        int count = 0;
        for (std::size_t k = 0; k < drawn.pool().indexCount(); k += 6)
            count += drawn.indices[k] == drawn.indices[k + 1];
        return count;
    };
    EXPECT_EQ(degenerates(), 0);
    raster.setHoles(GridRect{120, 120, 130, 126}, true);
    const NodePoolUpdate cut = drawn.update(raster, camera);
    EXPECT_TRUE(cut.changed);
    EXPECT_FALSE(cut.rewrittenRuns.empty());
    EXPECT_LT(cut.rewrittenRuns.size(), drawn.pool().nodeCount());
    EXPECT_GE(degenerates(), 60);
    raster.setHoles(GridRect{120, 120, 130, 126}, false);
    drawn.update(raster, camera);
    EXPECT_EQ(degenerates(), 0);
    EXPECT_FALSE(drawn.update(raster, camera).changed);
}

}  // namespace
}  // namespace karst::heightfield
