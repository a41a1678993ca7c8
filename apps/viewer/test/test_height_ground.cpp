#include <gmock/gmock.h>
#include <karst_test/test_support.h>

#include <fstream>

#include "hills.h"
#include "open_ground.h"

namespace karst::viewer {
namespace {

namespace fs = std::filesystem;
using test::openHeights;
using test::settle;
using testing::HasSubstr;

class HeightGroundCraters : public testing::Test {
  protected:
    std::string file(const std::string& name) const { return (m_folder.path() / name).string(); }
    static Viewpoint view() {
        Viewpoint viewpoint;
        viewpoint.eye = {640, 300, 640};
        return viewpoint;
    }
    static void dig(HeightGround& ground, double x, double z, double radius) {
        ground.beginStroke();
        EXPECT_TRUE(ground.use({Tool::Crater, {x, 0, z}, radius, 0.4, 0}).ok());
        ground.endStroke();
    }
    /// The same tiles, each with the same samples and bounds, bit for bit.
    static void expectSameGround(const HeightGround& a, const HeightGround& b) {
        const auto tiles = a.surface().tiles(), others = b.surface().tiles();
        ASSERT_EQ(tiles.size(), others.size());
        for (std::size_t i = 0; i < tiles.size(); ++i) {
            EXPECT_EQ(tiles[i]->key, others[i]->key);
            EXPECT_TRUE(tiles[i]->samples == others[i]->samples) << i;
            EXPECT_EQ(tiles[i]->bounds.min, others[i]->bounds.min);
            EXPECT_EQ(tiles[i]->bounds.max, others[i]->bounds.max);
        }
    }

  private:
    test::TempFolder m_folder;
};

TEST_F(HeightGroundCraters, H28_AreThereAgainBitForBit) {
    for (const std::string& name :
         {test::buildHills(file("hills.karst")), test::writeHills(file("hills.asc"))}) {
        auto ground = openHeights(name);
        ASSERT_TRUE(ground && settle(*ground, view())) << name;
        EXPECT_EQ(ground->takeProblem(), "");
        EXPECT_FALSE(ground->unsaved());
        dig(*ground, 640, 640, 90);
        dig(*ground, 700, 600, 55);
        dig(*ground, 300, 900, 130);
        EXPECT_TRUE(ground->unsaved());
        ASSERT_TRUE(settle(*ground, view()));
        const auto saved = ground->save();
        ASSERT_TRUE(saved.ok()) << saved.error().message;
        EXPECT_THAT(*saved, HasSubstr("3 craters in " + name + ".craters"));
        EXPECT_FALSE(ground->unsaved());

        auto again = openHeights(name);
        ASSERT_TRUE(again && settle(*again, view()));
        EXPECT_EQ(again->craters(), ground->craters());
        EXPECT_EQ(again->undoCount(), 3u);
        EXPECT_FALSE(again->unsaved());
        expectSameGround(*ground, *again);

        // They can be taken back as if they had been dug now.
        ASSERT_TRUE(again->undo().ok());
        ASSERT_TRUE(settle(*again, view()));
        EXPECT_TRUE(again->unsaved());
        ASSERT_TRUE(again->save().ok());
        EXPECT_EQ(openHeights(name)->craters().size(), 2u);
    }
}

TEST_F(HeightGroundCraters, AreSavedElsewhere) {
    const std::string name = test::buildHills(file("hills.karst"));
    auto ground = openHeights(name);
    ASSERT_TRUE(ground && settle(*ground, view()));
    dig(*ground, 640, 640, 90);
    const auto nowhere = ground->saveAs(file("none/my.craters"));
    ASSERT_FALSE(nowhere.ok());
    EXPECT_THAT(nowhere.error().message, HasSubstr("none/my.craters"));
    EXPECT_EQ(ground->savePath(), name + ".craters") << "a failure changes nothing";
    EXPECT_FALSE(ground->saveAs(name).ok()) << "a package is no log of craters";
    ASSERT_TRUE(ground->saveAs(file("my.craters")).ok());
    EXPECT_EQ(ground->savePath(), file("my.craters"));
    EXPECT_FALSE(fs::exists(name + ".craters"));

    EXPECT_EQ(openHeights(name)->craters().size(), 0u);
    EXPECT_EQ(openHeights(name, file("my.craters"))->craters(), ground->craters());
}

TEST_F(HeightGroundCraters, ADamagedLogIsToldOfAndKept) {
    const std::string name = test::buildHills(file("hills.karst"));
    std::ofstream(name + ".craters") << "somebody else's";
    auto ground = openHeights(name);
    ASSERT_TRUE(ground && settle(*ground, view()));
    EXPECT_THAT(ground->takeProblem(), HasSubstr("hills.karst.craters"));
    EXPECT_EQ(ground->undoCount(), 0u);
    dig(*ground, 640, 640, 90);
    EXPECT_FALSE(ground->save().ok());
    EXPECT_EQ(fs::file_size(name + ".craters"), 15u);
    EXPECT_TRUE(ground->saveAs(file("my.craters")).ok());
}

}  // namespace
}  // namespace karst::viewer
