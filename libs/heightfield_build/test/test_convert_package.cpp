#include <gtest/gtest.h>
#include <karst/base/thread_pool.h>
#include <karst/heightfield_build/convert_package.h>
#include <karst/heightfield_build/verify_package.h>

#include "package_test_data.h"

namespace karst::heightfield {
namespace {

namespace fs = std::filesystem;

ConvertReport convert(const fs::path& from, const fs::path& to, std::uint32_t version, bool oneFile,
                      bool codec) {
    const Result<PackageReader> package = PackageReader::open(from);
    EXPECT_TRUE(package.ok()) << (package.ok() ? "" : package.error().message);
    ConvertOptions options;
    options.version = version;
    if (package->manifest().codec != CodecId::None) options.makeReadCodec = makeRunCodec;
    if (codec) options.makeWriteCodec = makeRunCodec;
    ThreadPool pool(3);
    Externals externals;
    externals.jobs = &pool;
    const auto sink =
        oneFile ? makeFileSink(to, Durability::Process) : makeFolderSink(to, Durability::Process);
    const Result<ConvertReport> report = convertPackage(*package, *sink, options, externals);
    EXPECT_TRUE(report.ok()) << (report.ok() ? "" : report.error().message);
    return report.ok() ? *report : ConvertReport{};
}

BuildOptions randomOptions(test::Random& random, bool codec) {
    BuildOptions options;
    options.tileCells = 1u << random.integer(2, 5);
    options.levels = random.chance(0.5) ? 0 : static_cast<std::uint32_t>(random.integer(1, 4));
    if (codec) options.makeCodec = makeRunCodec;
    return options;
}

TEST(ConvertPackage, HX2_AFileThroughAFolderIsTheSameFile) {
    test::Random random(1);
    for (int round = 0; round < 6; ++round) {
        test::TempFolder folder;
        const bool codec = round % 2 == 0;
        Hills input(std::uint32_t(random.integer(2, 100)), std::uint32_t(random.integer(2, 100)));
        input.voids = 0.01;
        input.cuts = true;
        const fs::path file = folder.path() / "a.karst", parts = folder.path() / "b",
                       again = folder.path() / "c.karst", other = folder.path() / "d.karst";
        buildInto(file, input, randomOptions(random, codec), true);
        convert(file, parts, 3, false, codec);
        convert(parts, again, 3, true, codec);
        ASSERT_EQ(bytesOf(again), bytesOf(file));
        // To another codec and back.
        convert(parts, other, 3, true, !codec);
        EXPECT_NE(bytesOf(other), bytesOf(file));
        fs::remove(again);
        convert(other, again, 3, true, codec);
        ASSERT_EQ(bytesOf(again), bytesOf(file));
    }
}

TEST(ConvertPackage, H6_GroundWithoutHolesLosesNothingInVersion2) {
    test::Random random(2);
    for (int round = 0; round < 6; ++round) {
        test::TempFolder folder;
        Hills input(std::uint32_t(random.integer(2, 100)), std::uint32_t(random.integer(2, 100)));
        const fs::path file = folder.path() / "a.karst", parts = folder.path() / "b",
                       old = folder.path() / "c", again = folder.path() / "d.karst",
                       direct = folder.path() / "e";
        BuildOptions options = randomOptions(random, true);
        buildInto(file, input, options, true);
        convert(file, parts, 3, false, true);
        const ConvertReport lost = convert(parts, old, 2, false, false);
        EXPECT_EQ(lost.tilesWithHoles, 0u);
        convert(old, again, 3, true, true);
        ASSERT_EQ(bytesOf(again), bytesOf(file));
        // Building version 2 at once gives what the conversion gave.
        options.version = 2;
        buildInto(direct, input, options, false);
        ASSERT_EQ(filesOf(direct), filesOf(old));
    }
}

TEST(ConvertPackage, HX2_Version2CountsTheTilesThatLoseHoles) {
    test::TempFolder folder;
    Hills input(33, 33);
    struct OneCut final : BuildInput {
        Hills* from;
        std::uint32_t columns() const override { return from->columns(); }
        std::uint32_t rows() const override { return from->rows(); }
        double spacingX() const override { return 1; }
        double spacingZ() const override { return 1; }
        Result<void> readRows(std::uint32_t first, std::uint32_t count, std::span<float> heights) override {
            return from->readRows(first, count, heights);
        }
        void cutCells(std::uint32_t row, FunctionRef<void(std::uint32_t)> cut) override {
            if (row == 9) cut(20);
        }
    } cut;
    cut.from = &input;
    BuildOptions options;
    options.tileCells = 8;
    buildInto(folder.path() / "a.karst", cut, options, true);
    const ConvertReport report = convert(folder.path() / "a.karst", folder.path() / "b", 2, false, false);
    EXPECT_EQ(report.tilesWithHoles, 1u);  // coarser cells look at other finest cells
    EXPECT_EQ(report.tilesWithMaterials, 0u);
    EXPECT_EQ(report.tiles, 21u);
}

TEST(ConvertPackage, DamageAndStopsEndItWithoutAPackage) {
    test::TempFolder folder;
    Hills input(60, 60);
    BuildOptions options;
    options.tileCells = 8;
    const fs::path parts = folder.path() / "a", out = folder.path() / "b.karst";
    buildInto(parts, input, options, false);
    const Result<PackageReader> package = PackageReader::open(parts);
    ASSERT_TRUE(package.ok());
    std::atomic<bool> stop{false};
    ConvertOptions convertOptions;
    convertOptions.stop = &stop;
    convertOptions.progress = [&](double share) { stop = share > 0.3; };
    const Result<ConvertReport> stopped =
        convertPackage(*package, *makeFileSink(out, Durability::Process), convertOptions);
    ASSERT_TRUE(stopped.ok());
    EXPECT_FALSE(stopped->finished);
    EXPECT_FALSE(fs::exists(out));

    std::string bytes = bytesOf(parts / "tiles/0/3-2.ktile");
    bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 4);
    writeBytes(parts / "tiles/0/3-2.ktile", bytes);
    const Result<ConvertReport> damaged =
        convertPackage(*package, *makeFileSink(out, Durability::Process), {});
    ASSERT_FALSE(damaged.ok());
    EXPECT_NE(damaged.error().message.find("0/3-2"), std::string::npos) << damaged.error().message;
    EXPECT_FALSE(fs::exists(out));
    fs::remove(parts / "tiles/0/3-2.ktile");
    EXPECT_EQ(convertPackage(*package, *makeFileSink(out, Durability::Process), {}).error().code,
              ErrorCode::NotFound);
}

}  // namespace
}  // namespace karst::heightfield
