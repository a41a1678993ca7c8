#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <karst_test/test_support.h>

#include <fstream>
#include <sstream>

#include "../../karst/crater_log_file.h"

namespace karst::tool {
namespace {

namespace fs = std::filesystem;
using heightfield::Crater;
using testing::HasSubstr;

class CraterLogFile : public testing::Test {
  protected:
    fs::path file(const std::string& name) const { return m_folder.path() / name; }
    std::string contents(const fs::path& path) const {
        std::ostringstream text;
        text << std::ifstream(path, std::ios::binary).rdbuf();
        return text.str();
    }
    std::vector<std::string> names() const {
        std::vector<std::string> all;
        for (const auto& entry : fs::directory_iterator(m_folder.path()))
            all.push_back(entry.path().filename().string());
        return all;
    }

  private:
    test::TempFolder m_folder;
};

TEST_F(CraterLogFile, LiesBesideTheGround) {
    EXPECT_EQ(craterLogOf("/a/b.karst"), "/a/b.karst.craters");
    EXPECT_EQ(craterLogOf("/a/b.karst/"), "/a/b.karst.craters");
    EXPECT_EQ(craterLogOf("/a/b.karst/terrain.json"), "/a/b.karst.craters");
    EXPECT_EQ(craterLogOf("/a/./c/../dem.tif"), "/a/dem.tif.craters");
    EXPECT_EQ(craterLogOf("dem.tif"), fs::current_path() / "dem.tif.craters");
    for (const char* none : {"", "http://host/a.karst", "https://host/a.karst", "/", "/terrain.json"})
        EXPECT_EQ(craterLogOf(none), "") << none;
}

TEST_F(CraterLogFile, IsReadAsItWasWritten) {
    test::Random random(5);
    for (const int count : {0, 1, 300}) {
        std::vector<Crater> craters;
        for (int i = 0; i < count; ++i) {
            craters.push_back({random.range(-1e6, 1e6), random.range(-1e6, 1e6), random.range(1e-3, 1e4),
                               random.range(0, 1e3), random.range(0, 1e3)});
        }
        const auto written = writeCraterLog(file("a.craters"), craters);
        ASSERT_TRUE(written.ok()) << written.error().message;
        const auto read = readCraterLog(file("a.craters"));
        ASSERT_TRUE(read.ok()) << read.error().message;
        EXPECT_EQ(*read, craters);
        EXPECT_THAT(names(), testing::ElementsAre("a.craters"));
    }
}

TEST_F(CraterLogFile, WritesOverNothingElse) {
    const std::vector<Crater> craters{{1, 2, 3, 4, 5}};
    std::ofstream(file("dem.tif")) << "a DEM";
    const auto other = writeCraterLog(file("dem.tif"), craters);
    ASSERT_FALSE(other.ok());
    EXPECT_THAT(other.error().message, HasSubstr("dem.tif: is no log of craters"));
    EXPECT_EQ(contents(file("dem.tif")), "a DEM");

    ASSERT_TRUE(writeCraterLog(file("a.craters"), craters).ok());
    fs::resize_file(file("a.craters"), 50);
    EXPECT_FALSE(writeCraterLog(file("a.craters"), craters).ok());
    EXPECT_EQ(fs::file_size(file("a.craters")), 50u);

    fs::create_directory(file("folder"));
    EXPECT_FALSE(writeCraterLog(file("folder"), craters).ok());
    const auto nowhere = writeCraterLog(file("none/a.craters"), craters);
    ASSERT_FALSE(nowhere.ok());
    EXPECT_THAT(nowhere.error().message, HasSubstr("none/a.craters: the craters cannot be written there"));
    EXPECT_THAT(names(), testing::UnorderedElementsAre("dem.tif", "a.craters", "folder"));
}

TEST_F(CraterLogFile, AFullDiskLeavesTheOldLog) {
    std::error_code code;
    if (!fs::is_character_file("/dev/full", code)) GTEST_SKIP() << "no /dev/full";
    const std::vector<Crater> craters{{1, 2, 3, 4, 5}};
    ASSERT_TRUE(writeCraterLog(file("a.craters"), craters).ok());
    const std::string before = contents(file("a.craters"));
    // What is written on the way there fails as on a full disk.
    fs::create_symlink("/dev/full", file("a.craters.partial"));
    const std::vector<Crater> more{{1, 2, 3, 4, 5}, {6, 7, 8, 9, 10}};
    const auto written = writeCraterLog(file("a.craters"), more);
    ASSERT_FALSE(written.ok());
    EXPECT_THAT(written.error().message, HasSubstr("No space left"));
    EXPECT_EQ(contents(file("a.craters")), before);
}

TEST_F(CraterLogFile, FollowsALink) {
    const std::vector<Crater> craters{{1, 2, 3, 4, 5}};
    ASSERT_TRUE(writeCraterLog(file("a.craters"), {}).ok());
    fs::create_symlink("a.craters", file("link.craters"));
    ASSERT_TRUE(writeCraterLog(file("link.craters"), craters).ok());
    EXPECT_TRUE(fs::is_symlink(file("link.craters")));
    EXPECT_EQ(*readCraterLog(file("a.craters")), craters);
}

TEST_F(CraterLogFile, SaysWhatIsWrong) {
    const auto none = readCraterLog(file("none"));
    ASSERT_FALSE(none.ok());
    EXPECT_EQ(none.error().code, ErrorCode::NotFound);
    std::ofstream(file("a")) << "forty bytes of something else altogether";
    const auto other = readCraterLog(file("a"));
    ASSERT_FALSE(other.ok());
    EXPECT_EQ(other.error().code, ErrorCode::CorruptData);
    EXPECT_THAT(other.error().message, HasSubstr(file("a").string()));
}

}  // namespace
}  // namespace karst::tool
