#include <gtest/gtest.h>
#include <karst/heightfield_mesh/tile_lattice.h>

#include <array>
#include <set>

namespace karst::heightfield {
namespace {

TEST(TileLattice, H19_EachRangeIsTheWholeLatticeAtItsStride) {
    for (std::uint32_t cells = 2; cells <= 128; cells *= 2) {
        const TerrainGrid grid = createTerrainGrid(cells);
        ASSERT_EQ(grid.cells, cells);
        std::uint32_t next = 0;
        for (std::uint32_t level = 0; level < grid.levels; ++level) {
            const std::uint32_t stride = 1u << level, across = cells / stride;
            const TerrainIndexRange range = grid.ranges[level];
            ASSERT_EQ(range.first, next);
            ASSERT_EQ(range.count, across * across * 6);
            next = range.first + range.count;
            std::set<std::pair<std::uint32_t, std::uint32_t>> lower, upper;
            for (std::uint32_t t = range.first; t < next; t += 3) {
                int x[3], z[3];
                for (std::uint32_t k = 0; k < 3; ++k) {
                    x[k] = grid.indices[t + k] & 0xff;
                    z[k] = grid.indices[t + k] >> 8;
                    ASSERT_EQ(x[k] % static_cast<int>(stride), 0);
                    ASSERT_EQ(z[k] % static_cast<int>(stride), 0);
                    ASSERT_LE(x[k], static_cast<int>(cells));
                    ASSERT_LE(z[k], static_cast<int>(cells));
                }
                // Counter-clockwise from above, X to the right and Z down: the cross product looks up.
                const int area = (z[1] - z[0]) * (x[2] - x[0]) - (x[1] - x[0]) * (z[2] - z[0]);
                ASSERT_EQ(area, static_cast<int>(stride * stride));
                // The first vertex is the cell's high X, low Z corner; the diagonal runs from it.
                const int cellX = x[0] - static_cast<int>(stride), cellZ = z[0];
                bool hasLow = false, hasHigh = false, hasDiagonal = false;
                for (int k = 0; k < 3; ++k) {
                    hasLow = hasLow || (x[k] == cellX && z[k] == cellZ);
                    hasHigh = hasHigh || (x[k] == x[0] && z[k] == cellZ + static_cast<int>(stride));
                    hasDiagonal = hasDiagonal || (x[k] == cellX && z[k] == cellZ + static_cast<int>(stride));
                }
                ASSERT_TRUE(hasDiagonal);
                ASSERT_NE(hasLow, hasHigh);
                ASSERT_TRUE((hasLow ? lower : upper).insert({cellX, cellZ}).second);
            }
            ASSERT_EQ(lower.size(), std::size_t{across} * across);
            ASSERT_EQ(lower, upper);
        }
        ASSERT_EQ(grid.seams.first, next);
        ASSERT_EQ(next + grid.seams.count, grid.indices.size());
        ASSERT_EQ(1u << (grid.levels - 1), cells);
    }
}

TEST(TileLattice, H13_SeamsJoinEachStrideToTheNextOnEachSide) {
    for (std::uint32_t cells = 2; cells <= 128; cells *= 2) {
        const TerrainGrid grid = createTerrainGrid(cells);
        ASSERT_EQ(grid.seams.count, 4 * (cells - 1) * 3);
        std::set<std::array<std::uint32_t, 3>> seen;
        for (std::uint32_t t = grid.seams.first; t < grid.seams.first + grid.seams.count; t += 3) {
            const std::uint32_t kind = grid.indices[t] & 0xffu, place = grid.indices[t] >> 8;
            ASSERT_GT(kind, 128u) << "no vertex of the lattice";
            const std::uint32_t side = (kind - 129) / 7, level = (kind - 129) % 7, stride = 1u << level;
            ASSERT_LT(side, 4u);
            ASSERT_LE(2 * stride, cells);
            ASSERT_EQ(place % (2 * stride), 0u);
            ASSERT_LE(place + 2 * stride, cells);
            ASSERT_EQ(grid.indices[t + 1], seamIndex(side, level, place + stride));
            ASSERT_EQ(grid.indices[t + 2], seamIndex(side, level, place + 2 * stride));
            ASSERT_TRUE(seen.insert({side, level, place}).second);
        }
    }
}

}  // namespace
}  // namespace karst::heightfield
