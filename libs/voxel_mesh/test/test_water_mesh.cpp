#include <gtest/gtest.h>
#include <karst/voxel_mesh/water_mesh.h>

#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "surface_checks.h"

namespace karst::voxel_mesh {
namespace {

using test::Random;
using voxel::Cell;
using voxel::CellCoord;
using voxel::ChunkCoord;

struct WaterTriangle {
    std::array<Vec3d, 3> points;
    std::array<float, 3> fades;
    Vec3f normal;
};

std::vector<WaterTriangle> waterOf(const voxel::GridSnapshot& grid) {
    std::vector<WaterTriangle> out;
    WaterMesher mesher;
    WaterMesh mesh;
    const voxel::CellBox bounds = grid.chunkBounds();
    if (bounds.empty()) return out;
    const ChunkCoord low = voxel::chunkOf(bounds.min),
                     high = voxel::chunkOf({bounds.max.x - 1, bounds.max.y - 1, bounds.max.z - 1});
    for (int y = low.y - 1; y <= high.y + 1; ++y) {
        for (int z = low.z - 1; z <= high.z + 1; ++z) {
            for (int x = low.x - 1; x <= high.x + 1; ++x) {
                mesher.build(grid, {x, y, z}, mesh);
                const CellCoord first = voxel::firstCell({x, y, z});
                for (std::size_t i = 0; i < mesh.indices.size(); i += 3) {
                    WaterTriangle t;
                    for (std::size_t k = 0; k < 3; ++k) {
                        const WaterVertex& v = mesh.vertices[mesh.indices[i + k]];
                        t.points[k] = {double{v.position.x} + first.x, double{v.position.y} + first.y,
                                       double{v.position.z} + first.z};
                        t.fades[k] = v.waveFade;
                        t.normal = v.normal;
                    }
                    out.push_back(t);
                }
            }
        }
    }
    return out;
}

bool isTop(const WaterTriangle& t) {
    return t.normal.y == 1;
}

/// A basin of rock from -20 to 20 with round shores, filled to a height of `level` cells.
voxel::Grid lake(double level) {
    voxel::Grid grid = makeGrid();
    const int top = static_cast<int>(std::floor(level));
    const auto fraction = static_cast<std::uint8_t>(std::lround(255 * (level - top)));
    fill(grid, {{-40, -12, -40}, {40, 12, 40}}, [&](CellCoord c) {
        const double ground = 0.02 * (c.x * c.x + c.z * c.z) - 10;
        const double solid = std::clamp(ground - c.y + 0.5, 0.0, 1.0);
        if (solid > 0) return Cell{kRock, static_cast<std::uint8_t>(std::max(1L, std::lround(255 * solid)))};
        if (c.y < top) return Cell{kWater, 255};
        return c.y == top && fraction > 0 ? Cell{kWater, fraction} : Cell{};
    });
    return grid;
}

TEST(WaterMesh, V29_AStillLakeIsLevelAcrossChunksAtTheHeightOfItsFraction) {
    for (const double level : {-2.0, -3.0 + 100 / 255.0, 0.0, 3.2, -5.996}) {
        const voxel::Grid grid = lake(level);
        std::set<double> heights;
        std::size_t tops = 0, sides = 0;
        for (const WaterTriangle& t : waterOf(grid.snapshot())) {
            if (!isTop(t)) {
                ++sides;
                continue;
            }
            ++tops;
            for (const Vec3d& p : t.points)
                heights.insert(p.y);
        }
        EXPECT_GT(tops, 300u);
        EXPECT_EQ(sides, 0u) << "a lake inside its shores has no open side";
        ASSERT_EQ(heights.size(), 1u) << "every vertex to the bit";
        EXPECT_NEAR(*heights.begin(), level, 0.5 / 255 + 1e-6);
    }
}

TEST(WaterMesh, V29_SheetsReachOverTheShoreSoThatTheGroundCutsTheOutline) {
    const double level = -3;
    const voxel::Grid grid = lake(level);
    std::map<std::pair<double, double>, float> corners;
    std::set<std::pair<int, int>> cells;
    for (const WaterTriangle& t : waterOf(grid.snapshot())) {
        double x = 0, z = 0;
        for (std::size_t k = 0; k < 3; ++k) {
            x += t.points[k].x / 3;
            z += t.points[k].z / 3;
            const auto [found, isNew] = corners.emplace(std::pair(t.points[k].x, t.points[k].z), t.fades[k]);
            EXPECT_EQ(found->second, t.fades[k]) << "one corner, one fade, whichever chunk tells it";
        }
        cells.insert({static_cast<int>(std::floor(x)), static_cast<int>(std::floor(z))});
    }
    // The lake's own cells, each solid one of the eight around, and on over ground that is not full in the
    // layer.
    std::map<std::pair<int, int>, int> rings;
    for (int z = -40; z < 40; ++z) {
        for (int x = -40; x < 40; ++x) {
            if (grid.cell({x, -4, z}).material == kWater) rings[{x, z}] = 0;
        }
    }
    for (int ring = 1; ring < kWaterReach; ++ring) {
        const auto before = rings;
        for (const auto& [cell, at] : before) {
            if (at != ring - 1 || (ring > 1 && grid.cell({cell.first, -4, cell.second}).occupancy == 255))
                continue;
            for (int d = 0; d < 9; ++d) {
                const int x = cell.first + d % 3 - 1, z = cell.second + d / 3 - 1;
                if (grid.cell({x, -4, z}).material == kRock) rings.emplace(std::pair(x, z), ring);
            }
        }
    }
    for (int z = -40; z < 40; ++z) {
        for (int x = -40; x < 40; ++x)
            EXPECT_EQ(cells.count({x, z}), rings.count({x, z})) << x << ", " << z;
    }
    // The sheet ends in full ground, whose surface is at the layer's top or above: it, not the sheet, draws
    // the outline.
    int rim = 0;
    for (const auto& [corner, fade] : corners) {
        std::vector<std::pair<int, int>> around;
        for (int dz = -1; dz <= 0; ++dz) {
            for (int dx = -1; dx <= 0; ++dx) {
                const std::pair<int, int> cell{static_cast<int>(corner.first) + dx,
                                               static_cast<int>(corner.second) + dz};
                if (cells.count(cell) == 1) around.push_back(cell);
            }
        }
        if (around.size() == 4) continue;
        for (const auto& [x, z] : around)
            EXPECT_EQ(grid.cell({x, -4, z}), (Cell{kRock, 255}));
        ++rim;
    }
    EXPECT_GT(rim, 50);
}

TEST(WaterMesh, V31_TheFadeIsZeroAtTheSheetsEdgeAndOneInOpenWater) {
    const voxel::Grid grid = lake(-3);
    std::map<std::pair<double, double>, float> corners;
    std::map<std::pair<double, double>, int> quadsAt;
    for (const WaterTriangle& t : waterOf(grid.snapshot())) {
        for (std::size_t k = 0; k < 3; ++k)
            corners[{t.points[k].x, t.points[k].z}] = t.fades[k];
    }
    std::set<std::pair<int, int>> cells;
    for (const WaterTriangle& t : waterOf(grid.snapshot())) {
        const double x = (t.points[0].x + t.points[1].x + t.points[2].x) / 3,
                     z = (t.points[0].z + t.points[1].z + t.points[2].z) / 3;
        cells.insert({static_cast<int>(std::floor(x)), static_cast<int>(std::floor(z))});
    }
    int zero = 0, one = 0, between = 0;
    for (const auto& [corner, fade] : corners) {
        int sheets = 0, water = 0;
        for (int dz = -1; dz <= 0; ++dz) {
            for (int dx = -1; dx <= 0; ++dx) {
                const std::pair<int, int> cell{static_cast<int>(corner.first) + dx,
                                               static_cast<int>(corner.second) + dz};
                sheets += static_cast<int>(cells.count(cell));
                water += grid.cell({cell.first, -4, cell.second}).material == kWater ? 1 : 0;
            }
        }
        EXPECT_EQ(fade, sheets < 4 ? 0.0f : static_cast<float>(water) / 4.0f);
        ++(fade == 0 ? zero : fade == 1 ? one : between);
    }
    EXPECT_GT(zero, 50);
    EXPECT_GT(one, 100);
    EXPECT_GT(between, 20);
}

TEST(WaterMesh, V29_OpenSidesHaveFacesThatLookOutwards) {
    voxel::Grid grid = makeGrid();
    // A block of water in the air, two cells high, across a chunk border; its top layer is not full.
    fill(grid, {{-3, 4, -2}, {3, 6, 2}}, [](CellCoord c) {
        return Cell{kWater, static_cast<std::uint8_t>(c.y == 5 ? 128 : 255)};
    });
    double area = 0;
    for (const WaterTriangle& t : waterOf(grid.snapshot())) {
        const Vec3d n = cross(t.points[1] - t.points[0], t.points[2] - t.points[0]);
        ASSERT_GT(dot(n, toDouble(t.normal)), 0);
        if (isTop(t)) {
            for (const float fade : t.fades)
                EXPECT_GE(fade, 0);
            continue;
        }
        area += length(n) / 2;
        const Vec3d middle = (t.points[0] + t.points[1] + t.points[2]) * (1.0 / 3);
        EXPECT_TRUE(std::abs(middle.x) == 3 || std::abs(middle.z) == 2) << middle.x << " " << middle.z;
        for (const float fade : t.fades)
            EXPECT_EQ(fade, 0);
    }
    EXPECT_NEAR(area, 2 * (6 + 4) * (1 + 128 / 255.0), 1e-5);
}

TEST(WaterMesh, V30_AThinSheetIsThereCellByCellWhateverTheSolidsLevel) {
    voxel::Grid grid = makeGrid();
    fill(grid, {{0, 0, 0}, {32, 1, 32}}, [](CellCoord) { return Cell{kRock, 255}; });
    fill(grid, {{7, 1, 9}, {8, 2, 10}}, [](CellCoord) { return Cell{kWater, 40}; });
    const auto triangles = waterOf(grid.snapshot());
    std::size_t tops = 0, sides = 0;
    for (const WaterTriangle& t : triangles)
        ++(isTop(t) ? tops : sides);
    EXPECT_EQ(tops, 2u) << "one cell of water, one quad: nothing is averaged over a block";
    EXPECT_EQ(sides, 8u);
    for (const WaterTriangle& t : triangles) {
        if (isTop(t)) {
            EXPECT_NEAR(t.points[0].y, 1 + 40 / 255.0, 1e-6);
        }
    }
}

TEST(WaterMesh, V31_CellsAreOnlyRead) {
    const voxel::Grid grid = lake(-2.5);
    const voxel::Revision before = grid.revision();
    const voxel::GridSnapshot snapshot = grid.snapshot();
    waterOf(snapshot);
    EXPECT_EQ(grid.revision(), before);
    EXPECT_EQ(snapshot.cell({0, -3, 0}), (Cell{kWater, 128}));
}

TEST(WaterMesh, V29_EveryChunkMeshedApartGivesOneMeshWithoutDoubles) {
    Random random(9);
    for (int round = 0; round < 4; ++round) {
        voxel::Grid grid = makeGrid();
        fill(grid, {{-20, -8, -20}, {20, 8, 20}}, [&](CellCoord) {
            const double kind = random.unit();
            if (kind < 0.4) return Cell{};
            return Cell{kind < 0.7 ? kWater : kRock, static_cast<std::uint8_t>(random.integer(1, 255))};
        });
        const voxel::GridSnapshot snapshot = grid.snapshot();
        using Key = std::array<std::tuple<double, double, double>, 3>;
        std::set<Key> seen;
        std::size_t tops = 0;
        std::map<std::tuple<double, double, int>, double> corners;
        for (const WaterTriangle& t : waterOf(snapshot)) {
            Key key;
            for (std::size_t k = 0; k < 3; ++k)
                key[k] = {t.points[k].x, t.points[k].y, t.points[k].z};
            EXPECT_TRUE(seen.insert(key).second);
            tops += isTop(t) ? 1u : 0u;
        }
        // By the definition, cell by cell.
        std::size_t expected = 0;
        for (int y = -8; y < 8; ++y) {
            std::map<std::pair<int, int>, int> rings;
            for (int z = -21; z < 21; ++z) {
                for (int x = -21; x < 21; ++x) {
                    const Cell above = snapshot.cell({x, y + 1, z});
                    const bool covered =
                        above.material == kWater || (above.material == kRock && above.occupancy == 255);
                    if (snapshot.cell({x, y, z}).material == kWater && !covered) rings[{x, z}] = 0;
                }
            }
            for (int ring = 1; ring < kWaterReach; ++ring) {
                const auto before = rings;
                for (const auto& [cell, at] : before) {
                    if (at != ring - 1 ||
                        (ring > 1 && snapshot.cell({cell.first, y, cell.second}).occupancy == 255))
                        continue;
                    for (int d = 0; d < 9; ++d) {
                        const int x = cell.first + d % 3 - 1, z = cell.second + d / 3 - 1;
                        if (snapshot.cell({x, y, z}).material == kRock) rings.emplace(std::pair(x, z), ring);
                    }
                }
            }
            expected += rings.size() * 2;
        }
        EXPECT_EQ(tops, expected);
    }
}

}  // namespace
}  // namespace karst::voxel_mesh
