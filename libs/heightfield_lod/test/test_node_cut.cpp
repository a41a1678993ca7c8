#include <gtest/gtest.h>
#include <karst/base/hash.h>
#include <karst/heightfield_lod/node_cut.h>
#include <karst_test/test_support.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace karst::heightfield {
namespace {

GroundShape shapeOfSize(int columns, int rows, double spacing, double originX = 0, double originZ = 0) {
    return {
        {originX, originZ, originX + columns * spacing, originZ + rows * spacing}, columns, rows, {-5, 300}};
}

struct World {
    GroundShape shape;
    NodeCutOptions options;
};

World randomWorld(test::Random& random) {
    World world;
    int columns = 0, rows = 0;
    switch (random.integer(0, 5)) {
        case 0:
            columns = rows = 1 << random.integer(0, 13);
            break;  // square
        case 1:
            columns = random.integer(1, 9);
            rows = random.integer(1, 9);
            break;  // tiny
        case 2:
            columns = 1000;
            rows = 3700;
            break;
        case 3:
            columns = 997;
            rows = random.chance(0.5) ? 1009 : 7919;
            break;  // primes
        case 4:
            columns = 16384;
            rows = 16384;
            break;
        default:
            columns = random.integer(1, 5000);
            rows = random.integer(1, 5000);
            break;  // oblong
    }
    const double spacing = random.chance(0.5) ? 1.0 : std::pow(10, random.range(-2, 2));
    world.shape = shapeOfSize(columns, rows, spacing, random.range(-1e4, 1e4), random.range(-1e4, 1e4));
    world.options.maxNodes = static_cast<std::uint32_t>(random.chance(0.3) ? random.integer(4, 100) : 1024);
    world.options.nodeVerts = random.chance(0.5) ? 33 : random.chance(0.5) ? 9 : 5;
    world.options.splitDistance = random.chance(0.5) ? 2.0 : random.range(1.5, 4);
    if (random.chance(0.3)) {
        const Rect& r = world.shape.rect;
        const double x0 = random.range(r.minX, r.maxX), x1 = random.range(r.minX, r.maxX);
        const double z0 = random.range(r.minZ, r.maxZ), z1 = random.range(r.minZ, r.maxZ);
        world.options.rect = Rect{std::min(x0, x1), std::min(z0, z1), std::max(x0, x1), std::max(z0, z1)};
    }
    return world;
}

WorldPosition randomCamera(test::Random& random, const Rect& rect, const HeightRange& range) {
    const double w = rect.width(), d = rect.depth();
    return {random.range(rect.minX - 0.3 * w, rect.maxX + 0.3 * w),
            random.chance(0.5) ? random.range(range.min, range.max)
                               : range.max + std::pow(10, random.range(-1, 5)),
            random.range(rect.minZ - 0.3 * d, rect.maxZ + 0.3 * d)};
}

// The node of the cut whose square holds a point, found without the tree.
const CutNode* nodeAt(std::span<const CutNode> nodes, const NodeGrid& grid, double x, double z,
                      int* count = nullptr) {
    const CutNode* found = nullptr;
    for (const CutNode& node : nodes) {
        const Rect s = grid.square(node.key);
        if (x >= s.minX && x < s.maxX && z >= s.minZ && z < s.maxZ) {
            found = &node;
            if (count != nullptr) ++*count;
        }
    }
    return found;
}

void expectCoversOnce(const NodeCut& cut, test::Random& random, int points) {
    const Rect& rect = cut.grid().rect();
    double area = 0;
    std::set<std::uint64_t> keys;
    for (const CutNode& node : cut.nodes()) {
        ASSERT_TRUE(cut.grid().contains(node.key));
        ASSERT_TRUE(keys.insert(node.key.packed()).second) << "a node twice";
        const Rect inside = cut.grid().area(node.key);
        ASSERT_GT(inside.width(), 0);
        ASSERT_GT(inside.depth(), 0);
        area += inside.width() * inside.depth();
    }
    ASSERT_NEAR(area / (rect.width() * rect.depth()), 1.0, 1e-6);
    for (int i = 0; i < points; ++i) {
        int count = 0;
        nodeAt(cut.nodes(), cut.grid(), random.range(rect.minX, rect.maxX),
               random.range(rect.minZ, rect.maxZ), &count);
        ASSERT_EQ(count, 1);
    }
}

// N9 from the definition: for each node and side, look at the points just past the edge.
void expectBalancedAndMarked(const NodeCut& cut) {
    std::map<std::uint64_t, const CutNode*> byKey;
    for (const CutNode& node : cut.nodes())
        byKey[node.key.packed()] = &node;
    const int dx[4] = {-1, 1, 0, 0}, dz[4] = {0, 0, -1, 1};
    for (const CutNode& node : cut.nodes()) {
        for (int side = 0; side < 4; ++side) {
            const long long x = (long long)node.key.x + dx[side], z = (long long)node.key.z + dz[side];
            bool coarser = false;
            for (std::uint32_t up = 1; x >= 0 && z >= 0 && up <= node.key.depth; ++up) {
                const NodeKey above{node.key.depth - up, std::uint32_t(x >> up), std::uint32_t(z >> up)};
                if (byKey.count(above.packed()) == 0) continue;
                // An ancestor of the node itself cannot be a leaf.
                ASSERT_LE(up, 1u) << "a leaf borders one " << up << " levels coarser";
                coarser = true;
            }
            ASSERT_EQ((node.coarserEdges >> side & 1) != 0, coarser);
        }
    }
}

TEST(NodeCut, N1_ACutStaysAFewHundredNodesAtAnyDistance) {
    const Result<NodeCut> made = NodeCut::create(shapeOfSize(16384, 16384, 1), {});
    ASSERT_TRUE(made.ok());
    NodeCut cut = *made;
    for (double height = 0.5; height < 1e7; height *= 3) {
        for (const double place : {0.0, 3000.0, 8192.0}) {
            const std::size_t nodes = cut.select({place, 300 + height, place}).size();
            EXPECT_GE(nodes, 1u);
            EXPECT_LE(nodes, 512u) << "at height " << height;
        }
    }
    // A pool too small for splitDistance coarsens; it never overflows.
    for (const std::uint32_t pool : {1u, 7u, 64u}) {
        NodeCutOptions options;
        options.maxNodes = pool;
        NodeCut small = *NodeCut::create(shapeOfSize(16384, 16384, 1), options);
        for (const double place : {0.0, 3000.0, 8192.0}) {
            const std::size_t nodes = small.select({place, 301, place}).size();
            EXPECT_GE(nodes, 1u);
            EXPECT_LE(nodes, pool);
        }
    }
    // Low over the middle the finest ground is drawn as dense as its texels.
    cut.select({8192, 301, 8192});
    const CutNode* under = nodeAt(cut.nodes(), cut.grid(), 8192, 8192);
    ASSERT_NE(under, nullptr);
    EXPECT_TRUE(under->fullDensity);
    // Far enough away it is one node.
    EXPECT_EQ(cut.select({8192, 1e6, 8192}).size(), 1u);
}

TEST(NodeCut, N9_AnyCutCoversItsRectOnceAndIsBalanced) {
    test::Random random(77);
    for (int round = 0; round < 1500; ++round) {
        const World world = randomWorld(random);
        Result<NodeCut> cut = NodeCut::create(world.shape, world.options);
        ASSERT_TRUE(cut.ok()) << cut.error().message;
        for (int view = 0; view < 3; ++view) {
            cut->select(randomCamera(random, world.shape.rect, world.shape.heightRange));
            ASSERT_LE(cut->nodes().size(), world.options.maxNodes);
            ASSERT_NO_FATAL_FAILURE(expectCoversOnce(*cut, random, 10));
            ASSERT_NO_FATAL_FAILURE(expectBalancedAndMarked(*cut));
        }
    }
}

TEST(NodeCut, N9_AnUnevenCutIsBalancedBySplitting) {
    // Tall thin roots beside each other and a pool far too small: the split distance falls below where
    // distance alone would balance.
    test::Random random(4);
    for (int round = 0; round < 300; ++round) {
        NodeCutOptions options;
        options.maxNodes = static_cast<std::uint32_t>(random.integer(8, 60));
        options.nodeVerts = 5;
        Result<NodeCut> cut =
            NodeCut::create(shapeOfSize(random.integer(200, 4000), random.integer(200, 4000), 1), options);
        ASSERT_TRUE(cut.ok());
        cut->select(randomCamera(random, cut->grid().rect(), {-5, 300}));
        ASSERT_LT(cut->effectiveSplitDistance(), 2.0 + 1e-9);
        ASSERT_NO_FATAL_FAILURE(expectBalancedAndMarked(*cut));
    }
}

TEST(NodeCut, N13_KeepSpendsTheBudgetOnWhatIsKept) {
    NodeCutOptions options;
    options.maxNodes = 150;
    Result<NodeCut> cut = NodeCut::create(shapeOfSize(8192, 8192, 1), options);
    ASSERT_TRUE(cut.ok());
    const WorldPosition camera{4096, 300, 4096};
    cut->select(camera);
    const double splitOfAll = cut->effectiveSplitDistance();
    ASSERT_LT(splitOfAll, 2.0);
    // An island: a quarter of the ground is kept, so what is kept may be finer.
    const auto island = [](const CutNode&, const Rect& square) {
        return square.maxX > 4096 && square.maxZ > 4096;
    };
    cut->select(camera, island);
    EXPECT_LE(cut->nodes().size(), 150u);
    EXPECT_GT(cut->effectiveSplitDistance(), splitOfAll);
    for (const CutNode& node : cut->nodes())
        EXPECT_TRUE(island(node, cut->grid().square(node.key)));
    EXPECT_EQ(cut->select(camera, [](const CutNode&, const Rect&) { return false; }).size(), 0u);
}

TEST(NodeCut, N13_WhatIsKeptIsTheBalancedCutLessWhatIsNot) {
    test::Random random(91);
    for (int round = 0; round < 300; ++round) {
        World world = randomWorld(random);
        world.options.maxNodes = 4096;
        Result<NodeCut> cut = NodeCut::create(world.shape, world.options);
        ASSERT_TRUE(cut.ok());
        const WorldPosition camera = randomCamera(random, world.shape.rect, world.shape.heightRange);
        const std::span<const CutNode> all = cut->select(camera);
        const std::vector<CutNode> before(all.begin(), all.end());
        const auto keep = [&](const CutNode& node, const Rect&) {
            return mix64(node.key.packed() + round) % 3 != 0;
        };
        cut->select(camera, keep);
        std::vector<NodeKey> expected, kept;
        for (const CutNode& node : before) {
            if (keep(node, {})) expected.push_back(node.key);
        }
        for (const CutNode& node : cut->nodes())
            kept.push_back(node.key);
        ASSERT_EQ(kept, expected);
        // Edges are marked only toward neighbours that are drawn.
        ASSERT_NO_FATAL_FAILURE(expectBalancedAndMarked(*cut));
    }
}

TEST(NodeCut, N13_KeepIsAskedOnceALeafAfterBalancing) {
    Result<NodeCut> cut = NodeCut::create(shapeOfSize(4096, 4096, 1), {});
    ASSERT_TRUE(cut.ok());
    std::set<std::uint64_t> asked;
    const std::span<const CutNode> nodes =
        cut->select({100, 200, 100}, [&](const CutNode& node, const Rect& square) {
            EXPECT_TRUE(asked.insert(node.key.packed()).second);
            EXPECT_EQ(square, cut->grid().square(node.key));
            return true;
        });
    EXPECT_EQ(asked.size(), nodes.size());
    for (const CutNode& node : nodes)
        EXPECT_EQ(asked.count(node.key.packed()), 1u);
}

TEST(NodeCut, N14_ANodeAcrossTheEdgeRefinesByThePartInside) {
    // Roots of 170 over 210: the second reaches 130 past the edge. A camera out there, 100 from the rect, is
    // inside the root's square but far from its part inside.
    NodeCutOptions options;
    options.nodeVerts = 9;
    options.minNodeSize = 20;
    Result<NodeCut> cut = NodeCut::create(shapeOfSize(210, 170, 1), options);
    ASSERT_TRUE(cut.ok());
    ASSERT_EQ(cut->grid().roots(), (RootGrid{170, 2, 1}));
    cut->select({310, 0, 85});
    for (const CutNode& node : cut->nodes()) {
        const Rect inside = cut->grid().area(node.key);
        const double distance = 310 - inside.maxX;
        // Split exactly while nearer than two sides.
        EXPECT_GE(distance, 2 * cut->grid().nodeSize(node.key.depth) *
                                (node.key.depth < cut->grid().maxDepth() ? 1 : 0));
        EXPECT_LT(inside.minX, 210);  // none wholly past the rect
    }
    // Farther out the square that begins at 170 is nearer than two of its sides of 85, its part inside is
    // not.
    cut->select({390, 0, 85});
    const CutNode* last = nodeAt(cut->nodes(), cut->grid(), 200, 60);
    ASSERT_NE(last, nullptr);
    EXPECT_EQ(last->key, (NodeKey{1, 2, 0}));
}

TEST(NodeCut, N10_TheMorphEndsBeforeTheMergeAndBeginsAfterTheParentsRest) {
    test::Random random(14);
    for (int round = 0; round < 500; ++round) {
        const World world = randomWorld(random);
        Result<NodeCut> cut = NodeCut::create(world.shape, world.options);
        ASSERT_TRUE(cut.ok());
        cut->select(randomCamera(random, world.shape.rect, world.shape.heightRange));
        const double split = cut->effectiveSplitDistance();
        for (std::uint32_t depth = 1; depth <= cut->grid().maxDepth(); ++depth) {
            const double size = cut->grid().nodeSize(depth);
            const double merge = split * 2 * size;
            const MorphBand band = cut->morphBand(depth);
            ASSERT_EQ(band.weight(static_cast<float>(merge * merge)), 1.0f);
            if (split < 1.5) continue;  // a starved pool: no room to slide
            ASSERT_EQ(band.weight(static_cast<float>(merge * merge * 0.5)), 0.0f);
            // When the parent takes over at `merge`, none of its vertices may slide yet.
            const double farthest = merge + std::sqrt(2.0) * 2 * size;
            ASSERT_EQ(cut->morphBand(depth - 1).weight(static_cast<float>(farthest * farthest * (1 - 1e-6))),
                      0.0f);
        }
        ASSERT_EQ(cut->morphBand(0).weight(1e30f), 0.0f);
    }
}

TEST(NodeCut, TheCutDependsOnTheCameraAlone) {
    test::Random random(2);
    NodeCutOptions options;
    options.maxNodes = 120;
    Result<NodeCut> one = NodeCut::create(shapeOfSize(4096, 4096, 1), options);
    for (int i = 0; i < 50; ++i) {
        const WorldPosition camera = randomCamera(random, one->grid().rect(), {-5, 300});
        one->select(camera);
        Result<NodeCut> fresh = NodeCut::create(shapeOfSize(4096, 4096, 1), options);
        fresh->select(camera);
        ASSERT_TRUE(std::equal(one->nodes().begin(), one->nodes().end(), fresh->nodes().begin(),
                               fresh->nodes().end()));
        ASSERT_EQ(one->effectiveSplitDistance(), fresh->effectiveSplitDistance());
    }
    const std::vector<CutNode> before(one->nodes().begin(), one->nodes().end());
    one->select({std::nan(""), 0, 0});
    EXPECT_TRUE(std::equal(before.begin(), before.end(), one->nodes().begin(), one->nodes().end()));
}

TEST(NodeCut, BadOptionsAreRefusedByName) {
    const GroundShape shape = shapeOfSize(100, 100, 1);
    NodeCutOptions options;
    options.splitDistance = 1.2;
    EXPECT_NE(NodeCut::create(shape, options).error().message.find("splitDistance 1.2"), std::string::npos);
    options = {};
    options.morphFraction = 0.7;
    EXPECT_NE(NodeCut::create(shape, options).error().message.find("morphFraction 0.7"), std::string::npos);
    options = {};
    options.rect = Rect{200, 0, 300, 50};
    EXPECT_NE(NodeCut::create(shape, options).error().message.find("(200, 0)..(300, 50)"), std::string::npos);
    options = {};
    options.nodeVerts = 34;
    EXPECT_NE(NodeCut::create(shape, options).error().message.find("34"), std::string::npos);
    options = {};
    options.rootSize = 1;
    EXPECT_NE(NodeCut::create(shape, options).error().message.find("rootSize 1"), std::string::npos);
    EXPECT_FALSE(NodeCut::create({}, {}).ok());
}

}  // namespace
}  // namespace karst::heightfield
