#include "georeference.h"
#include "import_test.h"

namespace karst::importer {
namespace {

using namespace test;

std::string tile(const std::vector<std::int16_t>& values) {
    return packed(values, ByteOrder::Big);
}

TEST(HgtSource, VoidsNeverMixIntoACell) {
    const TempFolder folder;
    const std::string path = writeFile(inFolder(folder, "N10E020.hgt"), tile({100, -32768, -32768, -32768}));
    const auto imported = importRaster(path);
    ASSERT_TRUE(imported.ok()) << imported.error().message;
    const RasterInfo& info = imported->info;
    EXPECT_EQ(info.voids, 3u);
    EXPECT_EQ(info.min, 100);
    EXPECT_EQ(info.max, 100);
    const heightfield::HeightRaster& raster = imported->raster;
    Random random(3);
    const Rect& rect = raster.rect();
    for (int i = 0; i < 2000; ++i) {
        const auto height =
            raster.heightAt(random.range(rect.minX, rect.maxX), random.range(rect.minZ, rect.maxZ));
        if (height) {
            EXPECT_EQ(*height, 100);
        }
    }
    for (const float height : raster.heights())
        EXPECT_EQ(height, 100);
    EXPECT_FALSE(raster.heightAt(info.spacingX * 0.5, info.spacingZ * 0.5).has_value());
    EXPECT_EQ(raster.heightRange(), (heightfield::HeightRange{100, 100}));
}

TEST(HgtSource, TheNameGivesThePlace) {
    const TempFolder folder;
    const std::string bytes = tile(std::vector<std::int16_t>(9, 5));
    struct Named {
        const char* name;
        double west, north;
    };
    for (const Named& named :
         {Named{"N42E001.hgt", 1, 43}, Named{"s07w078.SRTMGL1.hgt", -78, -6}, Named{"S01E000.HGT", 0, 0}}) {
        const auto source = openRaster(writeFile(inFolder(folder, named.name), bytes));
        ASSERT_TRUE(source.ok()) << source.error().message;
        const RasterInfo& info = (*source)->info();
        ASSERT_TRUE(info.position) << named.name;
        EXPECT_EQ(info.position->longitude, named.west);
        EXPECT_EQ(info.position->latitude, named.north);
        EXPECT_EQ(info.crs, "EPSG:4326");
        const MetresPerDegree metres = metresPerDegree(named.north - 0.5);
        EXPECT_DOUBLE_EQ(info.spacingX, metres.longitude / 2);
        EXPECT_DOUBLE_EQ(info.spacingZ, metres.latitude / 2);
        EXPECT_EQ(info.spacingFrom, SpacingFrom::Degrees);
    }
}

TEST(HgtSource, AnotherNameOpensByItsLength) {
    const TempFolder folder;
    KeptLog log;
    Externals externals;
    externals.log = &log;
    const std::string path =
        writeFile(inFolder(folder, "alps.hgt"), tile(std::vector<std::int16_t>(1201 * 1201, 7)));
    const auto source = openRaster(path, {}, externals);
    ASSERT_TRUE(source.ok()) << source.error().message;
    const RasterInfo& info = (*source)->info();
    EXPECT_EQ(info.width, 1201);
    EXPECT_EQ(info.height, 1201);
    EXPECT_FALSE(info.position);
    EXPECT_TRUE(info.crs.empty());
    EXPECT_NEAR(info.spacingX, 92.6, 0.1);
    EXPECT_NEAR(info.spacingZ, 92.6, 0.1);
    EXPECT_EQ(info.spacingFrom, SpacingFrom::Assumed);
    EXPECT_THAT(log.text, HasSubstr("assumed"));

    ImportOptions options;
    options.spacing = SampleSpacing{70, 90};
    const auto again = openRaster(path, options);
    ASSERT_TRUE(again.ok());
    EXPECT_EQ((*again)->info().spacingX, 70);
    EXPECT_EQ((*again)->info().spacingFrom, SpacingFrom::Option);
}

TEST(HgtSource, TheNarrowTileOfTheNorth) {
    const TempFolder folder;
    std::vector<std::int16_t> values(1801 * 3601);
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = static_cast<std::int16_t>(i % 1801);
    const auto source = openRaster(writeFile(inFolder(folder, "N55E010.hgt"), tile(values)));
    ASSERT_TRUE(source.ok()) << source.error().message;
    EXPECT_EQ((*source)->info().width, 1801);
    EXPECT_EQ((*source)->info().height, 3601);
    EXPECT_NEAR((*source)->info().spacingX, metresPerDegree(55.5).longitude / 1800, 1e-9);
    std::vector<float> row(1801);
    ASSERT_TRUE((*source)->readWindow({0, 3600, 1801, 3601}, row).ok());
    EXPECT_EQ(row[1800], 1800);
}

TEST(HgtSource, OtherLengthsAreRefused) {
    const TempFolder folder;
    for (const std::size_t bytes : {1u, 2u, 3u, 10u, 2884801u, 2884800u}) {
        const std::string path = writeFile(inFolder(folder, "N42E001.hgt"), std::string(bytes, '\0'));
        const std::string message = failureOf(path);
        EXPECT_THAT(message, HasSubstr(std::to_string(bytes)));
        EXPECT_THAT(message, HasSubstr("2884802"));
    }
}

TEST(HgtSource, ZippedIsTheSame) {
    const TempFolder folder;
    const std::string bytes = tile({1, 2, 3, -32768, 5, 6, 7, 8, 9});
    const std::string plain = writeFile(inFolder(folder, "N01E002.hgt"), bytes);
    const std::string archive = inFolder(folder, "N01E002.hgt.zip");
    writeFile("/vsizip/" + archive + "/N01E002.hgt", bytes);
    expectSame(samplesOf(archive), {1, 2, 3, kNan, 5, 6, 7, 8, 9});
    const auto a = openRaster(plain), b = openRaster(archive);
    ASSERT_TRUE(a.ok() && b.ok());
    EXPECT_EQ((*a)->info().spacingX, (*b)->info().spacingX);
    EXPECT_EQ((*b)->info().format, "SRTMHGT");
    ASSERT_TRUE((*b)->info().position);
    EXPECT_EQ((*b)->info().position->latitude, 2);
}

TEST(HgtSource, ImportHoldsTheRasterAndAWindow) {
    const TempFolder folder;
    std::vector<std::int16_t> values(1201 * 1201, 7);
    values[5000] = -32768;
    const std::string path = writeFile(inFolder(folder, "N42E001.hgt"), tile(values));
    CountingAllocator allocator;
    Externals externals;
    externals.allocator = &allocator;
    const auto imported = importRaster(path, {}, externals);
    ASSERT_TRUE(imported.ok());
    EXPECT_EQ(imported->info.voids, 1u);
    EXPECT_LE(allocator.peak, 1201u * 1201 * 4 + 1202u * 1202 / 8 + 64);
}

}  // namespace
}  // namespace karst::importer
