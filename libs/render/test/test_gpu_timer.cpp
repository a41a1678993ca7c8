#include <common/one_shot.h>
#include <gmock/gmock.h>
#include <karst/render/gpu_timer.h>

#include "tile_ground.h"

namespace karst::render {

namespace {

class GpuTimerTest : public test::GpuTest {
  protected:
    // One frame with two spans, one in the other.
    void frame(GpuTimer& timer, bool stop = true) {
        const auto done = app::submitAndWait(context(), [&](VkCommandBuffer commands) -> Result<void> {
            timer.recordBegin(commands);
            const std::uint32_t outer = timer.recordStart(commands, "outer");
            const std::uint32_t inner = timer.recordStart(commands, "inner");
            timer.recordStop(commands, inner);
            if (stop) timer.recordStop(commands, outer);
            return {};
        });
        EXPECT_TRUE(done);
    }
};

TEST_F(GpuTimerTest, H22_TimesComeBackWithTheFramesTurn) {
    auto timer = GpuTimer::create(device(), {.spans = 4, .framesInFlight = 2});
    ASSERT_TRUE(timer) << timer.error().message;
    frame(*timer);
    EXPECT_TRUE(timer->times().empty());
    frame(*timer, false);
    EXPECT_TRUE(timer->times().empty());
    frame(*timer);
    ASSERT_EQ(timer->times().size(), 2u);
    EXPECT_STREQ(timer->times()[0].name, "outer");
    EXPECT_STREQ(timer->times()[1].name, "inner");
    EXPECT_GE(timer->times()[1].milliseconds, 0);
    EXPECT_GE(timer->times()[0].milliseconds, timer->times()[1].milliseconds);
    frame(*timer);
    ASSERT_EQ(timer->times().size(), 1u) << "one was not stopped";
    EXPECT_STREQ(timer->times()[0].name, "inner");
}

TEST_F(GpuTimerTest, MoreSpansThanThereIsRoomForAreNotMeasured) {
    auto timer = GpuTimer::create(device(), {.spans = 1, .framesInFlight = 1});
    ASSERT_TRUE(timer);
    frame(*timer);
    frame(*timer);
    ASSERT_EQ(timer->times().size(), 1u);
    EXPECT_STREQ(timer->times()[0].name, "outer");
    for (const GpuTimerDesc& bad : {GpuTimerDesc{.spans = 0}, GpuTimerDesc{.spans = 257},
                                    GpuTimerDesc{.framesInFlight = 0}, GpuTimerDesc{.framesInFlight = 9}}) {
        const auto refused = GpuTimer::create(device(), bad);
        ASSERT_FALSE(refused);
        EXPECT_EQ(refused.error().code, ErrorCode::InvalidArgument);
    }
}

}  // namespace

}  // namespace karst::render
