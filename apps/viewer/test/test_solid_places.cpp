#include <gtest/gtest.h>
#include <karst_test/test_support.h>

#include <algorithm>
#include <cmath>

#include "solid_places.h"

namespace karst::viewer {
namespace {

constexpr double kSize = 100;

std::vector<GroundedBody> someBodies(test::Random& random, int count, double extent) {
    std::vector<GroundedBody> bodies;
    for (int i = 0; i < count; ++i) {
        bodies.push_back({{random.range(-extent, extent), random.range(0, 50), random.range(-extent, extent)},
                          random.range(0.1, 8),
                          random.chance(0.3)});
    }
    return bodies;
}

bool covered(const GroundedBody& body, const std::vector<SolidPlace>& places, double room) {
    return std::any_of(places.begin(), places.end(), [&](const SolidPlace& place) {
        return std::hypot(body.position.x - place.center.x, body.position.z - place.center.z) + body.radius +
                   room <=
               place.radius;
    });
}

TEST(SolidPlaces, H29_CoverEveryBodyWithRoomToMove) {
    test::Random random(3);
    for (int round = 0; round < 50; ++round) {
        const auto bodies = someBodies(random, random.integer(1, 60), 1000);
        const auto places = placesOfBodies(bodies, kSize, 1000, {});
        EXPECT_LE(places.size(), bodies.size());
        for (const GroundedBody& body : bodies)
            EXPECT_TRUE(covered(body, places, kSize / 4 * 0.999));
    }
}

TEST(SolidPlaces, AreBoundedAndTheOrderOfBodiesIsNone) {
    test::Random random(4);
    for (int round = 0; round < 30; ++round) {
        auto bodies = someBodies(random, 80, 2000);
        const auto places = placesOfBodies(bodies, kSize, 7, {100, 0, 100});
        EXPECT_EQ(places.size(), 7u);
        for (std::size_t i = bodies.size() - 1; i > 0; --i)
            std::swap(bodies[i], bodies[static_cast<std::size_t>(random.integer(0, static_cast<int>(i)))]);
        const auto again = placesOfBodies(bodies, kSize, 7, {100, 0, 100});
        ASSERT_EQ(again.size(), places.size());
        for (std::size_t i = 0; i < places.size(); ++i) {
            EXPECT_EQ(again[i].center, places[i].center);
            EXPECT_EQ(again[i].radius, places[i].radius);
        }
    }
}

TEST(SolidPlaces, WhatMovesComesFirstThenWhatIsNear) {
    const std::vector<GroundedBody> bodies{{{50, 0, 50}, 1, false},
                                           {{550, 0, 50}, 1, false},
                                           {{2050, 0, 50}, 1, true},
                                           {{1050, 0, 50}, 1, true}};
    const auto places = placesOfBodies(bodies, kSize, 3, {0, 0, 0});
    ASSERT_EQ(places.size(), 3u);
    EXPECT_EQ(places[0].center.x, 1050);
    EXPECT_EQ(places[1].center.x, 2050);
    EXPECT_EQ(places[2].center.x, 50);
    EXPECT_TRUE(placesOfBodies({}, kSize, 3, {}).empty());
}

TEST(SolidPlaces, StayWhileBodiesStayInTheirSquares) {
    const std::vector<GroundedBody> before{{{10, 5, 10}, 1, true}, {{20, 5, 90}, 1, true}};
    const std::vector<GroundedBody> after{{{90, 5, 40}, 1, true}, {{1, 2, 3}, 1, true}};
    EXPECT_EQ(placesOfBodies(before, kSize, 3, {})[0].center, placesOfBodies(after, kSize, 3, {})[0].center);
}

}  // namespace
}  // namespace karst::viewer
