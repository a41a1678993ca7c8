#include <algorithm>

#include "asc_header.h"
#include "import_test.h"

namespace karst::importer {
namespace {

using namespace test;

const std::string kBody = "1 2 3\n4 -9999 6\n";

TEST(AscSource, KeysInAnyOrderAndCase) {
    const TempFolder folder;
    Random random(11);
    std::vector<std::string> keys{"ncols 3",       "nrows 2",      "xllcorner 500",
                                  "yllcorner 700", "cellsize 2.5", "NODATA_value -9999"};
    for (int round = 0; round < 60; ++round) {
        for (std::size_t i = keys.size() - 1; i > 0; --i)
            std::swap(keys[i], keys[static_cast<std::size_t>(random.integer(0, static_cast<int>(i)))]);
        std::string text;
        for (const std::string& key : keys) {
            for (const char c : key) {
                const bool lower = random.chance(0.5);
                const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
                text += !letter ? c : static_cast<char>(lower ? (c | 0x20) : (c & ~0x20));
            }
            text += random.chance(0.3) ? "\r\n" : random.chance(0.5) ? "\n" : "  \n";
        }
        const std::string path = writeFile(inFolder(folder, "grid.asc"), text + kBody);
        expectSame(samplesOf(path), {1, 2, 3, 4, kNan, 6});
        const auto source = openRaster(path);
        ASSERT_TRUE(source.ok());
        EXPECT_EQ((*source)->info().spacingX, 2.5);
        EXPECT_EQ((*source)->info().spacingZ, 2.5);
        EXPECT_EQ((*source)->info().format, "AAIGrid");
    }
}

TEST(AscSource, CornersAndCentresLieOnTheSameGround) {
    const TempFolder folder;
    const std::string prj =
        "GEOGCS[\"GCS_WGS_1984\",DATUM[\"D_WGS_1984\",SPHEROID[\"WGS_1984\",6378137.0,298.257223563]],"
        "PRIMEM[\"Greenwich\",0.0],UNIT[\"Degree\",0.0174532925199433]]";
    writeFile(inFolder(folder, "grid.prj"), prj);
    const std::string body = "\n1 2 3\n4 5 6\n";
    const std::string head = "ncols 3\nnrows 2\ncellsize 0.5\n";
    std::vector<RasterInfo> infos;
    for (const char* at : {"xllcorner 7\nyllcorner 40\n", "xllcenter 7.25\nyllcenter 40.25\n",
                           "XLLCENTRE 7.25\nYLLCORNER 40"}) {
        const auto source = openRaster(writeFile(inFolder(folder, "grid.asc"), head + at + body));
        ASSERT_TRUE(source.ok()) << source.error().message;
        infos.push_back((*source)->info());
    }
    for (const RasterInfo& info : infos) {
        ASSERT_TRUE(info.position);
        EXPECT_DOUBLE_EQ(info.position->longitude, 7.25);
        EXPECT_DOUBLE_EQ(info.position->latitude, 40.75);
        EXPECT_EQ(info.spacingFrom, SpacingFrom::Degrees);
        EXPECT_EQ(info.spacingX, infos[0].spacingX);
    }
    EXPECT_EQ(infos[0].crs, "EPSG:4326");
}

TEST(AscSource, DxAndDyAreTwoSpacings) {
    const TempFolder folder;
    const auto source = openRaster(writeFile(
        inFolder(folder, "g.asc"), "ncols 2\nnrows 2\nxllcorner 1000\nyllcorner 0\ndx 2\ndy 3\n1 2 3 4"));
    ASSERT_TRUE(source.ok()) << source.error().message;
    EXPECT_EQ((*source)->info().spacingX, 2);
    EXPECT_EQ((*source)->info().spacingZ, 3);
}

TEST(AscSource, FirstValueNan) {
    const TempFolder folder;
    const std::string head = "ncols 2\nnrows 2\nxllcorner 1000\nyllcorner 0\ncellsize 1\n";
    for (const char* first : {"nan", "NaN", "-nan", "1.#QNAN", "inf", "-nan(ind)", "null"}) {
        expectSame(samplesOf(writeFile(inFolder(folder, "g.asc"), head + first + " 2\n3 4\n")),
                   {kNan, 2, 3, 4});
    }
}

TEST(AscSource, WithoutANodataLineItIsTheFormatsDefault) {
    const TempFolder folder;
    const std::string head = "ncols 2\nnrows 2\nxllcorner 1000\nyllcorner 0\ncellsize 1\n";
    const std::string path = writeFile(inFolder(folder, "g.asc"), head + "-9999 2\n3 0\n");
    expectSame(samplesOf(path), {kNan, 2, 3, 0});
    ImportOptions options;
    options.nodata = 0;
    expectSame(samplesOf(path, options), {-9999, 2, 3, kNan});
}

TEST(AscSource, NumbersAsPeopleWriteThem) {
    EXPECT_EQ(ascNumber("+12.5"), 12.5);
    EXPECT_EQ(ascNumber("1e3"), 1000);
    EXPECT_EQ(ascNumber("1.5E+02"), 150);
    EXPECT_EQ(ascNumber("12,5"), 12.5);
    EXPECT_EQ(ascNumber("-.5"), -0.5);
    EXPECT_EQ(ascNumber("1e-999"), 0);
    EXPECT_TRUE(std::isnan(*ascNumber("1e999")));
    for (const char* bad : {"", "-", "abc", "1x", "1,2,3", "1.2,3", "--1", "+-+1"})
        EXPECT_FALSE(ascNumber(bad)) << bad;
}

TEST(AscSource, AnAbsurdSizeIsRefusedBeforeMemoryIsAskedFor) {
    const TempFolder folder;
    CountingAllocator allocator;
    Externals externals;
    externals.allocator = &allocator;
    struct Claim {
        const char *columns, *rows, *said;
    };
    for (const Claim& claim :
         {Claim{"1000000001", "2", "1000000001 x 2"}, Claim{"2", "1000000001", "1000000001"},
          Claim{"4294967297", "4294967297", "4294967297"},
          Claim{"18446744073709551617", "2", "no whole number"}, Claim{"1000000", "1000000", "room for"},
          Claim{"0", "2", "0 x 2"}, Claim{"-3", "2", "-3 x 2"}, Claim{"2.5", "2", "2.5"}}) {
        const std::string path = writeFile(inFolder(folder, "big.asc"),
                                           std::string("ncols ") + claim.columns + "\nnrows " + claim.rows +
                                               "\nxllcorner 0\nyllcorner 0\ncellsize 1\n1 2\n3 4\n");
        const auto imported = importRaster(path, {}, externals);
        ASSERT_FALSE(imported.ok());
        EXPECT_THAT(imported.error().message, HasSubstr(claim.said));
        EXPECT_EQ(allocator.peak, 0u);
    }
}

TEST(AscSource, BrokenFilesSayWhere) {
    const TempFolder folder;
    const std::string head = "ncols 3\nnrows 2\nxllcorner 1000\nyllcorner 0\ncellsize 1\n";
    const auto failure = [&](const std::string& text) {
        return failureOf(writeFile(inFolder(folder, "g.asc"), text));
    };
    EXPECT_THAT(failure(head + "1 2 3\n4.0000 500000\n"), HasSubstr("5 of 6 values"));
    EXPECT_THAT(failure(head + "1 2 3\n4 five 6\n"), HasSubstr("row 1 column 1 is 'five'"));
    EXPECT_THAT(failure("ncols 3\nxllcorner 1 yllcorner 1 cellsize 1\n1 2 3\n"), HasSubstr("no nrows"));
    EXPECT_THAT(failure("ncols 3\nnrows 2\ndx 5\n1 2 3 4 5 6"), HasSubstr("no dy"));
    EXPECT_THAT(failure("ncols 3\nnrows 2\ndy 5\n1 2 3 4 5 6"), HasSubstr("no dx"));
    EXPECT_THAT(failure("ncols 3\nncols 3\nnrows 2\n1 2 3 4 5 6"), HasSubstr("ncols stands twice"));
    EXPECT_THAT(failure("ncols 3\nnrows two\n1 2 3"), HasSubstr("nrows is 'two'"));
    EXPECT_THAT(failure("ncols 3\nnrows 2\nwhat 4\n1 2 3 4 5 6"), HasSubstr("'what'"));
    EXPECT_THAT(failure("ncols 3\nnrows 2\n"), HasSubstr("ends inside the header"));
    EXPECT_THAT(failure(head + std::string(100000, '1')), HasSubstr("characters"));
}

TEST(AscSource, MoreValuesThanToldAreSpokenOf) {
    const TempFolder folder;
    KeptLog log;
    Externals externals;
    externals.log = &log;
    const auto imported = importRaster(
        writeFile(inFolder(folder, "g.asc"), "ncols 2\nnrows 1\ncellsize 1\n1 2\n3 4\n"), {}, externals);
    ASSERT_TRUE(imported.ok());
    EXPECT_THAT(log.text, HasSubstr("goes on after"));
}

TEST(AscSource, ValuesNeedNotStandInTheirRows) {
    const TempFolder folder;
    const std::string head = "ncols 3\nnrows 2\ncellsize 1\n";
    expectSame(samplesOf(writeFile(inFolder(folder, "g.asc"), head + "1\n2\n3\n4 5\n\n6")),
               {1, 2, 3, 4, 5, 6});
    expectSame(samplesOf(writeFile(inFolder(folder, "g.asc"), "\xef\xbb\xbf" + head + "1 2 3 4 5 6")),
               {1, 2, 3, 4, 5, 6});
}

}  // namespace
}  // namespace karst::importer
