#include <gtest/gtest.h>
#include <karst/heightfield_lod/node_grid.h>
#include <karst_test/test_support.h>

#include <algorithm>
#include <cmath>

namespace karst::heightfield {
namespace {

NodeGrid gridOver(const GroundShape& shape, std::uint32_t verts, double minNodeSize = 0) {
    RootGridOptions options;
    options.minNodeSize =
        minNodeSize > 0 ? minNodeSize : (verts - 1) * std::min(shape.spacingX(), shape.spacingZ());
    const Result<RootGrid> roots = makeRootGrid(shape.rect, options);
    EXPECT_TRUE(roots.ok());
    const Result<NodeGrid> grid = NodeGrid::make(shape, shape.rect, verts, minNodeSize, *roots);
    EXPECT_TRUE(grid.ok()) << (grid.ok() ? "" : grid.error().message);
    return *grid;
}

GroundShape randomShape(test::Random& random) {
    GroundShape shape;
    shape.columns = random.integer(1, 700);
    shape.rows = random.chance(0.3) ? shape.columns : random.integer(1, 700);
    const double spacing = random.chance(0.3) ? 1.0 : std::pow(10, random.range(-1, 2));
    const double ratio = random.chance(0.5) ? 1.0 : random.range(0.5, 2);
    const double x = random.range(-1e4, 1e4), z = random.range(-1e4, 1e4);
    shape.rect = {x, z, x + shape.columns * spacing, z + shape.rows * spacing * ratio};
    shape.heightRange = {0, 100};
    return shape;
}

TEST(NodeGrid, N6_AVertexThatNodesShareIsTheSameNumberFromEach) {
    test::Random random(5);
    for (int round = 0; round < 400; ++round) {
        const NodeGrid grid = gridOver(randomShape(random), random.chance(0.5) ? 33 : 9);
        const std::uint32_t quads = grid.quads();
        for (std::uint32_t depth = 0; depth + 1 <= grid.maxDepth(); ++depth) {
            const auto x = static_cast<std::uint32_t>(
                random.integer(0, static_cast<int>((grid.roots().countX << depth) - 1)));
            ASSERT_EQ(grid.placeX(depth, x, quads), grid.placeX(depth, x + 1, 0));
            ASSERT_EQ(grid.positionX(depth, x, quads), grid.positionX(depth, x + 1, 0));
            for (std::uint32_t i = 0; i <= quads; ++i) {  // the child's even vertices are the parent's
                const std::uint32_t child = x * 2 + (i * 2 > quads ? 1 : 0);
                const std::uint32_t childIndex = i * 2 - (child - x * 2) * quads;
                ASSERT_EQ(grid.placeX(depth, x, i), grid.placeX(depth + 1, child, childIndex));
                ASSERT_EQ(grid.positionX(depth, x, i), grid.positionX(depth + 1, child, childIndex));
                ASSERT_EQ(grid.placeZ(depth, x, i), grid.placeZ(depth + 1, child, childIndex));
                ASSERT_EQ(grid.positionZ(depth, x, i), grid.positionZ(depth + 1, child, childIndex));
            }
        }
    }
}

TEST(NodeGrid, N6_ASquareOffTheGridIsRefusedByName) {
    const NodeGrid grid = gridOver({{0, 0, 1024, 1024}, 1024, 1024, {0, 1}}, 33);
    const Result<NodeKey> on = grid.keyOfSquare({256, 512, 384, 640});
    ASSERT_TRUE(on.ok());
    EXPECT_EQ(*on, (NodeKey{3, 2, 4}));
    for (const Rect& off :
         {Rect{250, 512, 378, 640}, Rect{256, 512, 356, 612}, Rect{256, 512, 384, 700},
          Rect{1024, 0, 1152, 128}, Rect{-128, 0, 0, 128}, Rect{256, 512, std::nan(""), 640}}) {
        const Result<NodeKey> key = grid.keyOfSquare(off);
        ASSERT_FALSE(key.ok());
        EXPECT_NE(key.error().message.find("does not stand on the grid"), std::string::npos);
        EXPECT_NE(key.error().message.find("1024"), std::string::npos);
    }
    test::Random random(8);
    for (int i = 0; i < 200; ++i) {  // every square it has is found again
        const NodeGrid any = gridOver(randomShape(random), 17);
        NodeKey key;
        key.depth = static_cast<std::uint32_t>(random.integer(0, static_cast<int>(any.maxDepth())));
        key.x = static_cast<std::uint32_t>(
            random.integer(0, static_cast<int>((any.roots().countX << key.depth) - 1)));
        key.z = static_cast<std::uint32_t>(
            random.integer(0, static_cast<int>((any.roots().countZ << key.depth) - 1)));
        if (!any.contains(key)) continue;
        const Result<NodeKey> found = any.keyOfSquare(any.square(key));
        ASSERT_TRUE(found.ok());
        EXPECT_EQ(*found, key);
    }
}

// What takesEveryStop says by a shortcut, counted one by one.
TEST(NodeGrid, N5_FullDensityMeansEveryStopOfTheArea) {
    test::Random random(21);
    int full = 0, coarse = 0;
    for (int round = 0; round < 400; ++round) {
        const NodeGrid grid = gridOver(randomShape(random), random.chance(0.5) ? 17 : 9);
        for (int k = 0; k < 40; ++k) {
            NodeKey key;
            key.depth = static_cast<std::uint32_t>(
                random.integer(std::max(0, int(grid.maxDepth()) - 2), int(grid.maxDepth())));
            const int mostX = static_cast<int>((grid.roots().countX << key.depth) - 1);
            const int mostZ = static_cast<int>((grid.roots().countZ << key.depth) - 1);
            key.x = static_cast<std::uint32_t>(random.chance(0.3)   ? 0
                                               : random.chance(0.3) ? mostX
                                                                    : random.integer(0, mostX));
            key.z = static_cast<std::uint32_t>(random.chance(0.3)   ? 0
                                               : random.chance(0.3) ? mostZ
                                                                    : random.integer(0, mostZ));
            if (!grid.contains(key)) continue;
            bool every = true;
            int beforeX = -1, beforeZ = -1;
            for (std::uint32_t i = 0; i <= grid.quads(); ++i) {
                const int x = grid.axisX().nearestStop(grid.placeX(key.depth, key.x, i));
                const int z = grid.axisZ().nearestStop(grid.placeZ(key.depth, key.z, i));
                if (i > 0 && (x > beforeX + 1 || z > beforeZ + 1)) every = false;
                beforeX = x;
                beforeZ = z;
            }
            if (grid.isFullDensity(key)) {
                ASSERT_TRUE(every);
                ++full;
            } else {
                ++coarse;
            }
            ASSERT_TRUE(every || key.depth < grid.maxDepth());
            ASSERT_EQ(grid.maySplit(key), key.depth < grid.maxDepth() && !grid.isFullDensity(key));
        }
    }
    EXPECT_GT(full, 500);
    EXPECT_GT(coarse, 500);
}

TEST(NodeGrid, BadInputIsRefused) {
    const GroundShape shape{{0, 0, 64, 64}, 64, 64, {0, 1}};
    const RootGrid root{64, 1, 1};
    for (const std::uint32_t verts : {0u, 1u, 3u, 7u, 32u, 34u, 69u, 1025u}) {
        const Result<NodeGrid> grid = NodeGrid::make(shape, shape.rect, verts, 0, root);
        ASSERT_FALSE(grid.ok()) << verts;
        EXPECT_NE(grid.error().message.find(std::to_string(verts)), std::string::npos);
    }
    EXPECT_FALSE(NodeGrid::make(shape, shape.rect, 33, -1, root).ok());
    EXPECT_FALSE(NodeGrid::make(shape, shape.rect, 33, 0, {60, 1, 1}).ok());
    EXPECT_FALSE(NodeGrid::make(shape, shape.rect, 33, 0, {64, 0, 1}).ok());
}

}  // namespace
}  // namespace karst::heightfield
