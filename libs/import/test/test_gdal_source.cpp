#include "import_test.h"

namespace karst::importer {
namespace {

using namespace test;

TEST(GdalSource, HorizontalPredictor) {
    const TempFolder folder;
    Tiff tiff;
    tiff.width = 6;
    tiff.type = GDT_Int16;
    tiff.values = {100, 107, 114, 121, 128, 135};
    tiff.creation = {"COMPRESS=DEFLATE", "PREDICTOR=2"};
    expectSame(samplesOf(writeTiff(inFolder(folder, "p2.tif"), tiff)), {100, 107, 114, 121, 128, 135});
}

TEST(GdalSource, ARoundedNodataTextMarksTheLeastFloat) {
    const TempFolder folder;
    const double most = std::numeric_limits<float>::max();
    Tiff tiff;
    tiff.width = tiff.height = 2;
    tiff.values = {1, -most, -most, 4};
    tiff.nodata = -3.4e38;
    const std::string path = writeTiff(inFolder(folder, "n.tif"), tiff);
    // The text in the file is the one that GIS programs write.
    const auto bytes = [&] {
        VSILFILE* file = VSIFOpenL(path.c_str(), "rb");
        std::string text(4096, '\0');
        text.resize(VSIFReadL(text.data(), 1, text.size(), file));
        VSIFCloseL(file);
        return text;
    }();
    ASSERT_THAT(bytes, HasSubstr("-3.39999999999999996e+38"));
    expectSame(samplesOf(path), {1, kNan, kNan, 4});
    const auto imported = importRaster(path);
    ASSERT_TRUE(imported.ok());
    EXPECT_EQ(imported->info.min, 1);
    EXPECT_EQ(imported->info.voids, 2u);
    EXPECT_EQ(imported->raster.heightRange().min, 1);
}

TEST(GdalSource, NodataIsComparedInTheBandsType) {
    const TempFolder folder;
    Tiff tiff;
    tiff.width = 3;
    tiff.type = GDT_UInt16;
    tiff.values = {32768, 5, 65535};
    tiff.nodata = -32768;
    expectSame(samplesOf(writeTiff(inFolder(folder, "u.tif"), tiff)), {32768, 5, 65535});
    tiff.type = GDT_Float32;
    tiff.values = {-9999.9, 5, -9999};
    tiff.nodata = -9999.9;
    expectSame(samplesOf(writeTiff(inFolder(folder, "f.tif"), tiff)), {kNan, 5, -9999});
    tiff.values = {std::nan(""), 5, 0};
    tiff.nodata = 0;
    expectSame(samplesOf(writeTiff(inFolder(folder, "z.tif"), tiff)), {kNan, 5, kNan});
    ImportOptions options;
    options.nodata = 5;
    expectSame(samplesOf(inFolder(folder, "z.tif"), options), {kNan, kNan, 0});
}

TEST(GdalSource, ScaleOffsetAndUnitApplyButNotToTheMarker) {
    const TempFolder folder;
    Tiff tiff;
    tiff.width = 3;
    tiff.type = GDT_Int16;
    tiff.values = {10, 20, -1};
    tiff.nodata = -1;
    tiff.scale = 0.5;
    tiff.offset = 100;
    const std::string path = writeTiff(inFolder(folder, "s.tif"), tiff);
    expectSame(samplesOf(path), {105, 110, kNan});
    tiff.unit = "ft";
    const std::string feet = writeTiff(inFolder(folder, "ft.tif"), tiff);
    const auto heights = samplesOf(feet);
    EXPECT_FLOAT_EQ(heights[0], 105 * 0.3048f);
    EXPECT_FLOAT_EQ(heights[1], 110 * 0.3048f);
    EXPECT_TRUE(std::isnan(heights[2]));
    const auto source = openRaster(feet);
    ASSERT_TRUE(source.ok());
    EXPECT_EQ((*source)->info().heightUnit, "ft");
    EXPECT_EQ((*source)->info().metresPerHeightUnit, 0.3048);
    ImportOptions options;
    options.keepHeightUnit = true;
    expectSame(samplesOf(feet, options), {105, 110, kNan});
}

TEST(GdalSource, AMaskMakesVoids) {
    const TempFolder folder;
    Tiff tiff;
    tiff.width = tiff.height = 2;
    tiff.values = {1, 2, 3, 4};
    tiff.mask = {255, 0, 255, 255};
    expectSame(samplesOf(writeTiff(inFolder(folder, "m.tif"), tiff)), {1, kNan, 3, 4});
}

TEST(GdalSource, PointAndAreaLieOnTheSameGround) {
    const TempFolder folder;
    Tiff tiff;
    tiff.width = tiff.height = 3;
    tiff.values = std::vector<double>(9, 1);
    tiff.epsg = 4326;
    tiff.transform = {{7.0, 0.5, 0, 47.0, 0, -0.5}};
    const auto area = openRaster(writeTiff(inFolder(folder, "area.tif"), tiff));
    tiff.point = true;  // GDAL moves the tie point in the file by half a cell
    const auto point = openRaster(writeTiff(inFolder(folder, "point.tif"), tiff));
    ASSERT_TRUE(area.ok() && point.ok());
    for (const auto* source : {&area, &point}) {
        const RasterInfo& info = (*source)->get()->info();
        ASSERT_TRUE(info.position);
        EXPECT_DOUBLE_EQ(info.position->longitude, 7.25);
        EXPECT_DOUBLE_EQ(info.position->latitude, 46.75);
        EXPECT_EQ(info.crs, "EPSG:4326");
    }
    EXPECT_EQ((*area)->info().spacingX, (*point)->info().spacingX);
}

TEST(GdalSource, SouthUpAndEastLeftAreTurned) {
    const TempFolder folder;
    Tiff tiff;
    tiff.width = 3;
    tiff.height = 2;
    tiff.values = {1, 2, 3, 4, 5, 6};
    tiff.epsg = 32632;
    tiff.transform = {{500000, 10, 0, 5000000, 0, 10}};
    const std::string south = writeTiff(inFolder(folder, "s.tif"), tiff);
    expectSame(samplesOf(south), {4, 5, 6, 1, 2, 3});
    tiff.transform = {{500000, -10, 0, 5000000, 0, -10}};
    const std::string east = writeTiff(inFolder(folder, "e.tif"), tiff);
    expectSame(samplesOf(east), {3, 2, 1, 6, 5, 4});
    tiff.transform = {{499970, 10, 0, 5000020, 0, -10}};
    const auto northUp = openRaster(writeTiff(inFolder(folder, "n.tif"), tiff));
    const auto turned = openRaster(south), mirrored = openRaster(east);
    ASSERT_TRUE(northUp.ok() && turned.ok() && mirrored.ok());
    ASSERT_TRUE((*turned)->info().position && (*mirrored)->info().position);
    EXPECT_NEAR((*turned)->info().position->latitude, (*northUp)->info().position->latitude, 1e-9);
    EXPECT_NEAR((*mirrored)->info().position->longitude, (*northUp)->info().position->longitude, 1e-8);
}

TEST(GdalSource, RotatedIsRefusedUnlessTheSpacingIsGiven) {
    const TempFolder folder;
    Tiff tiff;
    tiff.width = tiff.height = 2;
    tiff.values = {1, 2, 3, 4};
    tiff.transform = {{0, 8, 6, 0, 6, -8}};
    const std::string path = writeTiff(inFolder(folder, "r.tif"), tiff);
    EXPECT_THAT(failureOf(path), HasSubstr("gdalwarp"));
    ImportOptions options;
    options.spacing = SampleSpacing{10, 10};
    expectSame(samplesOf(path, options), {1, 2, 3, 4});
}

TEST(GdalSource, AFootOfTheCoordinateSystemIsConverted) {
    const TempFolder folder;
    Tiff tiff;
    tiff.width = tiff.height = 2;
    tiff.values = {1, 2, 3, 4};
    tiff.epsg = 2263;  // New York Long Island, US survey feet
    tiff.transform = {{1000000, 10, 0, 200000, 0, -10}};
    const auto source = openRaster(writeTiff(inFolder(folder, "ft.tif"), tiff));
    ASSERT_TRUE(source.ok()) << source.error().message;
    EXPECT_NEAR((*source)->info().spacingX, 10 * 1200.0 / 3937.0, 1e-9);
    EXPECT_EQ((*source)->info().crs, "EPSG:2263");
    expectSame(samplesOf(**source), {1, 2, 3, 4});
}

TEST(GdalSource, CutShortIsAnErrorNotZeros) {
    const TempFolder folder;
    Tiff tiff;
    tiff.width = tiff.height = 64;
    tiff.values = std::vector<double>(64 * 64, 1.25);
    for (const char* compression : {"COMPRESS=NONE", "COMPRESS=DEFLATE"}) {
        tiff.creation = {compression};
        Random random(5);
        for (double& value : tiff.values)
            value = random.range(0, 1000);
        const std::string path = writeTiff(inFolder(folder, "whole.tif"), tiff);
        VSILFILE* file = VSIFOpenL(path.c_str(), "rb");
        std::string bytes(1 << 20, '\0');
        bytes.resize(VSIFReadL(bytes.data(), 1, bytes.size(), file));
        VSIFCloseL(file);
        for (int i = 0; i < 40; ++i) {
            const auto length =
                static_cast<std::size_t>(random.integer(1, static_cast<int>(bytes.size()) - 1));
            const std::string cut = writeFile(inFolder(folder, "cut.tif"), bytes.substr(0, length));
            const auto imported = importRaster(cut);
            ASSERT_FALSE(imported.ok()) << length << " of " << bytes.size();
            EXPECT_THAT(imported.error().message, HasSubstr("cut.tif"));
        }
    }
}

TEST(GdalSource, AbsurdSizesAreRefusedBeforeMemoryIsAskedFor) {
    const TempFolder folder;
    GDALAllRegister();
    CountingAllocator allocator;
    Externals externals;
    externals.allocator = &allocator;
    const auto sparse = [&](const std::string& name, int side, const char* compression) {
        char** creation = nullptr;
        for (const char* option : {"SPARSE_OK=TRUE", "TILED=YES", "BIGTIFF=YES", "BLOCKXSIZE=4096",
                                   "BLOCKYSIZE=4096", compression})
            creation = CSLAddString(creation, option);
        const std::string path = inFolder(folder, name);
        GDALClose(
            GDALCreate(GDALGetDriverByName("GTiff"), path.c_str(), side, side, 1, GDT_Float32, creation));
        CSLDestroy(creation);
        return path;
    };
    const std::string wide = sparse("wide.tif", 1'200'000, "COMPRESS=DEFLATE");
    auto imported = importRaster(wide, {}, externals);
    ASSERT_FALSE(imported.ok());
    EXPECT_EQ(imported.error().code, ErrorCode::TooLarge);
    EXPECT_THAT(imported.error().message, HasSubstr("1200000 x 1200000"));
    for (const char* compression : {"COMPRESS=DEFLATE", "COMPRESS=LZW", "COMPRESS=ZSTD"}) {
        imported = importRaster(sparse("large.tif", 60'000, compression), {}, externals);
        ASSERT_FALSE(imported.ok());
        EXPECT_EQ(imported.error().code, ErrorCode::CorruptData);
        EXPECT_THAT(imported.error().message, HasSubstr("60000 x 60000"));
    }
    imported = importRaster(sparse("plain.tif", 20'000, "COMPRESS=NONE"), {}, externals);
    ASSERT_FALSE(imported.ok());
    EXPECT_EQ(imported.error().code, ErrorCode::CorruptData);
    EXPECT_EQ(allocator.peak, 0u);
}

TEST(GdalSource, ATileFarLargerThanItsRasterIsRefused) {
    const TempFolder folder;
    GDALAllRegister();
    const auto tiled = [&](const char* name, const char* blockX, const char* blockY) {
        char** creation = nullptr;
        for (const char* option : {"SPARSE_OK=TRUE", "TILED=YES", "COMPRESS=DEFLATE", blockX, blockY})
            creation = CSLAddString(creation, option);
        const std::string path = inFolder(folder, name);
        GDALClose(GDALCreate(GDALGetDriverByName("GTiff"), path.c_str(), 100, 100, 1, GDT_Float32, creation));
        CSLDestroy(creation);
        return path;
    };
    EXPECT_THAT(failureOf(tiled("large.tif", "BLOCKXSIZE=16384", "BLOCKYSIZE=16384")),
                HasSubstr("16384 x 16384"));
    EXPECT_TRUE(importRaster(tiled("usual.tif", "BLOCKXSIZE=512", "BLOCKYSIZE=512")).ok());
}

TEST(GdalSource, PicturesAndTheirSidecar) {
    const TempFolder folder;
    Tiff tiff;
    tiff.driver = "PNG";
    tiff.width = tiff.height = 2;
    tiff.type = GDT_UInt16;
    tiff.values = {0, 65535, 13107, 65535};
    const std::string path = writeTiff(inFolder(folder, "h.png"), tiff);
    expectSame(samplesOf(path), {0, 65535, 13107, 65535});
    ImportOptions options;
    options.valueRange = heightfield::HeightRange{100, 200};
    expectSame(samplesOf(path, options), {100, 200, 120, 200});
    writeFile(inFolder(folder, "h.json"), R"({"min_m": -50, "max_m": 50, "spacing": 3})");
    expectSame(samplesOf(path), {-50, 50, -30, 50});
    EXPECT_EQ((*openRaster(path))->info().spacingX, 3);
    writeFile(inFolder(folder, "h.json"), "somebody else's");
    expectSame(samplesOf(path), {0, 65535, 13107, 65535});
}

TEST(GdalSource, WhatIsNoRasterSaysSo) {
    const TempFolder folder;
    EXPECT_THAT(failureOf(inFolder(folder, "absent.tif")), HasSubstr("no such file"));
    EXPECT_THAT(failureOf(folder.path().string()), HasSubstr("folder"));
    EXPECT_THAT(failureOf(writeFile(inFolder(folder, "e.tif"), "")), HasSubstr("empty"));
    EXPECT_THAT(failureOf(writeFile(inFolder(folder, "t.tif"), "hello, this is text")), HasSubstr("GeoTIFF"));
    Tiff tiff;
    tiff.values = {1};
    ImportOptions options;
    options.band = 2;
    EXPECT_THAT(failureOf(writeTiff(inFolder(folder, "b.tif"), tiff), options), HasSubstr("band 2 of 1"));
}

}  // namespace
}  // namespace karst::importer
