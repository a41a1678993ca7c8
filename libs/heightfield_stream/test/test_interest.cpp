#include <gtest/gtest.h>
#include <karst/heightfield_stream/interest.h>
#include <karst_test/test_support.h>

#include <cmath>
#include <limits>

namespace karst::heightfield {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(Interest, RefusesByName) {
    EXPECT_TRUE(validate(CollisionInterest{1, 2, 0}).ok());
    for (const CollisionInterest& bad : {CollisionInterest{kNan, 0, 1}, CollisionInterest{0, HUGE_VAL, 1}}) {
        const Result<void> refused = validate(bad);
        ASSERT_FALSE(refused.ok());
        EXPECT_NE(refused.error().message.find("centre"), std::string::npos);
    }
    for (const double radius : {-1.0, kNan, HUGE_VAL}) {
        const Result<void> refused = validate(Interest(CollisionInterest{0, 0, radius}));
        ASSERT_FALSE(refused.ok());
        EXPECT_NE(refused.error().message.find("radius"), std::string::npos);
    }
    TileView view;
    view.tolerance = 0;
    EXPECT_FALSE(validate(Interest(view)).ok());
}

// Against points of the rectangle.
TEST(Interest, ReachesWhatComesWithinTheRadius) {
    test::Random random(8);
    for (int i = 0; i < 2000; ++i) {
        const Rect rect{random.range(-5, 5), random.range(-5, 5), random.range(5, 9), random.range(5, 9)};
        const CollisionInterest interest{random.range(-15, 15), random.range(-15, 15), random.range(0, 8)};
        double nearest = HUGE_VAL;
        for (int j = 0; j <= 60; ++j) {
            const double x = rect.minX + rect.width() * j / 60;
            for (int k = 0; k <= 60; ++k) {
                const double z = rect.minZ + rect.depth() * k / 60;
                nearest = std::min(nearest, std::hypot(x - interest.x, z - interest.z));
            }
        }
        // The grid of points is at most this far from the nearest point.
        if (nearest <= interest.radius) {
            EXPECT_TRUE(reaches(interest, rect));
        }
        if (nearest > interest.radius + 0.2) {
            EXPECT_FALSE(reaches(interest, rect));
        }
    }
}

}  // namespace
}  // namespace karst::heightfield
