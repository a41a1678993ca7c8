#include <gtest/gtest.h>
#include <karst/heightfield/terrain_material.h>
#include <karst_test/test_support.h>

#include <cmath>
#include <limits>

namespace {

using namespace karst;
using namespace karst::heightfield;

TEST(TerrainMaterial, H24_ARampGoesSmoothlyAndMonotonelyBetweenItsEnds) {
    const MaterialRamp up{2, 4}, down{4, 2};
    EXPECT_EQ(up.at(2), 0);
    EXPECT_EQ(up.at(4), 1);
    EXPECT_EQ(up.at(3), 0.5);
    EXPECT_EQ(up.at(-1e9), 0);
    EXPECT_EQ(up.at(1e9), 1);
    double before = 0;
    for (int i = 0; i <= 100; ++i) {
        const double x = 2 + i * 0.02;
        EXPECT_GE(up.at(x), before);
        EXPECT_LE(up.at(x) - before, 0.02 * 1.5 / 2 + 1e-12);
        EXPECT_NEAR(up.at(x) + down.at(x), 1, 1e-12);
        before = up.at(x);
    }
    const MaterialRamp step{5, 5};
    EXPECT_EQ(step.at(std::nextafter(5.0, 0.0)), 0);
    EXPECT_EQ(step.at(5), 1);
}

TEST(TerrainMaterial, H24_WeightsAddUpToOneAndCoverWhatLiesBelow) {
    test::Random random(1);
    for (int n = 0; n < 2000; ++n) {
        TerrainMaterialRules rules;
        rules.materials = static_cast<std::uint32_t>(random.integer(1, 4));
        for (MaterialCover& cover : rules.covers) {
            cover = {};
            if (random.chance(0.7)) cover.slope = MaterialRamp{random.range(0, 2), random.range(0, 2)};
            if (random.chance(0.7)) cover.height = MaterialRamp{random.range(-9, 9), random.range(-9, 9)};
        }
        const double slope = random.range(0, 2), height = random.range(-9, 9);
        const MaterialWeights w = rules.weightsAt(slope, height);
        double sum = 0;
        for (std::size_t m = 0; m < 4; ++m) {
            EXPECT_GE(w[m], 0);
            if (m >= rules.materials) {
                EXPECT_EQ(w[m], 0);
            }
            sum += w[m];
        }
        EXPECT_NEAR(sum, 1, 1e-12);
        // The last material has what its cover says, whatever lies below.
        if (rules.materials > 1) {
            EXPECT_EQ(w[rules.materials - 1], rules.covers[rules.materials - 2].at(slope, height));
        }
    }
}

TEST(TerrainMaterial, H24_ByDefaultRockIsWhereItIsSteep) {
    const TerrainMaterialRules rules;
    EXPECT_EQ(rules.weightsAt(0.5, 0), (MaterialWeights{1, 0, 0, 0}));
    EXPECT_EQ(rules.weightsAt(1.1, 0), (MaterialWeights{0, 1, 0, 0}));
}

TEST(TerrainMaterial, H24_RefusesRulesOutOfRangeByName) {
    TerrainMaterialRules rules;
    EXPECT_TRUE(validate(rules).ok());
    rules.materials = 0;
    EXPECT_FALSE(validate(rules).ok());
    rules.materials = 5;
    ASSERT_FALSE(validate(rules).ok());
    EXPECT_NE(validate(rules).error().message.find("5 materials"), std::string::npos);
    rules.materials = 3;
    rules.covers[1].height = MaterialRamp{0, std::numeric_limits<double>::quiet_NaN()};
    ASSERT_FALSE(validate(rules).ok());
    EXPECT_NE(validate(rules).error().message.find("material 2's height"), std::string::npos);
    rules.covers[1].height = MaterialRamp{-1.7e308, 1.7e308};
    EXPECT_FALSE(validate(rules).ok());
}

}  // namespace
