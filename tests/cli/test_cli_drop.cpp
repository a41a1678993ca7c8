#include "cli_build_fixture.h"

namespace karst {
namespace {

class CliDrop : public CliBuild {
  protected:
    /// Hills of 129 samples 10 m apart.
    std::string package() const {
        const std::string made = file("hills.karst");
        works({"build", raw("hills.r16", 129), made, "--spacing", "10", "--range", "0,1000"});
        return made;
    }
    /// A block of rock 80 m wide with a cave in it, cells of 1 m.
    std::string cave() const {
        const std::string made = file("cave.voxels");
        works({"voxel", "new", made, "--cell-size", "1"});
        works({"voxel", "fill", made, "region", "--box", "-40,-40,-40,40,20,40", "--material", "rock"});
        works({"voxel", "fill", made, "ball", "--center", "0,0,0", "--radius", "14", "--material", "air"});
        return made;
    }
    /// The number after a name and a colon.
    static int number(const std::string& text, const std::string& name) {
        const std::size_t at = text.find("\n" + name + ":");
        return at == std::string::npos ? -1 : std::stoi(text.substr(at + name.size() + 2));
    }
};

TEST_F(CliDrop, BodiesRestOnAPackageThatIsDugUnderThem) {
    const Outcome outcome = run({"drop", package(), "--area", "400,400,700,700", "--balls", "30", "--boxes",
                                 "30", "--body-size", "2", "--seconds", "12", "--dig", "12"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.err, "");
    EXPECT_EQ(number(outcome.out, "fell through"), 0) << outcome.out;
    EXPECT_EQ(number(outcome.out, "stuck"), 0) << outcome.out;
    EXPECT_EQ(number(outcome.out, "resting") + number(outcome.out, "moving") + number(outcome.out, "left"),
              60)
        << outcome.out;
    EXPECT_EQ(number(outcome.out, "holes dug"), 12) << outcome.out;
    EXPECT_GE(number(outcome.out, "updates"), 12) << outcome.out;
    EXPECT_EQ(number(outcome.out, "steps"), 720) << outcome.out;
    EXPECT_THAT(outcome.out, HasSubstr("tiles replaced"));
}

TEST_F(CliDrop, BodiesRestInACaveThatIsDugDeeper) {
    const Outcome outcome =
        run({"drop", cave(), "--area", "-9,-9,9,9", "--height", "2", "--balls", "15", "--boxes", "15",
             "--body-size", "0.5", "--seconds", "12", "--dig", "10", "--dig-radius", "3"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(number(outcome.out, "fell through"), 0) << outcome.out;
    EXPECT_EQ(number(outcome.out, "stuck"), 0) << outcome.out;
    EXPECT_EQ(number(outcome.out, "left"), 0) << outcome.out;
    EXPECT_GE(number(outcome.out, "resting"), 20) << outcome.out;
    EXPECT_GE(number(outcome.out, "holes dug"), 5) << outcome.out;
    EXPECT_THAT(outcome.out, HasSubstr("chunks replaced"));
    // The file is as it was.
    works({"voxel", "info", file("cave.voxels")}, "revision:     2");
}

TEST_F(CliDrop, BodiesThatRollOverTheEdgeAreNoFalls) {
    const std::string made = file("pillar.voxels");
    works({"voxel", "new", made, "--cell-size", "1"});
    works({"voxel", "fill", made, "ball", "--center", "0,0,0", "--radius", "10", "--material", "rock"});
    const Outcome outcome = run({"drop", made, "--area", "-6,-6,6,6", "--balls", "20", "--boxes", "0",
                                 "--body-size", "0.5", "--seconds", "12"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_GE(number(outcome.out, "left"), 10) << outcome.out;
    EXPECT_EQ(number(outcome.out, "fell through"), 0) << outcome.out;
}

TEST_F(CliDrop, SaysWhatIsWrong) {
    const std::string world = cave();
    fails({"drop"}, 2, "missing: FILE");
    fails({"drop", file("x.tif")}, 2, "neither a package nor a file of voxels");
    fails({"drop", world, "--balls", "-1"}, 2, "--balls");
    fails({"drop", world, "--balls", "0", "--boxes", "0"}, 2, "both 0");
    fails({"drop", world, "--body-size", "0"}, 2, "'0' must be above 0");
    fails({"drop", world, "--seconds", "4000"}, 2, "more than an hour");
    fails({"drop", world, "--area", "0,0,1,1", "--area", "0,0,1,1"}, 2, "may be given once");
    fails({"drop", world, "--camera", "0,0,0"}, 2, "are for --picture");
    fails({"drop", world, "--picture", "out.jpg"}, 2, "'out.jpg' must end with .png");
    fails({"drop", world, "--detail", "1"}, 2, "not for voxels");
    fails({"drop", world, "--area", "500,500,600,600"}, 1, "outside of the ground");
    fails({"drop", world, "--area", "-5,-5,5,5", "--height", "-30"}, 1, "no free place for body 1");
    fails({"drop", file("absent.voxels")}, 1, "absent.voxels");
    fails({"drop", file("absent.karst")}, 1, "absent.karst");
    works({"voxel", "new", file("empty.voxels")});
    fails({"drop", file("empty.voxels")}, 1, "empty.voxels");
    const Outcome help = run({"drop", "--help"});
    EXPECT_EQ(help.code, 0);
    std::istringstream lines(help.out);
    for (std::string line; std::getline(lines, line);)
        EXPECT_LE(line.size(), 110u) << line;
}

}  // namespace
}  // namespace karst
