#pragma once

#include <gtest/gtest.h>
#include <karst/base/hash.h>
#include <karst/voxel/grid.h>
#include <karst_test/test_support.h>

#include <vector>

namespace karst::voxel {

/// A box of cells as a plain array: what a grid is compared with.
struct CellModel {
    CellBox box;
    std::vector<Cell> cells;

    static CellModel of(const Grid& grid, const CellBox& box) {
        CellModel model{box, {}};
        forEach(box, [&](CellCoord c) { model.cells.push_back(grid.cell(c)); });
        return model;
    }
    template <class Each>
    static void forEach(const CellBox& box, Each&& each) {
        for (std::int32_t y = box.min.y; y < box.max.y; ++y) {
            for (std::int32_t z = box.min.z; z < box.max.z; ++z) {
                for (std::int32_t x = box.min.x; x < box.max.x; ++x)
                    each(CellCoord{x, y, z});
            }
        }
    }
    std::size_t index(CellCoord c) const {
        return static_cast<std::size_t>(
            (c.x - box.min.x) +
            (box.max.x - box.min.x) * ((c.z - box.min.z) + (box.max.z - box.min.z) * (c.y - box.min.y)));
    }
    Cell at(CellCoord c) const { return box.contains(c) ? cells[index(c)] : Cell{}; }
    Cell& operator[](CellCoord c) { return cells[index(c)]; }

    std::int64_t changes(const CellModel& other) const {
        std::int64_t count = 0;
        for (std::size_t i = 0; i < cells.size(); ++i)
            count += cells[i] == other.cells[i] ? 0 : 1;
        return count;
    }
};

/// The grid holds the model's cells and nothing outside of its box.
inline void expectCells(const Grid& grid, const CellModel& model, const char* what) {
    int wrong = 0;
    CellModel::forEach(model.box, [&](CellCoord c) {
        const Cell got = grid.cell(c), wanted = model.at(c);
        if (got == wanted || ++wrong > 3) return;
        ADD_FAILURE() << what << ": cell " << c.x << " " << c.y << " " << c.z << " is " << int{got.material}
                      << ":" << int{got.occupancy} << ", not " << int{wanted.material} << ":"
                      << int{wanted.occupancy};
    });
    EXPECT_EQ(wrong, 0) << what;
}

/// Lumps of a few materials (2 to 5, and water, 1), partly filled at their rims, and free space.
inline void fillAtRandom(Grid& grid, const CellBox& box, std::uint64_t seed) {
    test::Random random(seed);
    const auto edited = grid.edit(box, [&](const EditBlock& block) {
        CellModel::forEach(block.box, [&](CellCoord c) {
            const std::uint64_t lump =
                mix64(static_cast<std::uint64_t>((c.x >> 2) * 73856093 ^ (c.y >> 2) * 19349663 ^
                                                 (c.z >> 2) * 83492791) +
                      seed);
            const int kind = static_cast<int>(lump % 8);
            Cell& cell = block.at(c);
            if (kind < 3) {
                cell = {};
            } else {
                const bool full = random.chance(0.6);
                cell = {static_cast<MaterialId>(kind - 2),
                        static_cast<std::uint8_t>(full ? 255 : random.integer(1, 254))};
            }
        });
    });
    ASSERT_TRUE(edited.ok());
}

}  // namespace karst::voxel
