#include "residency_scan.h"
#include "stream_rig.h"

namespace karst::voxel_stream {
namespace {

/// A line of chunks along x with a floor each; cells of 4 units, chunks of 128.
voxel::Grid floorOfChunks(int chunks, int depth = 1) {
    voxel::Grid grid = rig::makeGrid(4);
    rig::fill(grid, {{0, 4, 0}, {32 * chunks, 5, 32 * depth}}, [](CellCoord) {
        return Cell{rig::kRock, 255};
    });
    return grid;
}

WorldPosition along(double x) {
    return {x, 64, 64};
}

double distanceOf(int x, double camera) {
    return chunkDistance({4, {}}, {x, 0, 0}, along(camera));
}

TEST(ResidencyScanTest, V16_ChunksTakeTheLevelOfTheirDistance) {
    const voxel::Grid grid = floorOfChunks(24);
    ResidencyScan scan({});
    std::size_t seen = 0;
    for (const ScanRequest& request : scan.update(grid, along(0), 2600).requests) {
        if (request.chunk.y != 0 || request.chunk.z != 0) continue;
        ++seen;
        EXPECT_EQ(request.level, nominalLevel({}, distanceOf(request.chunk.x, 0))) << request.chunk.x;
        EXPECT_TRUE(request.solid);
        EXPECT_FALSE(request.water);
    }
    EXPECT_GE(seen, 20u);
}

TEST(ResidencyScanTest, V16_BackAndForthOverAThresholdMakesNoWork) {
    const voxel::Grid grid = floorOfChunks(40);
    ResidencyScan scan({});
    scan.update(grid, along(0), 3000);
    std::size_t work = 0;
    for (int i = 0; i < 200; ++i) {
        const ResidencyScan::Work& done = scan.update(grid, along(i % 2 == 0 ? 90 : 0), 3000);
        EXPECT_TRUE(done.scanned);
        // The first step of 90 may take some over; from then on nobody moves.
        if (i > 0) work += done.transitions;
        for (const ScanRequest& request : done.requests) {
            if (i > 1) {
                ADD_FAILURE() << "chunk " << request.chunk.x << " in step " << i;
            }
        }
    }
    EXPECT_EQ(work, 0u);
}

TEST(ResidencyScanTest, V17_AtMost48TransitionsNearestFirstAndUnsettledMeanwhile) {
    const voxel::Grid grid = floorOfChunks(20, 20);
    ResidencyScan scan({});
    scan.update(grid, {-4000, 64, 1280}, 9000);
    EXPECT_TRUE(scan.settled()) << "missing meshes are no transitions";
    const WorldPosition near{1280, 64, 1280};
    double last = 0;
    std::size_t scans = 0, transitions = 0;
    for (; scans == 0 || !scan.settled(); ++scans) {
        const ResidencyScan::Work& done = scan.update(grid, near, 9000);
        EXPECT_TRUE(done.scanned) << "goes on while unsettled, though the camera rests";
        EXPECT_LE(done.transitions, 48u);
        EXPECT_EQ(done.requests.size(), done.transitions);
        if (!scan.settled()) {
            EXPECT_EQ(done.transitions, 48u);
        }
        transitions += done.transitions;
        for (const ScanRequest& request : done.requests) {
            const double distance = chunkDistance(grid.placement(), request.chunk, near);
            EXPECT_GE(distance, last);
            last = distance;
            EXPECT_TRUE(request.solid);
            EXPECT_FALSE(request.water) << "a change of detail alone";
        }
        ASSERT_LT(scans, 100u);
    }
    EXPECT_GT(scans, 5u);
    EXPECT_GT(transitions, 300u);
    EXPECT_FALSE(scan.update(grid, near, 9000).scanned);
}

TEST(ResidencyScanTest, V17_EditedChunksAndMissingMeshesMakeWorkWithoutLimit) {
    voxel::Grid grid = floorOfChunks(20, 20);
    ResidencyScan scan({});
    const WorldPosition camera{1280, 64, 1280};
    EXPECT_GE(scan.update(grid, camera, 5000).requests.size(), 400u);
    rig::fill(grid, {{0, 5, 0}, {640, 6, 640}}, [](CellCoord) { return Cell{rig::kRock, 100}; });
    const ResidencyScan::Work& done = scan.update(grid, camera, 5000);
    EXPECT_GE(done.requests.size(), 400u);
    EXPECT_EQ(done.transitions, 0u);
    EXPECT_TRUE(scan.settled());
}

TEST(ResidencyScanTest, V18_ScansOnAChangeAnotherDrawDistanceOr8Units) {
    voxel::Grid grid = floorOfChunks(4);
    ResidencyScan scan({});
    EXPECT_TRUE(scan.update(grid, along(0), 1000).scanned);
    EXPECT_FALSE(scan.update(grid, along(0), 1000).scanned);
    EXPECT_FALSE(scan.update(grid, along(7.9), 1000).scanned);
    EXPECT_FALSE(scan.update(grid, along(-7.9), 1000).scanned);
    EXPECT_TRUE(scan.update(grid, along(8), 1000).scanned);
    EXPECT_FALSE(scan.update(grid, along(15.9), 1000).scanned) << "since the last settled scan";
    EXPECT_TRUE(scan.update(grid, along(15.9), 1001).scanned);
    EXPECT_FALSE(scan.update(grid, along(15.9), 1001).scanned);
    rig::ball(grid, {5, 4, 5}, 0, {});
    EXPECT_TRUE(scan.update(grid, along(15.9), 1001).scanned);
    EXPECT_FALSE(scan.update(grid, along(15.9), 1001).scanned);
    const voxel::Grid clone = grid.clone();
    EXPECT_TRUE(scan.update(clone, along(15.9), 1001).scanned) << "another grid of the same revision";
}

TEST(ResidencyScanTest, V18_PreloadsOneChunkBeyondAndKeepsOneMore) {
    const voxel::Grid grid = floorOfChunks(30);
    ResidencyScan scan({});
    const double draw = 1000, edge = 128;
    std::map<int, bool> meshed;
    for (const double x : {0.0, 900.0, 1500.0, 1410.0, 0.0, 64.0, 128.0, 3000.0}) {
        const ResidencyScan::Work& done = scan.update(grid, along(x), draw);
        for (const ChunkCoord chunk : done.drops) {
            if (chunk.y != 0 || chunk.z != 0) continue;
            EXPECT_TRUE(meshed[chunk.x]);
            meshed[chunk.x] = false;
            EXPECT_GT(distanceOf(chunk.x, x), draw + 2 * edge);
        }
        for (const ScanRequest& request : done.requests) {
            if (request.chunk.y == 0 && request.chunk.z == 0) meshed[request.chunk.x] = true;
        }
        while (!scan.settled())
            scan.update(grid, along(x), draw);
        for (int chunk = 0; chunk < 30; ++chunk) {
            const double distance = distanceOf(chunk, x);
            if (distance <= draw + edge) {
                EXPECT_TRUE(meshed[chunk]) << chunk << " at " << x;
            }
            if (distance > draw + 2 * edge) {
                EXPECT_FALSE(meshed[chunk]) << chunk << " at " << x;
            }
        }
    }
}

TEST(ResidencyScanTest, V18_AnEditedMeshOutsideThePreloadRangeIsDropped) {
    voxel::Grid grid = floorOfChunks(30);
    ResidencyScan scan({});
    const double draw = 1000, edge = 128;
    scan.update(grid, along(0), draw);
    // The farthest one that was preloaded falls back into the keep range only.
    int last = 0;
    while (distanceOf(last + 1, 0) <= draw + edge)
        ++last;
    EXPECT_TRUE(scan.update(grid, along(-120), draw).drops.empty());
    ASSERT_GT(distanceOf(last, -120), draw + edge);
    ASSERT_LE(distanceOf(last, -120), draw + 2 * edge);
    rig::ball(grid, {32 * last + 16, 5, 16}, 1, {rig::kRock, 255});
    const ResidencyScan::Work& done = scan.update(grid, along(-120), draw);
    EXPECT_NE(std::find(done.drops.begin(), done.drops.end(), ChunkCoord{last, 0, 0}), done.drops.end());
    for (const ScanRequest& request : done.requests)
        EXPECT_NE(request.chunk.x, last);
    // Back again it is made afresh.
    bool made = false;
    for (const ScanRequest& request : scan.update(grid, along(0), draw).requests)
        made = made || request.chunk == ChunkCoord{last, 0, 0};
    EXPECT_TRUE(made);
}

TEST(ResidencyScanTest, V18_RandomFlightsAndEditsAreAsTheSimpleModelSays) {
    for (const std::uint64_t seed : {1u, 2u}) {
        test::Random random(seed);
        StreamOptions options = rig::smallOptions();
        options.transitionsPerScan = 12;
        // Also in cells of an odd size far from the origin.
        const double scale = seed == 1 ? 1 : 0.37;
        const WorldPosition origin = seed == 1 ? WorldPosition{} : WorldPosition{3.1e7, -5e5, -2.2e7};
        for (double& threshold : options.levels.thresholds)
            threshold *= scale;
        options.levels.hysteresis *= scale;
        options.scanMovement *= scale;
        voxel::Grid grid = rig::hills(4, scale, origin);
        ResidencyScan scan({options.levels, options.transitionsPerScan, options.scanMovement, 1, 2});
        rig::Model model(options);
        std::map<ChunkCoord, int> levels;
        WorldPosition camera{0, 10, 0};
        double draw = 100;
        std::size_t transitions = 0;
        for (int step = 0; step < 150; ++step) {
            const double speed = random.chance(0.1) ? 80 : 6;
            camera.x = std::clamp(camera.x + random.range(-speed, speed), -250.0, 250.0);
            camera.z = std::clamp(camera.z + random.range(-speed, speed), -250.0, 250.0);
            if (random.chance(0.03)) draw = random.range(0, 200);
            if (random.chance(0.2)) {
                const Cell cells[] = {{}, {rig::kWater, 255}, {rig::kRock, 255}};
                rig::ball(grid,
                          {random.integer(-160, 160), random.integer(-20, 20), random.integer(-160, 160)},
                          random.integer(0, 8), cells[random.integer(0, 2)]);
            }
            if (random.chance(0.02)) grid = grid.clone();
            const ResidencyScan::Work& done = scan.update(grid, origin + camera * scale, draw * scale);
            for (const ChunkCoord chunk : done.drops)
                EXPECT_EQ(levels.erase(chunk), 1u);
            for (const ScanRequest& request : done.requests)
                levels[request.chunk] = request.level;
            model.update(grid, origin + camera * scale, draw * scale);
            ASSERT_EQ(done.scanned, model.scanned) << "step " << step;
            ASSERT_EQ(done.transitions, model.transitions) << "step " << step;
            ASSERT_EQ(scan.settled(), model.settled) << "step " << step;
            ASSERT_EQ(levels, model.levels) << "seed " << seed << " step " << step;
            transitions += done.transitions;
        }
        EXPECT_GT(transitions, 150u);
    }
}

}  // namespace
}  // namespace karst::voxel_stream
