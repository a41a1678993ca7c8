#include "candidate_index.h"
#include "stream_rig.h"

namespace karst::voxel_stream {
namespace {

void expectSame(CandidateIndex& index, const voxel::GridSnapshot& grid, bool asMesher) {
    const auto expected = rig::candidatesOf(grid);
    ASSERT_EQ(index.size(), expected.size());
    std::size_t held = 0;
    for (const auto& [coord, region] : index.regions())
        held += region.candidates.size();
    EXPECT_EQ(held, expected.size());
    for (const auto& [chunk, kinds] : expected) {
        const Candidate* found = index.find(chunk);
        ASSERT_NE(found, nullptr) << chunk.x << " " << chunk.y << " " << chunk.z;
        EXPECT_EQ(found->chunk, chunk);
        EXPECT_EQ(found->surface, kinds.first);
        EXPECT_EQ(found->water, kinds.second);
        if (asMesher) {
            EXPECT_EQ(found->water, voxel_mesh::mayDrawWater(grid, chunk));
        }
    }
}

TEST(CandidateIndexTest, V18_StaysInStepWithRandomEdits) {
    voxel::Grid grid = rig::makeGrid();
    CandidateIndex index;
    std::vector<ChunkCoord> lost;
    index.rebuild(grid.snapshot(), lost);
    test::Random random(18);
    voxel::Revision revision = grid.revision();
    for (int i = 0; i < 150; ++i) {
        const auto pick = [&] { return random.integer(-90, 90); };
        const CellCoord a{pick(), pick() / 2, pick()};
        const Cell cells[] = {{}, {rig::kWater, 200}, {rig::kRock, 255}, {rig::kRock, 90}};
        const Cell cell = cells[random.integer(0, 3)];
        if (random.chance(0.4)) {
            // Whole chunks, so that uniform ones come about.
            const CellCoord first = voxel::firstCell(voxel::chunkOf(a));
            rig::fill(grid, {first, {first.x + 64, first.y + 32, first.z + 32}},
                      [&](CellCoord) { return cell; });
        } else {
            rig::ball(grid, a, random.integer(0, 6), cell);
        }
        index.apply(grid.snapshot(), grid.changesSince(grid.generation(), revision), lost);
        revision = grid.revision();
        expectSame(index, grid.snapshot(), i % 30 == 0);
    }
    CandidateIndex anew;
    anew.rebuild(grid.snapshot(), lost);
    expectSame(anew, grid.snapshot(), true);
    EXPECT_TRUE(lost.empty()) << "none had a level";
    EXPECT_GT(index.size(), 20u);
}

TEST(CandidateIndexTest, V18_TakesALargeGridInBitByBitAlsoWhileItIsEdited) {
    test::Random random(19);
    for (int trial = 0; trial < 20; ++trial) {
        voxel::Grid grid = rig::makeGrid();
        const auto dig = [&] {
            const CellCoord at{random.integer(-130, 130), random.integer(-40, 40), random.integer(-130, 130)};
            const Cell cells[] = {{}, {rig::kWater, 200}, {rig::kRock, 255}, {rig::kRock, 90}};
            rig::ball(grid, at, random.integer(0, 9), cells[random.integer(0, 3)]);
        };
        for (int i = 0; i < 120; ++i)
            dig();
        CandidateIndex index;
        std::vector<ChunkCoord> lost;
        index.begin(grid.snapshot(), {random.integer(-3, 3), 0, random.integer(-3, 3)});
        EXPECT_TRUE(index.pending());
        EXPECT_EQ(index.size(), 0u);
        voxel::Revision revision = grid.revision();
        int steps = 0;
        for (; index.pending(); ++steps) {
            index.advance(grid.snapshot(), 7);
            // What is known already has a mesh.
            for (auto& [coord, region] : index.regions()) {
                for (Candidate& candidate : region.candidates)
                    candidate.level = 0;
            }
            if (trial % 2 == 0) continue;
            dig();
            index.apply(grid.snapshot(), grid.changesSince(grid.generation(), revision), lost);
            revision = grid.revision();
        }
        EXPECT_GT(steps, 5);
        expectSame(index, grid.snapshot(), trial % 5 == 0);
    }
}

TEST(CandidateIndexTest, V18_WhatComesInLaterOutdatesTheMeshOfTheChunkBeside) {
    // A lake and a shore whose chunk is known first: then it draws no water yet.
    voxel::Grid grid = rig::makeGrid();
    rig::fill(grid, {{0, 0, 0}, {32, 16, 32}}, [](CellCoord) { return Cell{rig::kRock, 255}; });
    rig::fill(grid, {{32, 0, 0}, {64, 16, 32}}, [](CellCoord) { return Cell{rig::kWater, 255}; });
    CandidateIndex index;
    index.begin(grid.snapshot(), {0, 0, 0});
    index.advance(grid.snapshot(), 1);
    ASSERT_NE(index.find({0, 0, 0}), nullptr);
    EXPECT_FALSE(index.find({0, 0, 0})->water);
    EXPECT_EQ(index.find({1, 0, 0}), nullptr);
    for (auto& [coord, region] : index.regions()) {
        region.margin = 100;
        for (Candidate& candidate : region.candidates)
            candidate.level = 0;
    }
    index.advance(grid.snapshot(), 1);
    EXPECT_FALSE(index.pending());
    EXPECT_TRUE(index.find({0, 0, 0})->water);
    EXPECT_TRUE(index.find({0, 0, 0})->waterEdited);
    EXPECT_FALSE(index.find({0, 0, 0})->solidEdited);
    EXPECT_LT(index.regions().begin()->second.margin, 0) << "it is looked at";
    expectSame(index, grid.snapshot(), true);
}

TEST(CandidateIndexTest, V18_EditsMarkWhatTheyReachAndTellWhatIsLost) {
    voxel::Grid grid = rig::makeGrid();
    rig::fill(grid, {{0, 0, 0}, {96, 16, 32}}, [](CellCoord) { return Cell{rig::kRock, 255}; });
    CandidateIndex index;
    std::vector<ChunkCoord> lost;
    index.rebuild(grid.snapshot(), lost);
    for (auto& [coord, region] : index.regions()) {
        for (Candidate& candidate : region.candidates)
            candidate.level = 0;
    }
    // 3 cells off the border: no mesh of level 0 but its own reads it.
    voxel::Revision revision = grid.revision();
    rig::ball(grid, {35, 8, 16}, 0, {});
    index.apply(grid.snapshot(), grid.changesSince(grid.generation(), revision), lost);
    EXPECT_FALSE(index.find({0, 0, 0})->solidEdited);
    EXPECT_TRUE(index.find({1, 0, 0})->solidEdited);
    EXPECT_FALSE(index.find({1, 0, 0})->waterEdited) << "no water far and wide";
    revision = grid.revision();
    rig::ball(grid, {33, 8, 16}, 0, {});
    index.apply(grid.snapshot(), grid.changesSince(grid.generation(), revision), lost);
    EXPECT_TRUE(index.find({0, 0, 0})->solidEdited);
    EXPECT_TRUE(lost.empty());
    revision = grid.revision();
    rig::fill(grid, {{64, 0, 0}, {96, 32, 32}}, [](CellCoord) { return Cell{}; });
    index.apply(grid.snapshot(), grid.changesSince(grid.generation(), revision), lost);
    EXPECT_NE(std::find(lost.begin(), lost.end(), ChunkCoord{2, 0, 0}), lost.end());
    EXPECT_EQ(index.find({2, 0, 0}), nullptr);
    EXPECT_TRUE(index.find({1, 0, 0})->solidEdited);
}

}  // namespace
}  // namespace karst::voxel_stream
