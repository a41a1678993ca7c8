#include "cli_build_fixture.h"

#include <chrono>

namespace karst {
namespace {

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

class CliBuildSlow : public CliBuild {
  protected:
    // 32-bit floats with voids, as NumPy stores them.
    std::string npy(const std::string& name, int width, int height) const {
        std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (" + std::to_string(height) +
                             ", " + std::to_string(width) + "), }";
        header += std::string(127 - (10 + header.size()) % 64 - (10 + header.size() < 64 ? 0 : 64), ' ');
        while ((10 + header.size() + 1) % 64 != 0)
            header += ' ';
        header += '\n';
        std::string bytes = "\x93NUMPY";
        bytes += '\x01';
        bytes += '\x00';
        bytes += static_cast<char>(header.size() & 255);
        bytes += static_cast<char>(header.size() >> 8);
        bytes += header;
        test::Random random(4);
        for (int z = 0; z < height; ++z) {
            for (int x = 0; x < width; ++x) {
                const auto h =
                    static_cast<float>(900 * std::sin(x * 0.01) * std::cos(z * 0.013) + 3 * random.unit());
                const bool isVoid = z < 3 || (z / 50 % 9 == 4 && x / 40 % 5 == 2);
                const float value = isVoid ? std::nanf("") : h;
                bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
            }
        }
        std::ofstream(file(name), std::ios::binary) << bytes;
        return file(name);
    }

    // `input` built whole, and built under SIGKILL until it is through, for about `seconds` a form of
    // package.
    void killedBuildsAreTheSame(const std::string& input, double seconds) {
        test::Random random(9);
        for (const bool oneFile : {true, false}) {
            std::vector<std::string> build{"build", input, "--format", oneFile ? "file" : "folder"};
            build.insert(build.end(), {"--threads", "1", "--state-every", "0.01", "--tile-cells", "64"});
            const auto into = [&](const std::string& package, const char* option) {
                std::vector<std::string> all = build;
                all.insert(all.end(), {file(package), option});
                return all;
            };
            Clock::time_point begin = Clock::now();
            works(into("whole", "--force"));
            const double whole = secondsSince(begin);
            const auto expected = files("whole");
            int kills = 0, withState = 0, rounds = 0;
            begin = Clock::now();
            // Longer where a busy machine has let no build be killed in the middle yet.
            const auto goesOn = [&] {
                const double passed = secondsSince(begin);
                return rounds < 1 || passed < seconds || (passed < 60 && (kills <= 2 || withState == 0));
            };
            for (; goesOn(); ++rounds) {
                Outcome outcome;
                // A little later each time, so that slow machines get through.
                for (double share = 0.3; outcome.code < 0; share += 0.03) {
                    withState += fs::exists(file("p.state")) ? 1 : 0;
                    const pid_t child = start(into("p", "--resume"));
                    ::usleep(static_cast<useconds_t>(1e6 * whole * random.range(0, share)));
                    ::kill(child, SIGKILL);
                    outcome = wait(child);
                    kills += outcome.code < 0 ? 1 : 0;
                    if (outcome.code < 0 && fs::exists(file("p"))) break;  // killed after the last step
                }
                ASSERT_LE(outcome.code, 0) << outcome.err;
                if (fs::exists(file("p.state"))) works(into("p", "--resume"), "finished already");
                ASSERT_TRUE(files("p") == expected) << "round " << rounds;
                EXPECT_FALSE(fs::exists(file("p.state")));
                EXPECT_FALSE(fs::exists(file("p.partial")));
                fs::remove_all(file("p"));
            }
            EXPECT_GT(kills, 2);
            EXPECT_GT(withState, 0);
            fs::remove_all(file("whole"));
        }
    }
};

TEST_F(CliBuildSlow, HX1_KilledAtAnyMomentTheToolFinishesToTheSameBytes) {
    killedBuildsAreTheSame(npy("dem.npy", 1100, 1300), 2);
}

TEST_F(CliBuildSlow, HX1_AKilledBuildOfARealDemFinishesToTheSameBytes) {
    KARST_REAL_DATA_OR_SKIP(dem, "N42E001.hgt");
    killedBuildsAreTheSame(dem.string(), 1);
}

TEST_F(CliBuildSlow, HX1_StoppedAndKilledByTurnsItGoesOnFromWhatIsKept) {
    const std::string dem = npy("dem.npy", 900, 1500);
    test::Random random(10);
    for (const bool oneFile : {true, false}) {
        const std::string form = oneFile ? "file" : "folder";
        const std::vector<std::string> build{"build",     dem, "--format",     form,
                                             "--threads", "1", "--tile-cells", oneFile ? "8" : "64"};
        const auto with = [&](std::vector<std::string> arguments) {
            arguments.insert(arguments.begin(), build.begin(), build.end());
            return arguments;
        };
        const Clock::time_point begin = Clock::now();
        works(with({file("whole")}));
        double whole = secondsSince(begin);
        const auto expected = files("whole");
        int kept = 0;
        bool done = false;
        for (int step = 0; !done && step < 40; ++step) {
            const pid_t child = start(with({"--resume", file("p")}));
            ::usleep(static_cast<useconds_t>(1e6 * whole * random.range(0.2, 0.6 + 0.05 * step)));
            ::kill(child, step % 3 == 2 ? SIGKILL : SIGINT);
            const Outcome outcome = wait(child);
            done = outcome.code == 0;
            if (done && kept == 0) {
                // Over before the signal came: once more from nothing, with less time.
                EXPECT_TRUE(files("p") == expected) << form;
                fs::remove_all(file("p"));
                whole *= 0.7;
                done = false;
            }
            if (outcome.code != 1) continue;
            if (outcome.err.find("before there was anything") != std::string::npos) continue;
            EXPECT_THAT(outcome.err, HasSubstr("karst build --resume"));
            EXPECT_TRUE(fs::exists(file("p.state")));
            EXPECT_TRUE(fs::exists(file("p.partial")));
            EXPECT_FALSE(fs::exists(file("p")));
            ++kept;
        }
        if (!done) works(with({"--resume", file("p")}));
        EXPECT_TRUE(files("p") == expected) << form;
        EXPECT_GT(kept, 0) << form;
        fs::remove_all(file("p"));
        fs::remove_all(file("whole"));
    }
}

TEST_F(CliBuild, HX1_PartsOfManyProcessesGiveTheSameBytes) {
    const std::string dem = raw("dem.r16", 500);
    for (const bool oneFile : {true, false}) {
        const std::string form = oneFile ? "file" : "folder", cells = oneFile ? "16" : "64";
        works({"build", dem, file("whole"), "--format", form, "--tile-cells", cells});
        for (const int count : {1, 2, 3, 4}) {
            if (!oneFile && count != 3) continue;
            const std::string all = std::to_string(count);
            std::vector<pid_t> children;
            for (int k = 1; k <= count; ++k) {
                children.push_back(start({"build", dem, file("p"), "--format", form, "--tile-cells=" + cells,
                                          "--part", std::to_string(k) + "/" + all}));
            }
            for (const pid_t child : children)
                EXPECT_EQ(wait(child).code, 0);
            works({"build", dem, file("p"), "--format", form, "--tile-cells", cells, "--merge", all},
                  "500 x 500 samples");
            EXPECT_TRUE(files("p") == files("whole")) << form << ", " << count << " parts";
            fs::remove_all(file("p"));
        }
        fs::remove_all(file("whole"));
    }
    EXPECT_EQ(std::distance(fs::directory_iterator(fs::path(dem).parent_path()), {}), 3);  // and two outputs
}

TEST_F(CliBuild, HX1_AMissingPartIsNamedAndAPartCanBeRunAgain) {
    const std::string dem = raw("dem.r16", 300), package = file("p.karst");
    works({"build", dem, file("whole.karst"), "--tile-cells", "8"});
    works({"build", dem, package, "--tile-cells", "8", "--part", "1/3"}, "part 1/3 is there");
    works({"build", dem, package, "--tile-cells", "8", "--part", "1/3"}, "part 1/3 is there");
    fails({"build", dem, package, "--tile-cells", "8", "--merge", "3"}, 1, "missing: part 2/3, part 3/3");
    const pid_t child = start({"build", dem, package, "--tile-cells", "8", "--part", "2/3"});
    ::usleep(8000);
    ::kill(child, SIGKILL);
    wait(child);
    for (const char* part : {"2/3", "3/3"})
        works({"build", "--resume", dem, package, "--tile-cells", "8", "--part", part});
    fails({"build", dem, package, "--tile-cells", "16", "--merge", "3"}, 1, "of other options");
    works({"build", dem, package, "--tile-cells", "8", "--merge", "3"});
    EXPECT_TRUE(contents(package) == contents(file("whole.karst")));
    fails({"build", dem, package, "--part", "4/3"}, 2, "no part, such as 2/4");
    fails({"build", dem, package, "--part", "1/3", "--merge", "3"}, 2, "exclude each other");
    fails({"build", dem, package, "--patience", "3"}, 2, "--patience is for --mpi");
}

TEST_F(CliBuild, HX1_ALaunchersVariablesGiveThePart) {
    const std::string dem = raw("dem.r16", 300);
    works({"build", dem, file("whole.karst"), "--tile-cells", "8"});
    int launcher = 0;
    for (const auto& [rank, size] :
         {std::pair("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"), std::pair("PMI_RANK", "PMI_SIZE"),
          std::pair("SLURM_PROCID", "SLURM_NTASKS")}) {
        const std::string package = file("p" + std::to_string(launcher++) + ".karst");
        const auto variables = [&, r = std::string(rank), s = std::string(size)](int k) {
            return std::vector<std::string>{r + "=" + std::to_string(k), s + "=3"};
        };
        const std::vector<std::string> build{"build", dem, package, "--tile-cells", "8", "--mpi"};
        std::vector<pid_t> children;
        for (int k = 0; k < 3; ++k)
            children.push_back(start(build, variables(k)));
        for (const pid_t child : children)
            EXPECT_EQ(wait(child).code, 0) << contents(file("stderr"));
        EXPECT_TRUE(contents(package) == contents(file("whole.karst"))) << rank;
    }
    const std::vector<std::string> build{"build", dem, file("q.karst"), "--mpi", "--patience", "0.2"};
    fails(build, 2, "no launcher");
    const Outcome bad = wait(start(build, {"PMI_RANK=3", "PMI_SIZE=3"}));
    EXPECT_EQ(bad.code, 2);
    EXPECT_THAT(bad.err, HasSubstr("PMI_RANK=3"));
    const Outcome alone = wait(start(build, {"PMI_RANK=0", "PMI_SIZE=2"}));
    EXPECT_EQ(alone.code, 1);
    EXPECT_THAT(alone.err, HasSubstr("missing: part 2/2; nothing has come for 0.2 s"));
    // The second process fails, and the first says so.
    const Outcome other =
        wait(start({"build", file("absent.tif"), file("q.karst"), "--mpi"}, {"PMI_RANK=1", "PMI_SIZE=2"}));
    EXPECT_EQ(other.code, 1);
    const Outcome told = wait(start(build, {"PMI_RANK=0", "PMI_SIZE=2"}));
    EXPECT_EQ(told.code, 1);
    EXPECT_THAT(told.err, HasSubstr("part 2/2 failed: "));
    EXPECT_THAT(told.err, HasSubstr("absent.tif"));
}

TEST_F(CliBuild, HX1_AStateOfOtherOptionsIsSaidToBeOne) {
    const std::string dem = raw("dem.r16", 1500), package = file("p.karst");
    const std::vector<std::string> build{"build", dem, package, "--threads", "1", "--tile-cells"};
    const auto with = [&](const std::string& cells, const std::string& threads) {
        return std::vector<std::string>{"build",        "--resume", dem,         package,
                                        "--tile-cells", cells,      "--threads", threads};
    };
    bool kept = false;
    for (int delay = 10000; !kept && delay < 4000000; delay = delay * 5 / 4) {
        fs::remove(package);
        const pid_t child = start({"build", dem, package, "--threads", "1", "--tile-cells", "16"});
        ::usleep(static_cast<useconds_t>(delay));
        ::kill(child, SIGINT);
        wait(child);
        kept = fs::exists(package + ".state");
    }
    if (!kept) GTEST_SKIP() << "the build was never caught at work";
    const std::string state = contents(package + ".state");
    const std::string partial = contents(package + ".partial");
    const auto again = [&] {
        fs::remove(package);
        std::ofstream(package + ".state", std::ios::binary) << state;
        std::ofstream(package + ".partial", std::ios::binary) << partial;
    };
    Outcome outcome = run(with("16", "2"));  // the number of threads does not matter
    EXPECT_EQ(outcome.code, 0);
    EXPECT_EQ(outcome.err.find("begins anew"), std::string::npos) << outcome.err;
    again();
    outcome = run(with("32", "1"));
    EXPECT_EQ(outcome.code, 0);
    EXPECT_THAT(outcome.err, HasSubstr("of other options: begins anew"));
    works({"verify", package}, "sound");
    again();
    fs::remove(package + ".partial");
    outcome = run(with("16", "1"));
    EXPECT_EQ(outcome.code, 0);
    EXPECT_THAT(outcome.err, HasSubstr("begin anew"));
    again();
    fs::last_write_time(dem, fs::last_write_time(dem) + std::chrono::seconds(5));
    outcome = run(with("16", "1"));
    EXPECT_THAT(outcome.err, HasSubstr("another input"));
}

}  // namespace
}  // namespace karst
