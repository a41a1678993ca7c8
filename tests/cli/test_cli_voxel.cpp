#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <karst/base/byte_reader.h>
#include <karst/base/byte_writer.h>
#include <karst_test/test_support.h>
#include <sys/wait.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace karst {
namespace {

using testing::HasSubstr;
using testing::Not;

struct Outcome {
    int code = -1;
    std::string out, err;
};

std::string contents(const std::filesystem::path& path) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
}

class CliVoxel : public testing::Test {
  protected:
    std::string file(const std::string& name) const { return (m_folder.path() / name).string(); }

    Outcome run(const std::vector<std::string>& arguments) const {
        std::string command = "'" KARST_TOOL "'";
        for (const std::string& argument : arguments)
            command += " '" + argument + "'";
        command += " >'" + file("stdout") + "' 2>'" + file("stderr") + "' </dev/null";
        const int status = std::system(command.c_str());
        return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, contents(file("stdout")),
                contents(file("stderr"))};
    }
    // Runs an action, which must succeed.
    std::string voxel(std::vector<std::string> arguments) const {
        arguments.insert(arguments.begin(), "voxel");
        const Outcome outcome = run(arguments);
        EXPECT_EQ(outcome.code, 0) << outcome.err;
        EXPECT_EQ(outcome.err, "");
        return outcome.out;
    }
    void expectError(int code, std::vector<std::string> arguments, const std::string& part) const {
        arguments.insert(arguments.begin(), "voxel");
        const Outcome outcome = run(arguments);
        EXPECT_EQ(outcome.code, code) << outcome.err;
        EXPECT_EQ(outcome.out, "");
        EXPECT_THAT(outcome.err, HasSubstr(part));
    }

    // A model of 3 x 2 x 1 cells in the file's axes: two of colour 5, one of colour 9.
    void writeVox(const std::string& path) const {
        std::vector<std::byte> bytes;
        ByteWriter out(bytes);
        const auto letters = [&](std::string_view text) {
            for (const char c : text)
                out.u8(static_cast<std::uint8_t>(c));
        };
        letters("VOX ");
        out.u32(150);
        letters("MAIN");
        out.u32(0);
        out.u32(12 + 12 + 12 + 4 + 12);
        letters("SIZE");
        out.u32(12);
        out.u32(0);
        for (const std::int32_t side : {3, 2, 1})
            out.i32(side);
        letters("XYZI");
        out.u32(16);
        out.u32(0);
        out.u32(3);
        for (const int value : {0, 0, 0, 5, 1, 0, 0, 5, 2, 1, 0, 9})
            out.u8(static_cast<std::uint8_t>(value));
        std::ofstream(path, std::ios::binary)
            .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    }

  private:
    test::TempFolder m_folder;
};

TEST_F(CliVoxel, HelpOfEveryAction) {
    const Outcome all = run({"voxel", "--help"});
    EXPECT_EQ(all.code, 0);
    for (const char* action : {"new", "fill", "info", "import", "export"}) {
        EXPECT_THAT(all.out, HasSubstr(action));
        const Outcome help = run({"voxel", action, "--help"});
        EXPECT_EQ(help.code, 0);
        EXPECT_EQ(help.err, "");
        EXPECT_THAT(help.out, HasSubstr(std::string("Usage: karst voxel ") + action + " FILE"));
        std::istringstream lines(help.out);
        for (std::string line; std::getline(lines, line);)
            EXPECT_LE(line.size(), 110u) << line;
    }
}

TEST_F(CliVoxel, NewFillInfo) {
    const std::string world = file("a.voxels");
    EXPECT_THAT(voxel({"new", world, "--cell-size", "2", "--origin", "10,0,-10"}),
                HasSubstr("cells of 2, 14 materials"));
    EXPECT_THAT(voxel({"fill", world, "region", "--box", "10,0,-10,30,10,10", "--material", "rock"}),
                HasSubstr("500 cells changed, 1 chunks written, 0 removed, revision 1"));
    voxel({"fill", world, "ball", "--center", "20,10,0", "--radius", "4", "--material", "air"});
    voxel({"fill", world, "tube", "--from", "10,4,0", "--to", "30,4,0", "--radius", "2", "--material", "0"});
    voxel({"fill", world, "cylinder", "--center", "20,8,0", "--radius", "3", "--height", "4", "--material",
           "water"});
    voxel({"fill", world, "wedge", "--center", "20,14,4", "--size", "4,4,4", "--material", "wood", "--turn",
           "0,1,0,90"});
    voxel(
        {"fill", world, "block", "--center", "12,9,-8", "--size", "4,2,4", "--material", "grass", "--paint"});
    const std::string json = voxel({"info", world, "--json"});
    std::ofstream(file("out.json")) << json;
    const std::string check =
        "python3 -c 'import json,sys; j=json.load(open(sys.argv[1])); m=j[\"materials\"]; "
        "assert j[\"revision\"]==6 and j[\"cell_size\"]==2 and j[\"origin\"]==[10,0,-10]; "
        "assert 300<m[\"rock\"][\"cells\"]<500 and m[\"grass\"][\"cells\"]==4; "
        "assert m[\"water\"][\"cells\"]>0 and m[\"wood\"][\"cells\"]>0' '" +
        file("out.json") + "'";
    EXPECT_EQ(std::system(check.c_str()), 0) << json;
    EXPECT_THAT(voxel({"info", world}), HasSubstr("cell size:    2"));
    // Nothing changes, so nothing is written.
    EXPECT_THAT(voxel({"fill", world, "ball", "--center", "20,200,0", "--radius", "4", "--material", "air"}),
                HasSubstr("0 cells changed, 0 chunks written, 0 removed, revision 6"));
}

TEST_F(CliVoxel, OwnMaterials) {
    const std::string world = file("m.voxels");
    voxel({"new", world, "--material", "lava,solid,ff4000", "--material", "oil,water,202020"});
    voxel({"fill", world, "ball", "--center", "0,0,0", "--radius", "20", "--material", "lava"});
    const std::string json = voxel({"info", world, "--json"});
    EXPECT_THAT(json, HasSubstr("\"lava\""));
    EXPECT_THAT(json, HasSubstr("[255, 64, 0]"));
    expectError(2, {"fill", world, "ball", "--center", "0,0,0", "--radius", "1", "--material", "rock"},
                "no material 'rock'; there are air, lava, oil");
}

TEST_F(CliVoxel, UsageErrorsSayWhatIsWrong) {
    const std::string world = file("a.voxels");
    voxel({"new", world});
    expectError(2, {}, "Usage: karst voxel ACTION");
    expectError(2, {"fil"}, "did you mean 'fill'?");
    expectError(2, {"new"}, "missing: FILE");
    expectError(2, {"new", file("n"), "--cell-size", "0"}, "'0' must be above 0");
    expectError(2, {"new", file("n"), "--material", "lava,gas,ff0000"}, "neither solid nor water");
    expectError(2, {"new", file("n"), "--material", "lava,solid,red"}, "six hexadecimal digits");
    expectError(2, {"new", file("n"), "--material", "air,solid,000000"}, "the name \"air\"");
    expectError(2, {"fill", world, "bal", "--material", "air"}, "'bal' is none of block, ball");
    expectError(2, {"fill", world, "ball", "--radius", "2", "--material", "air"}, "a ball needs --center");
    expectError(
        2,
        {"fill", world, "ball", "--center", "1,2,3", "--radius", "2", "--size", "1,1,1", "--material", "air"},
        "a ball takes no --size");
    expectError(2, {"fill", world, "ball", "--center", "1,2,3", "--radius", "-2", "--material", "air"},
                "above 0");
    expectError(2, {"fill", world, "ball", "--center", "1,2,3", "--radius", "2"}, "--material is missing");
    expectError(2, {"fill", world, "block", "--center", "1,2,3", "--size", "1,0,1", "--material", "air"},
                "above 0 on every axis");
    expectError(2, {"fill", world, "region", "--box", "0,0,0,1,0,1", "--material", "air"}, "no volume");
    expectError(
        2, {"fill", world, "tube", "--from", "1,1,1", "--to", "1,1,1", "--radius", "1", "--material", "air"},
        "same point");
    expectError(2,
                {"fill", world, "block", "--center", "1,2,3", "--size", "1,1,1", "--turn", "0,0,0,5",
                 "--material", "air"},
                "--turn");
    expectError(2, {"export", world, "out.stl"}, "'out.stl' must end with .glb or .obj");
    expectError(2, {"export", world, "out.glb", "--level", "4"}, "from 0 to 3");
    expectError(2, {"import", world, "x.vox", "--palette", "5"}, "INDEX=MATERIAL");
    expectError(2, {"import", world, "x.vox", "--cell-size", "5"}, "--cell-size is for a new file");
    EXPECT_FALSE(std::filesystem::exists(file("n")));
}

TEST_F(CliVoxel, FailuresNameTheFileAndChangeNothing) {
    const std::string world = file("a.voxels"), broken = file("broken.vox");
    voxel({"new", world});
    expectError(1, {"new", world}, "a.voxels");
    expectError(1, {"info", file("absent.voxels")}, "absent.voxels");
    std::ofstream(broken) << "VOX nothing";
    expectError(1, {"import", world, broken}, "broken.vox: vox: file header at byte 0");
    expectError(1, {"import", file("new.voxels"), broken}, "broken.vox");
    EXPECT_FALSE(std::filesystem::exists(file("new.voxels")));
    expectError(1, {"import", world, file("absent.vox")}, "absent.vox");
    expectError(1, {"fill", world, "ball", "--center", "1e9,0,0", "--radius", "1e12", "--material", "rock"},
                "karst voxel fill: ");
    expectError(1, {"export", world, file("no/folder/out.glb")}, "out.glb");
    std::ofstream(file("text.voxels")) << "no database";
    expectError(1, {"info", file("text.voxels")}, "text.voxels");
    EXPECT_THAT(voxel({"info", world}), HasSubstr("revision:     0"));
}

TEST_F(CliVoxel, ImportsMagicaVoxel) {
    writeVox(file("s.vox"));
    const std::string made = file("made.voxels"), world = file("w.voxels");
    EXPECT_THAT(voxel({"import", made, file("s.vox"), "--cell-size", "0.5", "--at", "1,2,3"}),
                HasSubstr("1 models placed 1 times, 3 cells changed"));
    const std::string json = voxel({"info", made, "--json"});
    EXPECT_THAT(json, HasSubstr("\"color 5\""));
    EXPECT_THAT(json, HasSubstr("\"color 9\""));
    voxel({"new", world});
    voxel({"import", world, file("s.vox"), "--palette", "9=snow", "--palette", "5=wood"});
    const std::string text = voxel({"info", world});
    EXPECT_THAT(text, HasSubstr("snow:       1 cells"));
    EXPECT_THAT(text, HasSubstr("wood:       2 cells"));
    expectError(1, {"import", world, file("s.vox"), "--palette", "9=lava"}, "no material 'lava'");
}

TEST_F(CliVoxel, ImportsHeightsByWindow) {
    std::ofstream asc(file("hill.asc"));
    asc << "ncols 20\nnrows 10\nxllcorner 0\nyllcorner 0\ncellsize 10\nNODATA_value -9999\n";
    for (int row = 0; row < 10; ++row) {
        for (int column = 0; column < 20; ++column)
            asc << (row == 9 && column == 19 ? -9999 : 50 + 2 * column) << ' ';
        asc << "\n";
    }
    asc.close();
    const std::string world = file("h.voxels");
    const std::string out = voxel({"import", world, file("hill.asc"), "--window", "20,10,100,70",
                                   "--cell-size", "5", "--depth", "20", "--snow", "60"});
    EXPECT_THAT(out, HasSubstr("192 columns of cells of 5"));
    const std::string text = voxel({"info", world});
    EXPECT_THAT(text, HasSubstr("snow: "));
    EXPECT_THAT(text, HasSubstr("grass: "));
    // The rest joins what is there; the cell without data stays open.
    EXPECT_THAT(voxel({"import", world, file("hill.asc"), "--base", "30"}), HasSubstr("open ones"));
    expectError(1, {"import", world, file("hill.asc"), "--window", "5000,5000,6000,6000"}, "lies outside");
    EXPECT_THAT(voxel({"import", file("n.voxels"), file("hill.asc")}), HasSubstr("cells of 10"));
}

TEST_F(CliVoxel, ExportsGlbAndObj) {
    const std::string world = file("a.voxels");
    voxel({"new", world});
    voxel({"fill", world, "ball", "--center", "0,0,0", "--radius", "100", "--material", "rock"});
    std::size_t triangles = 0;
    for (const char* level : {"0", "1", "2", "3"}) {
        const std::string out = voxel({"export", world, file("b.glb"), "--level", level});
        const std::string glb = contents(file("b.glb"));
        ASSERT_GT(glb.size(), 20u);
        ByteReader reader(std::as_bytes(std::span(glb)));
        EXPECT_EQ(reader.u32(), 0x46546C67u);
        reader.skip(4);
        EXPECT_EQ(reader.u32(), glb.size());
        const std::size_t comma = out.rfind(", ");
        const std::size_t count = std::stoul(out.substr(comma + 2));
        EXPECT_TRUE(triangles == 0 || count < triangles / 2) << out;
        triangles = count;
    }
    const std::string part = voxel({"export", world, file("p.obj"), "--box", "10,10,10,20,20,20"});
    EXPECT_THAT(part, HasSubstr("p.obj: 1 chunks"));
    const std::string obj = contents(file("p.obj"));
    EXPECT_THAT(obj, HasSubstr("mtllib p.mtl"));
    EXPECT_THAT(obj, HasSubstr("g chunk_0_0_0"));
    EXPECT_THAT(contents(file("p.mtl")), HasSubstr("newmtl m4_rock"));
    // A part is what it is in the whole.
    voxel({"export", world, file("w.obj")});
    const std::string whole = contents(file("w.obj"));
    const std::string vertex =
        obj.substr(obj.find("\nv "), obj.find('\n', obj.find("\nv ") + 1) - obj.find("\nv "));
    EXPECT_THAT(whole, HasSubstr(vertex));
    voxel({"new", file("empty.voxels")});
    EXPECT_THAT(voxel({"export", file("empty.voxels"), file("e.glb")}), HasSubstr("0 triangles"));
}

TEST_F(CliVoxel, RenderTakesVoxelsByTheirOwnOptions) {
    const std::string world = file("a.voxels");
    voxel({"new", world});
    const Outcome hole = run({"render", world, file("o.png"), "--hole", "0,0,1,1"});
    EXPECT_EQ(hole.code, 2);
    EXPECT_THAT(hole.err, HasSubstr("are not for voxels"));
    std::ofstream(file("small.asc")) << "ncols 2\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize 10\n1 2\n3 4\n";
    const Outcome level = run({"render", file("small.asc"), file("o.png"), "--level", "1"});
    EXPECT_EQ(level.code, 2);
    EXPECT_THAT(level.err, HasSubstr("--level is for files of voxels"));
    const Outcome empty = run({"render", world, file("o.png")});
    EXPECT_EQ(empty.code, 1);
    EXPECT_THAT(empty.err, HasSubstr("a.voxels"));
}

}  // namespace
}  // namespace karst
