#include "chunk_planes.h"

#include "terrain_cells.h"

#include <gtest/gtest.h>
#include <karst_test/test_support.h>

#include <cstring>
#include <vector>

namespace karst::voxel {
namespace {

using Plane = std::vector<std::uint8_t>;

struct Results {
    Plane materials, occupancy, gradient, line, tops, merged, one;
    std::vector<std::uint32_t> filled, changed;
    std::uint64_t nonzero = 0;
    int count = 0;
    bool operator==(const Results&) const = default;
};

template <class Lanes>
Results runAll(const std::vector<Cell>& cells, const Plane& changes) {
    Results r;
    for (Plane* plane : {&r.materials, &r.occupancy, &r.gradient, &r.line})
        plane->resize(kChunkCellCount);
    splitCells<Lanes>(cells.data(), r.materials.data(), r.occupancy.data());
    toResiduals<Lanes>(r.occupancy.data(), r.gradient.data(), r.line.data());
    r.tops.resize(kLayerCells);
    columnTops<Lanes>(r.occupancy.data(), r.tops.data());
    r.count = countNonzero<Lanes>(r.line.data());
    EXPECT_EQ(r.count, kChunkCellCount - std::count(r.line.begin(), r.line.end(), 0));
    r.filled.resize(kLayerCells);
    r.changed.resize(kLayerCells);
    columnBits<Lanes>(r.materials.data(), r.occupancy.data(), 4, r.filled.data(), r.changed.data());
    for (std::size_t i = 0; i < kChunkCellCount; i += 16)
        r.nonzero = r.nonzero * 3 + nonzeroBits(Lanes::load(r.line.data() + i));
    std::vector<Cell> merged(kChunkCellCount);
    r.merged.resize(2 * kChunkCellCount);
    mergeColumns<Lanes>(changes.data(), r.occupancy.data(), 3, merged.data());
    std::memcpy(r.merged.data(), merged.data(), r.merged.size());
    r.one.resize(2 * kChunkCellCount);
    mergeOne<Lanes>(9, r.occupancy.data(), merged.data());
    std::memcpy(r.one.data(), merged.data(), r.one.size());

    Plane back(kChunkCellCount);
    fromResidual<Lanes>(Prediction::Gradient, back.data(), r.gradient.data());
    EXPECT_EQ(back, r.occupancy);
    fromResidual<Lanes>(Prediction::Line, back.data(), r.line.data());
    EXPECT_EQ(back, r.occupancy);
    return r;
}

// What runs 16 bytes at once and what runs on any machine give the same bytes.
TEST(ChunkPlanes, BothKindsOfLanesAgree) {
    test::Random random(3);
    for (int round = 0; round < 12; ++round) {
        std::vector<Cell> cells = test_data::terrainCells(round, true, true);
        Plane changes(kChunkCellCount);
        if (round % 2 == 0) {
            for (Cell& cell : cells) {
                const auto noise = static_cast<std::uint8_t>(random.next());
                cell = canonical(
                    {noise, static_cast<std::uint8_t>(random.chance(0.3) ? noise & 3 : random.next())});
            }
        }
        for (std::uint8_t& change : changes)
            change = random.chance(0.1) ? static_cast<std::uint8_t>(random.next()) : std::uint8_t{0};
        EXPECT_TRUE(runAll<PlainByteLanes>(cells, changes) == runAll<ByteLanes>(cells, changes)) << round;
    }
}

TEST(ChunkPlanes, ColumnsAreReadDownwards) {
    const std::vector<Cell> cells = test_data::terrainCells(5, true, true);
    const Results r = runAll<ByteLanes>(cells, Plane(kChunkCellCount));
    for (int column = 0; column < kLayerCells; ++column) {
        const auto at = static_cast<std::size_t>(column);
        MaterialId material = 4;
        int top = 255;
        for (int y = 31; y >= 0; --y) {
            const Cell cell = cells[at + static_cast<std::size_t>(y * kLayerCells)];
            EXPECT_EQ(r.filled[at] >> y & 1, cell.empty() ? 0u : 1u);
            EXPECT_EQ(r.changed[at] >> y & 1, !cell.empty() && cell.material != material ? 1u : 0u);
            if (cell.empty()) continue;
            material = cell.material;
            if (top == 255) top = y;
        }
        EXPECT_EQ(r.tops[at], top);
    }
}

TEST(ChunkPlanes, PredictsByTheRuleWrittenDown) {
    test::Random random(4);
    for (int round = 0; round < 20000; ++round) {
        const auto any = [&] {
            return random.chance(0.3) ? random.integer(0, 1) * 255 : random.integer(0, 255);
        };
        const int a = any(), aa = any(), b = any(), c = any();
        const auto lanes = [](int v) { return PlainByteLanes::all(static_cast<std::uint8_t>(v)); };
        const int gradient = std::clamp(a + b - c, 0, 255);
        const bool line = a > 0 && a < 255 && aa > 0 && aa < 255;
        EXPECT_EQ(predict<Prediction::Gradient>(lanes(a), lanes(aa), lanes(b), lanes(c)).v[0], gradient);
        EXPECT_EQ(predict<Prediction::Line>(lanes(a), lanes(aa), lanes(b), lanes(c)).v[5],
                  line ? std::clamp(2 * a - aa, 0, 255) : gradient);
    }
}

}  // namespace
}  // namespace karst::voxel
