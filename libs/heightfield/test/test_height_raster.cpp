#include <gtest/gtest.h>
#include <karst/heightfield/height_raster.h>
#include <karst_test/test_support.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <vector>

namespace karst::heightfield {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

HeightRasterDesc descOf(int columns, int rows, Rect rect) {
    HeightRasterDesc desc;
    desc.columns = columns;
    desc.rows = rows;
    desc.rect = rect;
    return desc;
}

Vector<float> randomHeights(test::Random& random, int columns, int rows) {
    Vector<float> heights(static_cast<std::size_t>(columns * rows));
    for (float& h : heights)
        h = static_cast<float>(random.range(100, 900));
    return heights;
}

HeightRaster make(const HeightRasterDesc& desc, Vector<float> heights,
                  std::span<const std::uint8_t> voids = {}) {
    auto raster = HeightRaster::create(desc, std::move(heights), voids);
    if (!raster.ok()) {
        ADD_FAILURE() << raster.error().message;
        std::abort();
    }
    return std::move(raster).value();
}

HeightRaster randomRaster(test::Random& random, int columns, int rows) {
    const double x = random.range(-1e5, 1e5), z = random.range(-1e5, 1e5);
    const Rect rect{x, z, x + columns * random.range(0.3, 40), z + rows * random.range(0.3, 40)};
    return make(descOf(columns, rows, rect), randomHeights(random, columns, rows));
}

// The surface once more, by the areas of triangles: outside the outermost texel centres the point moves to
// the line of centres (the level rim), then the cell's triangle weighs its three corners.
double referenceHeight(const HeightRaster& r, double x, double z) {
    const auto place = [](double value, double low, double high, int count, int& cell) {
        const double size = (high - low) / count;
        const double u = std::clamp((value - (low + size / 2)) / size, 0.0, count - 1.0);
        cell = std::clamp(static_cast<int>(u), 0, std::max(count - 2, 0));
        return u - cell;
    };
    int i = 0, j = 0;
    const double u = place(x, r.rect().minX, r.rect().maxX, r.columns(), i);
    const double v = place(z, r.rect().minZ, r.rect().maxZ, r.rows(), j);
    const auto h = [&](int di, int dj) {
        return double{r.texel(std::min(i + di, r.columns() - 1), std::min(j + dj, r.rows() - 1))};
    };
    struct Corner {
        double x, z, height;
    };
    const bool nearOrigin = u + v <= 1;
    const Corner t[3] = {nearOrigin ? Corner{0, 0, h(0, 0)} : Corner{1, 1, h(1, 1)}, Corner{1, 0, h(1, 0)},
                         Corner{0, 1, h(0, 1)}};
    const auto area = [](double ax, double az, double bx, double bz, double cx, double cz) {
        return (bx - ax) * (cz - az) - (cx - ax) * (bz - az);
    };
    const double whole = area(t[0].x, t[0].z, t[1].x, t[1].z, t[2].x, t[2].z);
    const double w0 = area(u, v, t[1].x, t[1].z, t[2].x, t[2].z) / whole;
    const double w1 = area(t[0].x, t[0].z, u, v, t[2].x, t[2].z) / whole;
    const double w2 = area(t[0].x, t[0].z, t[1].x, t[1].z, u, v) / whole;
    return w0 * t[0].height + w1 * t[1].height + w2 * t[2].height;
}

const int kSizes[][2] = {{1, 1}, {1, 2}, {2, 1},  {1, 17},  {23, 1},
                         {2, 2}, {3, 2}, {13, 7}, {31, 29}, {64, 33}};

TEST(HeightRaster, N4_HeightAtIsTheTwoTrianglesOfTheCell) {
    test::Random random(30);
    for (const auto& size : kSizes) {
        for (int round = 0; round < 5; ++round) {
            const HeightRaster r = randomRaster(random, size[0], size[1]);
            for (int k = 0; k < 400; ++k) {
                const double x = random.range(r.rect().minX, r.rect().maxX);
                const double z = random.range(r.rect().minZ, r.rect().maxZ);
                const auto height = r.heightAt(x, z);
                ASSERT_TRUE(height.has_value());
                ASSERT_NEAR(*height, referenceHeight(r, x, z), 1e-6)
                    << size[0] << " x " << size[1] << " at " << x << ", " << z;
            }
        }
    }
}

TEST(HeightRaster, N4_TexelCentresHaveExactlyTheirTexel) {
    test::Random random(31);
    for (const auto& size : kSizes) {
        const int columns = size[0], rows = size[1];
        const HeightRaster exact =
            make(descOf(columns, rows, rectOfSamples(-64, 512, columns, rows, 0.25, 8)),
                 randomHeights(random, columns, rows));
        const HeightRaster odd = randomRaster(random, columns, rows);
        for (int row = 0; row < rows; ++row) {
            for (int column = 0; column < columns; ++column) {
                EXPECT_EQ(exact.texelX(column), -64 + column * 0.25);
                EXPECT_EQ(exact.texelZ(row), 512 + row * 8.0);
                ASSERT_EQ(exact.heightAt(exact.texelX(column), exact.texelZ(row)),
                          double{exact.texel(column, row)});
                // Spacings that binary numbers cannot hold: within what a rounded position may shift.
                const auto height = odd.heightAt(odd.texelX(column), odd.texelZ(row));
                ASSERT_TRUE(height.has_value());
                ASSERT_NEAR(*height, odd.texel(column, row), 1e-5);
            }
        }
    }
}

TEST(HeightRaster, N4_TheRimContinuesLevel) {
    test::Random random(32);
    const HeightRaster r = make(descOf(4, 3, {0, 0, 8, 6}), randomHeights(random, 4, 3));
    for (int k = 0; k < 200; ++k) {
        const double z = random.range(0, 6), x = random.range(0, 8);
        EXPECT_NEAR(*r.heightAt(random.range(0, 1), z), *r.heightAt(1, z), 1e-9);
        EXPECT_NEAR(*r.heightAt(random.range(7, 8), z), *r.heightAt(7, z), 1e-9);
        EXPECT_NEAR(*r.heightAt(x, random.range(0, 1)), *r.heightAt(x, 1), 1e-9);
        EXPECT_NEAR(*r.heightAt(x, random.range(5, 6)), *r.heightAt(x, 5), 1e-9);
    }
    EXPECT_EQ(r.heightAt(0, 0), double{r.texel(0, 0)});
    EXPECT_EQ(r.heightAt(8, 6), double{r.texel(3, 2)});
}

TEST(HeightRaster, N4_NothingOutsideAndForNumbersThatAreNone) {
    test::Random random(33);
    const HeightRaster r = make(descOf(4, 3, {0, 0, 8, 6}), randomHeights(random, 4, 3));
    for (const double bad : {kNan, kInfinity, -kInfinity, -1e-9, 1e300, -1e300}) {
        EXPECT_FALSE(r.heightAt(bad, 3).has_value());
        EXPECT_FALSE(r.heightAt(3, bad).has_value());
        EXPECT_FALSE(r.heightAt(bad, bad).has_value());
        const CellPoint p = r.cellPointAt(bad, bad);
        EXPECT_GE(p.cellX, -1);
        EXPECT_LE(p.cellX, 3);
        EXPECT_GE(p.cellZ, -1);
        EXPECT_LE(p.cellZ, 2);
        EXPECT_TRUE(p.fx >= 0 && p.fx <= 1 && p.fz >= 0 && p.fz <= 1);
    }
    EXPECT_FALSE(r.heightAt(std::nextafter(8.0, 9.0), 3).has_value());
    EXPECT_FALSE(r.heightAt(3, std::nextafter(6.0, 7.0)).has_value());
}

TEST(HeightRaster, CellPointsNameCellAndCorners) {
    test::Random random(34);
    for (const auto& size : kSizes) {
        const HeightRaster r = randomRaster(random, size[0], size[1]);
        for (int k = 0; k < 300; ++k) {
            const double x = random.range(r.rect().minX, r.rect().maxX);
            const double z = random.range(r.rect().minZ, r.rect().maxZ);
            const CellPoint p = r.cellPointAt(x, z);
            ASSERT_EQ(p.x0, std::max(p.cellX, 0));
            ASSERT_EQ(p.x1, std::min(p.cellX + 1, r.columns() - 1));
            ASSERT_EQ(p.z0, std::max(p.cellZ, 0));
            ASSERT_EQ(p.z1, std::min(p.cellZ + 1, r.rows() - 1));
            ASSERT_NEAR(r.texelX(p.cellX) + p.fx * r.spacingX(), x, 1e-6);
            ASSERT_NEAR(r.texelZ(p.cellZ) + p.fz * r.spacingZ(), z, 1e-6);
        }
    }
}

TEST(HeightRaster, N8_AVoidTexelCutsExactlyTheFourCellsAroundIt) {
    test::Random random(35);
    for (const auto& size : kSizes) {
        const int columns = size[0], rows = size[1];
        std::vector<std::uint8_t> voids(static_cast<std::size_t>(columns * rows));
        Vector<float> heights = randomHeights(random, columns, rows);
        for (std::size_t i = 0; i < voids.size(); ++i) {
            if (!random.chance(0.1)) continue;
            if (random.chance(0.5)) {
                voids[i] = 1;
                heights[i] = -32768;
            } else {
                heights[i] = static_cast<float>(kNan);
            }
        }
        std::set<std::pair<int, int>> expected;
        for (int row = 0; row < rows; ++row) {
            for (int column = 0; column < columns; ++column) {
                const auto i = static_cast<std::size_t>(row * columns + column);
                if (voids[i] == 0 && std::isfinite(heights[i])) continue;
                for (const int dx : {-1, 0}) {
                    for (const int dz : {-1, 0})
                        expected.emplace(column + dx, row + dz);
                }
            }
        }
        const HeightRaster r = make(descOf(columns, rows, {0, 0, columns * 2.0, rows * 2.0}), heights, voids);
        for (int z = -1; z < rows; ++z) {
            for (int x = -1; x < columns; ++x)
                ASSERT_EQ(r.isHole(x, z), expected.count({x, z}) == 1) << x << ", " << z;
        }
        EXPECT_EQ(r.holeCount(), expected.size());
        EXPECT_EQ(r.hasHoles(), !expected.empty());
        for (int k = 0; k < 500; ++k) {
            const double x = random.range(0, columns * 2.0), z = random.range(0, rows * 2.0);
            const CellPoint p = r.cellPointAt(x, z);
            ASSERT_EQ(r.heightAt(x, z).has_value(), expected.count({p.cellX, p.cellZ}) == 0);
        }
    }
}

TEST(HeightRaster, VoidsNeverMix) {
    test::Random random(36);
    for (int round = 0; round < 200; ++round) {
        const int columns = random.integer(1, 20), rows = random.integer(1, 20);
        Vector<float> heights = randomHeights(random, columns, rows);
        std::vector<std::uint8_t> voids(heights.size());
        const double share = random.unit();
        const int wholeRow = random.integer(0, rows - 1);
        float lowest = std::numeric_limits<float>::infinity(), highest = -lowest;
        for (std::size_t i = 0; i < heights.size(); ++i) {
            const bool isVoid = random.chance(share) || static_cast<int>(i) / columns == wholeRow;
            if (!isVoid) {
                lowest = std::min(lowest, heights[i]);
                highest = std::max(highest, heights[i]);
                continue;
            }
            const float markers[] = {-32768, 1e30f, static_cast<float>(kNan), static_cast<float>(kInfinity),
                                     -static_cast<float>(kInfinity)};
            heights[i] = markers[random.integer(0, 4)];
            voids[i] = 1;
        }
        const Vector<float> given = heights;
        const HeightRaster r = make(descOf(columns, rows, {0, 0, 100, 100}), heights, voids);
        if (lowest > highest) lowest = highest = 0;
        EXPECT_EQ(r.heightRange(), (HeightRange{lowest, highest}));
        for (std::size_t i = 0; i < given.size(); ++i) {
            if (voids[i] == 0) {
                ASSERT_EQ(r.heights()[i], given[i]);
            }
            ASSERT_GE(r.heights()[i], lowest);
            ASSERT_LE(r.heights()[i], highest);
        }
        for (int k = 0; k < 100; ++k) {
            const auto height = r.heightAt(random.range(0, 100), random.range(0, 100));
            if (!height) continue;
            ASSERT_GE(*height, lowest - 1e-9);
            ASSERT_LE(*height, highest + 1e-9);
        }
    }
}

TEST(HeightRaster, FillsGapsStraightAlongTheRowAndBetweenRows) {
    const float n = static_cast<float>(kNan);
    const HeightRaster r = make(descOf(5, 4, {0, 0, 5, 4}), {n, n,  n, n, n,    //
                                                             n, 10, n, n, 40,   //
                                                             n, n,  n, n, n,    //
                                                             0, n,  n, n, 80},  //
                                {});
    const std::vector<float> expected{10, 10, 20, 30, 40,  //
                                      10, 10, 20, 30, 40,  //
                                      5,  15, 30, 45, 60,  //
                                      0,  20, 40, 60, 80};
    EXPECT_EQ(std::vector<float>(r.heights().begin(), r.heights().end()), expected);
}

TEST(HeightRaster, NothingButVoidsIsARasterOfHoles) {
    const Vector<float> none(6, static_cast<float>(kNan));
    const HeightRaster r = make(descOf(3, 2, {0, 0, 3, 2}), none);
    EXPECT_EQ(r.holeCount(), 12u);
    EXPECT_EQ(r.heightRange(), (HeightRange{0, 0}));
    EXPECT_FALSE(r.heightAt(1, 1).has_value());
    HeightRasterDesc desc = descOf(3, 2, {0, 0, 3, 2});
    desc.heightRange = {100, 200};
    const HeightRaster declared = make(desc, none);
    EXPECT_EQ(declared.heightRange(), (HeightRange{100, 200}));
    for (const float h : declared.heights())
        EXPECT_TRUE(h >= 100 && h <= 200);
}

TEST(HeightRaster, N16_BoundsAreTheRectByTheDeclaredRange) {
    HeightRasterDesc desc = descOf(2, 2, {10, 20, 30, 40});
    EXPECT_EQ(make(desc, {1, 2, 3, 4}).bounds(), (Bounds{{10, 1, 20}, {30, 4, 40}}));
    desc.heightRange = {-100, 500};
    EXPECT_EQ(make(desc, {1, 2, 3, 4}).bounds(), (Bounds{{10, -100, 20}, {30, 500, 40}}));
}

void expectRefused(const Result<HeightRaster>& raster, const std::string& part) {
    ASSERT_FALSE(raster.ok()) << part;
    EXPECT_EQ(raster.error().code, ErrorCode::InvalidArgument);
    EXPECT_EQ(raster.error().message.rfind("height raster: ", 0), 0u) << raster.error().message;
    EXPECT_NE(raster.error().message.find(part), std::string::npos) << raster.error().message;
}

TEST(HeightRaster, CreateRefusesByNameAndValue) {
    const Rect unit{0, 0, 1, 1};
    const auto create = [](int columns, int rows, Rect rect, Vector<float> heights,
                           std::optional<HeightRange> range = std::nullopt) {
        HeightRasterDesc desc = descOf(columns, rows, rect);
        desc.heightRange = range;
        return HeightRaster::create(desc, std::move(heights));
    };
    expectRefused(create(0, 3, unit, {}), "0 x 3");
    expectRefused(create(3, -7, unit, {}), "3 x -7");
    expectRefused(create(HeightRaster::kMaxSide + 1, 1, unit, {}), "1048577 x 1");
    expectRefused(create(2, 2, unit, {1, 2, 3}), "3 heights for 2 x 2");
    expectRefused(create(2, 2, unit, {}), "0 heights for 2 x 2");
    expectRefused(create(1, 1, {5, 0, 5, 1}, {1}), "(5, 0)..(5, 1)");
    expectRefused(create(1, 1, {0, 3, 1, 2}, {1}), "(0, 3)..(1, 2)");
    expectRefused(create(1, 1, {0, 0, kInfinity, 1}, {1}), "inf");
    expectRefused(create(1, 1, {0, kNan, 1, 1}, {1}), "nan");
    expectRefused(create(2, 1, {-1.5e308, 0, 1.5e308, 1}, {1, 2}), "2 x 1 texels");
    expectRefused(create(2, 1, {0, 0, 5e-324, 1}, {1, 2}), "2 x 1 texels");
    expectRefused(create(1, 1, unit, {1}, HeightRange{5, 4}), "5..4");
    expectRefused(create(1, 1, unit, {1}, HeightRange{0, static_cast<float>(kInfinity)}), "0..inf");
    expectRefused(create(2, 1, unit, {1, 9}, HeightRange{0, 8}), "1..9 leave the declared height range 0..8");
    expectRefused(create(2, 1, unit, {-1, 7}, HeightRange{0, 8}), "-1..7");
    const std::vector<std::uint8_t> voids(3);
    expectRefused(HeightRaster::create(descOf(2, 1, unit), {1, 2}, voids), "3 void marks for 2 x 1");
}

TEST(HeightRaster, SetHeightsRefusesByNameAndChangesNothing) {
    HeightRaster r = make(descOf(4, 3, {0, 0, 4, 3}), {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
    const std::vector<float> before(r.heights().begin(), r.heights().end());
    const auto refused = [&](GridRect texels, std::vector<float> heights, const char* part) {
        const Result<void> result = r.setHeights(texels, heights);
        ASSERT_FALSE(result.ok()) << part;
        EXPECT_EQ(result.error().code, ErrorCode::InvalidArgument);
        EXPECT_NE(result.error().message.find(part), std::string::npos) << result.error().message;
        EXPECT_EQ(std::vector<float>(r.heights().begin(), r.heights().end()), before);
        EXPECT_EQ(r.generation(), 1u);
        EXPECT_TRUE(r.changedSince(1).empty());
    };
    constexpr int kMost = std::numeric_limits<int>::max(), kLeast = std::numeric_limits<int>::min();
    refused({0, 0, 5, 1}, std::vector<float>(5), "(0, 0)..(5, 1)");
    refused({-1, 0, 1, 1}, std::vector<float>(2), "(-1, 0)..(1, 1)");
    refused({0, 2, 1, 4}, std::vector<float>(2), "4 x 3");
    refused({2, 2, 2, 2}, {}, "empty");
    refused({3, 0, 1, 2}, {}, "empty");
    refused({0, 0, kMost, kMost}, {1}, "2147483647");
    refused({kLeast, kLeast, kMost, kMost}, {1}, "-2147483648");
    refused({0, 0, 2, 2}, {1, 2, 3}, "3 heights for 2 x 2");
    refused({1, 1, 3, 3}, {5, 5, 5, 11.5f}, "11.5 of texel (2, 2) leaves the declared range 0..11");
    refused({1, 1, 3, 3}, {5, -0.5f, 5, 5}, "-0.5 of texel (2, 1)");
    refused({0, 0, 1, 1}, {static_cast<float>(kNan)}, "nan");
    refused({0, 0, 1, 1}, {static_cast<float>(kInfinity)}, "inf");
}

TEST(HeightRaster, SetHeightsWritesItsRectangleOnly) {
    test::Random random(37);
    for (int round = 0; round < 200; ++round) {
        const int columns = random.integer(1, 12), rows = random.integer(1, 12);
        HeightRasterDesc desc = descOf(columns, rows, {0, 0, 10, 10});
        desc.heightRange = {0, 1000};
        HeightRaster r = make(desc, randomHeights(random, columns, rows));
        std::vector<float> expected(r.heights().begin(), r.heights().end());
        GridRect texels{random.integer(0, columns - 1), random.integer(0, rows - 1), 0, 0};
        texels.maxX = random.integer(texels.minX + 1, columns);
        texels.maxZ = random.integer(texels.minZ + 1, rows);
        std::vector<float> heights;
        for (int z = texels.minZ; z < texels.maxZ; ++z) {
            for (int x = texels.minX; x < texels.maxX; ++x) {
                heights.push_back(static_cast<float>(random.integer(0, 1000)));
                expected[static_cast<std::size_t>(z * columns + x)] = heights.back();
            }
        }
        ASSERT_TRUE(r.setHeights(texels, heights).ok());
        EXPECT_EQ(std::vector<float>(r.heights().begin(), r.heights().end()), expected);
        EXPECT_EQ(r.heightRange(), *desc.heightRange);
        EXPECT_EQ(r.generation(), 2u);
        EXPECT_EQ(r.changedSince(1), texels);
    }
}

TEST(HeightRaster, N8_SetHolesAgreesWithAPlainMask) {
    test::Random random(38);
    for (const auto& size : kSizes) {
        const int columns = size[0], rows = size[1];
        HeightRaster r = randomRaster(random, columns, rows);
        std::set<std::pair<int, int>> expected;
        for (int round = 0; round < 60; ++round) {
            const GridRect cells{random.integer(-3, columns + 1), random.integer(-3, rows + 1),
                                 random.integer(-3, columns + 2), random.integer(-3, rows + 2)};
            const bool hole = random.chance(0.5);
            std::size_t changes = 0;
            for (int z = std::max(cells.minZ, -1); z < std::min(cells.maxZ, rows); ++z) {
                for (int x = std::max(cells.minX, -1); x < std::min(cells.maxX, columns); ++x)
                    changes += hole ? expected.emplace(x, z).second : expected.erase({x, z});
            }
            const std::uint64_t generation = r.generation();
            ASSERT_EQ(r.setHoles(cells, hole), changes);
            ASSERT_EQ(r.generation(), generation + (changes > 0 ? 1 : 0));
            ASSERT_EQ(r.holeCount(), expected.size());
            ASSERT_EQ(r.hasHoles(), !expected.empty());
            for (int z = -1; z < rows; ++z) {
                for (int x = -1; x < columns; ++x)
                    ASSERT_EQ(r.isHole(x, z), expected.count({x, z}) == 1);
            }
        }
    }
}

TEST(HeightRaster, N8_SetHolesOfARectTakesCellsByTheirCentre) {
    test::Random random(39);
    for (const auto& size : kSizes) {
        const int columns = size[0], rows = size[1];
        for (int round = 0; round < 40; ++round) {
            HeightRaster r = randomRaster(random, columns, rows);
            const Rect& whole = r.rect();
            const auto side = [&](double low, double high) {
                return random.range(low - (high - low) * 0.2, high + (high - low) * 0.2);
            };
            Rect area{side(whole.minX, whole.maxX), side(whole.minZ, whole.maxZ), 0, 0};
            area.maxX = random.chance(0.1) ? kInfinity : side(area.minX, whole.maxX);
            area.maxZ = side(area.minZ, whole.maxZ);
            // A cell's two ends on an axis; the half cells at the rim end at the rect's edge.
            const auto centre = [](int cell, double low, double spacing, int count) {
                const double from = cell < 0 ? low : low + (cell + 0.5) * spacing;
                const double to = cell == count - 1 ? low + count * spacing : low + (cell + 1.5) * spacing;
                return (from + to) / 2;
            };
            std::size_t count = r.setHoles(area, true);
            for (int z = -1; z < rows; ++z) {
                for (int x = -1; x < columns; ++x) {
                    const bool inside = area.contains(centre(x, whole.minX, r.spacingX(), columns),
                                                      centre(z, whole.minZ, r.spacingZ(), rows));
                    ASSERT_EQ(r.isHole(x, z), inside) << x << ", " << z;
                    count -= inside ? 1 : 0;
                }
            }
            ASSERT_EQ(count, 0u);
        }
    }
    HeightRaster r = randomRaster(random, 5, 5);
    EXPECT_EQ(r.setHoles(Rect{kNan, 0, kInfinity, kInfinity}, true), 0u);
    EXPECT_EQ(r.setHoles(Rect{1, 1, 0, 0}, true), 0u);
    EXPECT_EQ(r.generation(), 1u);
    EXPECT_EQ(r.setHoles(Rect{-kInfinity, -kInfinity, kInfinity, kInfinity}, true), 36u);
}

TEST(HeightRaster, ChangedSinceAgreesWithALogOfAllEdits) {
    test::Random random(40);
    for (int round = 0; round < 30; ++round) {
        const int columns = random.integer(1, 30), rows = random.integer(1, 30);
        HeightRasterDesc desc = descOf(columns, rows, {0, 0, 100, 100});
        desc.heightRange = {0, 1000};
        HeightRaster r = make(desc, randomHeights(random, columns, rows));
        const GridRect everything{0, 0, columns, rows};
        std::vector<GridRect> log{{}, everything};  // by generation
        for (int edit = 0; edit < 40; ++edit) {
            const int x = random.integer(0, columns - 1), z = random.integer(0, rows - 1);
            if (random.chance(0.5)) {
                const GridRect texels{x, z, random.integer(x + 1, columns), random.integer(z + 1, rows)};
                const auto count = static_cast<std::size_t>(texels.width() * texels.depth());
                ASSERT_TRUE(r.setHeights(texels, std::vector<float>(count, 5)).ok());
                log.push_back(texels);
            } else {
                const GridRect cells{x - 1, z - 1, x + random.integer(0, 3), z + random.integer(0, 3)};
                const bool hole = random.chance(0.5);
                GridRect touched;
                for (int cz = cells.minZ; cz < std::min(cells.maxZ, rows); ++cz) {
                    for (int cx = cells.minX; cx < std::min(cells.maxX, columns); ++cx) {
                        if (r.isHole(cx, cz) == hole) continue;
                        const GridRect corners{cx, cz, cx + 2, cz + 2};
                        touched = unite(touched, intersect(corners, everything));
                    }
                }
                if (r.setHoles(cells, hole) > 0) log.push_back(touched);
            }
            const std::uint64_t now = r.generation();
            ASSERT_EQ(now, log.size() - 1);
            for (std::uint64_t since = 0; since <= now + 2; ++since) {
                GridRect expected;
                if (since == 0 || since > now || now - since > 8) {
                    expected = everything;
                } else {
                    for (std::uint64_t g = since + 1; g <= now; ++g)
                        expected = unite(expected, log[g]);
                }
                ASSERT_EQ(r.changedSince(since), expected) << since << " of " << now;
            }
        }
    }
}

TEST(HeightRaster, HoldsHeightsAndMaskOnly) {
    test::Random random(41);
    HeightRaster r = randomRaster(random, 100, 50);
    EXPECT_EQ(r.memoryBytes(), 4u * 100 * 50);
    EXPECT_EQ(r.setHoles(GridRect{0, 0, 1, 1}, true), 1u);
    EXPECT_LE(r.memoryBytes(), 4u * 100 * 50 + (101 * 51 + 7) / 8 + 8);
}

TEST(HeightRaster, TakesTheMaskFromItsAllocator) {
    class Counting final : public Allocator {
      public:
        void* allocate(std::size_t bytes, std::size_t alignment) override {
            held += bytes;
            return heapAllocator().allocate(bytes, alignment);
        }
        void deallocate(void* memory, std::size_t bytes, std::size_t alignment) override {
            held -= bytes;
            heapAllocator().deallocate(memory, bytes, alignment);
        }
        std::size_t held = 0;
    };
    Counting counting;
    {
        Externals externals;
        externals.allocator = &counting;
        auto r = HeightRaster::create(descOf(10, 10, {0, 0, 1, 1}),
                                      Vector<float>(100, 1.0f, StdAllocator<float>(counting)), {}, externals);
        ASSERT_TRUE(r.ok());
        EXPECT_EQ(counting.held, 400u);
        r->setHoles(GridRect{0, 0, 1, 1}, true);
        EXPECT_EQ(counting.held, r->memoryBytes());
    }
    EXPECT_EQ(counting.held, 0u);
}

TEST(HeightRaster, RectOfSamplesPutsSamplesOnTexelCentres) {
    const Rect rect = rectOfSamples(100, -50, 3, 2, 10, 20);
    EXPECT_EQ(rect, (Rect{95, -60, 125, -20}));
    const HeightRaster r = make(descOf(3, 2, rect), {1, 2, 3, 4, 5, 6});
    EXPECT_EQ(r.texelX(0), 100);
    EXPECT_EQ(r.texelX(2), 120);
    EXPECT_EQ(r.texelZ(0), -50);
    EXPECT_EQ(r.texelZ(1), -30);
    EXPECT_EQ(r.heightAt(110, -30), 5);
}

}  // namespace
}  // namespace karst::heightfield
