#include "import_test.h"
#include "sidecar.h"

namespace karst::importer {
namespace {

using namespace test;

TEST(RawSource, ByteCountThatDoesNotMatchIsNamed) {
    const TempFolder folder;
    const std::string path = writeFile(inFolder(folder, "t.raw"), std::string(1000, 'x'));
    ImportOptions options;
    options.raw.width = 32;
    options.raw.height = 16;
    const std::string message = failureOf(path, options);
    EXPECT_THAT(message, HasSubstr("1000 bytes"));
    EXPECT_THAT(message, HasSubstr("32 x 16"));
    EXPECT_THAT(message, HasSubstr("1 channel of uint16"));
    EXPECT_THAT(message, HasSubstr("1024"));
    options.raw.channels = 3;
    EXPECT_THAT(failureOf(path, options), HasSubstr("3 channels of uint16 needs 3072"));
    options.raw.channels = 0;
    EXPECT_THAT(failureOf(path, options), HasSubstr("0 channels"));
    options.raw.channels = 1;
    options.raw.width = options.raw.height = 1 << 20;
    EXPECT_THAT(failureOf(path, options), HasSubstr("2199023255552"));
    options.raw.width = 2147483647;
    EXPECT_THAT(failureOf(path, options), HasSubstr("2147483647"));
    options.raw.width = -5;
    EXPECT_THAT(failureOf(path, options), HasSubstr("-5"));
}

TEST(RawSource, ASquareIsTakenAsOneAndSaidSo) {
    const TempFolder folder;
    KeptLog log;
    Externals externals;
    externals.log = &log;
    const std::string path =
        writeFile(inFolder(folder, "t.r16"), packed<std::uint16_t>({1, 2, 3, 4, 5, 6, 7, 8, 9}));
    const auto imported = importRaster(path, {}, externals);
    ASSERT_TRUE(imported.ok()) << imported.error().message;
    EXPECT_EQ(imported->info.width, 3);
    EXPECT_EQ(imported->info.format, "RAW");
    EXPECT_THAT(log.text, HasSubstr("3 x 3"));
    const std::string other = writeFile(inFolder(folder, "u.r16"), std::string(20, 'a'));
    EXPECT_THAT(failureOf(other), HasSubstr("give width and height"));
    ImportOptions options;
    options.raw.width = 5;
    const auto derived = importRaster(other, options);
    ASSERT_TRUE(derived.ok());
    EXPECT_EQ(derived->info.height, 2);
}

TEST(RawSource, OrderChannelsTypesAndDirection) {
    const TempFolder folder;
    ImportOptions options;
    options.raw.width = 2;
    options.raw.height = 2;
    options.raw.channels = 3;
    options.raw.byteOrder = ByteOrder::Big;
    options.nodata = 7;
    const std::string path =
        writeFile(inFolder(folder, "t.raw"),
                  packed<std::uint16_t>({1, 90, 91, 500, 92, 93, 7, 94, 95, 40000, 96, 97}, ByteOrder::Big));
    expectSame(samplesOf(path, options), {1, 500, kNan, 40000});
    options.southUp = true;
    expectSame(samplesOf(path, options), {kNan, 40000, 1, 500});
    expectSame(samplesOf(writeFile(inFolder(folder, "t.r32"), packed<float>({1.5f, -2, 3, 4}))),
               {1.5f, -2, 3, 4});
    expectSame(samplesOf(writeFile(inFolder(folder, "t.r8"), packed<std::uint8_t>({0, 128, 255, 4}))),
               {0, 128, 255, 4});
}

TEST(RawSource, ASidecarGivesWhatIsLeftOpen) {
    const TempFolder folder;
    const std::string path = writeFile(inFolder(folder, "t_norm_be.raw"),
                                       packed<std::uint16_t>({0, 65535, 0, 65535, 0, 0}, ByteOrder::Big));
    writeFile(
        inFolder(folder, "t.json"),
        R"({"width": 3, "height": 2, "min_m": 100, "max_m": 300.5, "byte_order": "big", "spacing": 2})");
    const auto imported = importRaster(path);
    ASSERT_TRUE(imported.ok()) << imported.error().message;
    EXPECT_EQ(imported->info.width, 3);
    EXPECT_EQ(imported->info.min, 100);
    EXPECT_EQ(imported->info.max, 300.5f);
    EXPECT_EQ(imported->info.spacingX, 2);
    ImportOptions options;
    options.raw.width = 2;
    options.raw.height = 3;
    options.valueRange = heightfield::HeightRange{0, 1};
    const auto other = importRaster(path, options);
    ASSERT_TRUE(other.ok()) << other.error().message;
    EXPECT_EQ(other->info.width, 2);
    EXPECT_EQ(other->info.max, 1);
    // A nearer name wins.
    writeFile(inFolder(folder, "t_norm_be.json"), R"({"width": 6, "height": 1})");
    const auto nearer = importRaster(path);
    ASSERT_TRUE(nearer.ok());
    EXPECT_EQ(nearer->info.width, 6);
    options = {};
    options.sidecar = inFolder(folder, "t.json");
    const auto named = importRaster(path, options);
    ASSERT_TRUE(named.ok());
    EXPECT_EQ(named->info.width, 3);
    options.sidecar = inFolder(folder, "absent.json");
    EXPECT_THAT(failureOf(path, options), HasSubstr("absent.json"));
}

TEST(RawSource, SidecarsThatSayNonsenseAreErrors) {
    const char* const nonsense[] = {"",
                                    "{",
                                    "[1]",
                                    R"({"width": "three"})",
                                    R"({"width": 1e9})",
                                    R"({"width": 2.5})",
                                    R"({"height": 0})",
                                    R"({"byte_order": "middle"})",
                                    R"({"sample_type": "complex"})",
                                    R"({"spacing_x": 30})",
                                    R"({"spacing_z": 30})",
                                    R"({"south_up": "yes"})",
                                    R"({"min": true})"};
    for (const char* text : nonsense)
        EXPECT_FALSE(parseSidecar(text, "x.json").ok()) << text;
    const auto half = parseSidecar(R"({"min": 3})", "x.json");
    ASSERT_TRUE(half.ok());
    EXPECT_FALSE(half->range().ok());
    const auto text =
        parseSidecar(R"({"source": "N42E001.hgt window 300,250 513x514, voids filled"})", "x.json");
    ASSERT_TRUE(text.ok());
    ASSERT_TRUE(text->sizeInText);
    EXPECT_EQ(*text->sizeInText, (std::pair{513, 514}));
}

TEST(RawSource, ByteOrderThatLooksWrongIsWarnedOf) {
    const TempFolder folder;
    std::vector<std::uint16_t> ramp;
    for (int i = 0; i < 64 * 64; ++i)
        ramp.push_back(static_cast<std::uint16_t>(1000 + i % 64 * 3 + i / 64));
    for (const ByteOrder order : {ByteOrder::Little, ByteOrder::Big}) {
        KeptLog log;
        Externals externals;
        externals.log = &log;
        const std::string path = writeFile(inFolder(folder, "t.r16"), packed(ramp, order));
        ASSERT_TRUE(importRaster(path, {}, externals).ok());
        EXPECT_EQ(log.text.find("big-endian") != std::string::npos, order == ByteOrder::Big) << log.text;
    }
}

TEST(RawSource, AnyNameIsReadAsRawWhenAskedTo) {
    const TempFolder folder;
    ImportOptions options;
    options.format = "RAW";
    expectSame(
        samplesOf(writeFile(inFolder(folder, "heights.bin"), packed<std::uint16_t>({1, 2, 3, 4})), options),
        {1, 2, 3, 4});
    options.format = "WHAT";
    EXPECT_THAT(failureOf(inFolder(folder, "heights.bin"), options), HasSubstr("WHAT"));
}

}  // namespace
}  // namespace karst::importer
