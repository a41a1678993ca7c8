#include <algorithm>
#include <array>

#include "import_test.h"

namespace karst::importer {
namespace {

using namespace test;

/// One raster in several formats, 37 x 29 with voids.
std::vector<std::string> writeAll(const TempFolder& folder, std::vector<float>& expected) {
    constexpr int kWidth = 37, kHeight = 29;
    Random random(77);
    std::vector<std::int16_t> values;
    std::vector<double> doubles;
    std::string text = "ncols 37\nnrows 29\nxllcorner 500\nyllcorner 500\ncellsize 2\nNODATA_value -32768\n";
    for (int i = 0; i < kWidth * kHeight; ++i) {
        const bool isVoid = random.chance(0.05);
        values.push_back(static_cast<std::int16_t>(isVoid ? -32768 : random.integer(-400, 4000)));
        doubles.push_back(values.back());
        expected.push_back(isVoid ? kNan : static_cast<float>(values.back()));
        text += std::to_string(values.back()) + (random.chance(0.1) ? "\n" : " ");
    }
    std::vector<std::int16_t> columns, south;
    for (int x = 0; x < kWidth; ++x) {
        for (int z = 0; z < kHeight; ++z)
            columns.push_back(values[static_cast<std::size_t>(z * kWidth + x)]);
    }
    std::vector<double> southDoubles;
    for (int z = kHeight - 1; z >= 0; --z) {
        for (int x = 0; x < kWidth; ++x)
            southDoubles.push_back(doubles[static_cast<std::size_t>(z * kWidth + x)]);
    }
    std::vector<std::string> paths;
    paths.push_back(writeFile(inFolder(folder, "a.asc"), text));
    paths.push_back(writeFile(inFolder(folder, "c.npy"), npy("<i2", "(29, 37)", packed(values))));
    paths.push_back(writeFile(inFolder(folder, "f.npy"), npy("<i2", "(29, 37)", packed(columns), true)));
    Tiff tiff;
    tiff.width = kWidth;
    tiff.height = kHeight;
    tiff.type = GDT_Int16;
    tiff.values = doubles;
    tiff.nodata = -32768;
    paths.push_back(writeTiff(inFolder(folder, "strips.tif"), tiff));
    tiff.creation = {"TILED=YES", "BLOCKXSIZE=16", "BLOCKYSIZE=16", "COMPRESS=LZW"};
    tiff.type = GDT_Float32;
    paths.push_back(writeTiff(inFolder(folder, "tiles.tif"), tiff));
    tiff.values = southDoubles;
    tiff.transform = {{500000, 10, 0, 5000000, 0, 10}};
    tiff.epsg = 32632;
    paths.push_back(writeTiff(inFolder(folder, "south.tif"), tiff));
    return paths;
}

TEST(ImportRaster, EveryWindowOfEveryFormatIsThatPartOfTheWhole) {
    const TempFolder folder;
    std::vector<float> expected;
    const std::vector<std::string> paths = writeAll(folder, expected);
    ImportOptions options;
    options.nodata = -32768;
    for (const std::string& path : paths) {
        SCOPED_TRACE(path);
        auto opened = openRaster(path, options);
        ASSERT_TRUE(opened.ok()) << opened.error().message;
        RasterSource& source = **opened;
        ASSERT_EQ(source.info().width, 37);
        ASSERT_EQ(source.info().height, 29);
        Random random(5);
        for (int round = 0; round < 60; ++round) {
            GridRect window;
            window.minX = random.integer(0, 36);
            window.maxX = random.integer(window.minX + 1, 37);
            window.minZ = random.integer(0, 28);
            window.maxZ = random.integer(window.minZ + 1, 29);
            std::vector<float> part,
                heights(static_cast<std::size_t>(window.width() * window.depth()), 123456);
            std::vector<std::uint8_t> voids(heights.size(), 7);
            for (int z = window.minZ; z < window.maxZ; ++z) {
                for (int x = window.minX; x < window.maxX; ++x)
                    part.push_back(expected[static_cast<std::size_t>(z * 37 + x)]);
            }
            const auto read = source.readWindow(window, heights, voids);
            ASSERT_TRUE(read.ok()) << read.error().message;
            expectSame(heights, part);
            for (std::size_t i = 0; i < voids.size(); ++i)
                ASSERT_EQ(voids[i], std::isnan(part[i]) ? 1 : 0);
        }
    }
}

TEST(ImportRaster, WholeIsTheSamplesWithHoles) {
    const TempFolder folder;
    std::vector<float> expected;
    const std::vector<std::string> paths = writeAll(folder, expected);
    ImportOptions options;
    options.nodata = -32768;
    float low = 1e9f, high = -1e9f;
    std::uint64_t voids = 0;
    for (const float height : expected) {
        voids += std::isnan(height) ? 1u : 0u;
        low = height < low ? height : low;
        high = height > high ? height : high;
    }
    for (const std::string& path : paths) {
        SCOPED_TRACE(path);
        const auto imported = importRaster(path, options);
        ASSERT_TRUE(imported.ok()) << imported.error().message;
        const auto& [raster, info] = *imported;
        EXPECT_TRUE(info.measured);
        EXPECT_EQ(info.voids, voids);
        EXPECT_EQ(info.min, low);
        EXPECT_EQ(info.max, high);
        EXPECT_EQ(raster.heightRange(), (heightfield::HeightRange{low, high}));
        EXPECT_EQ(raster.texelX(0), 0);
        EXPECT_EQ(raster.texelZ(0), 0);
        EXPECT_NEAR(raster.texelX(36), 36 * info.spacingX, 1e-9);
        const auto isVoid = [&](int x, int z) {
            return x >= 0 && z >= 0 && x < 37 && z < 29 &&
                   std::isnan(expected[static_cast<std::size_t>(z * 37 + x)]);
        };
        for (int z = -1; z < 29; ++z) {
            for (int x = -1; x < 37; ++x) {
                ASSERT_EQ(raster.isHole(x, z),
                          isVoid(x, z) || isVoid(x + 1, z) || isVoid(x, z + 1) || isVoid(x + 1, z + 1));
                if (x < 0 || z < 0) continue;
                ASSERT_GE(raster.texel(x, z), low);
                if (!isVoid(x, z)) {
                    ASSERT_EQ(raster.texel(x, z), expected[static_cast<std::size_t>(z * 37 + x)]);
                }
            }
        }
        auto source = openRaster(path, options);
        ASSERT_TRUE(source.ok());
        EXPECT_FALSE((*source)->info().measured);
        const auto measured = measureRaster(**source);
        ASSERT_TRUE(measured.ok());
        EXPECT_EQ(measured->voids, voids);
        EXPECT_EQ(measured->min, low);
        EXPECT_EQ(measured->max, high);
    }
}

TEST(ImportRaster, NothingButVoids) {
    const TempFolder folder;
    const std::string path =
        writeFile(inFolder(folder, "v.npy"), npy("<f4", "(2, 2)", packed<float>({kNan, kNan, kNan, kNan})));
    const auto imported = importRaster(path);
    ASSERT_TRUE(imported.ok()) << imported.error().message;
    EXPECT_FALSE(imported->info.hasHeights());
    EXPECT_EQ(imported->info.voids, 4u);
    EXPECT_EQ(imported->info.min, 0);
    EXPECT_FALSE(imported->raster.heightAt(0, 0).has_value());
}

TEST(ImportRaster, BeyondTheLimitIsRefusedBeforeMemoryIsAskedFor) {
    const TempFolder folder;
    const std::string path =
        writeFile(inFolder(folder, "a.npy"), npy("|u1", "(100, 100)", std::string(10000, '\1')));
    CountingAllocator allocator;
    Externals externals;
    externals.allocator = &allocator;
    ImportOptions options;
    options.maxBytes = 39999;
    const auto refused = importRaster(path, options, externals);
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().code, ErrorCode::TooLarge);
    EXPECT_THAT(refused.error().message, HasSubstr("40000 bytes, the limit is 39999"));
    EXPECT_THAT(refused.error().message, HasSubstr("a.npy"));
    EXPECT_EQ(allocator.peak, 0u);
    options.maxBytes = 40000;
    EXPECT_TRUE(importRaster(path, options, externals).ok());
    EXPECT_GT(importMemoryLimit({}), 0u);
}

TEST(ImportRaster, WindowsThatLeaveTheRasterAreRefused) {
    const TempFolder folder;
    auto source =
        openRaster(writeFile(inFolder(folder, "a.npy"), npy("|u1", "(4, 4)", std::string(16, '\1'))));
    ASSERT_TRUE(source.ok());
    std::vector<float> heights(16);
    std::vector<std::uint8_t> voids(15);
    EXPECT_FALSE((*source)->readWindow({0, 0, 5, 4}, heights).ok());
    EXPECT_FALSE((*source)->readWindow({-1, 0, 3, 4}, heights).ok());
    EXPECT_FALSE((*source)->readWindow({0, 0, 4, 3}, heights).ok());
    EXPECT_FALSE((*source)->readWindow({2, 2, 2, 4}, {}).ok());
    EXPECT_FALSE((*source)->readWindow({0, 0, 4, 4}, heights, voids).ok());
    EXPECT_TRUE((*source)->readWindow({0, 0, 4, 4}, heights).ok());
}

}  // namespace
}  // namespace karst::importer
