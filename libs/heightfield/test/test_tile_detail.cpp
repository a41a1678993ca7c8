#include <gtest/gtest.h>
#include <karst/base/hash.h>
#include <karst/base/thread_pool.h>
#include <karst/heightfield/tile_detail.h>

#include <cmath>
#include <limits>

#include "detail_golden.h"
#include "detail_noise.h"
#include "pyramid_reference.h"

namespace {

using namespace karst;
using namespace karst::heightfield;

TileDetailOptions randomOptions(test::Random& random, std::uint32_t levels) {
    TileDetailOptions o;
    o.levels = levels;
    o.seed = random.next();
    o.baseWavelengthSamples = random.range(0.7, 5);
    o.octaves = static_cast<std::uint32_t>(random.integer(1, 4));
    o.persistence = random.range(0.2, 0.8);
    o.rules.materials = 3;
    o.rules.covers[0] = {MaterialRamp{0.3, 0.9}, std::nullopt};
    o.rules.covers[1] = {std::nullopt, MaterialRamp{5, 12}};
    o.materials = {DetailMaterial{random.range(0, 1), 0.1},
                   DetailMaterial{random.range(1, 3), random.unit()},
                   DetailMaterial{random.range(0, 2), 1},
                   {}};
    return o;
}

std::vector<Crater> randomCraters(test::Random& random, const TileLayout& layout, int count) {
    std::vector<Crater> craters;
    const Rect g = layout.groundRect();
    for (int i = 0; i < count; ++i) {
        craters.push_back({random.range(g.minX, g.maxX), random.range(g.minZ, g.maxZ),
                           g.width() * random.range(0.02, 0.2), random.range(0, 9), random.range(0, 3)});
    }
    return craters;
}

/// The surface from its definition: one point, from the finest samples of the whole ground.
double surfaceAt(const test::PyramidReference& p, const TileDetailOptions& o, std::span<const Crater> craters,
                 double u, double v) {
    const double i = std::floor(u), j = std::floor(v), f = u - i, g = v - j;
    const auto weights = [](double t, double w[4], double d[4]) {
        w[0] = -0.5 * t + t * t - 0.5 * t * t * t;
        w[1] = 1 - 2.5 * t * t + 1.5 * t * t * t;
        w[2] = 0.5 * t + 2 * t * t - 1.5 * t * t * t;
        w[3] = -0.5 * t * t + 0.5 * t * t * t;
        d[0] = -0.5 + 2 * t - 1.5 * t * t;
        d[1] = -5 * t + 4.5 * t * t;
        d[2] = 0.5 + 4 * t - 4.5 * t * t;
        d[3] = -t + 1.5 * t * t;
    };
    double wu[4], du[4], wv[4], dv[4];
    weights(f, wu, du);
    weights(g, wv, dv);
    const DetailNoise noise(o.seed, o.baseWavelengthSamples, o.octaves, o.persistence);
    double height = 0, slopeX = 0, slopeZ = 0, plain = noise.at(u, v).plain, ridged = noise.at(u, v).ridged;
    for (int b = 0; b < 4; ++b) {
        for (int a = 0; a < 4; ++a) {
            const double x = i + a - 1, z = j + b - 1;
            const double h = p.sampleAt(static_cast<std::int64_t>(x), static_cast<std::int64_t>(z));
            height += wu[a] * wv[b] * h;
            slopeX += du[a] * wv[b] * h / p.layout.spacingX;
            slopeZ += wu[a] * dv[b] * h / p.layout.spacingZ;
            plain -= wu[a] * wv[b] * noise.at(x, z).plain;
            ridged -= wu[a] * wv[b] * noise.at(x, z).ridged;
        }
    }
    const MaterialWeights weight = o.rules.weightsAt(std::hypot(slopeX, slopeZ), height);
    double result = height;
    for (std::size_t m = 0; m < o.rules.materials; ++m) {
        const DetailMaterial& material = o.materials[m];
        result += weight[m] * material.amplitude * ((1 - material.ridged) * plain + material.ridged * ridged);
    }
    for (const Crater& c : craters)
        result +=
            c.offsetAt(p.layout.originX + u * p.layout.spacingX, p.layout.originZ + v * p.layout.spacingZ);
    return result;
}

struct Synthesised {
    test::PyramidReference pyramid;
    TileDetailOptions options;
    std::vector<Crater> craters;
    TileDetail detail;
    std::map<TileKey, TilePtr> tiles;   // below level 0
    std::map<TileKey, TilePtr> stored;  // resolved

    static Synthesised make(test::Random& random, std::uint32_t samplesX, std::uint32_t samplesZ,
                            std::uint32_t tileCells, std::uint32_t levels, int craterCount, double holes = 0,
                            double relief = 8) {
        auto pyramid = test::randomPyramid(random, samplesX, samplesZ, tileCells, 0, relief, holes);
        const TileDetailOptions options = randomOptions(random, levels);
        auto craters = randomCraters(random, pyramid.layout, craterCount);
        TileDetail detail = *TileDetail::create(pyramid.layout, options);
        Synthesised s{std::move(pyramid), options, std::move(craters), std::move(detail), {}, {}};
        for (const TileKey& key : test::detailKeys(s.pyramid.layout, levels))
            s.tiles[key] = s.synthesise(key);
        for (const auto& [key, tile] : s.pyramid.tiles)
            s.stored[key] = resolveStoredTile(tile, s.pyramid.layout, s.craters, &s.detail);
        return s;
    }
    TilePtr synthesise(const TileKey& key) const {
        return detail.synthesise(key, *pyramid.find(TileDetail::ancestorOf(key)), craters,
                                 [&](const TileKey& k) { return pyramid.find(k); });
    }
    /// Places in sixteenths of a level-0 cell.
    static std::pair<int, int> placeOf(const TileKey& key, std::uint32_t cells, int i, int j) {
        const int stride = key.level >= 0 ? 16 << key.level : 16 >> -key.level, n = static_cast<int>(cells);
        return {(static_cast<int>(key.x) * n + i) * stride, (static_cast<int>(key.z) * n + j) * stride};
    }
};

TEST(TileDetail, H24_SamplesAreReconstructionAndResidualNoiseAndCraters) {
    test::Random random(1);
    for (const std::uint32_t cells : {2u, 4u, 8u}) {
        for (std::uint32_t levels = 1; levels <= 4; ++levels) {
            const auto s = Synthesised::make(random, 14, 11, cells, levels, 3);
            double noisy = 0;
            for (const auto& [key, tile] : s.tiles) {
                for (int j = -1; j <= static_cast<int>(cells) + 1; ++j) {
                    for (int i = -1; i <= static_cast<int>(cells) + 1; ++i) {
                        const auto [u, v] = Synthesised::placeOf(key, cells, i, j);
                        // Sampled sparsely: the reference is slow.
                        if (random.chance(0.8)) continue;
                        // Beyond the stored tiles a slope continues that the reference does not know.
                        const int span = static_cast<int>(cells) * 16;
                        const bool beyond = u < 0 || v < 0 || u > 13 * 16 + span || v > 10 * 16 + span;
                        const bool padded =
                            !s.pyramid.layout.contains({0, static_cast<std::uint32_t>(std::max(u, 0) / span),
                                                        static_cast<std::uint32_t>(std::max(v, 0) / span)});
                        if (beyond || padded) continue;
                        const double want = surfaceAt(s.pyramid, s.options, s.craters, u / 16.0, v / 16.0);
                        EXPECT_NEAR(tile->sample(i, j), want, 1e-4 * std::max(1.0, std::abs(want)))
                            << key.level << " " << key.x << " " << key.z << " at " << i << " " << j;
                        noisy = std::max(noisy, std::abs(want - surfaceAt(
                                                                    s.pyramid,
                                                                    [&] {
                                                                        TileDetailOptions o = s.options;
                                                                        o.materials = {};
                                                                        return o;
                                                                    }(),
                                                                    s.craters, u / 16.0, v / 16.0)));
                    }
                }
            }
            EXPECT_GT(noisy, 0.01);
        }
    }
}

TEST(TileDetail, H24_H25_EveryLevelAgreesAtEveryPointItSharesBitForBit) {
    test::Random random(2);
    for (const std::uint32_t cells : {2u, 8u, 16u}) {
        const auto s = Synthesised::make(random, 20, 17, cells, cells == 2 ? 4 : 3, 5);
        std::map<std::pair<std::int64_t, std::int64_t>, float> seen;
        std::size_t shared = 0;
        const auto take = [&](const HeightTile& tile) {
            for (int j = 0; j <= static_cast<int>(cells); ++j) {
                for (int i = 0; i <= static_cast<int>(cells); ++i) {
                    const auto [at, fresh] =
                        seen.insert({Synthesised::placeOf(tile.key, cells, i, j), tile.sample(i, j)});
                    EXPECT_EQ(bitCast<std::uint32_t>(at->second), bitCast<std::uint32_t>(tile.sample(i, j)));
                    shared += fresh ? 0 : 1;
                }
            }
        };
        for (const auto& [key, tile] : s.stored)
            take(*tile);
        for (const auto& [key, tile] : s.tiles)
            take(*tile);
        EXPECT_GT(shared, 500u);
    }
}

TEST(TileDetail, H24_NoiseVanishesOnTheAuthoredLattice) {
    test::Random random(3);
    const auto s = Synthesised::make(random, 17, 17, 8, 2, 0);
    std::size_t authored = 0, moved = 0;
    for (const auto& [key, tile] : s.tiles) {
        for (int j = 0; j <= 8; ++j) {
            for (int i = 0; i <= 8; ++i) {
                const auto [u, v] = Synthesised::placeOf(key, 8, i, j);
                if (u % 16 == 0 && v % 16 == 0) {
                    EXPECT_EQ(tile->sample(i, j), s.pyramid.sampleAt(u / 16, v / 16));
                    ++authored;
                } else {
                    ++moved;
                }
            }
        }
    }
    EXPECT_GT(authored, 100u);
    EXPECT_GT(moved, 100u);
}

TEST(TileDetail, H24_AuthoredSamplesKeepTheirBitsEvenTheSignOfZero) {
    test::PyramidReference p;
    p.layout = *makeTileLayout(9, 9, 4, 0, 1, 1, {-1, 1});
    p.samples.assign(81, -0.0f);
    p.build();
    const TileDetail detail = *TileDetail::create(p.layout, {});
    // Too far away to change anything, near enough to be taken for one that reaches the tile.
    const std::vector<Crater> craters{{-1.6, 2, 1, 3, 1}};
    const TilePtr tile = detail.synthesise({-1, 0, 0}, *p.find({0, 0, 0}), craters);
    const TilePtr stored = resolveStoredTile(p.tiles.at({0, 0, 0}), p.layout, craters, &detail);
    for (int j = 0; j <= 2; ++j) {
        for (int i = 0; i <= 2; ++i) {
            EXPECT_TRUE(std::signbit(stored->sample(i, j)));
            EXPECT_TRUE(std::signbit(tile->sample(2 * i, 2 * j)));
        }
    }
}

TEST(TileDetail, H25_ApronsAreTheNeighboursSamplesWhereTheyAreGiven) {
    test::Random random(4);
    for (const std::uint32_t cells : {2u, 4u, 16u}) {
        const auto s = Synthesised::make(random, 34, 30, cells, cells == 2 ? 4 : 2, 3);
        std::size_t compared = 0;
        for (const auto& [key, tile] : s.tiles) {
            for (const auto& [dx, dz] : {std::pair{1, 0}, {0, 1}, {1, 1}, {-1, 1}}) {
                const auto other = s.tiles.find({key.level, key.x + static_cast<std::uint32_t>(dx),
                                                 key.z + static_cast<std::uint32_t>(dz)});
                if (other == s.tiles.end()) continue;
                const int n = static_cast<int>(cells);
                for (int j = -1; j <= n + 1; ++j) {
                    for (int i = -1; i <= n + 1; ++i) {
                        const int a = i - dx * n, b = j - dz * n;
                        if (a < -1 || b < -1 || a > n + 1 || b > n + 1) continue;
                        EXPECT_EQ(tile->sample(i, j), other->second->sample(a, b))
                            << key.level << ": " << i << " " << j << " of " << dx << " " << dz;
                        ++compared;
                    }
                }
            }
        }
        EXPECT_GT(compared, 1000u);
    }
}

TEST(TileDetail, H25_NeighboursChangeNothingButTheApron) {
    test::Random random(5);
    const auto s = Synthesised::make(random, 34, 30, 8, 3, 4);
    std::size_t differ = 0;
    for (const auto& [key, tile] : s.tiles) {
        const TilePtr alone =
            s.detail.synthesise(key, *s.pyramid.find(TileDetail::ancestorOf(key)), s.craters);
        EXPECT_EQ(alone->bounds, tile->bounds);
        EXPECT_EQ(alone->errors, tile->errors);
        EXPECT_EQ(alone->holes, tile->holes);
        for (int j = -1; j <= 9; ++j) {
            for (int i = -1; i <= 9; ++i) {
                if (i >= 0 && j >= 0 && i <= 8 && j <= 8) {
                    EXPECT_EQ(alone->sample(i, j), tile->sample(i, j));
                } else {
                    differ += alone->sample(i, j) != tile->sample(i, j) ? 1 : 0;
                }
            }
        }
        // Without neighbours the slope continues: no jump beyond what the ground itself has.
        EXPECT_TRUE(validate(*alone, s.pyramid.layout).ok());
    }
    EXPECT_GT(differ, 0u);
}

TEST(TileDetail, H25_GoldenBitsWith1AndNWorkers) {
    EXPECT_EQ(test::goldenDetailHash(inlineJobSystem()), test::kGoldenDetail);
    for (const std::uint32_t workers : {2u, 5u}) {
        ThreadPool pool(workers);
        EXPECT_EQ(test::goldenDetailHash(pool), test::kGoldenDetail) << workers;
    }
}

/// The finest synthesised surface as a grid.
struct FinestGrid {
    std::int64_t stride, columns;  // sixteenths
    std::vector<float> heights;

    explicit FinestGrid(const Synthesised& s) {
        const std::uint32_t levels = s.options.levels, cells = s.pyramid.layout.tileCells;
        stride = 16 >> levels;
        std::int64_t rows = 0;
        columns = 0;
        for (const auto& [key, tile] : s.tiles) {
            if (key.level != -static_cast<std::int32_t>(levels)) continue;
            columns = std::max(columns, std::int64_t{key.x + 1} * cells + 1);
            rows = std::max(rows, std::int64_t{key.z + 1} * cells + 1);
        }
        heights.assign(static_cast<std::size_t>(columns * rows), 0);
        for (const auto& [key, tile] : s.tiles) {
            if (key.level != -static_cast<std::int32_t>(levels)) continue;
            for (int j = 0; j <= static_cast<int>(cells); ++j) {
                for (int i = 0; i <= static_cast<int>(cells); ++i) {
                    const auto [u, v] = Synthesised::placeOf(key, cells, i, j);
                    heights[static_cast<std::size_t>(v / stride * columns + u / stride)] = tile->sample(i, j);
                }
            }
        }
    }
    /// The largest error of drawing a tile's footprint at a level, and the range in it.
    double errorOf(const HeightTile& tile, std::uint32_t cells, std::int32_t level,
                   HeightRange& range) const {
        const auto [u0, v0] = Synthesised::placeOf(tile.key, cells, 0, 0);
        const auto [u1, v1] =
            Synthesised::placeOf(tile.key, cells, static_cast<int>(cells), static_cast<int>(cells));
        const std::int64_t s = level >= 0 ? std::int64_t{16} << level : 16 >> -level;
        const auto at = [&](std::int64_t u, std::int64_t v) {
            return double{heights[static_cast<std::size_t>(v / stride * columns + u / stride)]};
        };
        double worst = 0;
        range = {static_cast<float>(at(u0, v0)), static_cast<float>(at(u0, v0))};
        for (std::int64_t v = v0; v <= v1; v += stride) {
            for (std::int64_t u = u0; u <= u1; u += stride) {
                const std::int64_t a = u0 + std::min((u - u0) / s, (u1 - u0) / s - 1) * s;
                const std::int64_t b = v0 + std::min((v - v0) / s, (v1 - v0) / s - 1) * s;
                const double drawn = cellHeight(at(a, b), at(a + s, b), at(a, b + s), at(a + s, b + s),
                                                double(u - a) / double(s), double(v - b) / double(s));
                worst = std::max(worst, std::abs(at(u, v) - drawn));
                range.min = std::min(range.min, static_cast<float>(at(u, v)));
                range.max = std::max(range.max, static_cast<float>(at(u, v)));
            }
        }
        return worst;
    }
};

TEST(TileDetail, H26_ErrorTablesAndBoundsAreConservativeMonotoneAndConsistent) {
    test::Random random(6);
    double tightest = 0;
    for (int n = 0; n < 16; ++n) {
        const std::uint32_t cells = n % 2 == 0 ? 8 : 4, levels = 1 + static_cast<std::uint32_t>(n) % 4;
        // Multiples of a tile, so that every tile is synthesised whole.
        const auto s = Synthesised::make(random, 17, 17, cells, levels, n % 3, 0, random.range(0, 6));
        const FinestGrid finest(s);
        const auto check = [&](const HeightTile& tile, std::int32_t last, bool bounded) {
            EXPECT_TRUE(validate(tile, s.pyramid.layout).ok());
            EXPECT_EQ(tile.firstErrorLevel, tile.key.level);
            EXPECT_EQ(tile.errors.size(), s.pyramid.layout.tileLevels() + 1);
            for (std::int32_t level = tile.key.level; level <= last; ++level) {
                HeightRange range;
                const double real = finest.errorOf(tile, cells, level, range);
                EXPECT_LE(real, tile.errorAt(level) * (1 + 1e-12) + 1e-12)
                    << "tile of level " << tile.key.level << " at " << level << " of " << levels;
                if (level < 0 && tile.errorAt(level) > 0)
                    tightest = std::max(tightest, real / tile.errorAt(level));
                if (bounded) {
                    EXPECT_LE(tile.bounds.min, range.min);
                    EXPECT_GE(tile.bounds.max, range.max);
                }
            }
        };
        const auto tileLevels = static_cast<std::int32_t>(s.pyramid.layout.tileLevels());
        for (const auto& [key, tile] : s.tiles) {
            check(*tile, key.level + tileLevels, true);
            if (key.level == -static_cast<std::int32_t>(levels)) {
                EXPECT_EQ(tile->errors[0], 0);
            }
            const HeightTile& ancestor = *s.stored.at(TileDetail::ancestorOf(key));
            double finer = 0;
            for (std::int32_t level = key.level; level <= key.level + tileLevels; ++level) {
                if (level < 0) {
                    finer = tile->errorAt(level);
                } else {
                    EXPECT_LE(tile->errorAt(level), std::max(finer, ancestor.errorAt(level)) * (1 + 1e-12));
                }
            }
        }
        for (const auto& [key, tile] : s.stored) {
            if (key.level == 0) check(*tile, tileLevels, false);
        }
    }
    EXPECT_GT(tightest, 0.99);
}

TEST(TileDetail, H26_AuthoredTablesGainTheNoiseOfTheMaterialsTheyShow) {
    TileDetailOptions options;
    options.levels = 2;
    test::PyramidReference p;
    p.layout = *makeTileLayout(33, 17, 16, 0, 1, 1, {-100, 100});
    // Left half flat, right half rock at 60 degrees: flat facets, so that only materials differ.
    for (int j = 0; j < 17; ++j) {
        for (int i = 0; i < 33; ++i)
            p.samples.push_back(i < 18 ? 0.0f : static_cast<float>(i - 18) * 1.75f);
    }
    p.build();
    const TileDetail detail = *TileDetail::create(p.layout, options);
    const DetailNoise::Value bound =
        DetailNoise(options.seed, options.baseWavelengthSamples, options.octaves, options.persistence)
            .residualBound();
    const HeightTile &flat = *p.find({0, 0, 0}), &rock = *p.find({0, 1, 0});
    const double flatError = detail.detailError(flat), rockError = detail.detailError(rock);
    EXPECT_NEAR(flatError, options.materials[0].amplitude * bound.plain, 1e-3);
    EXPECT_GE(rockError, options.materials[1].amplitude * (0.3 * bound.plain + 0.7 * bound.ridged));
    // On screen an error counts by its distance: flat ground stays authored well where rock refines.
    EXPECT_GT(rockError, 5 * flatError);
    for (const HeightTile* tile : {&flat, &rock}) {
        const std::vector<double> errors = addDetailError(*tile, detail);
        ASSERT_EQ(errors.size(), tile->errors.size());
        for (std::size_t i = 0; i < errors.size(); ++i) {
            EXPECT_EQ(errors[i], tile->errors[i] + detail.detailError(*tile));
            if (i > 0) {
                EXPECT_GE(errors[i], errors[i - 1]);
            }
        }
    }
    // A coarser tile shows both.
    EXPECT_GE(detail.detailError(*p.find({p.layout.rootLevel(), 0, 0})), flatError * 0.99);
    // Nothing to add where materials have no relief and the ground is flat.
    options.materials = {};
    EXPECT_LT(TileDetail::create(p.layout, options)->detailError(flat), 1e-9);
}

TEST(TileDetail, H24_HolesAreThoseOfTheLevel0Cells) {
    test::Random random(7);
    const auto s = Synthesised::make(random, 20, 15, 4, 3, 0, 0.3);
    std::size_t holes = 0, solid = 0;
    for (const auto& [key, tile] : s.tiles) {
        for (int j = 0; j < 4; ++j) {
            for (int i = 0; i < 4; ++i) {
                const auto [u, v] = Synthesised::placeOf(key, 4, i, j);
                EXPECT_EQ(tile->isHole(i, j), s.pyramid.holeAt(u / 16, v / 16));
                (tile->isHole(i, j) ? holes : solid) += 1;
            }
        }
    }
    EXPECT_GT(holes, 100u);
    EXPECT_GT(solid, 100u);
}

TEST(TileDetail, H24_StoredMaterialWeightsAreInterpolated) {
    test::Random random(8);
    auto p = test::randomPyramid(random, 9, 9, 8, 1, 5);
    auto ancestor = *p.find({0, 0, 0});
    ancestor.materialLayers = 2;
    for (std::size_t i = 0; i < 2 * ancestor.samples.size(); ++i)
        ancestor.materials.push_back(static_cast<std::uint8_t>(random.integer(0, 255)));
    const TileDetail detail = *TileDetail::create(p.layout, {});
    for (const TileKey key : {TileKey{-1, 0, 0}, TileKey{-2, 3, 3}, TileKey{-2, 1, 2}}) {
        const TilePtr tile = detail.synthesise(key, ancestor);
        ASSERT_EQ(tile->materialLayers, 2u);
        ASSERT_TRUE(validate(*tile, p.layout).ok());
        for (std::size_t m = 0; m < 2; ++m) {
            const auto at = [&](const HeightTile& t, int i, int j) {
                return t.materials[m * t.side * t.side + static_cast<std::size_t>(j + 1) * t.side +
                                   static_cast<std::size_t>(i + 1)];
            };
            for (int j = -1; j <= 9; ++j) {
                for (int i = -1; i <= 9; ++i) {
                    const auto [u16, v16] = Synthesised::placeOf(key, 8, i, j);
                    const double u = u16 / 16.0, v = v16 / 16.0;
                    const int x = static_cast<int>(std::floor(u)), z = static_cast<int>(std::floor(v));
                    const int x1 = std::min(x + 1, 9), z1 = std::min(z + 1, 9);
                    const double f = u - x, g = v - z;
                    const double want = (at(ancestor, x, z) * (1 - f) + at(ancestor, x1, z) * f) * (1 - g) +
                                        (at(ancestor, x, z1) * (1 - f) + at(ancestor, x1, z1) * f) * g;
                    EXPECT_NEAR(at(*tile, i, j), want, 0.5 + 1e-9);
                }
            }
        }
    }
}

TEST(TileDetail, H8_H28_CratersMakeANewRevisionOfDetailToo) {
    test::Random random(9);
    const auto s = Synthesised::make(random, 30, 30, 8, 2, 6);
    std::size_t raised = 0, same = 0;
    for (const auto& [key, tile] : s.tiles) {
        const HeightTile& ancestor = *s.pyramid.find(TileDetail::ancestorOf(key));
        std::uint64_t reaching = 0;
        for (const Crater& c : s.craters)
            reaching += reaches(c, s.pyramid.layout, key) ? 1 : 0;
        EXPECT_EQ(tile->revision, ancestor.revision + reaching);
        (reaching > 0 ? raised : same) += 1;
        auto reversed = s.craters;
        std::reverse(reversed.begin(), reversed.end());
        const TilePtr again =
            s.detail.synthesise(key, ancestor, reversed, [&](const TileKey& k) { return s.pyramid.find(k); });
        EXPECT_EQ(again->samples, tile->samples);
        EXPECT_EQ(again->errors, tile->errors);
    }
    EXPECT_GT(raised, 10u);
    EXPECT_GT(same, 10u);
}

TEST(TileDetail, H24_ResolvingWithoutDetailOrCratersIsTheSameObject) {
    test::Random random(10);
    const auto p = test::randomPyramid(random, 20, 20, 8, 0, 5);
    for (const auto& [key, tile] : p.tiles)
        EXPECT_EQ(resolveStoredTile(tile, p.layout, {}, nullptr), tile);
}

TEST(TileDetail, H24_RefusesOptionsOutOfRangeByName) {
    const TileLayout layout = *makeTileLayout(33, 33, 8, 0, 1, 1, {0, 1});
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const auto refused = [&](auto change, const char* name) {
        TileDetailOptions o;
        change(o);
        const auto result = TileDetail::create(layout, o);
        ASSERT_FALSE(result.ok()) << name;
        EXPECT_NE(result.error().message.find(name), std::string::npos) << result.error().message;
    };
    EXPECT_TRUE(TileDetail::create(layout, {}).ok());
    refused([](auto& o) { o.levels = 0; }, "levels");
    refused([](auto& o) { o.levels = 5; }, "levels");
    refused([](auto& o) { o.octaves = 0; }, "octaves");
    refused([](auto& o) { o.octaves = 9; }, "octaves");
    refused([](auto& o) { o.baseWavelengthSamples = 0; }, "base wavelength");
    refused([&](auto& o) { o.baseWavelengthSamples = nan; }, "base wavelength");
    refused([](auto& o) { o.persistence = 1.5; }, "persistence");
    refused([&](auto& o) { o.persistence = nan; }, "persistence");
    refused([](auto& o) { o.collisionLevel = -3; }, "collision level");
    refused([](auto& o) { o.collisionLevel = 3; }, "collision level");
    refused([&](auto& o) { o.materials[1].amplitude = nan; }, "amplitude");
    refused([](auto& o) { o.materials[0].amplitude = -1; }, "amplitude");
    refused([](auto& o) { o.materials[0].ridged = 2; }, "ridged");
    refused([](auto& o) { o.rules.materials = 9; }, "materials");
    EXPECT_FALSE(TileDetail::create({}, {}).ok());
}

}  // namespace
