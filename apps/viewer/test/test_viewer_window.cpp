// The viewer as a user has it: a window, keys, a mouse. On a virtual display, by whatever Vulkan driver is
// there.
#include "display_fixture.h"
#include "hills.h"

namespace karst {
namespace {

using app::Image;
using test::DrivenViewer;
using test::kLoaded;

class ViewerWindowSlow : public test::DisplayTest {};

TEST_F(ViewerWindowSlow, FliesOverADem) {
    DrivenViewer viewer(
        display(), path(),
        {test::writeHills(file("hills.asc")), "--camera", "640,260,1200", "--look-at", "640,90,500"});
    ASSERT_TRUE(viewer.waitFor(kLoaded)) << viewer.output();
    viewer.pointAt(160, 120);
    const auto panels = viewer.shoot();
    viewer.press("F2");
    const auto first = viewer.shoot();
    EXPECT_EQ(first.picture.width, DrivenViewer::kWidth);
    EXPECT_EQ(first.picture.height, DrivenViewer::kHeight);
    EXPECT_GT(variety(first.picture), 0.3);
    EXPECT_GT(difference(panels.picture, first.picture), 0.3) << "panels cover much of a small window";
    EXPECT_NEAR(first.camera.z, 1200, 1e-3);

    viewer.hold("w", 1.0);
    const auto ahead = viewer.shoot();
    EXPECT_LT(ahead.camera.z, 1195);
    EXPECT_LT(ahead.camera.y, 260);
    EXPECT_NEAR(ahead.camera.x, 640, 1e-3);
    EXPECT_GT(difference(first.picture, ahead.picture), 0.05);
    viewer.drag(160, 120, 220, 120);
    const auto turned = viewer.shoot();
    EXPECT_GT(turned.yaw, ahead.yaw + 0.1);
    EXPECT_EQ(turned.camera, ahead.camera);

    Image last = turned.picture;
    for (const char* mode : {"levels", "borders", "normals", "error", "materials", "wireframe", "overdraw"}) {
        viewer.press("F3");
        ASSERT_TRUE(viewer.waitFor(std::string("mode: ") + mode)) << viewer.output();
        const auto shown = viewer.shoot();
        EXPECT_GT(difference(shown.picture, last), 0.005) << mode;
        last = shown.picture;
    }
    EXPECT_EQ(viewer.quit(), 0) << viewer.output();
}

TEST_F(ViewerWindowSlow, CratersAPackageAndTakesThemBack) {
    DrivenViewer viewer(display(), path(),
                        {test::buildHills(file("hills.karst")), "--camera", "640,300,1000", "--look-at",
                         "640,90,640", "--radius", "90"});
    ASSERT_TRUE(viewer.waitFor(kLoaded)) << viewer.output();
    viewer.press("F2");
    viewer.pointAt(10, 10);
    const auto before = viewer.shoot();
    viewer.press("6");
    viewer.pointAt(160, 120);
    viewer.holdButton(1, 0.5);
    viewer.press("1");
    viewer.pointAt(10, 10);
    auto after = viewer.shoot();
    for (int i = 0; i < 40 && difference(before.picture, after.picture) < 0.02; ++i)
        after = viewer.shoot();
    EXPECT_EQ(after.edits, 1u);
    EXPECT_GT(difference(before.picture, after.picture), 0.02);
    viewer.press("ctrl+z");
    ASSERT_TRUE(viewer.waitFor("undone, 0 left"));
    auto back = viewer.shoot();
    for (int i = 0; i < 40 && difference(before.picture, back.picture) > 0; ++i)
        back = viewer.shoot();
    EXPECT_EQ(difference(before.picture, back.picture), 0);
    viewer.press("ctrl+y");
    ASSERT_TRUE(viewer.waitFor("done again, 0 left"));
    auto again = viewer.shoot();
    for (int i = 0; i < 40 && difference(after.picture, again.picture) > 0; ++i)
        again = viewer.shoot();
    EXPECT_EQ(difference(after.picture, again.picture), 0);
    EXPECT_EQ(viewer.quit(), 0) << viewer.output();
}

TEST_F(ViewerWindowSlow, SavesCratersAndShowsThemAgain) {
    for (const std::string& name :
         {test::buildHills(file("hills.karst")), test::writeHills(file("hills.asc"))}) {
        const std::vector<std::string> arguments{
            name, "--camera", "640,300,1000", "--look-at", "640,90,640", "--radius", "90"};
        Image before, dug;
        {
            DrivenViewer viewer(display(), path(), arguments);
            ASSERT_TRUE(viewer.waitFor(kLoaded)) << viewer.output();
            viewer.press("F2");
            viewer.pointAt(10, 10);
            before = viewer.shoot().picture;
            viewer.press("6");
            viewer.pointAt(160, 120);
            viewer.holdButton(1, 0.5);
            viewer.press("1");
            viewer.pointAt(10, 10);
            dug = viewer.shoot().picture;
            for (int i = 0; i < 40 && difference(before, dug) < 0.02; ++i)
                dug = viewer.shoot().picture;
            viewer.press("ctrl+s");
            ASSERT_TRUE(viewer.waitFor("saved 1 crater in " + name + ".craters")) << viewer.output();
            EXPECT_EQ(viewer.quit(), 0) << viewer.output();
        }
        DrivenViewer viewer(display(), path(), arguments);
        ASSERT_TRUE(viewer.waitFor(kLoaded)) << viewer.output();
        viewer.press("F2");
        viewer.pointAt(10, 10);
        const Image again = viewer.shoot().picture;
        EXPECT_GT(difference(before, again), 0.02) << name;
        EXPECT_EQ(difference(dug, again), 0) << name;
        EXPECT_EQ(viewer.quit(), 0) << viewer.output();
    }
}

// Detail is higher and lower than the samples: who walks stands on it, not in it.
TEST_F(ViewerWindowSlow, WalksOnSynthesisedDetail) {
    DrivenViewer viewer(display(), path(),
                        {test::buildHills(file("hills.karst"), heightfield::BuildOptions().tileCells),
                         "--detail", "2", "--camera", "640,150,800", "--look-at", "640,150,500"});
    ASSERT_TRUE(viewer.waitFor(kLoaded)) << viewer.output();
    viewer.press("F2");
    viewer.pointAt(160, 120);
    viewer.press("f");
    ASSERT_TRUE(viewer.waitFor("walking")) << viewer.output();
    auto standing = viewer.shoot();
    for (int i = 0; i < 60 && standing.camera.y > 149; ++i)
        standing = viewer.shoot();
    viewer.hold("w", 1.0);
    const auto walked = viewer.shoot();
    EXPECT_LT(walked.camera.z, standing.camera.z - 0.5);
    // Within what detail adds of the samples' height.
    EXPECT_NEAR(walked.camera.y, test::hill(64, 80) + 1.65, 6);
    EXPECT_GT(variety(walked.picture), 0.2) << "from below the ground is all of one colour";
    EXPECT_EQ(viewer.quit(), 0) << viewer.output();
}

// Under the validation layer; with one sample and with four, whose pictures are made anew too.
TEST_F(ViewerWindowSlow, FollowsTheWindowsSize) {
    const std::string name = test::buildHills(file("hills.karst"));
    for (const char* samples : {"1", "4"}) {
        DrivenViewer viewer(
            display(), path(),
            {name, "--camera", "640,300,1000", "--look-at", "640,90,640", "--samples", samples});
        ASSERT_TRUE(viewer.waitFor(kLoaded)) << viewer.output();
        viewer.press("F2");
        viewer.pointAt(10, 10);
        const Image first = viewer.shoot().picture;
        const int sizes[][2] = {{500, 150}, {90, 400}, {1, 1}, {640, 480}, {1, 300}, {333, 1}, {320, 240}};
        for (const auto& [width, height] : sizes) {
            viewer.resize(width, height);
            Image picture = viewer.shoot().picture;
            for (int i = 0; i < 20 && picture.width != width; ++i)
                picture = viewer.shoot().picture;
            EXPECT_EQ(picture.width, width);
            EXPECT_EQ(picture.height, height);
            if (width > 50 && height > 50) {
                EXPECT_GT(variety(picture), 0.2) << width << " x " << height;
            }
        }
        // As it was, and as it is after it was hidden.
        for (int i = 0; i < 3; ++i) {
            viewer.hide(true);
            DrivenViewer::rest(0.2);
            viewer.hide(false);
        }
        Image last = viewer.shoot().picture;
        for (int i = 0; i < 20 && difference(first, last) > 0; ++i)
            last = viewer.shoot().picture;
        EXPECT_EQ(difference(first, last), 0);
        // Many sizes, faster than frames, with panels.
        viewer.press("F2");
        for (int i = 0; i < 25; ++i)
            viewer.resize(100 + i * 17 % 300, 80 + i * 29 % 200);
        EXPECT_GT(viewer.shoot().picture.width, 0);
        EXPECT_EQ(viewer.quit(), 0) << viewer.output();
    }
}

TEST_F(ViewerWindowSlow, SaysWhatItCannotOpen) {
    DrivenViewer viewer(display(), path(), {file("nothing.tif")});
    ASSERT_TRUE(viewer.waitFor("nothing.tif")) << viewer.output();
    EXPECT_GT(variety(viewer.shoot().picture), 0.05);
    EXPECT_EQ(viewer.quit(), 0) << viewer.output();
}

TEST_F(ViewerWindowSlow, SaysWhatIsMissing) {
    test::Process noDisplay({KARST_VIEWER}, file("log"), {"DISPLAY="});
    EXPECT_EQ(noDisplay.wait(60), 3);
    EXPECT_NE(noDisplay.output().find("no display"), std::string::npos) << noDisplay.output();
    test::Process noDevice({KARST_VIEWER}, file("log"),
                           {"DISPLAY=" + display().name(), "VK_DRIVER_FILES=" + file("none.json"),
                            "VK_ICD_FILENAMES=" + file("none.json")});
    EXPECT_EQ(noDevice.wait(60), 4);
    EXPECT_NE(noDevice.output().find("driver"), std::string::npos) << noDevice.output();
    test::Process otherDevice({KARST_VIEWER}, file("log"),
                              {"DISPLAY=" + display().name(), "KARST_DEVICE=no such device"});
    EXPECT_EQ(otherDevice.wait(60), 4);
    EXPECT_NE(otherDevice.output().find("KARST_DEVICE"), std::string::npos) << otherDevice.output();
    test::Process wrong({KARST_VIEWER, "--siz", "1,2"}, file("log"), {});
    EXPECT_EQ(wrong.wait(60), 2);
    EXPECT_NE(wrong.output().find("--size"), std::string::npos) << wrong.output();
}

}  // namespace
}  // namespace karst
