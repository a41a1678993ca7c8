#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <karst/base/thread_pool.h>
#include <karst/heightfield_build/build_parts.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "package_test_data.h"

namespace karst::heightfield {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

// Hills whose first rows, and some of the others, have no data at all.
struct HillsWithGaps final : BuildInput {
    Hills hills;
    std::uint32_t emptyRows = 0, gapEvery = 0;
    std::uint64_t mark = 0;
    std::uint64_t rowsRead = 0;

    HillsWithGaps(std::uint32_t width, std::uint32_t height) : hills(width, height) {}
    std::uint32_t columns() const override { return hills.width; }
    std::uint32_t rows() const override { return hills.height; }
    double spacingX() const override { return 2; }
    double spacingZ() const override { return 3; }
    std::uint64_t fingerprint() const override { return mark; }
    Result<void> readRows(std::uint32_t first, std::uint32_t count, std::span<float> heights) override {
        rowsRead += count;
        if (Result<void> read = hills.readRows(first, count, heights); !read) return read;
        for (std::uint32_t r = 0; r < count; ++r) {
            const std::uint32_t row = first + r;
            if (row >= emptyRows && (gapEvery == 0 || row / 7 % gapEvery != 1)) continue;
            std::fill_n(heights.begin() + std::ptrdiff_t(std::size_t{r} * hills.width), hills.width,
                        std::numeric_limits<float>::quiet_NaN());
        }
        return {};
    }
    void cutCells(std::uint32_t row, FunctionRef<void(std::uint32_t)> cut) override {
        hills.cutCells(row, cut);
    }
};

std::unique_ptr<TileSink> sinkFor(const fs::path& path, bool oneFile) {
    return oneFile ? makeFileSink(path, Durability::Process) : makeFolderSink(path, Durability::Process);
}

Result<BuildReport> buildOne(BuildInput& input, const fs::path& path, std::uint32_t index,
                             std::uint32_t count, const BuildOptions& options) {
    return buildPart(input, path, {index, count}, options, {}, Durability::Process);
}

struct Ground {
    HillsWithGaps input;
    BuildOptions options;
    bool oneFile = true;
};

Ground randomGround(test::Random& random) {
    Ground ground{HillsWithGaps(std::uint32_t(random.integer(2, 150)), std::uint32_t(random.integer(2, 400))),
                  {},
                  true};
    HillsWithGaps& input = ground.input;
    input.hills.voids = random.chance(0.5) ? 0.02 : 0;
    input.hills.cuts = random.chance(0.5);
    if (random.chance(0.3)) input.emptyRows = std::uint32_t(random.integer(0, int(input.rows()) - 1));
    if (random.chance(0.3) && input.rows() > 30) input.gapEvery = std::uint32_t(random.integer(2, 9));
    BuildOptions& options = ground.options;
    options.tileCells = 1u << random.integer(1, 4);
    options.levels = random.chance(0.6) ? 0 : std::uint32_t(random.integer(1, 4));
    ground.oneFile = random.chance(0.7);
    if (!ground.oneFile)
        options.tileCells = 1u << random.integer(3, 5);  // thousands of files take their time
    if (!ground.oneFile && random.chance(0.5)) options.version = 2;
    if (options.version == 3 && random.chance(0.5)) options.makeCodec = makeRunCodec;
    if (random.chance(0.3)) options.heightStep = 0.25;
    return ground;
}

TEST(PartBuilder, HX1_PartsGiveTheBytesOfOneProcess) {
    test::Random random(11);
    int withCoarse = 0;
    for (int round = 0; round < 60; ++round) {
        Ground ground = randomGround(random);
        test::TempFolder folder;
        const fs::path whole = folder.path() / "whole", path = folder.path() / "parts";
        const Result<BuildReport> one =
            buildPyramid(ground.input, *sinkFor(whole, ground.oneFile), ground.options);
        ASSERT_TRUE(one.ok()) << one.error().message;
        const auto count = std::uint32_t(random.integer(1, 6));
        const auto first = std::uint32_t(random.integer(0, int(count) - 1));
        std::uint64_t tiles = 0;
        for (std::uint32_t k = 0; k < count; ++k) {
            const Result<BuildReport> part =
                buildOne(ground.input, path, (k + first) % count, count, ground.options);
            ASSERT_TRUE(part.ok()) << part.error().message;
            ASSERT_TRUE(part->finished);
            tiles += part->tiles;
        }
        const Result<BuildReport> merged =
            mergeParts(ground.input, *sinkFor(path, ground.oneFile), path, count, ground.options);
        ASSERT_TRUE(merged.ok()) << merged.error().message;
        ASSERT_TRUE(merged->finished);
        ASSERT_EQ(filesOf(path), filesOf(whole)) << "round " << round << ", " << count << " parts";
        EXPECT_EQ(merged->tiles, one->tiles);
        EXPECT_EQ(merged->bytes, one->bytes);
        EXPECT_EQ(merged->voids, one->voids);
        EXPECT_EQ(merged->layout, one->layout);
        EXPECT_LE(tiles, one->tiles);
        withCoarse += tiles < one->tiles ? 1 : 0;
        // Nothing but the two packages is left.
        EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), {}), 2);
    }
    EXPECT_GT(withCoarse, 20);
}

TEST(PartBuilder, HX1_PartsShareTheFirstPass) {
    HillsWithGaps input(50, 1024);
    BuildOptions options;
    options.tileCells = 8;
    test::TempFolder folder;
    const fs::path path = folder.path() / "p";
    ASSERT_TRUE(buildOne(input, path, 0, 4, options).ok());
    const std::uint64_t alone = input.rowsRead;
    input.rowsRead = 0;
    ASSERT_TRUE(buildOne(input, path, 1, 4, options).ok());
    EXPECT_GT(alone, 1024u);          // it looked at all rows
    EXPECT_LT(input.rowsRead, 400u);  // it read its own and aprons
    input.rowsRead = 0;
    EXPECT_TRUE(buildOne(input, path, 1, 4, options)->finished);
    EXPECT_EQ(input.rowsRead, 0u);  // it is there already
}

TEST(PartBuilder, HX1_AMissingPartIsNamed) {
    HillsWithGaps input(60, 500);
    BuildOptions options;
    options.tileCells = 8;
    test::TempFolder folder;
    const fs::path path = folder.path() / "p";
    for (const std::uint32_t k : {0u, 2u})
        ASSERT_TRUE(buildOne(input, path, k, 4, options).ok());
    const Result<BuildReport> merged = mergeParts(input, *sinkFor(path, true), path, 4, options);
    ASSERT_FALSE(merged.ok());
    EXPECT_THAT(merged.error().message, HasSubstr("missing: part 2/4, part 4/4"));
    EXPECT_FALSE(fs::exists(path));
    const Result<bool> waited = awaitParts(input, path, 4, options, 0.1);
    ASSERT_FALSE(waited.ok());
    EXPECT_THAT(waited.error().message, HasSubstr("missing: part 2/4, part 4/4; nothing has come for 0.1 s"));
    tellPartFailed(path, {3, 4}, "the disk is full");
    const Result<bool> told = awaitParts(input, path, 4, options, 100);
    ASSERT_FALSE(told.ok());
    EXPECT_THAT(told.error().message, HasSubstr("part 4/4 failed: the disk is full"));
    // A part that begins takes its word back.
    std::thread late([&] {
        HillsWithGaps same(60, 500);
        for (const std::uint32_t k : {3u, 1u})
            EXPECT_TRUE(buildOne(same, path, k, 4, options).ok());
    });
    fs::remove(folder.path() / "p.part-4-of-4.failed");
    const Result<bool> all = awaitParts(input, path, 4, options, 100);
    late.join();
    ASSERT_TRUE(all.ok()) << all.error().message;
    EXPECT_TRUE(*all);
    EXPECT_TRUE(mergeParts(input, *sinkFor(path, true), path, 4, options).ok());
}

TEST(PartBuilder, HX1_PartsOfAnotherBuildAreNotPutTogether) {
    HillsWithGaps input(60, 300);
    BuildOptions options, other;
    options.tileCells = 8;
    other.tileCells = 16;
    test::TempFolder folder;
    const fs::path path = folder.path() / "p", whole = folder.path() / "whole";
    ASSERT_TRUE(buildOne(input, path, 0, 2, options).ok());
    ASSERT_TRUE(buildOne(input, path, 1, 2, other).ok());
    const Result<BuildReport> merged = mergeParts(input, *sinkFor(path, true), path, 2, options);
    ASSERT_FALSE(merged.ok());
    EXPECT_THAT(merged.error().message, HasSubstr("part-2-of-2"));
    EXPECT_THAT(merged.error().message, HasSubstr("another input or of other options"));
    input.mark = 5;
    EXPECT_FALSE(mergeParts(input, *sinkFor(path, true), path, 2, other).ok());
    input.mark = 0;
    // Built again it is right.
    ASSERT_TRUE(buildOne(input, path, 1, 2, options).ok());
    ASSERT_TRUE(mergeParts(input, *sinkFor(path, true), path, 2, options).ok());
    buildInto(whole, input, options, true);
    EXPECT_EQ(filesOf(path), filesOf(whole));
    for (const BuildPart bad : {BuildPart{2, 2}, BuildPart{0, 0}, BuildPart{0, kMostBuildParts + 1}})
        EXPECT_FALSE(buildPart(input, path, bad, options).ok());
}

TEST(PartBuilder, DamagedPartsAreFoundOut) {
    HillsWithGaps input(60, 300);
    BuildOptions options;
    options.tileCells = 8;
    test::TempFolder folder;
    const fs::path path = folder.path() / "p";
    for (const std::uint32_t k : {0u, 1u})
        ASSERT_TRUE(buildOne(input, path, k, 2, options).ok());
    test::Random random(3);
    const std::string names[] = {"p.part-1-of-2.tiles", "p.part-2-of-2.done"};
    for (int round = 0; round < 300; ++round) {
        const fs::path file = folder.path() / names[round % 2];
        const std::string right = bytesOf(file);
        std::string bytes = right;
        const auto at = std::size_t(random.integer(0, int(bytes.size()) - 1));
        if (random.chance(0.2)) {
            bytes.resize(at);
        } else {
            bytes[at] = char(bytes[at] ^ (1 << random.integer(0, 7)));
        }
        writeBytes(file, bytes);
        const Result<BuildReport> merged = mergeParts(input, *sinkFor(path, true), path, 2, options);
        ASSERT_FALSE(merged.ok()) << names[round % 2] << " byte " << at;
        EXPECT_THAT(merged.error().message, HasSubstr("of-2"));
        writeBytes(file, right);
    }
    EXPECT_TRUE(mergeParts(input, *sinkFor(path, true), path, 2, options).ok());
}

TEST(PartBuilder, HX1_TwoProcessesCannotWriteOnePlace) {
    for (const bool oneFile : {true, false}) {
        test::TempFolder folder;
        const fs::path path = folder.path() / "p";
        HillsWithGaps input(60, 300), second(60, 300);
        BuildOptions options;
        options.tileCells = 8;
        std::string message;
        options.progress = [&](double share) {
            if (share < 0.5 || !message.empty()) return;
            BuildOptions plain = options;
            plain.progress = nullptr;
            const Result<BuildReport> other = buildPyramid(second, *sinkFor(path, oneFile), plain);
            message = other.ok() ? "it was let" : other.error().message;
        };
        ASSERT_TRUE(buildPyramid(input, *sinkFor(path, oneFile), options).ok());
        EXPECT_THAT(message, HasSubstr("another process is writing it"));
        options.progress = nullptr;
        buildInto(folder.path() / "whole", input, options, oneFile);
        EXPECT_EQ(filesOf(path), filesOf(folder.path() / "whole"));
    }
}

TEST(PartBuilderSlow, HX1_KilledPartsGoOnToTheSameBytes) {
    test::Random random(12);
    int kills = 0, resumed = 0;
    for (int round = 0; round < 6; ++round) {
        test::TempFolder folder;
        const bool oneFile = round % 2 == 0;
        const fs::path whole = folder.path() / "whole", path = folder.path() / "p";
        HillsWithGaps input(300, 700);
        input.hills.voids = 0.01;
        input.hills.cuts = true;
        input.gapEvery = 20;
        BuildOptions options;
        options.tileCells = 16;
        options.makeCodec = makeRunCodec;
        options.stateInterval = 0;
        options.resume = true;
        buildInto(whole, input, options, oneFile);
        constexpr std::uint32_t kParts = 3;
        std::vector<pid_t> children(kParts, -1);
        std::vector<bool> done(kParts, false);
        for (int allowed = 3000; std::count(done.begin(), done.end(), true) < kParts; allowed += 3000) {
            for (std::uint32_t k = 0; k < kParts; ++k) {
                if (done[k]) continue;
                children[k] = ::fork();
                ASSERT_GE(children[k], 0);
                if (children[k] != 0) continue;
                const Result<BuildReport> part = buildOne(input, path, k, kParts, options);
                ::_exit(!part.ok() || !part->finished ? 2 : part->resumed ? 1 : 0);
            }
            ::usleep(static_cast<useconds_t>(random.integer(0, allowed)));
            for (std::uint32_t k = 0; k < kParts; ++k) {
                if (done[k]) continue;
                ::kill(children[k], SIGKILL);
                int status = 0;
                ASSERT_EQ(::waitpid(children[k], &status, 0), children[k]);
                if (WIFEXITED(status)) {
                    ASSERT_LT(WEXITSTATUS(status), 2);
                    resumed += WEXITSTATUS(status);
                    done[k] = true;
                } else {
                    ++kills;
                }
            }
        }
        const Result<BuildReport> merged = mergeParts(input, *sinkFor(path, oneFile), path, kParts, options);
        ASSERT_TRUE(merged.ok()) << merged.error().message;
        ASSERT_EQ(filesOf(path), filesOf(whole)) << "round " << round;
    }
    EXPECT_GT(kills, 20);
    EXPECT_GT(resumed, 0);
}

}  // namespace
}  // namespace karst::heightfield
