#include "loader.h"

#include <gmock/gmock.h>
#include <karst_test/test_support.h>

#include <fstream>

#include "hills.h"
#include "open_ground.h"

namespace karst::viewer {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class LoaderTest : public testing::Test {
  protected:
    std::string file(const std::string& name, const std::string& bytes = "") const {
        const fs::path path = m_folder.path() / name;
        if (!bytes.empty()) std::ofstream(path, std::ios::binary) << bytes;
        return path.string();
    }
    /// Why it cannot be opened.
    static std::string message(const std::string& name) {
        Loader loader{Externals()};
        OpenRequest request;
        request.file = name;
        loader.start(request);
        for (;;) {
            const auto opened = loader.take();
            if (opened) return opened->ok() ? "it is open" : opened->error().message;
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
    }

  private:
    test::TempFolder m_folder;
};

TEST_F(LoaderTest, NamesWhatItCannotOpenAndSaysWhy) {
    const std::string sound = test::buildHills(file("hills.karst"));
    EXPECT_EQ(message(sound), "it is open");
    fs::create_directory(file("empty"));
    fs::create_directory(file("bad.karst"));
    const std::pair<std::string, const char*> cases[] = {
        {file("none.tif"), "no such file"},
        {file("nonsense.tif", "not a DEM at all"), "neither GeoTIFF"},
        {file("noise.bin", std::string(5000, '7')), "neither GeoTIFF"},
        {file("empty"), "a folder without a terrain.json"},
        {file("short.karst", "karst"), "short.karst"},
        {file("none.karst"), "No such file"},
        {file("bad.karst/terrain.json", "{"), "JSON"},
        {file("text.voxels", "no voxels"), "voxel"},
    };
    for (const auto& [name, why] : cases) {
        const std::string said = message(name);
        EXPECT_THAT(said, HasSubstr(fs::path(name).filename().string()));
        EXPECT_THAT(said, HasSubstr(why)) << name;
    }
}

// What the importer had to guess is told of where one looks: in the window.
TEST_F(LoaderTest, TellsWhatTheImporterWarnsOf) {
    std::string bytes;
    for (int i = 0; i < 65 * 65; ++i) {
        const int height = 20000 + 40 * (i % 65) + 30 * (i / 65);
        bytes += static_cast<char>(height >> 8);
        bytes += static_cast<char>(height & 255);
    }
    OpenRequest request;
    request.file = file("big.r16", bytes);
    const auto ground = test::openGround(request);
    ASSERT_TRUE(ground);
    EXPECT_THAT(ground->takeProblem(), HasSubstr("looks like big-endian"));
    EXPECT_EQ(ground->takeProblem(), "");
}

}  // namespace
}  // namespace karst::viewer
