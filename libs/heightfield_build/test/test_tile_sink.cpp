#include <gtest/gtest.h>
#include <karst/base/thread_pool.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "package_test_data.h"

namespace karst::heightfield {
namespace {

namespace fs = std::filesystem;

// Ends with 0 when the package is there.
[[noreturn]] void buildInChild(const fs::path& path, const fs::path& state, bool oneFile) {
    Hills input(300, 500);
    input.voids = 0.01;
    input.cuts = true;
    ThreadPool pool(2);
    Externals externals;
    externals.jobs = &pool;
    BuildOptions options;
    options.tileCells = 16;
    options.makeCodec = makeRunCodec;
    options.stateFile = state;
    options.stateInterval = 0;
    options.resume = true;
    const auto sink =
        oneFile ? makeFileSink(path, Durability::Process) : makeFolderSink(path, Durability::Process);
    const Result<BuildReport> report = buildPyramid(input, *sink, options, externals);
    ::_exit(!report.ok() || !report->finished ? 2 : report->resumed ? 1 : 0);
}

TEST(TileSinkSlow, HX1_KilledAtAnyMomentABuildFinishesToTheSameBytes) {
    test::Random random(1);
    int kills = 0, resumed = 0;
    for (const bool oneFile : {true, false}) {
        test::TempFolder folder;
        Hills input(300, 500);
        input.voids = 0.01;
        input.cuts = true;
        BuildOptions options;
        options.tileCells = 16;
        options.makeCodec = makeRunCodec;
        const fs::path whole = folder.path() / "whole", path = folder.path() / "p",
                       state = folder.path() / "p.state";
        buildInto(whole, input, options, oneFile);
        const auto expected = filesOf(whole);
        for (int round = 0; round < 6; ++round) {
            int allowed = 2000;  // microseconds; grows, so that slow machines get through
            for (bool finished = false; !finished;) {
                const pid_t child = ::fork();
                ASSERT_GE(child, 0);
                if (child == 0) buildInChild(path, state, oneFile);
                ::usleep(static_cast<useconds_t>(random.integer(0, allowed)));
                ::kill(child, SIGKILL);
                int status = 0;
                ASSERT_EQ(::waitpid(child, &status, 0), child);
                if (WIFEXITED(status)) {
                    ASSERT_LT(WEXITSTATUS(status), 2);
                    resumed += WEXITSTATUS(status);
                    finished = true;
                } else {
                    ++kills;
                    finished = fs::exists(path);  // killed after the last step
                }
                allowed += 4000;
            }
            ASSERT_EQ(filesOf(path), expected) << "round " << round;
            fs::remove_all(path);
            fs::remove(state);
        }
    }
    EXPECT_GT(kills, 24);
    EXPECT_GT(resumed, 0);
}

// The package that a stopped build left is gone or cut short: the tiles are built anew.
TEST(TileSink, HX1_AStateWithoutItsTilesBeginsAnew) {
    for (const bool oneFile : {true, false}) {
        for (const bool gone : {true, false}) {
            test::TempFolder folder;
            Hills input(100, 200);
            BuildOptions options;
            options.tileCells = 8;
            const fs::path whole = folder.path() / "whole", path = folder.path() / "p";
            buildInto(whole, input, options, oneFile);
            options.stateFile = folder.path() / "state";
            options.resume = true;
            std::atomic<bool> stop{false};
            options.stop = &stop;
            options.progress = [&](double share) { stop = share > 0.6; };
            const auto makeSink = [&] {
                return oneFile ? makeFileSink(path, Durability::Process)
                               : makeFolderSink(path, Durability::Process);
            };
            const Result<BuildReport> first = buildPyramid(input, *makeSink(), options);
            ASSERT_TRUE(first.ok() && !first->finished && first->stateKept);
            if (gone) {
                fs::remove_all(partialPath(path));
            } else if (oneFile) {
                fs::resize_file(partialPath(path), fs::file_size(partialPath(path)) / 2);
            } else {
                fs::remove_all(partialPath(path));
                writeBytes(partialPath(path), "no folder");
            }
            stop = false;
            options.progress = nullptr;
            const Result<BuildReport> second = buildPyramid(input, *makeSink(), options);
            ASSERT_TRUE(second.ok()) << second.error().message;
            EXPECT_FALSE(second->resumed);
            EXPECT_EQ(filesOf(path), filesOf(whole));
        }
    }
}

TEST(TileSink, ANewPackageTakesThePlaceOfTheOldOnceItIsWhole) {
    for (const bool oneFile : {true, false}) {
        test::TempFolder folder;
        const fs::path path = folder.path() / "p", fresh = folder.path() / "fresh";
        Hills old(90, 90), input(40, 30);
        BuildOptions options;
        options.tileCells = 8;
        buildInto(path, old, options, oneFile);
        const auto before = filesOf(path);
        std::atomic<bool> stop{true};
        BuildOptions stopped = options;
        stopped.stop = &stop;
        ASSERT_FALSE(buildPyramid(input,
                                  *(oneFile ? makeFileSink(path, Durability::Process)
                                            : makeFolderSink(path, Durability::Process)),
                                  stopped)
                         ->finished);
        EXPECT_EQ(filesOf(path), before);
        buildInto(path, input, options, oneFile);
        buildInto(fresh, input, options, oneFile);
        EXPECT_EQ(filesOf(path), filesOf(fresh));
        EXPECT_FALSE(fs::exists(folder.path() / "p.old"));
        EXPECT_FALSE(fs::exists(partialPath(path)));
    }
}

// A sink that gives up leaves what a state goes on from, and nothing else.
TEST(TileSink, AnInputThatFailsLeavesNothingUnlessAStateWasKept) {
    struct Failing final : BuildInput {
        Hills hills{100, 300};
        std::uint32_t reads = 0, most = 0;
        std::uint32_t columns() const override { return hills.width; }
        std::uint32_t rows() const override { return hills.height; }
        double spacingX() const override { return 1; }
        double spacingZ() const override { return 1; }
        Result<void> readRows(std::uint32_t first, std::uint32_t count, std::span<float> heights) override {
            if (++reads > most) return makeError(ErrorCode::Io, "row %u is gone", first);
            return hills.readRows(first, count, heights);
        }
    };
    for (const bool oneFile : {true, false}) {
        for (const bool keeps : {true, false}) {
            test::TempFolder folder;
            const fs::path path = folder.path() / "p";
            Failing input;
            BuildOptions options;
            options.tileCells = 8;
            options.stateInterval = 0;
            if (keeps) options.stateFile = folder.path() / "state";
            input.most = 300 / 8 + 20;
            const Result<BuildReport> report =
                buildPyramid(input,
                             *(oneFile ? makeFileSink(path, Durability::Process)
                                       : makeFolderSink(path, Durability::Process)),
                             options);
            ASSERT_FALSE(report.ok());
            EXPECT_EQ(fs::exists(partialPath(path)), keeps);
            EXPECT_FALSE(fs::exists(path));
            if (!keeps) continue;
            input.most = 1000;
            options.resume = true;
            const Result<BuildReport> again =
                buildPyramid(input,
                             *(oneFile ? makeFileSink(path, Durability::Process)
                                       : makeFolderSink(path, Durability::Process)),
                             options);
            ASSERT_TRUE(again.ok()) << again.error().message;
            EXPECT_TRUE(again->resumed);
            options.resume = false;
            buildInto(folder.path() / "whole", input, options, oneFile);
            EXPECT_EQ(filesOf(path), filesOf(folder.path() / "whole"));
        }
    }
}

}  // namespace
}  // namespace karst::heightfield
