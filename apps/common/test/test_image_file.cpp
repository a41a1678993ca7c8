#include <common/image_file.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <karst_test/test_support.h>

#include <fstream>

namespace karst::app {

namespace {

Image randomImage(test::Random& random, int width, int height) {
    Image image{width, height, {}};
    for (int i = 0; i < width * height * 4; ++i)
        image.rgba.push_back(static_cast<std::uint8_t>(random.integer(0, 255)));
    return image;
}

TEST(ImageFile, RoundTripKeepsEveryByte) {
    const test::TempFolder folder;
    test::Random random(3);
    for (const auto& [width, height] : {std::pair{1, 1}, {7, 5}, {64, 3}}) {
        const Image image = randomImage(random, width, height);
        ASSERT_TRUE(writePng(folder.path() / "a.png", image));
        const auto read = readPng(folder.path() / "a.png");
        ASSERT_TRUE(read) << read.error().message;
        EXPECT_EQ(read->width, width);
        EXPECT_EQ(read->height, height);
        EXPECT_EQ(read->rgba, image.rgba);
    }
}

TEST(ImageFile, BadFilesAreErrors) {
    const test::TempFolder folder;
    EXPECT_EQ(readPng(folder.path() / "none.png").error().code, ErrorCode::NotFound);
    std::ofstream(folder.path() / "text.png") << "this is no picture";
    EXPECT_EQ(readPng(folder.path() / "text.png").error().code, ErrorCode::CorruptData);
    test::Random random(4);
    const Image image = randomImage(random, 40, 30);
    ASSERT_TRUE(writePng(folder.path() / "whole.png", image));
    std::ifstream whole(folder.path() / "whole.png", std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(whole), {}};
    for (std::size_t kept = 0; kept + 20 < bytes.size(); kept += bytes.size() / 9) {
        std::ofstream(folder.path() / "cut.png", std::ios::binary) << bytes.substr(0, kept);
        EXPECT_FALSE(readPng(folder.path() / "cut.png")) << kept;
    }
    EXPECT_EQ(writePng(folder.path() / "no" / "such" / "folder.png", image).error().code, ErrorCode::Io);
    EXPECT_EQ(writePng(folder.path() / "short.png", {2, 2, {1, 2, 3}}).error().code,
              ErrorCode::InvalidArgument);
}

TEST(ImageFile, ComparisonCountsPixelsOverTheTolerance) {
    Image a{4, 1, std::vector<std::uint8_t>(16, 100)}, b = a;
    b.rgba[0] = 104;  // pixel 0, within
    b.rgba[5] = 90;   // pixel 1, over
    b.rgba[6] = 120;  // pixel 1 again
    b.rgba[15] = 0;   // alpha does not count
    const auto difference = compareImages(a, b, 5);
    ASSERT_TRUE(difference);
    EXPECT_EQ(difference->pixelsOver, 1u);
    EXPECT_DOUBLE_EQ(difference->fractionOver, 0.25);
    EXPECT_DOUBLE_EQ(difference->meanDifference, 34.0 / 12);
    EXPECT_EQ(difference->maxDifference, 20);
    const auto sizes = compareImages(a, {2, 2, a.rgba}, 5);
    ASSERT_FALSE(sizes);
    EXPECT_THAT(sizes.error().message, testing::HasSubstr("4 x 1 and 2 x 2"));
}

}  // namespace

}  // namespace karst::app
