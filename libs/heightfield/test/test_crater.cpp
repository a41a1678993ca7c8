#include <gtest/gtest.h>
#include <karst/heightfield/crater.h>

#include <cmath>
#include <limits>

#include "pyramid_reference.h"

namespace {

using namespace karst;
using namespace karst::heightfield;

Crater randomCrater(test::Random& random, const TileLayout& layout, double largest) {
    const Rect ground = layout.groundRect();
    const double side = std::min(ground.width(), ground.depth());
    return {random.range(ground.minX - side * 0.2, ground.maxX + side * 0.2),
            random.range(ground.minZ - side * 0.2, ground.maxZ + side * 0.2),
            side * random.range(0.01, largest), random.range(0, 30), random.range(0, 8)};
}

std::vector<Crater> randomCraters(test::Random& random, const TileLayout& layout, int count) {
    std::vector<Crater> craters;
    for (int i = 0; i < count; ++i)
        craters.push_back(randomCrater(random, layout, 0.4));
    return craters;
}

double worldX(const TileLayout& layout, const TileKey& key, int i) {
    return layout.originX +
           (static_cast<double>(key.x) * layout.tileCells + i) * std::ldexp(1.0, key.level) * layout.spacingX;
}
double worldZ(const TileLayout& layout, const TileKey& key, int j) {
    return layout.originZ +
           (static_cast<double>(key.z) * layout.tileCells + j) * std::ldexp(1.0, key.level) * layout.spacingZ;
}

TEST(Crater, H28_IsAQuarticBowlWithAQuarticLipAndEndsAt16Radii) {
    const Crater c{10, 20, 5, 3, 0.75};
    EXPECT_EQ(c.offsetAt(10, 20), -3);
    EXPECT_NEAR(c.offsetAt(15, 20), 0.75, 1e-12);
    EXPECT_NEAR(c.offsetAt(10, 15), 0.75, 1e-12);
    EXPECT_EQ(c.offsetAt(10 + 8.0, 20), 0);
    EXPECT_EQ(c.offsetAt(10 + 8.000001, 20), 0);
    EXPECT_NE(c.offsetAt(10 + 7.99, 20), 0);
    EXPECT_EQ(c.offsetAt(1e308, -1e308), 0);
    // Halfway: the bowl's and the lip's formulas of their own.
    EXPECT_NEAR(c.offsetAt(12.5, 20), -3 + 3.75 * (2 * 0.25 - 0.0625), 1e-12);
    EXPECT_NEAR(c.offsetAt(10 + 5 * 1.3, 20), 0.75 * 0.75 * 0.75, 1e-12);
    // Fourth differences along s are those of a quartic: constant.
    const auto fourth = [&](double s, double h) {
        const auto f = [&](double at) { return c.offsetAt(10 + 5 * at, 20); };
        return f(s - 2 * h) - 4 * f(s - h) + 6 * f(s) - 4 * f(s + h) + f(s + 2 * h);
    };
    const double h = 0.05;
    for (double s = 0.15; s < 0.9; s += 0.05)
        EXPECT_NEAR(fourth(s, h), -3.75 * 24 * h * h * h * h, 1e-10);
    for (double s = 1.15; s < 1.45; s += 0.05)
        EXPECT_NEAR(fourth(s, h), 0.75 * 24 * h * h * h * h / std::pow(0.6, 4), 1e-10);
}

TEST(Crater, H28_ItsSlopeIsContinuousAtTheJoins) {
    const Crater c{0, 0, 1, 2, 0.5};
    const auto slope = [&](double s) { return (c.offsetAt(s + 1e-6, 0) - c.offsetAt(s - 1e-6, 0)) / 2e-6; };
    EXPECT_NEAR(slope(0), 0, 1e-5);
    for (const double join : {1.0, 1.6}) {
        EXPECT_NEAR(slope(join - 2e-6), slope(join + 2e-6), 2e-4);
        EXPECT_NEAR(slope(join), 0, 2e-4);
        EXPECT_NEAR(c.offsetAt(join - 1e-9, 0), c.offsetAt(join + 1e-9, 0), 1e-12);
    }
    EXPECT_GT(slope(0.6), 1);
}

TEST(Crater, H28_DeviationBoundsTheErrorOfEveryLattice) {
    test::Random random(2);
    double tightest = 0;
    for (int n = 0; n < 300; ++n) {
        const Crater c{random.range(-1, 1), random.range(-1, 1), random.range(0.3, 3), random.range(0, 2),
                       random.chance(0.2) ? 0 : random.range(0, 2)};
        const double sx = random.range(0.05, 2), sz = random.range(0.05, 2);
        const double bound = c.deviation(sx, sz);
        for (int k = 0; k < 200; ++k) {
            const double i = std::floor(random.range(-5, 5)), j = std::floor(random.range(-5, 5));
            const double fx = random.unit(), fz = random.unit();
            const auto at = [&](double a, double b) { return c.offsetAt((i + a) * sx, (j + b) * sz); };
            const double drawn = cellHeight(at(0, 0), at(1, 0), at(0, 1), at(1, 1), fx, fz);
            EXPECT_LE(std::abs(at(fx, fz) - drawn), bound * (1 + 1e-12));
            if (bound > 0) tightest = std::max(tightest, std::abs(at(fx, fz) - drawn) / bound);
        }
    }
    EXPECT_GT(tightest, 0.4);
}

TEST(Crater, H28_ReachesExactlyTheTilesWithASampleThatItChanges) {
    test::Random random(3);
    int reached = 0, missed = 0;
    for (int n = 0; n < 40; ++n) {
        const auto p = test::randomPyramid(random, 40, 33, 8, 0, 20);
        for (int k = 0; k < 4; ++k) {
            const Crater c = randomCrater(random, p.layout, 0.3);
            for (const auto& [key, tile] : p.tiles) {
                bool changes = false;
                for (int j = -1; j <= 9; ++j) {
                    for (int i = -1; i <= 9; ++i)
                        changes |= c.offsetAt(worldX(p.layout, key, i), worldZ(p.layout, key, j)) != 0;
                }
                if (changes) {
                    EXPECT_TRUE(reaches(c, p.layout, key));
                }
                const TilePtr dug = applyCraters(tile, p.layout, {{c}});
                EXPECT_EQ(dug == tile, !reaches(c, p.layout, key));
                reached += changes ? 1 : 0;
                missed += dug == tile ? 1 : 0;
            }
        }
    }
    EXPECT_GT(reached, 100);
    EXPECT_GT(missed, 100);
}

TEST(Crater, H8_H28_StoredTilesAddTheSumAtTheirSamplesUnderANewRevision) {
    test::Random random(4);
    for (int n = 0; n < 20; ++n) {
        const auto p = test::randomPyramid(random, 50, 40, 8, 0, 20, 0.1);
        const auto craters = randomCraters(random, p.layout, 5);
        for (const auto& [key, tile] : p.tiles) {
            const TilePtr dug = applyCraters(tile, p.layout, craters);
            std::uint64_t reaching = 0;
            for (const Crater& c : craters)
                reaching += reaches(c, p.layout, key) ? 1 : 0;
            EXPECT_EQ(dug->revision, tile->revision + reaching);
            EXPECT_EQ(dug->key, key);
            EXPECT_EQ(dug->holes, tile->holes);
            EXPECT_TRUE(validate(*dug, p.layout).ok());
            for (int j = -1; j <= 9; ++j) {
                for (int i = -1; i <= 9; ++i) {
                    double sum = 0;
                    for (const Crater& c : craters)
                        sum += c.offsetAt(worldX(p.layout, key, i), worldZ(p.layout, key, j));
                    EXPECT_NEAR(dug->sample(i, j), tile->sample(i, j) + sum, 1e-4);
                    if (sum == 0) {
                        EXPECT_EQ(dug->sample(i, j), tile->sample(i, j));
                    }
                }
            }
        }
    }
}

TEST(Crater, H28_CratersCommuteBitForBit) {
    test::Random random(5);
    for (int n = 0; n < 20; ++n) {
        const auto p = test::randomPyramid(random, 33, 33, 16, 0, 20);
        auto craters = randomCraters(random, p.layout, 7);
        craters.push_back(craters[2]);
        auto shuffled = craters;
        for (std::size_t i = shuffled.size() - 1; i > 0; --i)
            std::swap(shuffled[i],
                      shuffled[static_cast<std::size_t>(random.integer(0, static_cast<int>(i)))]);
        for (const auto& [key, tile] : p.tiles) {
            const TilePtr a = applyCraters(tile, p.layout, craters),
                          b = applyCraters(tile, p.layout, shuffled);
            EXPECT_EQ(a->samples, b->samples);
            EXPECT_EQ(a->bounds, b->bounds);
            EXPECT_EQ(a->errors, b->errors);
            EXPECT_EQ(a->revision, b->revision);
        }
    }
}

TEST(Crater, H28_TilesThatShareSamplesStillAgreeOnThem) {
    test::Random random(6);
    for (int n = 0; n < 20; ++n) {
        const auto p = test::randomPyramid(random, 50, 40, 8, 0, 20);
        const auto craters = randomCraters(random, p.layout, 6);
        std::map<std::pair<std::int64_t, std::int64_t>, float> seen;
        for (const auto& [key, tile] : p.tiles) {
            const TilePtr dug = applyCraters(tile, p.layout, craters);
            for (int j = -1; j <= 9; ++j) {
                for (int i = -1; i <= 9; ++i) {
                    const std::int64_t x = (std::int64_t{key.x} * 8 + i) << key.level;
                    const std::int64_t z = (std::int64_t{key.z} * 8 + j) << key.level;
                    const auto [at, fresh] = seen.insert({{x, z}, dug->sample(i, j)});
                    EXPECT_EQ(at->second, dug->sample(i, j));
                }
            }
        }
    }
}

// The finest surface is the dug level 0; every level's triangles must lie within the table and the bounds.
TEST(Crater, H28_BoundsAndErrorsStayConservative) {
    test::Random random(7);
    for (int n = 0; n < 25; ++n) {
        auto p = test::randomPyramid(random, 33, 33, 8, 0, random.range(0, 5));
        const auto craters = randomCraters(random, p.layout, 4);
        test::PyramidReference dug = p;
        for (std::uint32_t j = 0; j < 33; ++j) {
            for (std::uint32_t i = 0; i < 33; ++i) {
                double sum = 0;
                for (const Crater& c : craters) {
                    sum += c.offsetAt(p.layout.originX + i * p.layout.spacingX,
                                      p.layout.originZ + j * p.layout.spacingZ);
                }
                dug.samples[j * 33 + i] += static_cast<float>(sum);
            }
        }
        dug.tiles.clear();
        dug.build();
        for (const auto& [key, tile] : p.tiles) {
            const TilePtr got = applyCraters(tile, p.layout, craters);
            const HeightTile& want = *dug.find(key);
            EXPECT_LE(got->bounds.min, want.bounds.min + 1e-4f);
            EXPECT_GE(got->bounds.max, want.bounds.max - 1e-4f);
            for (std::size_t e = 0; e < want.errors.size(); ++e)
                EXPECT_GE(got->errors[e], want.errors[e] - 1e-4) << key.level << " " << e;
            // Without detail level 0 is the finest surface itself.
            if (key.level == 0) {
                EXPECT_EQ(got->errors[0], 0);
            }
            if (key.level < p.layout.rootLevel()) {
                const TilePtr parent = applyCraters(p.tiles.at(key.parent()), p.layout, craters);
                EXPECT_LE(parent->bounds.min, got->bounds.min);
                EXPECT_GE(parent->bounds.max, got->bounds.max);
                for (std::int32_t l = parent->firstErrorLevel; l <= key.level + 3; ++l)
                    EXPECT_GE(parent->errorAt(l) * (1 + 1e-6), got->errorAt(l));
            }
        }
    }
}

TEST(Crater, H28_RefusesCratersOutOfRangeByName) {
    const double nan = std::numeric_limits<double>::quiet_NaN(),
                 inf = std::numeric_limits<double>::infinity();
    const Crater good{1, 2, 3, 4, 5};
    EXPECT_TRUE(validate(good).ok());
    const auto refused = [&](double Crater::*field, double value, const char* name) {
        Crater c = good;
        c.*field = value;
        const Result<void> result = validate(c);
        ASSERT_FALSE(result.ok()) << name << " " << value;
        EXPECT_NE(result.error().message.find(name), std::string::npos) << result.error().message;
    };
    for (const double bad : {nan, inf, -inf}) {
        refused(&Crater::x, bad, "x");
        refused(&Crater::z, bad, "z");
        refused(&Crater::radius, bad, "radius");
        refused(&Crater::depth, bad, "depth");
        refused(&Crater::rimHeight, bad, "rim height");
    }
    refused(&Crater::radius, 0, "radius");
    refused(&Crater::radius, -1, "radius");
    refused(&Crater::depth, -1, "depth");
    refused(&Crater::rimHeight, 2e9, "rim height");
}

}  // namespace
