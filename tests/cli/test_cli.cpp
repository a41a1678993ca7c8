#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <karst_test/test_support.h>
#include <sys/wait.h>

#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace karst {
namespace {

using testing::HasSubstr;
using testing::Not;

const char* const kVerbs[] = {"info", "height", "ray", "render"};

struct Outcome {
    int code = -1;
    std::string out, err;
};

std::string contents(const std::filesystem::path& path) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
}

class Cli : public testing::Test {
  protected:
    // A 3 x 3 grid, 10 m apart, whose south-east sample has no data.
    void SetUp() override {
        std::ofstream(file("small.asc")) << "ncols 3\nnrows 3\nxllcorner 0\nyllcorner 0\ncellsize 10\n"
                                            "NODATA_value -9999\n1 2 3\n4 5 6\n7 8 -9999\n";
    }

    std::string file(const std::string& name) const { return (m_folder.path() / name).string(); }

    Outcome run(const std::vector<std::string>& arguments, const std::string& redirect = "") const {
        std::string command = "'" KARST_TOOL "'";
        for (const std::string& argument : arguments) {
            command += " '";
            for (const char c : argument)
                command += c == '\'' ? std::string("'\\''") : std::string(1, c);
            command += "'";
        }
        const std::string out = file("stdout"), err = file("stderr");
        command += (redirect.empty() ? " >'" + out + "'" : redirect) + " 2>'" + err + "' </dev/null";
        const int status = std::system(command.c_str());
        return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, contents(out), contents(err)};
    }

    // Runs with --json, and has Python read what came out.
    std::string json(std::vector<std::string> arguments) const {
        arguments.emplace_back("--json");
        const Outcome outcome = run(arguments);
        EXPECT_EQ(outcome.code, 0) << outcome.err;
        std::ofstream(file("out.json"), std::ios::binary) << outcome.out;
        const std::string check = "python3 -m json.tool '" + file("out.json") + "' /dev/null";
        EXPECT_EQ(std::system(check.c_str()), 0) << outcome.out;
        return outcome.out;
    }

  private:
    test::TempFolder m_folder;
};

void expectUsageError(const Outcome& outcome, const std::string& part) {
    EXPECT_EQ(outcome.code, 2) << outcome.err;
    EXPECT_EQ(outcome.out, "");
    EXPECT_THAT(outcome.err, HasSubstr(part));
    EXPECT_THAT(outcome.err, HasSubstr("--help"));
}

TEST_F(Cli, HelpOfEveryVerb) {
    const Outcome all = run({"--help"});
    EXPECT_EQ(all.code, 0);
    EXPECT_EQ(all.err, "");
    for (const char* verb : kVerbs) {
        EXPECT_THAT(all.out, HasSubstr(verb));
        const Outcome help = run({verb, "--help"});
        EXPECT_EQ(help.code, 0);
        EXPECT_EQ(help.err, "");
        EXPECT_THAT(help.out, HasSubstr(std::string("Usage: karst ") + verb + " FILE"));
        for (const char* option :
             {"--spacing", "--array", "--width", "--height", "--byte-order", "--range", "--south-up"})
            EXPECT_THAT(help.out, HasSubstr(option));
        std::istringstream lines(help.out);
        for (std::string line; std::getline(lines, line);)
            EXPECT_LE(line.size(), 110u) << line;
    }
}

TEST_F(Cli, Version) {
    const Outcome version = run({"--version"});
    EXPECT_EQ(version.code, 0);
    EXPECT_THAT(version.out, testing::MatchesRegex("karst [0-9]+\\.[0-9]+\\.[0-9]+\n"));
}

TEST_F(Cli, UsageErrorsSayWhatIsWrong) {
    const std::string asc = file("small.asc");
    expectUsageError(run({}), "Usage: karst VERB");
    expectUsageError(run({"hieght"}), "did you mean 'height'?");
    expectUsageError(run({"zzzzzzzz"}), "unknown verb 'zzzzzzzz'");
    expectUsageError(run({"info"}), "missing: FILE");
    expectUsageError(run({"info", asc, "more"}), "one argument too many: 'more'");
    expectUsageError(run({"info", asc, "--jsno"}), "unknown option --jsno; did you mean --json?");
    expectUsageError(run({"info", asc, "--zzzzzzzz=4"}), "unknown option --zzzzzzzz");
    expectUsageError(run({"info", asc, "-j"}), "unknown option -j");
    expectUsageError(run({"info", asc, "--json=yes"}), "option --json takes no value");
    expectUsageError(run({"info", asc, "--spacing"}), "option --spacing needs a value: --spacing S or SX,SZ");
    expectUsageError(run({"info", asc, "--spacing", "--json"}), "option --spacing needs a value");
    expectUsageError(run({"info", asc, "--spacing", "wide"}), "--spacing: 'wide' is not a number");
    expectUsageError(run({"info", asc, "--spacing", "0"}), "--spacing: '0' must be above 0");
    expectUsageError(run({"info", asc, "--spacing", "1,2,3"}), "--spacing: '1,2,3' has 3 numbers");
    expectUsageError(run({"info", asc, "--range", "5,4"}), "--range: '5,4'");
    expectUsageError(run({"info", asc, "--width", "2.5"}), "--width: '2.5' is not a whole number from 1");
    expectUsageError(run({"info", asc, "--byte-order", "middle"}), "--byte-order: 'middle' is neither");
    expectUsageError(run({"info", asc, "--type", "int12"}), "--type: 'int12' is none of uint8");
    expectUsageError(run({"info", ""}), "FILE: must not be empty");
    expectUsageError(run({"height", asc, "1"}), "missing: Z");
    expectUsageError(run({"height", asc, "1", "north"}), "Z: 'north' is not a number");
    expectUsageError(run({"height", asc, "1", "nan"}), "Z: 'nan' is not a number");
    expectUsageError(run({"height", asc, "1", "1e999"}), "Z: '1e999' is too large");
    expectUsageError(run({"ray", asc, "0", "9", "0", "0", "0"}), "missing: DZ");
    expectUsageError(run({"ray", asc, "0", "9", "0", "0", "0", "0"}), "direction 0 0 0");
    expectUsageError(run({"ray", asc, "0", "9", "0", "0", "-1", "0", "--max-t", "-1"}), "--max-t");
    expectUsageError(run({"render", asc}), "missing: OUT.png");
    expectUsageError(run({"render", asc, "out.jpg"}), "'out.jpg' must end with .png");
    expectUsageError(run({"render", asc, "o.png", "--size", "12"}), "--size: '12' is not WIDTHxHEIGHT");
    expectUsageError(run({"render", asc, "o.png", "--size", "0x9"}), "--size: '0x9'");
    expectUsageError(run({"render", asc, "o.png", "--fov", "0"}), "--fov: 0");
    expectUsageError(run({"render", asc, "o.png", "--camera", "1,2"}), "--camera: '1,2' has 2 numbers");
    expectUsageError(run({"render", asc, "o.png", "--camera", "1,2,3", "--look-at", "1,2,3"}), "same point");
}

TEST_F(Cli, FailuresNameTheFile) {
    const std::string absent = file("absent.tif"), broken = file("broken.asc");
    std::ofstream(broken) << "ncols 3\nnrows many\n";
    for (const std::string& bad : {absent, broken}) {
        for (const std::vector<std::string>& arguments : {std::vector<std::string>{"info", bad},
                                                          {"info", bad, "--json"},
                                                          {"height", bad, "0", "0"},
                                                          {"ray", bad, "0", "9", "0", "0", "-1", "0"},
                                                          {"render", bad, file("out.png")}}) {
            const Outcome outcome = run(arguments);
            EXPECT_EQ(outcome.code, 1);
            EXPECT_EQ(outcome.out, "");
            EXPECT_THAT(outcome.err, HasSubstr(bad));
            EXPECT_THAT(outcome.err, HasSubstr("karst " + arguments[0] + ": "));
        }
    }
    EXPECT_FALSE(std::filesystem::exists(file("out.png")));
}

TEST_F(Cli, OutputThatCannotBeWrittenFails) {
    const Outcome outcome = run({"--version"}, " >/dev/full");
    EXPECT_EQ(outcome.code, 1);
    EXPECT_THAT(outcome.err, HasSubstr("could not be written"));
}

TEST_F(Cli, InfoSaysWhatTheFileHolds) {
    const Outcome info = run({"info", file("small.asc")});
    EXPECT_EQ(info.code, 0) << info.err;
    EXPECT_THAT(info.out, HasSubstr("3 x 3"));
    EXPECT_THAT(info.out, HasSubstr("1 .. 8"));
    EXPECT_THAT(info.out, HasSubstr("10 x 10 m"));
    const std::string text = json({"info", file("small.asc")});
    for (const char* part : {"\"width\": 3", "\"height\": 3", "\"voids\": 1", "\"min\": 1", "\"max\": 8",
                             "\"spacing_x\": 10", "\"spacing_z\": 10", "\"format\": \"AAIGrid\""})
        EXPECT_THAT(text, HasSubstr(part));
    EXPECT_THAT(json({"info", file("small.asc"), "--spacing", "2.5,4"}),
                testing::AllOf(HasSubstr("\"spacing_x\": 2.5"), HasSubstr("\"spacing_z\": 4")));
}

TEST_F(Cli, JsonEscapesFileNames) {
    const std::string odd = file("a \"b\"\\c\n\x80 \xc3\xa9.asc");
    std::filesystem::copy_file(file("small.asc"), odd);
    const std::string text = json({"info", odd});
    EXPECT_THAT(text, HasSubstr("a \\\"b\\\"\\\\c\\u000a\\ufffd \xc3\xa9.asc"));
}

TEST_F(Cli, HeightIsTheGroundOrAWord) {
    const std::string asc = file("small.asc");
    const auto height = [&](const char* x, const char* z) {
        const Outcome outcome = run({"height", asc, x, z});
        EXPECT_EQ(outcome.code, 0) << outcome.err;
        return outcome.out;
    };
    EXPECT_EQ(height("0", "0"), "1\n");
    EXPECT_EQ(height("5", "5"), "3\n");
    EXPECT_EQ(height("0", "2.5"), "1.75\n");
    EXPECT_EQ(height("-5", "-.5e1"), "1\n");
    EXPECT_EQ(height("15", "15"), "hole\n");
    EXPECT_EQ(height("-5.001", "0"), "outside\n");
    EXPECT_THAT(json({"height", asc, "0", "2.5"}), HasSubstr("\"height\": 1.75"));
    EXPECT_THAT(json({"height", asc, "15", "15"}),
                testing::AllOf(HasSubstr("\"height\": null"), HasSubstr("\"reason\": \"hole\"")));
    EXPECT_THAT(json({"height", asc, "-100", "15"}), HasSubstr("\"reason\": \"outside\""));
}

TEST_F(Cli, RayPrintsWhereItHits) {
    const std::string asc = file("small.asc");
    const Outcome hit = run({"ray", asc, "2", "100", "3", "0", "-2", "0"});
    EXPECT_EQ(hit.code, 0) << hit.err;
    EXPECT_EQ(hit.out.rfind("hit\n", 0), 0u) << hit.out;
    EXPECT_THAT(hit.out, HasSubstr("cell:      0 0 lower"));
    const std::string text = json({"ray", asc, "0", "100", "0", "0", "-2", "0"});
    EXPECT_THAT(text, HasSubstr("\"hit\": true"));
    EXPECT_THAT(text, HasSubstr("\"position\": [0, 1, 0]"));
    EXPECT_THAT(text, HasSubstr("\"t\": 49.5"));
    EXPECT_THAT(text, HasSubstr("\"distance\": 99"));
    EXPECT_THAT(text, HasSubstr("\"from_below\": false"));
    const Outcome miss = run({"ray", asc, "0", "100", "0", "0", "1", "0"});
    EXPECT_EQ(miss.code, 0);
    EXPECT_EQ(miss.out, "miss\n");
    const std::string none = json({"ray", asc, "0", "100", "0", "0", "-2", "0", "--max-t", "49"});
    EXPECT_THAT(none, HasSubstr("\"hit\": false"));
    EXPECT_THAT(none, Not(HasSubstr("position")));
    // A direction longer than any number.
    const std::string far =
        json({"ray", asc, "0", "100", "0", "1e308", "-1e308", "1e308", "--spacing", "1000"});
    EXPECT_THAT(far, HasSubstr("\"distance\": 17"));
    // Through the hole.
    EXPECT_EQ(run({"ray", asc, "15", "100", "15", "0", "-1", "0"}).out, "miss\n");
}

TEST_F(Cli, OptionsMayStandAnywhereAndAfterTwoDashesAreNone) {
    const std::string asc = file("small.asc");
    EXPECT_EQ(run({"height", "--spacing=20", asc, "0", "5"}).out, "1.75\n");
    EXPECT_EQ(run({"height", asc, "--spacing", "20,20", "0", "5"}).out, "1.75\n");
    EXPECT_EQ(run({"height", "--", asc, "0", "5"}).out, "2.5\n");
    const Outcome outcome = run({"info", "--", "--json"});
    EXPECT_EQ(outcome.code, 1);
    EXPECT_THAT(outcome.err, HasSubstr("--json"));
}

TEST_F(Cli, HeaderlessFilesTakeTheirShapeFromOptions) {
    // 2 x 2, unsigned 16 bits, big-endian.
    const unsigned char bytes[] = {0, 0, 0xff, 0xff, 0x33, 0x33, 0x66, 0x66};
    std::ofstream(file("tile.raw"), std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes), sizeof bytes);
    const std::string text = json({"info", file("tile.raw"), "--width", "2", "--height", "2", "--type",
                                   "uint16", "--byte-order", "big", "--range", "-100,400", "--spacing", "3"});
    EXPECT_THAT(text, HasSubstr("\"min\": -100"));
    EXPECT_THAT(text, HasSubstr("\"max\": 400"));
    EXPECT_THAT(text, HasSubstr("\"format\": \"RAW\""));
    EXPECT_THAT(text, HasSubstr("\"spacing_x\": 3"));
}

}  // namespace
}  // namespace karst
