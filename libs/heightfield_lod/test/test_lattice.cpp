#include <gtest/gtest.h>
#include <karst/heightfield_lod/lattice.h>
#include <karst_test/test_support.h>

#include <cmath>

namespace karst::heightfield {
namespace {

TEST(Lattice, N5_StopsAreTheTwoEdgesAndTheTexelCentres) {
    const LatticeAxis axis(100, 108, 100, 2, 4);  // four texels of 2
    ASSERT_EQ(axis.stopCount(), 6);
    const double expected[] = {100, 101, 103, 105, 107, 108};
    for (int i = 0; i < 6; ++i)
        EXPECT_EQ(axis.positionOfStop(i), expected[i]);
}

TEST(Lattice, N5_APartOfARasterHasItsOwnEdges) {
    const LatticeAxis axis(101.5, 106, 100, 2, 4);
    ASSERT_EQ(axis.stopCount(), 4);
    const double expected[] = {101.5, 103, 105, 106};
    for (int i = 0; i < 4; ++i)
        EXPECT_EQ(axis.positionOfStop(i), expected[i]);
    // Within one texel, between centres: the edges alone.
    const LatticeAxis narrow(103.25, 104.5, 100, 2, 4);
    ASSERT_EQ(narrow.stopCount(), 2);
    EXPECT_EQ(narrow.positionOfStop(0), 103.25);
    EXPECT_EQ(narrow.positionOfStop(1), 104.5);
}

TEST(Lattice, N5_TheNearestStopIsNearest) {
    test::Random random(3);
    for (int round = 0; round < 3000; ++round) {
        const int texels = random.integer(1, 50);
        const double spacing = std::pow(10, random.range(-2, 2));
        const double rasterLow = random.range(-1000, 1000);
        double low = rasterLow, high = rasterLow + texels * spacing;
        if (random.chance(0.5)) {
            const double a = random.range(low, high), b = random.range(low, high);
            low = std::min(a, b);
            high = std::max(a, b);
            if (high - low < spacing * 1e-3) continue;
        }
        const LatticeAxis axis(low, high, rasterLow, spacing, texels);
        for (int stop = 1; stop < axis.stopCount(); ++stop) {
            ASSERT_GT(axis.placeOfStop(stop), axis.placeOfStop(stop - 1));
            ASSERT_GE(axis.positionOfStop(stop), axis.positionOfStop(stop - 1));
        }
        for (int k = 0; k < 20; ++k) {
            const double place = random.range(axis.lowPlace() - 0.0, axis.highPlace() + 2);
            const int taken = axis.nearestStop(place);
            ASSERT_GE(taken, 0);
            ASSERT_LT(taken, axis.stopCount());
            for (int stop = 0; stop < axis.stopCount(); ++stop) {
                ASSERT_LE(std::abs(axis.placeOfStop(taken) - place),
                          std::abs(axis.placeOfStop(stop) - place) + 1e-9)
                    << "place " << place << " took stop " << taken << " of " << axis.stopCount();
            }
        }
    }
}

}  // namespace
}  // namespace karst::heightfield
