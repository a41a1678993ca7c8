#include <common/offscreen_target.h>
#include <common/one_shot.h>
#include <golden/gpu_test.h>

namespace karst::app {

namespace {

class OffscreenTargetTest : public test::GpuTest {};

TEST_F(OffscreenTargetTest, ClearsToBlackAndInfinitelyFar) {
    for (const auto samples : {VK_SAMPLE_COUNT_1_BIT, VK_SAMPLE_COUNT_4_BIT}) {
        auto target = OffscreenTarget::create(context(), {.width = 5, .height = 3, .samples = samples});
        ASSERT_TRUE(target) << target.error().message;
        for (int frame = 0; frame < 3; ++frame) {
            const auto done = submitAndWait(context(), [&](VkCommandBuffer commands) -> Result<void> {
                target->beginRendering(commands);
                if (frame > 0) target->continueRendering(commands);
                target->endRendering(commands);
                return {};
            });
            ASSERT_TRUE(done) << done.error().message;
        }
        const Image image = target->image();
        EXPECT_EQ(image.rgba.size(), 5u * 3 * 4);
        EXPECT_EQ(image.pixel(4, 2), (std::array<std::uint8_t, 4>{0, 0, 0, 255}));
        EXPECT_EQ(target->depth(), std::vector<float>(15, 0.0f));
        EXPECT_DOUBLE_EQ(target->aspect(), 5.0 / 3);
    }
}

TEST_F(OffscreenTargetTest, RefusesSizesByName) {
    for (const auto& [width, height] : {std::pair{0, 4}, {4, -1}, {1 << 20, 4}}) {
        const auto target = OffscreenTarget::create(context(), {.width = width, .height = height});
        ASSERT_FALSE(target);
        EXPECT_EQ(target.error().code, ErrorCode::InvalidArgument);
        EXPECT_NE(target.error().message.find(std::to_string(width) + " x " + std::to_string(height)),
                  std::string::npos);
    }
}

}  // namespace

}  // namespace karst::app
