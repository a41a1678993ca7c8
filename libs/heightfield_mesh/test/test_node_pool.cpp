#include <gtest/gtest.h>
#include <karst/heightfield_mesh/node_pool.h>

#include <set>

#include "drawn_mesh.h"

namespace karst::heightfield {
namespace {

NodePool makePool(const HeightRaster& raster, const NodeCutOptions& options = {}) {
    Result<NodePool> pool = NodePool::create(raster, options);
    EXPECT_TRUE(pool.ok()) << (pool.ok() ? "" : pool.error().message);
    return std::move(pool).value();
}

void expectConsistent(const NodePool& pool) {
    std::set<std::uint32_t> slots;
    std::set<std::uint64_t> keys;
    ASSERT_EQ(pool.slotOrder().size(), pool.nodeCount());
    for (std::uint32_t run = 0; run < pool.nodeCount(); ++run) {
        const std::uint32_t slot = pool.slotOrder()[run];
        ASSERT_LT(slot, pool.maxNodes());
        ASSERT_TRUE(slots.insert(slot).second);
        ASSERT_TRUE(pool.slot(slot).inUse);
        ASSERT_EQ(pool.slot(slot).run, run);
        ASSERT_TRUE(keys.insert(pool.slot(slot).key.packed()).second);
    }
    for (const CutNode& node : pool.cut().nodes())
        ASSERT_EQ(keys.count(node.key.packed()), 1u);
    ASSERT_EQ(keys.size(), pool.cut().nodes().size());
}

TEST(NodePool, N1_SlotsAreAFixedGridAndTheirNumberIsFixed) {
    const HeightRaster raster = makeRaster(256, 256, 1, 1);
    NodePool pool = makePool(raster);
    EXPECT_EQ(pool.maxNodes(), 512u);
    EXPECT_EQ(pool.verticesPerSlot(), 33u * 33u);
    EXPECT_EQ(pool.vertexCapacity(), 512u * 33u * 33u);
    EXPECT_EQ(pool.indicesPerRun(), 32u * 32u * 6u);
    test::Random random(1);
    for (int i = 0; i < 100; ++i) {
        ASSERT_TRUE(pool.update(raster, randomCamera(random, raster)).ok());
        ASSERT_NO_FATAL_FAILURE(expectConsistent(pool));
        ASSERT_LE(pool.nodeCount(), 512u);
        ASSERT_EQ(pool.vertexCapacity(), 512u * 33u * 33u);
        ASSERT_EQ(pool.indexCount(), pool.nodeCount() * pool.indicesPerRun());
    }
}

TEST(NodePool, N1_APoolOfNoNodeOrOfTooManyIsRefused) {
    const HeightRaster raster = makeRaster(64, 64, 1, 1);
    for (const std::uint32_t nodes : {0u, 65537u, ~0u}) {
        NodeCutOptions options;
        options.maxNodes = nodes;
        const Result<NodePool> pool = NodePool::create(raster, options);
        ASSERT_FALSE(pool.ok()) << nodes;
        EXPECT_NE(pool.error().message.find("maxNodes " + std::to_string(nodes)), std::string::npos);
    }
}

TEST(NodePool, N2_ANodeKeepsItsSlotWhileItStaysInTheCut) {
    test::Random random(17);
    for (int world = 0; world < 30; ++world) {
        const HeightRaster raster = randomRaster(random);
        NodePool pool = makePool(raster, randomOptions(random));
        std::map<std::uint64_t, std::uint32_t> before;
        WorldPosition camera = randomCamera(random, raster);
        for (int step = 0; step < 30; ++step) {
            camera.x += random.range(-20, 20);
            camera.z += random.range(-20, 20);
            const Result<NodePoolUpdate> update = pool.update(raster, camera);
            ASSERT_TRUE(update.ok());
            ASSERT_NO_FATAL_FAILURE(expectConsistent(pool));
            std::map<std::uint64_t, std::uint32_t> now;
            const std::set<std::uint32_t> written(update->remeshedSlots.begin(), update->remeshedSlots.end());
            ASSERT_EQ(written.size(), update->remeshedSlots.size()) << "a slot is listed twice";
            for (const std::uint32_t slot : written)
                ASSERT_TRUE(pool.slot(slot).inUse);
            for (const std::uint32_t slot : pool.slotOrder()) {
                const std::uint64_t key = pool.slot(slot).key.packed();
                now[key] = slot;
                const auto found = before.find(key);
                if (found != before.end()) {
                    ASSERT_EQ(found->second, slot);
                } else {
                    ASSERT_EQ(written.count(slot), 1u) << "a new node is not listed";
                }
            }
            before = now;
        }
    }
}

TEST(NodePool, N11_ASecondUpdateFromOnePlaceReMeshesNothing) {
    test::Random random(23);
    for (int round = 0; round < 200; ++round) {
        const HeightRaster raster = randomRaster(random);
        NodePool pool = makePool(raster, randomOptions(random));
        const WorldPosition camera = randomCamera(random, raster);
        ASSERT_TRUE(pool.update(raster, camera)->changed);
        const Result<NodePoolUpdate> again = pool.update(raster, camera);
        ASSERT_FALSE(again->changed);
        ASSERT_TRUE(again->remeshedSlots.empty());
        ASSERT_TRUE(again->rewrittenRuns.empty());
        ASSERT_EQ(again->nodeCount, pool.nodeCount());
    }
}

TEST(NodePool, N11_TheSameHoldsWithAKeepPredicate) {
    const HeightRaster raster = makeRaster(256, 256, 1, 1);
    NodePool pool = makePool(raster);
    const auto keep = [](const CutNode&, const Rect& square) { return square.maxX > 100; };
    ASSERT_TRUE(pool.update(raster, {128, 50, 128}, keep)->changed);
    const Result<NodePoolUpdate> again = pool.update(raster, {128, 50, 128}, keep);
    EXPECT_FALSE(again->changed);
    EXPECT_TRUE(again->remeshedSlots.empty());
    // Without the predicate the rest comes back.
    EXPECT_TRUE(pool.update(raster, {128, 50, 128})->changed);
    EXPECT_FALSE(pool.update(raster, {128, 50, 128})->changed);
}

TEST(NodePool, N11_ANewGenerationReMeshesWhatItTouchedOnly) {
    HeightRaster raster = makeRaster(512, 512, 1, 1);
    NodePool pool = makePool(raster);
    const WorldPosition camera{300, 60, 300};
    ASSERT_TRUE(pool.update(raster, camera).ok());
    const float flat[4] = {5, 5, 5, 5};
    ASSERT_TRUE(raster.setHeights({40, 50, 42, 52}, flat).ok());
    const Result<NodePoolUpdate> update = pool.update(raster, camera);
    ASSERT_TRUE(update->changed);
    EXPECT_LT(update->remeshedSlots.size(), pool.nodeCount());
    const std::set<std::uint32_t> written(update->remeshedSlots.begin(), update->remeshedSlots.end());
    for (const std::uint32_t slot : pool.slotOrder()) {
        const Rect area = pool.grid().area(pool.slot(slot).key);
        if (area.overlaps({39, 49, 43, 53})) {
            EXPECT_EQ(written.count(slot), 1u);
        }
        if (!area.overlaps({36, 46, 46, 56})) {
            EXPECT_EQ(written.count(slot), 0u);
        }
        EXPECT_EQ(pool.slot(slot).generation, raster.generation());
    }
    EXPECT_FALSE(pool.update(raster, camera)->changed);
}

TEST(NodePool, N11_ACameraMoveReMeshesOnlyNodesThatSlide) {
    const HeightRaster raster = makeRaster(512, 512, 1, 1);
    NodePool pool = makePool(raster);
    ASSERT_TRUE(pool.update(raster, {256, 60, 256}).ok());
    const Result<NodePoolUpdate> update = pool.update(raster, {256.001, 60, 256});
    ASSERT_TRUE(update->changed);
    for (const std::uint32_t slot : update->remeshedSlots)
        EXPECT_TRUE(pool.slot(slot).sliding);
    EXPECT_LT(update->remeshedSlots.size(), pool.nodeCount());
}

TEST(NodePool, N11_AChangedEdgeMaskReMeshesItsNode) {
    const HeightRaster raster = makeRaster(512, 512, 1, 1);
    NodePool pool = makePool(raster);
    // From inside, nodes this small next to the camera do not slide, so only the mask can be the reason.
    const WorldPosition camera{256, 60, 256};
    CutNode nodes[] = {{{2, 1, 1}, 0, false}, {{2, 2, 1}, 0, false}};
    ASSERT_TRUE(pool.updateWithNodes(raster, camera, nodes).ok());
    EXPECT_FALSE(pool.updateWithNodes(raster, camera, nodes)->changed);
    nodes[1].coarserEdges = kEdgeHighX;
    const Result<NodePoolUpdate> update = pool.updateWithNodes(raster, camera, nodes);
    ASSERT_TRUE(update->changed);
    ASSERT_EQ(update->remeshedSlots.size(), 1u);
    EXPECT_EQ(pool.slot(update->remeshedSlots[0]).key, nodes[1].key);
    EXPECT_FALSE(pool.updateWithNodes(raster, camera, nodes)->changed);
}

TEST(NodePool, N12_InvalidateMarksTheNodesThatOverlapARect) {
    test::Random random(31);
    for (int round = 0; round < 60; ++round) {
        const HeightRaster raster = randomRaster(random);
        NodePool pool = makePool(raster, randomOptions(random));
        const WorldPosition camera = randomCamera(random, raster);
        ASSERT_TRUE(pool.update(raster, camera).ok());
        const Rect& r = raster.rect();
        const double x = random.range(r.minX, r.maxX), z = random.range(r.minZ, r.maxZ);
        const Rect area{x, z, x + r.width() * random.range(0, 0.3), z + r.depth() * random.range(0, 0.3)};
        pool.invalidate(area);
        const Result<NodePoolUpdate> update = pool.update(raster, camera);
        std::vector<std::uint32_t> expected;
        for (const std::uint32_t slot : pool.slotOrder()) {
            if (pool.grid().area(pool.slot(slot).key).overlaps(area)) expected.push_back(slot);
        }
        std::sort(expected.begin(), expected.end());
        ASSERT_FALSE(expected.empty());
        ASSERT_EQ(std::vector<std::uint32_t>(update->remeshedSlots.begin(), update->remeshedSlots.end()),
                  expected);
        ASSERT_EQ(update->rewrittenRuns.size(), expected.size());
        ASSERT_FALSE(pool.update(raster, camera)->changed);
        pool.invalidate({r.maxX + 1, r.minZ, r.maxX + 2, r.maxZ});
        ASSERT_FALSE(pool.update(raster, camera)->changed);
        // A mark is spent by the update that lists it: another rect's does not bring it back.
        const Rect corner{r.minX, r.minZ, r.minX, r.minZ};
        pool.invalidate(corner);
        const Result<NodePoolUpdate> other = pool.update(raster, camera);
        ASSERT_EQ(other->remeshedSlots.size(), 1u);
        ASSERT_TRUE(pool.grid().area(pool.slot(other->remeshedSlots[0]).key).overlaps(corner));
    }
}

TEST(NodePool, N6_ACutOffTheGridIsRefusedByName) {
    const HeightRaster raster = makeRaster(210, 170, 1, 1);
    NodeCutOptions options;
    options.nodeVerts = 9;
    options.minNodeSize = 20;
    NodePool pool = makePool(raster, options);
    ASSERT_TRUE(pool.update(raster, {100, 50, 100}).ok());
    const std::uint32_t before = pool.nodeCount();
    const CutNode past[] = {{{0, 0, 0}, 0, false}, {{2, 7, 1}, 0, false}};  // past the far edge
    const Result<NodePoolUpdate> refused = pool.updateWithNodes(raster, {100, 50, 100}, past);
    ASSERT_FALSE(refused.ok());
    EXPECT_NE(refused.error().message.find("depth 2, (7, 1) does not stand on the grid"), std::string::npos)
        << refused.error().message;
    const CutNode twice[] = {{{0, 0, 0}, 0, false}, {{0, 0, 0}, 0, false}};
    EXPECT_NE(pool.updateWithNodes(raster, {}, twice).error().message.find("comes twice"), std::string::npos);
    const std::vector<CutNode> many(513);
    EXPECT_NE(pool.updateWithNodes(raster, {}, many).error().message.find("513"), std::string::npos);
    EXPECT_EQ(pool.nodeCount(), before);
    const CutNode good[] = {{{0, 0, 0}, 0, false}, {{0, 1, 0}, 0, false}};
    ASSERT_TRUE(pool.updateWithNodes(raster, {100, 50, 100}, good).ok());
    EXPECT_EQ(pool.nodeCount(), 2u);
    // The pool's own cut comes back.
    ASSERT_TRUE(pool.update(raster, {100, 50, 100})->changed);
    EXPECT_EQ(pool.nodeCount(), before);
}

TEST(NodePool, N15_AStatedRootThatDoesNotFitIsRefusedByName) {
    const HeightRaster raster = makeRaster(200, 100, 1, 1);
    NodeCutOptions options;
    options.rootSize = 5;
    options.maxNodes = 64;
    const Result<NodePool> pool = NodePool::create(raster, options);
    ASSERT_FALSE(pool.ok());
    for (const char* part : {"rootSize 5", "40 x 20", "64"}) {
        EXPECT_NE(pool.error().message.find(part), std::string::npos) << pool.error().message;
    }
}

TEST(NodePool, N16_TheBoxIsTheRectByTheDeclaredRange) {
    const HeightRaster raster = makeRaster(64, 64, 1, 1);  // heights 0..100, declared -10..110
    NodePool pool = makePool(raster);
    const Bounds expected{{0, -10, 0}, {64, 110, 64}};
    EXPECT_EQ(pool.bounds(), expected);
    ASSERT_TRUE(pool.update(raster, {30, 50, 30}).ok());
    ASSERT_GT(pool.nodeCount(), 1u);
    EXPECT_EQ(pool.bounds(), expected);
    ASSERT_TRUE(pool.update(raster, {30, 5000, 30}, [](const CutNode&, const Rect&) { return false; }).ok());
    EXPECT_EQ(pool.nodeCount(), 0u);
    EXPECT_EQ(pool.bounds(), expected);
}

TEST(NodePool, ARasterOfAnotherShapeIsRefusedAndNothingChanges) {
    const HeightRaster raster = makeRaster(64, 64, 1, 1);
    const HeightRaster other = makeRaster(64, 65, 1, 1);
    NodePool pool = makePool(raster);
    ASSERT_TRUE(pool.update(raster, {30, 50, 30}).ok());
    const Result<NodePoolUpdate> refused = pool.update(other, {10, 50, 10});
    ASSERT_FALSE(refused.ok());
    EXPECT_NE(refused.error().message.find("64 x 65"), std::string::npos);
    EXPECT_FALSE(pool.update(raster, {30, 50, 30})->changed);
    NodeCutOptions none;
    none.maxNodes = 0;
    EXPECT_FALSE(NodePool::create(raster, none).ok());
}

}  // namespace
}  // namespace karst::heightfield
