// karst render along a way: pictures, and a video by a program that stands in for ffmpeg.
#include <common/image_file.h>
#include <karst/heightfield/crater.h>

#include "cli_build_fixture.h"

namespace karst {
namespace {

class CliFlight : public CliBuild {
  protected:
    std::string package() const {
        const std::string made = file("hills.karst");
        works({"build", raw("hills.r16", 65), made, "--spacing", "10", "--range", "0,1000", "--force"});
        return made;
    }
    std::vector<std::string> flight(std::vector<std::string> more) const {
        std::vector<std::string> all{"render",      package(), "--fly-to", "300,900,500", "--camera",
                                     "300,900,900", "--size",  "48x32",    "--pictures",  "3"};
        all.insert(all.end(), more.begin(), more.end());
        return all;
    }
    /// PATH with a program ffmpeg before the others.
    std::string path(const std::string& script) const {
        fs::create_directory(file("programs"));
        std::ofstream(file("programs/ffmpeg")) << "#!/bin/sh\ncd '" << file(".") << "'\n" << script << '\n';
        fs::permissions(file("programs/ffmpeg"), fs::perms::owner_all);
        return "PATH=" + file("programs") + ":" + std::getenv("PATH");
    }
    Outcome runOn(const std::string& path, const std::vector<std::string>& arguments) const {
        return wait(start(arguments, {path}));
    }
};

TEST_F(CliFlight, PicturesAndVideoAreTheSame) {
    const Outcome outcome = runOn(path("cat >bytes; for out; do :; done; echo video >\"${out#file:}\""),
                                  flight({file("way.png"), "--video", file("way.mp4"), "--fps", "12"}));
    if (outcome.err.find("vulkan:") != std::string::npos) GTEST_SKIP() << outcome.err;
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("way.mp4: 48 x 32, 3 frames, 12 a second"));
    EXPECT_EQ(contents(file("way.mp4")), "video\n");
    std::string pictures;
    std::vector<std::vector<std::uint8_t>> frames;
    for (const char* name : {"way-000.png", "way-001.png", "way-002.png"}) {
        const auto picture = app::readPng(file(name));
        ASSERT_TRUE(picture.ok()) << picture.error().message;
        pictures.append(picture->rgba.begin(), picture->rgba.end());
        frames.push_back(picture->rgba);
    }
    EXPECT_FALSE(frames[0] == frames[1]);
    EXPECT_FALSE(frames[1] == frames[2]);
    EXPECT_TRUE(contents(file("bytes")) == pictures);
}

// A log of craters is the same as the craters one by one.
TEST_F(CliFlight, DigsTheCratersOfALog) {
    const heightfield::Crater craters[] = {{300, 400, 60, 90, 10}, {350, 450, 40, 30, 5}};
    const std::vector<std::byte> log = heightfield::encodeCraters(craters);
    std::ofstream(file("my.craters"), std::ios::binary)
        .write(reinterpret_cast<const char*>(log.data()), static_cast<std::streamsize>(log.size()));
    const std::string made = package();
    const auto draw = [&](const std::string& name, std::vector<std::string> more) {
        std::vector<std::string> all{"render", made, file(name), "--size", "64x48"};
        all.insert(all.end(), more.begin(), more.end());
        return run(all);
    };
    const Outcome plain = draw("plain.png", {});
    if (plain.err.find("vulkan:") != std::string::npos) GTEST_SKIP() << plain.err;
    EXPECT_EQ(draw("log.png", {"--craters", file("my.craters")}).code, 0);
    EXPECT_EQ(draw("each.png", {"--crater", "300,400,60,90,10", "--crater", "350,450,40,30,5"}).code, 0);
    EXPECT_NE(contents(file("plain.png")), contents(file("log.png")));
    EXPECT_EQ(contents(file("each.png")), contents(file("log.png")));
    const Outcome none = draw("none.png", {"--craters", file("hills.r16")});
    EXPECT_EQ(none.code, 2);
    EXPECT_THAT(none.err, HasSubstr("--craters: " + file("hills.r16") + ": crater log: magic"));
}

TEST_F(CliFlight, AFailingProgramLeavesNoVideo) {
    const Outcome outcome = runOn(path("echo 'disk full' >&2; exit 5"), flight({"--video", file("way.mp4")}));
    if (outcome.err.find("vulkan:") != std::string::npos) GTEST_SKIP() << outcome.err;
    EXPECT_EQ(outcome.code, 1);
    EXPECT_THAT(outcome.err, HasSubstr("way.mp4: no video: ffmpeg failed with exit code 5: disk full"));
    for (const auto& entry : fs::directory_iterator(file(".")))
        EXPECT_NE(entry.path().extension(), ".mp4") << entry.path();
}

TEST_F(CliFlight, SaysWhatAVideoNeeds) {
    fs::create_directory(file("empty"));
    const Outcome none = runOn("PATH=" + file("empty"), flight({"--video", file("way.mp4")}));
    EXPECT_EQ(none.code, 1);
    EXPECT_THAT(none.err, HasSubstr("karst render: ffmpeg: not found on PATH"));
    fails(flight({"--video", file("none/way.mp4")}), 1, "none/way.mp4: a video cannot be written there");
    fails(flight({"--video", file("way.gif")}), 1, ".mp4, .mkv or .webm");
    fails(flight({"--video", file("way.mp4"), "--size", "31x32"}), 1, "31 x 32");
    fails(flight({"--fps", "9", file("way.png")}), 2, "--fps is for --video");
    fails(flight({}), 2, "missing: OUT.png");
    fails({"render", file("hills.karst"), "--video", file("way.mp4")}, 2, "--fly-to");
    fails({"render", file("hills.r16"), "--video", file("way.mp4"), "--fly-to", "1,2,3"}, 2,
          "are for packages");
}

}  // namespace
}  // namespace karst
