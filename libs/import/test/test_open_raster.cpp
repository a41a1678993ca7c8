#include <algorithm>

#include "import_test.h"

namespace karst::importer {
namespace {

using namespace test;

/// The values of the real files, found by other programs.
struct Real {
    const char* file;
    const char* format;
    int width, height;
    float min, max;
    std::uint64_t voids;
    float northWest, southEast;  ///< corner samples; NaN where the corner is a void
    double spacingX, spacingZ;
    const char* crs;
};

// Names the test after its file; without it the struct's bytes, addresses among them, would.
void PrintTo(const Real& real, std::ostream* out) {
    *out << real.file;
}

class RealFile : public ::testing::TestWithParam<Real> {};

TEST_P(RealFile, GivesItsKnownValues) {
    const Real& real = GetParam();
    KARST_REAL_DATA_OR_SKIP(path, real.file);
    const auto imported = importRaster(path.string());
    ASSERT_TRUE(imported.ok()) << imported.error().message;
    const auto& [raster, info] = *imported;
    EXPECT_EQ(info.format, real.format);
    EXPECT_EQ(info.width, real.width);
    EXPECT_EQ(info.height, real.height);
    EXPECT_NEAR(info.min, real.min, 0.005);
    EXPECT_NEAR(info.max, real.max, 0.005);
    EXPECT_EQ(info.voids, real.voids);
    EXPECT_EQ(raster.heightRange(), (heightfield::HeightRange{info.min, info.max}));
    EXPECT_NEAR(info.spacingX, real.spacingX, real.spacingX * 1e-3);
    EXPECT_NEAR(info.spacingZ, real.spacingZ, real.spacingZ * 1e-3);
    EXPECT_EQ(info.crs, real.crs);
    const auto first = raster.heightAt(0, 0);
    const auto last = raster.heightAt(info.spacingX * (info.width - 1), info.spacingZ * (info.height - 1));
    EXPECT_EQ(first.has_value(), !std::isnan(real.northWest));
    EXPECT_EQ(last.has_value(), !std::isnan(real.southEast));
    if (first) {
        EXPECT_NEAR(*first, real.northWest, 0.005);
    }
    if (last) {
        EXPECT_NEAR(*last, real.southEast, 0.005);
    }
}

const char* const kMars = "Mars2000 Equidistant Cylindrical clon0";

INSTANTIATE_TEST_SUITE_P(
    Files, RealFile,
    ::testing::Values(
        Real{"N42E001.hgt", "SRTMHGT", 1201, 1201, 349, 3100, 7652, 838, 707, 68.50, 92.57, "EPSG:4326"},
        Real{"N43E007.hgt.zip", "SRTMHGT", 1201, 1201, -11, 2064, 1595, 771, 0, 67.40, 92.59, "EPSG:4326"},
        Real{"SainteHelens.dem", "USGSDEM", 327, 468, 682, 2543, 4151, kNan, kNan, 30, 30, "EPSG:26710"},
        Real{"mmgis_gale_missionDEM.tif", "GTiff", 348, 337, -4472.67f, -4437.88f, 0, -4470.74f, -4437.883f,
             1, 1, kMars},
        Real{"olinda_dem_utm25s.tif", "GTiff", 111, 111, -1, 88, 0, 38, 0, 89.994, 89.994,
             "UTM Zone 25, Southern Hemisphere"},
        Real{"landlab_west_bijou_gully.asc", "AAIGrid", 43, 89, 1680.78f, 1725.43f, 2739, kNan, kNan, 3, 3,
             ""},
        Real{"mountain1.exr", "EXR", 256, 256, 0, 1.0048747f, 0, 0, 0, 1, 1, ""},
        Real{"andorra_513_metres_u16.png", "PNG", 513, 513, 524, 3100, 0, 969, 940, 1, 1, ""},
        Real{"andorra_513_norm_u16.png", "PNG", 513, 513, 0, 65535, 0, 11321, 10583, 1, 1, ""},
        Real{"andorra_513_norm.r16", "RAW", 513, 513, 524, 3100, 0, 968.997f, 939.989f, 1, 1, ""}));

TEST(OpenRaster, RealTilesHaveTheirPeaksAndWaters) {
    KARST_REAL_DATA_OR_SKIP(andorra, "N42E001.hgt");
    KARST_REAL_DATA_OR_SKIP(nice, "N43E007.hgt.zip");
    const auto a = importRaster(andorra.string());
    ASSERT_TRUE(a.ok());
    EXPECT_EQ(a->raster.texel(478, 400), 3100);
    EXPECT_EQ(a->raster.texel(1200, 0), 360);
    EXPECT_EQ(a->raster.texel(0, 1200), 828);
    ASSERT_TRUE(a->info.position);
    EXPECT_EQ(a->info.position->longitude, 1);
    EXPECT_EQ(a->info.position->latitude, 43);
    const auto heights = samplesOf(nice.string());
    std::size_t below = 0, sea = 0;
    for (const float height : heights) {
        below += height < 0 ? 1u : 0u;
        sea += height == 0 ? 1u : 0u;
    }
    EXPECT_EQ(below, 108u);
    EXPECT_EQ(sea, 1060406u);
    EXPECT_EQ(heights[5 * 1201 + 516], 2064);
    EXPECT_EQ(heights[1200], 763);
    EXPECT_EQ(heights[1200 * 1201], 0);
}

TEST(OpenRaster, RealHeightmapsAreTheSameGround) {
    KARST_REAL_DATA_OR_SKIP(metres, "andorra_513_metres_u16.png");
    KARST_REAL_DATA_OR_SKIP(picture, "andorra_513_norm_u16.png");
    KARST_REAL_DATA_OR_SKIP(raw, "andorra_513_norm.r16");
    KARST_REAL_DATA_OR_SKIP(bigEndian, "andorra_513_norm_bigendian.raw");
    KARST_REAL_DATA_OR_SKIP(json, "andorra_513.json");
    const auto expected = samplesOf(metres.string());
    ImportOptions options;
    options.raw.byteOrder = ByteOrder::Big;
    const auto fromRaw = samplesOf(raw.string());
    expectSame(samplesOf(bigEndian.string(), options), fromRaw);
    options.sidecar = json.string();
    expectSame(samplesOf(picture.string(), options), fromRaw);
    ASSERT_EQ(fromRaw.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i)
        ASSERT_NEAR(fromRaw[i], expected[i], 0.5 * 2576 / 65535 + 1e-3);
}

TEST(OpenRaster, RealEncodingsDecodeToTheSameMetres) {
    KARST_REAL_DATA_OR_SKIP(reference, "tiff/c_Int16_none_strip.tif");
    const auto expected = samplesOf(reference.string());
    const auto [low, high] = std::minmax_element(expected.begin(), expected.end());
    EXPECT_EQ(*low, 1505);
    EXPECT_EQ(*high, 2543);
    const auto base = openRaster(reference.string());
    ASSERT_TRUE(base.ok());
    for (const char* name :
         {"c_Float32_deflate_p1", "c_Float32_deflate_p3", "c_Float32_lzw_p3_tile64", "c_Float64_deflate_p1",
          "c_Float64_deflate_p3", "c_Int16_bigtiff", "c_Int16_deflate_p1", "c_Int16_deflate_p2",
          "c_Int16_lzw_p2_tile48x32", "c_Int16_none_bigendian", "c_Int16_packbits", "c_Int16_pixelisarea",
          "c_Int32_deflate_p1", "c_Int32_deflate_p2", "c_UInt16_deflate_p1", "c_UInt16_deflate_p2"}) {
        SCOPED_TRACE(name);
        KARST_REAL_DATA_OR_SKIP(path, std::string("tiff/") + name + ".tif");
        expectSame(samplesOf(path.string()), expected);
        const auto source = openRaster(path.string());
        ASSERT_TRUE(source.ok());
        ASSERT_TRUE((*source)->info().position);
        EXPECT_EQ((*source)->info().position->latitude, (*base)->info().position->latitude);
        EXPECT_EQ((*source)->info().spacingX, 30);
    }
    // Through its scale of 0.3048.
    KARST_REAL_DATA_OR_SKIP(feet, "tiff/c_Float32_scale_feet.tif");
    const auto scaled = samplesOf(feet.string());
    ASSERT_EQ(scaled.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i)
        ASSERT_FLOAT_EQ(scaled[i], expected[i] * 0.3048f);
}

TEST(OpenRaster, RealVoidsStayVoids) {
    KARST_REAL_DATA_OR_SKIP(integers, "tiff/e_Int16_voids.tif");
    KARST_REAL_DATA_OR_SKIP(floats, "tiff/e_Float32_voids.tif");
    const auto a = importRaster(integers.string()), b = importRaster(floats.string());
    ASSERT_TRUE(a.ok() && b.ok());
    EXPECT_EQ(a->info.voids, 551u);
    EXPECT_EQ(b->info.voids, 551u);
    EXPECT_EQ(a->info.min, 888);
    EXPECT_EQ(a->info.max, 1762);
    for (const float height : a->raster.heights())
        ASSERT_GE(height, 888);
    expectSame(samplesOf(integers.string()), samplesOf(floats.string()));
}

TEST(OpenRaster, ArchivesAskWhichFile) {
    const TempFolder folder;
    const std::string path = inFolder(folder, "two.zip");
    VSILFILE* archive = VSIFOpenL(("/vsizip/" + path).c_str(), "wb");
    writeFile("/vsizip/" + path + "/a.asc", "ncols 1\nnrows 1\ncellsize 1\n5");
    writeFile("/vsizip/" + path + "/maps/b.asc", "ncols 1\nnrows 1\ncellsize 1\n6");
    writeFile("/vsizip/" + path + "/readme.md", "hello");
    VSIFCloseL(archive);
    EXPECT_THAT(failureOf(path), HasSubstr("a.asc, maps/b.asc"));
    ImportOptions options;
    options.array = "b.asc";
    expectSame(samplesOf(path, options), {6});
    EXPECT_THAT(failureOf(writeFile(inFolder(folder, "br}ace.zip"), "PK\x03\x04 whatever")),
                HasSubstr("braces"));
    EXPECT_FALSE(failureOf(writeFile(inFolder(folder, "bad.zip"), "PK\x03\x04 and no more of it")).empty());
}

}  // namespace
}  // namespace karst::importer
