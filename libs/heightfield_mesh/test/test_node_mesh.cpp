#include <gtest/gtest.h>
#include <karst/base/thread_pool.h>
#include <karst/heightfield_mesh/node_mesh.h>
#include <karst_test/count_allocations.h>

#include "drawn_mesh.h"

namespace karst::heightfield {
namespace {

TEST(NodeMesh, N11_TheVerticesAreAlwaysThoseOfAFreshMesh) {
    test::Random random(8);
    for (int world = 0; world < 25; ++world) {
        HeightRaster raster = randomRaster(random);
        const NodeCutOptions options = randomOptions(random);
        DrawnMesh drawn = DrawnMesh::make(raster, options);
        const std::size_t words = std::size_t{drawn.pool().verticesPerSlot()} * 4;
        WorldPosition camera = randomCamera(random, raster);
        for (int frame = 0; frame < 8; ++frame) {
            // Small steps, so that nodes stay while they begin and end to slide.
            if (random.chance(0.2)) camera = randomCamera(random, raster);
            camera.x += random.range(-0.1, 0.1) * raster.rect().width();
            if (random.chance(0.5)) {
                const int x = random.integer(0, raster.columns() - 1),
                          z = random.integer(0, raster.rows() - 1);
                const std::vector<float> height{raster.heightRange().max};
                ASSERT_TRUE(raster.setHeights(GridRect{x, z, x + 1, z + 1}, height).ok());
            }
            drawn.update(raster, camera);
            DrawnMesh fresh = DrawnMesh::make(raster, options);
            fresh.update(raster, camera);
            ASSERT_EQ(drawn.pool().nodeCount(), fresh.pool().nodeCount());
            for (const std::uint32_t slot : drawn.pool().slotOrder()) {
                const NodeKey key = drawn.pool().slot(slot).key;
                const auto order = fresh.pool().slotOrder();
                const auto twin = std::find_if(order.begin(), order.end(), [&](std::uint32_t other) {
                    return fresh.pool().slot(other).key == key;
                });
                ASSERT_NE(twin, order.end());
                const std::uint32_t* a = drawn.vertices.data() + slot * words;
                ASSERT_TRUE(std::equal(a, a + words, fresh.vertices.data() + *twin * words))
                    << "world " << world << " frame " << frame << " depth " << key.depth;
            }
        }
    }
}

TEST(NodeMesh, N11_UpdatesAllocateNothing) {
    test::Random random(5);
    ThreadPool pool(2);
    for (int world = 0; world < 8; ++world) {
        HeightRaster raster = world < 2 ? makeRaster(600, 600, 1, 7) : randomRaster(random);
        raster.setHoles(GridRect{0, 0, 3, 3}, true);
        NodeCutOptions options = world < 2 ? NodeCutOptions{} : randomOptions(random);
        if (world == 1) options.maxNodes = 40;  // the budget forces coarser cuts
        Externals externals;
        if (world % 2 == 1) externals.jobs = &pool;
        DrawnMesh drawn = DrawnMesh::make(raster, options, VertexLayout::compact(), externals);
        drawn.update(raster, randomCamera(random, raster));
        const std::vector<float> height{raster.heightRange().min};
        const std::size_t before = test::allocations;
        for (int frame = 0; frame < 60; ++frame) {
            drawn.update(raster, randomCamera(random, raster));
            if (frame % 8 == 0) drawn.mesh.pool().invalidate(raster.rect());
            if (frame % 16 == 0) {
                ASSERT_TRUE(raster.setHeights(GridRect{0, 0, 1, 1}, height).ok());
            }
        }
        EXPECT_EQ(test::allocations - before, 0u) << "world " << world;
    }
}

TEST(NodeMesh, N11_UpdatesWithAKeepAllocateNothingOnceWarm) {
    const HeightRaster raster = makeRaster(600, 600, 1, 7);
    DrawnMesh drawn = DrawnMesh::make(raster, {});
    const auto keep = [](const CutNode&, const Rect& square) { return square.maxX > 300; };
    const auto fly = [&] {
        for (int frame = 0; frame < 60; ++frame) {
            const WorldPosition camera{frame * 10.0, 60, 300};
            ASSERT_TRUE(drawn.mesh.update(raster, camera, keep, drawn.vertices, drawn.indices).ok());
        }
    };
    fly();
    const std::size_t before = test::allocations;
    fly();
    EXPECT_EQ(test::allocations - before, 0u);
}

TEST(NodeMesh, TooLittleMemoryIsRefusedByName) {
    const HeightRaster raster = makeRaster(64, 64, 1, 7);
    DrawnMesh drawn = DrawnMesh::make(raster, {});
    drawn.vertices.pop_back();
    Result<NodePoolUpdate> update = drawn.mesh.update(raster, {32, 60, 32}, drawn.vertices, drawn.indices);
    ASSERT_FALSE(update.ok());
    EXPECT_NE(update.error().message.find("vertex memory"), std::string::npos);
    drawn.vertices.push_back(0);
    drawn.indices.pop_back();
    update = drawn.mesh.update(raster, {32, 60, 32}, drawn.vertices, drawn.indices);
    ASSERT_FALSE(update.ok());
    EXPECT_NE(update.error().message.find("index memory"), std::string::npos);
    EXPECT_EQ(drawn.pool().nodeCount(), 0u) << "a refused update changes nothing";
}

}  // namespace
}  // namespace karst::heightfield
