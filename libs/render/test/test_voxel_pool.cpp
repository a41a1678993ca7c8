#include <gmock/gmock.h>
#include <karst_test/test_support.h>

#include <map>

#include "voxel_scene.h"

namespace karst::render {
namespace {

using namespace voxel;
using voxel_mesh::SurfaceMesh;
using voxel_mesh::WaterMesh;

/// Goes on by a step each time that it is looked at.
class StepClock final : public Clock {
  public:
    std::uint64_t step = 0;
    std::uint64_t nowNanoseconds() const override { return m_now += step; }

  private:
    mutable std::uint64_t m_now = 0;
};

/// A level carpet of n x n quads: a mesh of a size to choose.
SurfaceMesh carpet(int n, float height, MaterialId material = kRockId) {
    SurfaceMesh mesh;
    const float step = 32.0f / static_cast<float>(n);
    for (int z = 0; z <= n; ++z) {
        for (int x = 0; x <= n; ++x) {
            mesh.vertices.push_back({{static_cast<float>(x) * step, height, static_cast<float>(z) * step},
                                     {0, 1, 0},
                                     {material, material, material, material},
                                     {255, 0, 0, 0}});
        }
    }
    for (int z = 0; z < n; ++z) {
        for (int x = 0; x < n; ++x) {
            const auto a = static_cast<std::uint32_t>(z * (n + 1) + x), b = a + 1,
                       c = a + static_cast<std::uint32_t>(n) + 1, d = c + 1;
            mesh.indices.insert(mesh.indices.end(), {a, c, b, b, c, d});
        }
    }
    return mesh;
}

constexpr std::uint64_t bytesOf(const SurfaceMesh& mesh) {
    return mesh.vertices.size() * 24 + mesh.indices.size() * 4;
}

/// What lies in a box, whose six planes look inward.
Frustum around(Vec3d low, Vec3d high) {
    Frustum box;
    box.count = 6;
    box.planes = {Plane{{1, 0, 0}, -low.x}, {{-1, 0, 0}, high.x}, {{0, 1, 0}, -low.y},
                  {{0, -1, 0}, high.y},     {{0, 0, 1}, -low.z},  {{0, 0, -1}, high.z}};
    return box;
}

class VoxelPoolTest : public VoxelTest {
  protected:
    static bool shows(VoxelPool& pool, ChunkCoord c) {
        VoxelDraws draws;
        const Vec3d low{c.x * 32.0 + 1, c.y * 32.0 + 1, c.z * 32.0 + 1};
        const Frustum box = around(low, low + Vec3d{30, 30, 30});
        pool.prepare(&box, draws);
        return draws.solid.chunks > 0;
    }
};

TEST_F(VoxelPoolTest, V22_EachFrameStaysWithinItsBytesNearestFirst) {
    VoxelPool pool = makePool({.placement = {.cellSize = 1}, .uploadBudgetBytes = 8 << 10});
    const SurfaceMesh mesh = carpet(8, 4);  // 3.5 KB
    for (int i = 0; i < 12; ++i)
        ASSERT_TRUE(pool.publish({(i * 5) % 12, 0, 0}, &mesh, nullptr));
    int shown = 0, frames = 0;
    for (; shown < 12 && frames < 40; ++frames) {
        const VoxelUploadStats stats = upload(pool, {-5, 4, 16});
        EXPECT_LE(stats.bytes, 8u << 10);
        shown += static_cast<int>(stats.chunks);
        EXPECT_EQ(stats.waiting, static_cast<std::uint32_t>(12 - shown));
        for (int i = 0; i < 12; ++i)
            EXPECT_EQ(shows(pool, {i, 0, 0}), i < shown) << "chunk " << i << " in frame " << frames;
    }
    EXPECT_EQ(shown, 12);
    EXPECT_EQ(frames, static_cast<int>((12 * (bytesOf(mesh) + 16) + (8 << 10) - 1) / (8 << 10)));
}

TEST_F(VoxelPoolTest, V22_NoFurtherChunkIsBegunOnceTheTimeIsUp) {
    StepClock clock;
    VoxelPool pool =
        makePool({.placement = {.cellSize = 1}, .uploadNanoseconds = 2'000'000, .clock = &clock});
    const SurfaceMesh mesh = carpet(2, 4);
    for (int i = 0; i < 9; ++i)
        ASSERT_TRUE(pool.publish({i, 0, 0}, &mesh, nullptr));
    clock.step = 1'000'000;  // each chunk takes as long
    EXPECT_EQ(upload(pool).chunks, 2u);
    clock.step = 5'000'000;
    EXPECT_EQ(upload(pool).chunks, 1u) << "there is always one";
    clock.step = 0;
    EXPECT_EQ(upload(pool).chunks, 6u);
}

TEST_F(VoxelPoolTest, V22_AChunkIsNeverDrawnHalfUploaded) {
    VoxelPool pool = makePool({.placement = {.cellSize = 1}, .uploadBudgetBytes = 4 << 10});
    const SurfaceMesh old = carpet(1, 2), large = carpet(40, 6, kSnowId);
    const WaterMesh oldWater = sheetMesh(3, 0, 32, 0), newWater = sheetMesh(7, 0, 32, 0);
    ASSERT_TRUE(pool.publish({0, 0, 0}, &old, &oldWater));
    uploadAll(pool);
    const SceneSettings scene = lampScene({16, 30, 16}, {16, 0, 16});
    const Drawn before = draw(pool, scene);
    ASSERT_TRUE(pool.publish({0, 0, 0}, &large, &newWater));
    int frames = 0;
    for (;; ++frames) {
        const Drawn now = draw(pool, scene);
        if (now.uploads.waiting == 0) {
            EXPECT_NE(now.image.rgba, before.image.rgba);
            EXPECT_NEAR(now.depth[kSide * kSide / 2 + kSide / 2], 0.5 / 24, 1e-4);
            break;
        }
        ASSERT_EQ(now.image.rgba, before.image.rgba) << "frame " << frames;
        ASSERT_EQ(now.depth, before.depth);
    }
    EXPECT_GE(frames, static_cast<int>(bytesOf(large) / (4 << 10)) - 1);
}

TEST_F(VoxelPoolTest, AnOldPlaceIsFreeAgainOnceItsFramesAreDone) {
    VoxelPool pool = makePool({.placement = {.cellSize = 1}, .framesInFlight = 3});
    const SurfaceMesh mesh = carpet(10, 4);
    ASSERT_TRUE(pool.publish({0, 0, 0}, &mesh, nullptr));
    upload(pool);
    const std::uint64_t one = pool.stats().usedBytes;
    EXPECT_EQ(one, bytesOf(mesh));
    ASSERT_TRUE(pool.publish({0, 0, 0}, &mesh, nullptr));
    for (int i = 0; i < 3; ++i) {
        upload(pool);
        EXPECT_EQ(pool.stats().usedBytes, 2 * one);
    }
    upload(pool);
    EXPECT_EQ(pool.stats().usedBytes, one);
    pool.withdraw({0, 0, 0});
    EXPECT_EQ(pool.stats().shownSolid, 1u) << "until the next recordUploads";
    EXPECT_EQ(upload(pool).withdrawn, 1u);
    EXPECT_EQ(pool.stats().shownSolid, 0u);
    EXPECT_EQ(pool.stats().chunks, 0u);
    for (int i = 0; i < 3; ++i)
        upload(pool);
    EXPECT_EQ(pool.stats().usedBytes, 0u);
}

TEST_F(VoxelPoolTest, MemoryThatIsFullRefusesAndTakesAgain) {
    VoxelPool pool = makePool({.placement = {.cellSize = 1}, .solidBytes = 256 << 10, .framesInFlight = 1});
    const SurfaceMesh mesh = carpet(16, 4);  // 13 KB
    int taken = 0;
    Result<void> last;
    for (; taken < 100; ++taken) {
        last = pool.publish({taken, 0, 0}, &mesh, nullptr);
        if (!last) break;
    }
    EXPECT_GT(taken, 12);
    EXPECT_LT(taken, 20);
    ASSERT_FALSE(last);
    EXPECT_EQ(last.error().code, ErrorCode::TooLarge);
    EXPECT_THAT(last.error().message, testing::HasSubstr("chunk (" + std::to_string(taken) + ", 0, 0)"));
    EXPECT_THAT(last.error().message, testing::HasSubstr("262144 bytes"));
    for (int i = 0; i < 20; ++i)
        upload(pool);
    // A chunk that does not fit into any block is refused too, and what is there stays.
    const SurfaceMesh huge = carpet(64, 4);
    EXPECT_FALSE(pool.publish({0, 0, 0}, &huge, nullptr));
    EXPECT_TRUE(shows(pool, {0, 0, 0}));
    pool.withdraw({3, 0, 0});
    EXPECT_TRUE(pool.publish({50, 0, 0}, &mesh, nullptr));
    for (int i = 0; i < 4; ++i)
        upload(pool);
    EXPECT_TRUE(shows(pool, {50, 0, 0}));
    EXPECT_LE(pool.stats().blockBytes, 256u << 10);
    EXPECT_LE(pool.stats().blocks, 3u);
    // All of it away, and all anew.
    pool.withdrawAll();
    for (int i = 0; i < taken; ++i)
        EXPECT_TRUE(pool.publish({i, 2, 0}, &mesh, nullptr));
    for (int i = 0; i < 20; ++i)
        upload(pool);
    EXPECT_EQ(pool.stats().shownSolid, static_cast<std::size_t>(taken));
    EXPECT_EQ(pool.stats().chunks, static_cast<std::size_t>(taken));
}

TEST_F(VoxelPoolTest, MoreChunksThanAskedForAreRefused) {
    VoxelPool pool = makePool({.placement = {.cellSize = 1}, .maxChunks = 2});
    const SurfaceMesh mesh = carpet(1, 4), empty;
    EXPECT_TRUE(pool.publish({0, 0, 0}, &mesh, nullptr));
    EXPECT_TRUE(pool.publish({1, 0, 0}, &mesh, nullptr));
    const auto third = pool.publish({2, 0, 0}, &mesh, nullptr);
    ASSERT_FALSE(third);
    EXPECT_THAT(third.error().message, testing::HasSubstr("maxChunks 2"));
    EXPECT_TRUE(pool.publish({2, 0, 0}, &empty, nullptr)) << "nothing takes no place";
    EXPECT_TRUE(pool.publish({1, 0, 0}, &empty, nullptr));
    for (int i = 0; i < 3; ++i)
        upload(pool);
    EXPECT_TRUE(pool.publish({2, 0, 0}, &mesh, nullptr));
}

TEST_F(VoxelPoolTest, V30_ADetailChangeLeavesTheWaterWhereItIs) {
    VoxelPool pool = makePool({.placement = {.cellSize = 1}});
    const SurfaceMesh fine = carpet(8, 4), coarse = carpet(4, 4), empty;
    const WaterMesh water = sheetMesh(6, 0, 32, 1);
    ASSERT_TRUE(pool.publish({0, 0, 0}, &fine, &water));
    uploadAll(pool);
    ASSERT_TRUE(pool.publish({0, 0, 0}, &coarse, nullptr));
    EXPECT_EQ(upload(pool).bytes, bytesOf(coarse) + 16);
    EXPECT_EQ(pool.stats().shownWater, 1u);
    ASSERT_TRUE(pool.publish({0, 0, 0}, &empty, nullptr));
    EXPECT_EQ(upload(pool).bytes, 0u);
    EXPECT_EQ(pool.stats().shownSolid, 0u);
    EXPECT_EQ(pool.stats().shownWater, 1u);
    // Taken away and told anew within one frame: of the old nothing stays.
    pool.withdraw({0, 0, 0});
    ASSERT_TRUE(pool.publish({0, 0, 0}, &fine, nullptr));
    upload(pool);
    EXPECT_EQ(pool.stats().shownSolid, 1u);
    EXPECT_EQ(pool.stats().shownWater, 0u);
}

// Whatever happened before, what is shown at the end looks like a pool that was told nothing else.
TEST_F(VoxelPoolTest, RandomUseEndsAsIfOnlyTheLastWereTold) {
    for (const bool indirect : {true, false}) {
        test::Random random(indirect ? 21 : 22);
        VoxelPool pool = makePool({.placement = {.cellSize = 1},
                                   .solidBytes = 1 << 20,
                                   .maxChunks = 40,
                                   .uploadBudgetBytes = 6 << 10,
                                   .framesInFlight = 2},
                                  indirect);
        struct Told {
            int size, water;
        };
        std::map<std::pair<int, int>, Told> model;
        const auto heightOf = [](int x, int z) { return static_cast<float>(3 + (x * 7 + z * 5) % 11); };
        const auto tell = [&](VoxelPool& to, int x, int z, const Told& told) {
            const SurfaceMesh mesh =
                carpet(told.size, heightOf(x, z), static_cast<MaterialId>(2 + told.size % 7));
            const WaterMesh water = told.water ? sheetMesh(heightOf(x, z) + 2, 4, 28, 0) : WaterMesh();
            return to.publish({x, 0, z}, &mesh, &water);
        };
        VoxelDraws draws;
        for (int step = 0; step < 300; ++step) {
            const int x = random.integer(0, 4), z = random.integer(0, 4);
            if (random.chance(0.25)) {
                pool.withdraw({x, 0, z});
                model.erase({x, z});
            } else {
                const Told told{random.integer(1, random.chance(0.2) ? 24 : 8), random.integer(0, 1)};
                if (tell(pool, x, z, told)) model[{x, z}] = told;
            }
            if (!random.chance(0.5)) continue;
            const VoxelUploadStats stats = upload(pool, {random.range(0, 160), 10, random.range(0, 160)});
            ASSERT_LE(stats.bytes, 6u << 10);
            pool.prepare(nullptr, draws);
            ASSERT_LE(draws.solid.calls, 4u);
            ASSERT_LE(draws.water.calls, 4u);
            ASSERT_GE(draws.solid.drawnTriangles, draws.solid.chunkTriangles);
        }
        uploadAll(pool);
        VoxelPool fresh = makePool({.placement = {.cellSize = 1}});
        std::uint64_t triangles = 0;
        for (const auto& [at, told] : model) {
            ASSERT_TRUE(tell(fresh, at.first, at.second, told));
            triangles += static_cast<std::uint64_t>(told.size * told.size * 2 + told.water * 2);
        }
        uploadAll(fresh);
        EXPECT_EQ(pool.stats().triangles, triangles);
        EXPECT_EQ(pool.stats().chunks, model.size());
        const SceneSettings scene = lampScene({80, 170, 90}, {80, 0, 80});
        const Drawn a = draw(pool, scene), b = draw(fresh, scene);
        EXPECT_EQ(a.depth, b.depth);
        EXPECT_EQ(a.image.rgba, b.image.rgba);
    }
}

TEST_F(VoxelPoolTest, RefusesByName) {
    const auto refuses = [&](const char* name, const VoxelPoolDesc& desc) {
        const auto pool = VoxelPool::create(device(), desc);
        ASSERT_FALSE(pool) << name;
        EXPECT_EQ(pool.error().code, ErrorCode::InvalidArgument);
        EXPECT_THAT(pool.error().message, testing::HasSubstr(name));
    };
    refuses("solidBytes 1000", {.solidBytes = 1000});
    refuses("waterBytes", {.waterBytes = std::uint64_t{1} << 40});
    refuses("maxChunks 0", {.maxChunks = 0});
    refuses("uploadBudgetBytes 100", {.uploadBudgetBytes = 100});
    refuses("framesInFlight 9", {.framesInFlight = 9});
    refuses("placement", {.placement = {.cellSize = 0}});
    refuses("waveReach -1", {.waveReach = -1});

    VoxelPool pool = makePool();
    WaterLook look;
    look.waveHeight = 5;
    EXPECT_THAT(pool.setWater(look).error().message, testing::HasSubstr("height 5"));
    SurfaceMesh bad = carpet(2, 4);
    bad.indices.push_back(0);
    EXPECT_THAT(pool.publish({}, &bad, nullptr).error().message, testing::HasSubstr("25 indices"));
    bad = carpet(2, 4);
    bad.indices[3] = 9;
    EXPECT_THAT(pool.publish({}, &bad, nullptr).error().message, testing::HasSubstr("index 9"));
    bad = carpet(2, 4);
    bad.vertices[4].position.y = 200;
    EXPECT_THAT(pool.publish({}, &bad, nullptr).error().message, testing::HasSubstr("vertex 4"));
    bad.vertices[4].position.y = std::nanf("");
    EXPECT_FALSE(pool.publish({}, &bad, nullptr));
    const std::vector<VoxelVertexLight> light(3);
    const SurfaceMesh good = carpet(2, 4);
    EXPECT_THAT(pool.publish({}, &good, nullptr, light).error().message, testing::HasSubstr("light of 3"));
    EXPECT_EQ(pool.stats().chunks, 0u);
}

}  // namespace
}  // namespace karst::render
