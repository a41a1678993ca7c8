#include "cube_sheets.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <set>

#include "naive_surface.h"

namespace karst::voxel_mesh {
namespace {

using namespace test;

constexpr int kEnds[12][2] = {{0, 1}, {2, 3}, {4, 5}, {6, 7}, {0, 4}, {1, 5},
                              {2, 6}, {3, 7}, {0, 2}, {1, 3}, {4, 6}, {5, 7}};

TEST(CubeSheets, CountsOfAllCases) {
    int counts[5] = {}, joined = 0;
    for (int signs = 0; signs < 256; ++signs) {
        const CubeCase& found = cubeCase(static_cast<std::uint8_t>(signs));
        ++counts[found.sheets.count];
        joined += found.joined >= 0;
        std::set<std::uint32_t> sheets;
        for (int e = 0; e < 12; ++e) {
            const bool crosses = (signs >> kEnds[e][0] & 1) != (signs >> kEnds[e][1] & 1);
            ASSERT_EQ(found.sheets.crossing >> e & 1, crosses);
            if (crosses) sheets.insert(found.sheets.sheet(e));
        }
        EXPECT_EQ(sheets.size(), found.sheets.count);
        if (found.joined >= 0) {
            EXPECT_EQ(found.sheets.count, 1);
            EXPECT_EQ(found.apart.count, 2);
        }
    }
    EXPECT_EQ(counts[0], 2);
    EXPECT_EQ(counts[1], 162);
    EXPECT_EQ(counts[2], 82);
    EXPECT_EQ(counts[3], 8);
    EXPECT_EQ(counts[4], 2);
    EXPECT_EQ(joined, 36);
}

TEST(CubeSheets, SolidCornersAreKeptApart) {
    // Two solid corners of a face's diagonal: each has a sheet of its own.
    const CubeCase& found = cubeCase(0b00001001);
    EXPECT_EQ(found.sheets.count, 2);
    EXPECT_EQ(found.sheets.sheet(0), found.sheets.sheet(4));
    EXPECT_NE(found.sheets.sheet(0), found.sheets.sheet(1));
    // All but two of a diagonal: the two air corners share one.
    EXPECT_EQ(cubeCase(0b11110110).sheets.count, 1);
    EXPECT_EQ(cubeCase(0b11110110).joined, 2);
}

TEST(CubeSheets, DoubtfulCubesHoldAllThatHaveSeveralSheets) {
    for (int kind = 0; kind < kKinds; ++kind) {
        const OwnedField field(16, 2, {}, randomSamples(kind, 3));
        SignRows rows;
        ASSERT_EQ(findSignRows(field.view, rows), FieldContent::Mixed);
        for (int y = -1; y < 16; ++y) {
            std::uint64_t doubtful[33];
            findDoubtfulCubes(rows, y, doubtful);
            for (int z = -1; z < 16; ++z) {
                for (int x = -1; x < 16; ++x) {
                    const bool several = sheetsOfCube(field.view, field.view.fieldIndex(x, y, z)).count > 1;
                    ASSERT_TRUE(!several || (doubtful[z + 1] >> (x + 1) & 1));
                }
            }
        }
    }
}

}  // namespace
}  // namespace karst::voxel_mesh
