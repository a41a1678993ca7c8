#include <common/video_file.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <karst_test/test_support.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

namespace karst {
namespace {

namespace fs = std::filesystem;
using app::VideoFile;
using testing::HasSubstr;

std::string contents(const fs::path& path) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
}

app::Image frame(int width, int height, int seed) {
    app::Image image{width, height, {}};
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) {
            for (const int value : {x * 255 / width, y * 255 / height, seed * 25 % 256, 255})
                image.rgba.push_back(static_cast<std::uint8_t>(value));
        }
    }
    return image;
}

/// A folder for videos, and one before the others on PATH for what is to be found as ffmpeg.
class Video : public testing::Test {
  protected:
    void SetUp() override {
        const char* path = std::getenv("PATH");
        m_path = path ? path : "";
        fs::create_directory(programs());
    }
    void TearDown() override { ::setenv("PATH", m_path.c_str(), 1); }

    fs::path programs() const { return m_folder.path() / "programs"; }
    fs::path file(const std::string& name) const { return m_folder.path() / name; }

    /// What stands in `script` is what ffmpeg does: $out is the file that it is to write.
    void fake(const std::string& script) {
        std::ofstream(programs() / "ffmpeg")
            << "#!/bin/sh\ncd '" << m_folder.path().string()
            << "'\nprintf '%s\\n' \"$@\" >arguments\nfor out; do :; done\nout=${out#file:}\n"
            << script << '\n';
        fs::permissions(programs() / "ffmpeg", fs::perms::owner_all);
        ::setenv("PATH", (programs().string() + ":" + m_path).c_str(), 1);
    }
    void noProgram() { ::setenv("PATH", programs().c_str(), 1); }

    /// Names of files that begin with a dot, or are of a video.
    std::vector<std::string> videos() const {
        std::vector<std::string> names;
        for (const auto& entry : fs::directory_iterator(m_folder.path())) {
            const std::string name = entry.path().filename().string();
            if (name[0] == '.' || app::isVideoName(name)) names.push_back(name);
        }
        return names;
    }

  private:
    test::TempFolder m_folder;
    std::string m_path;
};

TEST_F(Video, GivesTheProgramItsFramesAndTheVideoItsName) {
    fake("cat >bytes; echo a video >\"$out\"");
    std::ofstream(file("a b.mp4")) << "old";
    auto video = VideoFile::create(file("a b.mp4"), {64, 48, 25});
    ASSERT_TRUE(video.ok()) << video.error().message;
    std::string sent;
    for (int i = 0; i < 20; ++i) {
        const app::Image image = frame(64, 48, i);
        sent.append(image.rgba.begin(), image.rgba.end());
        ASSERT_TRUE(video->add(image).ok());
        EXPECT_EQ(contents(file("a b.mp4")), "old");
    }
    const auto finished = video->finish();
    ASSERT_TRUE(finished.ok()) << finished.error().message;
    EXPECT_EQ(contents(file("a b.mp4")), "a video\n");
    EXPECT_TRUE(contents(file("bytes")) == sent);
    const std::string arguments = contents(file("arguments"));
    EXPECT_THAT(arguments,
                HasSubstr("-f\nrawvideo\n-pixel_format\nrgba\n-video_size\n64x48\n-framerate\n25\n"));
    EXPECT_THAT(arguments, HasSubstr("-i\npipe:0\n"));
    EXPECT_THAT(videos(), testing::ElementsAre("a b.mp4"));
    EXPECT_FALSE(video->add(frame(64, 48, 0)).ok());
    EXPECT_FALSE(video->finish().ok());
}

TEST_F(Video, LeavesNothingWhereItIsGivenUp) {
    fake("echo half >\"$out\"; cat >/dev/null");
    {
        auto video = VideoFile::create(file("a.mp4"), {16, 16, 30});
        ASSERT_TRUE(video.ok()) << video.error().message;
        ASSERT_TRUE(video->add(frame(16, 16, 0)).ok());
        VideoFile moved = std::move(*video);
        ASSERT_TRUE(moved.add(frame(16, 16, 1)).ok());
    }
    EXPECT_THAT(videos(), testing::IsEmpty());
}

TEST_F(Video, TellsWhatTheProgramSaid) {
    fake("cat >/dev/null; echo half >\"$out\"; echo 'Unknown encoder' >&2; exit 3");
    std::ofstream(file("a.mkv")) << "old";
    {
        auto video = VideoFile::create(file("a.mkv"), {16, 16, 30});
        ASSERT_TRUE(video.ok()) << video.error().message;
        ASSERT_TRUE(video->add(frame(16, 16, 0)).ok());
        const auto finished = video->finish();
        ASSERT_FALSE(finished.ok());
        EXPECT_THAT(finished.error().message, HasSubstr("a.mkv"));
        EXPECT_THAT(finished.error().message, HasSubstr("exit code 3: Unknown encoder"));
    }
    EXPECT_EQ(contents(file("a.mkv")), "old");
    EXPECT_THAT(videos(), testing::ElementsAre("a.mkv"));
}

TEST_F(Video, OutlivesAProgramThatEndsEarly) {
    fake("head -c 1000 >/dev/null; echo 'No space left' >&2; kill -9 $$");
    {
        auto video = VideoFile::create(file("a.webm"), {512, 512, 30});
        ASSERT_TRUE(video.ok()) << video.error().message;
        Result<void> added;
        for (int i = 0; i < 100 && added.ok(); ++i)
            added = video->add(frame(512, 512, i));
        ASSERT_FALSE(added.ok());
        EXPECT_THAT(added.error().message, HasSubstr("signal 9: No space left"));
        EXPECT_FALSE(video->add(frame(512, 512, 0)).ok());
        EXPECT_FALSE(video->finish().ok());
    }
    EXPECT_THAT(videos(), testing::IsEmpty());
}

TEST_F(Video, RefusesAProgramThatWroteNothing) {
    fake("cat >/dev/null");
    auto video = VideoFile::create(file("a.mp4"), {16, 16, 30});
    ASSERT_TRUE(video.ok()) << video.error().message;
    const auto finished = video->finish();
    ASSERT_FALSE(finished.ok());
    EXPECT_THAT(finished.error().message, HasSubstr("wrote nothing"));
    EXPECT_FALSE(fs::exists(file("a.mp4")));
}

TEST_F(Video, RefusesWhatCannotBe) {
    const auto message = [](const fs::path& path, const app::VideoDesc& desc) {
        const auto video = VideoFile::create(path, desc);
        return video.ok() ? "" : video.error().message;
    };
    EXPECT_THAT(message(file("a.avi"), {16, 16, 30}), HasSubstr(".mp4, .mkv or .webm"));
    EXPECT_THAT(message(file("a.mp4"), {17, 16, 30}), HasSubstr("17 x 16"));
    EXPECT_THAT(message(file("a.mp4"), {16, 0, 30}), HasSubstr("16 x 0"));
    EXPECT_THAT(message(file("a.mp4"), {16, 16, 0}), HasSubstr("0 frames a second"));
    EXPECT_THAT(message(file("none/a.mp4"), {16, 16, 30}), HasSubstr("No such file or directory"));
    fs::create_directory(file("b.mp4"));
    EXPECT_THAT(message(file("b.mp4"), {16, 16, 30}), HasSubstr("is a folder"));
    noProgram();
    EXPECT_THAT(message(file("a.mp4"), {16, 16, 30}), HasSubstr("ffmpeg: not found on PATH"));
    EXPECT_THAT(videos(), testing::ElementsAre("b.mp4"));

    fake("cat >/dev/null");
    auto video = VideoFile::create(file("a.mp4"), {16, 16, 30});
    ASSERT_TRUE(video.ok()) << video.error().message;
    const auto added = video->add(frame(32, 8, 0));
    ASSERT_FALSE(added.ok());
    EXPECT_THAT(added.error().message, HasSubstr("32 x 8"));
}

// With the program itself: the video has as many frames, and they look as those that went in.
TEST_F(Video, IsWhatWentIn) {
    if (std::system("ffmpeg -version >/dev/null 2>&1") != 0)
        GTEST_SKIP() << "no ffmpeg: install the package ffmpeg";
    auto video = VideoFile::create(file("a:b.mp4"), {160, 96, 20});
    ASSERT_TRUE(video.ok()) << video.error().message;
    const app::Image first = frame(160, 96, 0), last = frame(160, 96, 9);
    for (int i = 0; i < 10; ++i)
        ASSERT_TRUE(video->add(frame(160, 96, i)).ok());
    const auto finished = video->finish();
    ASSERT_TRUE(finished.ok()) << finished.error().message;
    const std::string command =
        "cd '" + file(".").string() + "' && ffmpeg -loglevel error -i file:a:b.mp4 'frame-%02d.png'";
    ASSERT_EQ(std::system(command.c_str()), 0);
    EXPECT_FALSE(fs::exists(file("frame-11.png")));
    for (const auto& [name, sent] : {std::pair("frame-01.png", &first), std::pair("frame-10.png", &last)}) {
        const auto seen = app::readPng(file(name));
        ASSERT_TRUE(seen.ok()) << seen.error().message;
        const auto compared = app::compareImages(*seen, *sent, 24);
        ASSERT_TRUE(compared.ok()) << compared.error().message;
        EXPECT_LT(compared->meanDifference, 8) << name;
    }
}

}  // namespace
}  // namespace karst
