#include <gtest/gtest.h>
#include <karst/base/hash.h>
#include <karst/base/thread_pool.h>
#include <karst/heightfield/height_triangle.h>
#include <karst/heightfield_build/pyramid_builder.h>
#include <karst_test/test_support.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>
#include <map>

namespace karst::heightfield {
namespace {

constexpr float kVoid = std::numeric_limits<float>::quiet_NaN();

struct Samples final : BuildInput {
    std::uint32_t width = 0, height = 0, preferred = 1;
    double sx = 1, sz = 1;
    std::vector<float> values;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> cut;
    std::function<void(std::uint32_t row)> onRead;

    std::uint32_t columns() const override { return width; }
    std::uint32_t rows() const override { return height; }
    double spacingX() const override { return sx; }
    double spacingZ() const override { return sz; }
    std::uint32_t preferredRows() const override { return preferred; }
    Result<void> readRows(std::uint32_t first, std::uint32_t count, std::span<float> heights) override {
        if (onRead) onRead(first);
        std::copy_n(values.begin() + std::ptrdiff_t(std::size_t{first} * width), std::size_t{count} * width,
                    heights.begin());
        return {};
    }
    void cutCells(std::uint32_t row, FunctionRef<void(std::uint32_t)> hole) override {
        for (const auto& [x, z] : cut) {
            if (z == row) hole(x);
        }
    }
};

Samples makeSamples(test::Random& random, std::uint32_t width, std::uint32_t height, double voids) {
    Samples samples;
    samples.width = width;
    samples.height = height;
    samples.values.resize(std::size_t{width} * height);
    const double rough = random.range(0, 30);
    for (std::uint32_t z = 0; z < height; ++z) {
        for (std::uint32_t x = 0; x < width; ++x) {
            samples.values[z * width + x] = static_cast<float>(200 * std::sin(x * 0.07) * std::cos(z * 0.05) +
                                                               rough * random.unit() - 50);
        }
    }
    if (voids > 0) {
        for (float& h : samples.values)
            h = random.chance(voids) ? kVoid : h;
        for (std::uint32_t z = 0; z < height; ++z) {  // whole rows too, the first ones among them
            if (!random.chance(0.1) && z > 1) continue;
            std::fill_n(samples.values.begin() + std::ptrdiff_t(z * width), width, kVoid);
        }
    }
    return samples;
}

// The rule for samples without data, written down once more.
std::vector<float> filled(const Samples& samples, float leading) {
    std::vector<float> out = samples.values;
    for (std::uint32_t z = 0; z < samples.height; ++z) {
        float* row = out.data() + z * samples.width;
        const float* before = z > 0 ? row - samples.width : nullptr;
        for (std::uint32_t x = 0; x < samples.width; ++x) {
            const float* source = samples.values.data() + z * samples.width;
            if (std::isfinite(source[x])) continue;
            int left = int(x), right = int(x);
            while (left >= 0 && !std::isfinite(source[left]))
                --left;
            while (right < int(samples.width) && !std::isfinite(source[right]))
                ++right;
            const bool hasLeft = left >= 0, hasRight = right < int(samples.width);
            if (hasLeft && hasRight) {
                const double s = double(int(x) - left) / (right - left);
                row[x] = static_cast<float>(source[left] + s * (double{source[right]} - source[left]));
            } else if (hasLeft || hasRight) {
                row[x] = hasLeft ? source[left] : source[right];
            } else {
                row[x] = before != nullptr ? before[x] : leading;
            }
        }
    }
    return out;
}

struct Reference {
    TileLayout layout;
    std::vector<float> heights;  // filled, quantised and back
    const Samples* samples = nullptr;

    float at(std::int64_t x, std::int64_t z) const {
        x = std::clamp<std::int64_t>(x, 0, samples->width - 1);
        z = std::clamp<std::int64_t>(z, 0, samples->height - 1);
        return heights[std::size_t(z) * samples->width + std::size_t(x)];
    }
    bool hole(std::int64_t x, std::int64_t z) const {  // finest cell
        if (x + 1 >= samples->width || z + 1 >= samples->height) return true;
        for (int c = 0; c < 4; ++c) {
            const std::size_t i = std::size_t(z + (c >> 1)) * samples->width + std::size_t(x + (c & 1));
            if (!std::isfinite(samples->values[i])) return true;
        }
        for (const auto& [cx, cz] : samples->cut) {
            if (cx == x && cz == z) return true;
        }
        return false;
    }
};

Reference makeReference(const Samples& samples, const TileLayout& layout) {
    Reference reference;
    reference.layout = layout;
    reference.samples = &samples;
    reference.heights = filled(samples, layout.quantisation.min);
    for (float& h : reference.heights)
        h = layout.dequantise(layout.quantise(h));
    return reference;
}

std::map<std::uint64_t, TilePtr> byKey(const std::vector<TilePtr>& tiles) {
    std::map<std::uint64_t, TilePtr> map;
    for (const TilePtr& tile : tiles)
        EXPECT_TRUE(map.emplace(tile->key.packed(), tile).second);
    return map;
}

struct Built {
    BuildReport report;
    std::vector<TilePtr> tiles;
};

Built build(Samples& samples, const BuildOptions& options, const Externals& externals = {}) {
    MemorySink sink;
    const Result<BuildReport> report = buildPyramid(samples, sink, options, externals);
    EXPECT_TRUE(report.ok()) << (report.ok() ? "" : report.error().message);
    if (!report.ok()) return {};
    return {*report, std::move(sink.tiles())};
}

BuildOptions randomOptions(test::Random& random) {
    BuildOptions options;
    options.tileCells = 1u << random.integer(1, 4);
    options.levels = random.chance(0.5) ? 0 : static_cast<std::uint32_t>(random.integer(1, 4));
    return options;
}

TEST(PyramidBuilder, H4_TilesHoldTheirLatticeWithTheApron) {
    test::Random random(1);
    for (int round = 0; round < 60; ++round) {
        Samples samples = makeSamples(random, std::uint32_t(random.integer(2, 140)),
                                      std::uint32_t(random.integer(2, 140)), random.chance(0.5) ? 0.02 : 0);
        samples.preferred = std::uint32_t(random.integer(1, 40));
        const Built built = build(samples, randomOptions(random));
        const TileLayout& layout = built.report.layout;
        const Reference reference = makeReference(samples, layout);
        const auto tiles = byKey(built.tiles);
        std::size_t expected = 0;
        for (std::int32_t level = 0; level <= layout.rootLevel(); ++level) {
            for (std::uint32_t z = 0; z < layout.tilesZ(level); ++z) {
                for (std::uint32_t x = 0; x < layout.tilesX(level); ++x) {
                    if (!layout.contains({level, x, z})) continue;
                    ++expected;
                    const auto found = tiles.find(TileKey{level, x, z}.packed());
                    ASSERT_NE(found, tiles.end()) << "no tile " << level << "/" << x << "-" << z;
                    const int cells = int(layout.tileCells);
                    for (int j = -1; j <= cells + 1; ++j) {
                        for (int i = -1; i <= cells + 1; ++i) {
                            // Before the first sample and past the last the edge goes on.
                            const std::int64_t fx =
                                (std::int64_t{x} * cells + i) * (std::int64_t{1} << level);
                            const std::int64_t fz =
                                (std::int64_t{z} * cells + j) * (std::int64_t{1} << level);
                            ASSERT_EQ(found->second->sample(i, j), reference.at(fx, fz))
                                << level << "/" << x << "-" << z << " sample " << i << "," << j;
                        }
                    }
                }
            }
        }
        ASSERT_EQ(tiles.size(), expected);
        ASSERT_EQ(built.report.tiles, expected);
    }
}

TEST(PyramidBuilder, H5_ErrorsAndBoundsAreThoseOfTheFinestSurface) {
    test::Random random(2);
    for (int round = 0; round < 40; ++round) {
        Samples samples = makeSamples(random, std::uint32_t(random.integer(2, 90)),
                                      std::uint32_t(random.integer(2, 90)), random.chance(0.3) ? 0.01 : 0);
        const Built built = build(samples, randomOptions(random));
        const TileLayout& layout = built.report.layout;
        const Reference reference = makeReference(samples, layout);
        const auto tiles = byKey(built.tiles);
        const double step = 2 * layout.quantisationError();
        const std::int64_t cells = layout.tileCells;
        for (const TilePtr& tile : built.tiles) {
            const TileKey key = tile->key;
            ASSERT_EQ(tile->firstErrorLevel, key.level);
            ASSERT_EQ(tile->errors.size(), layout.tileLevels() + 1u);
            // Over the finest tiles below that hold ground: the footprint.
            float low = 1e30f, high = -1e30f;
            std::vector<double> largest(tile->errors.size());
            const std::int64_t count = std::int64_t{1} << key.level;
            for (std::int64_t tz = key.z * count; tz < (key.z + 1) * count; ++tz) {
                for (std::int64_t tx = key.x * count; tx < (key.x + 1) * count; ++tx) {
                    if (!layout.contains({0, std::uint32_t(tx), std::uint32_t(tz)})) continue;
                    for (std::int64_t z = tz * cells; z <= (tz + 1) * cells; ++z) {
                        for (std::int64_t x = tx * cells; x <= (tx + 1) * cells; ++x) {
                            const float h = reference.at(x, z);
                            low = std::min(low, h);
                            high = std::max(high, h);
                            // The tile's own lattices, and nothing shared with its parent or children.
                            for (std::size_t i = 0; i < largest.size(); ++i) {
                                const std::int64_t s = std::int64_t{1} << (std::size_t(key.level) + i);
                                const std::int64_t end = std::int64_t{key.x + 1} * cells * count;
                                const std::int64_t endZ = std::int64_t{key.z + 1} * cells * count;
                                const std::int64_t x0 = std::min(x / s * s, end - s),
                                                   z0 = std::min(z / s * s, endZ - s);
                                const double coarse = cellHeight<double>(
                                    reference.at(x0, z0), reference.at(x0 + s, z0), reference.at(x0, z0 + s),
                                    reference.at(x0 + s, z0 + s), double(x - x0) / double(s),
                                    double(z - z0) / double(s));
                                largest[i] = std::max(largest[i], std::abs(coarse - h));
                            }
                        }
                    }
                }
            }
            ASSERT_EQ(tile->bounds, (HeightRange{low, high}));
            for (std::size_t i = 1; i < largest.size(); ++i)
                largest[i] = std::max(largest[i], largest[i - 1]);
            for (std::size_t i = 0; i < largest.size(); ++i) {
                // Shared entries are the largest over the children's, whose tables rise on their own: never
                // less.
                ASSERT_GE(tile->errors[i], largest[i] - step * 0.05 - 1e-4) << key.level << " entry " << i;
                if (key.level == 0) {
                    ASSERT_NEAR(tile->errors[i], largest[i], step * 0.05 + 1e-4);
                }
            }
            if (key.level == 0) continue;
            std::vector<double> shared(largest.size());
            for (std::uint32_t c = 0; c < 4; ++c) {
                const auto child = tiles.find(key.child(c).packed());
                if (child == tiles.end()) continue;
                for (std::size_t i = 0; i + 1 < shared.size(); ++i) {
                    shared[i] = std::max(shared[i], child->second->errors[i + 1]);
                }
            }
            for (std::size_t i = 0; i + 1 < shared.size(); ++i)
                ASSERT_EQ(tile->errors[i], shared[i]);
            ASSERT_NEAR(tile->errors.back(), std::max(largest.back(), shared[shared.size() - 2]),
                        step * 0.05 + 1e-4);
        }
    }
}

TEST(PyramidBuilder, HX2_HolesFollowTheCellAtTheCentre) {
    test::Random random(3);
    int holes = 0, solid = 0;
    for (int round = 0; round < 50; ++round) {
        Samples samples = makeSamples(random, std::uint32_t(random.integer(2, 90)),
                                      std::uint32_t(random.integer(2, 90)), random.chance(0.7) ? 0.02 : 0);
        for (int k = 0; k < 20; ++k) {
            samples.cut.emplace_back(random.integer(0, int(samples.width) - 2),
                                     random.integer(0, int(samples.height) - 2));
        }
        const Built built = build(samples, randomOptions(random));
        const Reference reference = makeReference(samples, built.report.layout);
        const int cells = int(built.report.layout.tileCells);
        for (const TilePtr& tile : built.tiles) {
            const std::int64_t stride = std::int64_t{1} << tile->key.level;
            for (int j = 0; j < cells; ++j) {
                for (int i = 0; i < cells; ++i) {
                    const std::int64_t x = (std::int64_t{tile->key.x} * cells + i) * stride + stride / 2;
                    const std::int64_t z = (std::int64_t{tile->key.z} * cells + j) * stride + stride / 2;
                    ASSERT_EQ(tile->isHole(i, j), reference.hole(x, z))
                        << tile->key.level << " cell " << i << "," << j;
                    ++(tile->isHole(i, j) ? holes : solid);
                }
            }
        }
    }
    EXPECT_GT(holes, 1000);
    EXPECT_GT(solid, 1000);
}

std::string bytesOf(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

TEST(PyramidBuilder, HX1_TheBytesDoNotDependOnWorkersOrBands) {
    test::Random random(4);
    Samples samples = makeSamples(random, 301, 177, 0.01);
    test::TempFolder folder;
    std::string first;
    for (const std::uint32_t workers : {1u, 2u, 5u}) {
        for (const std::uint32_t preferred : {1u, 7u, 64u, 1000u}) {
            ThreadPool pool(workers);
            Externals externals;
            externals.jobs = &pool;
            samples.preferred = preferred;
            BuildOptions options;
            options.tileCells = 16;
            const std::filesystem::path path = folder.path() / "a.karst";
            const auto sink = makeFileSink(path, Durability::Process);
            const Result<BuildReport> report = buildPyramid(samples, *sink, options, externals);
            ASSERT_TRUE(report.ok()) << report.error().message;
            ASSERT_TRUE(report->finished);
            const std::string bytes = bytesOf(path);
            if (first.empty()) first = bytes;
            ASSERT_EQ(bytes, first) << workers << " workers, bands of " << preferred;
        }
    }
    EXPECT_FALSE(first.empty());
}

TEST(PyramidBuilder, HX1_AStoppedBuildGoesOnToTheSameBytes) {
    test::Random random(5);
    Samples samples = makeSamples(random, 200, 333, 0.01);
    samples.preferred = 16;
    BuildOptions options;
    options.tileCells = 16;
    test::TempFolder folder;
    for (const bool oneFile : {true, false}) {
        const auto makeSink = [&](const std::filesystem::path& path) {
            return oneFile ? makeFileSink(path, Durability::Process)
                           : makeFolderSink(path, Durability::Process);
        };
        const std::filesystem::path whole = folder.path() / "whole", parts = folder.path() / "parts";
        ASSERT_TRUE(buildPyramid(samples, *makeSink(whole), options)->finished);
        // Stopped again and again, after another number of bands each time.
        BuildOptions stepped = options;
        std::atomic<bool> stop{false};
        stepped.stop = &stop;
        stepped.stateFile = folder.path() / "state";
        stepped.resume = true;
        int stops = 0, resumed = 0;
        for (bool finished = false; !finished;) {
            ASSERT_LT(stops, 60);
            stop = false;
            int bands = 0;
            const int most = random.integer(1, 6);
            stepped.progress = [&](double share) {
                if (share > 0.26 && ++bands >= most) stop = true;
            };
            const Result<BuildReport> report = buildPyramid(samples, *makeSink(parts), stepped);
            ASSERT_TRUE(report.ok()) << report.error().message;
            finished = report->finished;
            resumed += report->resumed ? 1 : 0;
            ++stops;
            ASSERT_EQ(std::filesystem::exists(parts), finished);
        }
        EXPECT_GT(stops, 3);
        EXPECT_GT(resumed, 2);
        EXPECT_FALSE(std::filesystem::exists(stepped.stateFile));
        if (oneFile) {
            ASSERT_EQ(bytesOf(parts), bytesOf(whole));
        } else {
            int files = 0;
            for (const auto& entry : std::filesystem::recursive_directory_iterator(whole)) {
                if (!entry.is_regular_file()) continue;
                ++files;
                ASSERT_EQ(bytesOf(parts / std::filesystem::relative(entry.path(), whole)),
                          bytesOf(entry.path()));
            }
            EXPECT_GT(files, 100);
        }
        std::filesystem::remove_all(whole);
        std::filesystem::remove_all(parts);
    }
}

TEST(PyramidBuilder, HX1_AStateOfAnotherInputIsNotGoneOnFrom) {
    test::Random random(6);
    Samples samples = makeSamples(random, 100, 120, 0);
    BuildOptions options;
    options.tileCells = 8;
    test::TempFolder folder;
    options.stateFile = folder.path() / "state";
    options.resume = true;
    std::atomic<bool> stop{false};
    options.stop = &stop;
    options.progress = [&](double share) { stop = share > 0.5; };
    const std::filesystem::path path = folder.path() / "p.karst";
    ASSERT_FALSE(buildPyramid(samples, *makeFileSink(path, Durability::Process), options)->finished);
    ASSERT_TRUE(std::filesystem::exists(options.stateFile));
    options.progress = nullptr;
    stop = false;
    Samples other = makeSamples(random, 100, 121, 0);
    const Result<BuildReport> anew = buildPyramid(other, *makeFileSink(path, Durability::Process), options);
    ASSERT_TRUE(anew.ok()) << anew.error().message;
    EXPECT_FALSE(anew->resumed);
    EXPECT_TRUE(anew->finished);
}

TEST(PyramidBuilder, WholeStepsAreKeptExactly) {
    test::Random random(7);
    Samples samples = makeSamples(random, 65, 65, 0);
    for (float& h : samples.values)
        h = std::round(h);
    BuildOptions options;
    options.heightStep = 1;
    options.tileCells = 16;
    const Built built = build(samples, options);
    for (const TilePtr& tile : built.tiles) {
        if (tile->key.level != 0) continue;
        for (int j = 0; j <= 16; ++j) {
            for (int i = 0; i <= 16; ++i) {
                ASSERT_EQ(
                    tile->sample(i, j),
                    samples.values[(tile->key.z * 16 + unsigned(j)) * 65 + tile->key.x * 16 + unsigned(i)]);
            }
        }
    }
}

TEST(PyramidBuilder, H5_KnownErrorTablesAreKeptForLevelZero) {
    test::Random random(8);
    Samples samples = makeSamples(random, 33, 33, 0);
    BuildOptions options;
    options.tileCells = 8;
    options.levelZeroErrors = [](const TileKey& key, std::span<double> errors) {
        for (std::size_t i = 0; i < errors.size(); ++i)
            errors[i] = 1000.0 * double(key.x + 1) + double(i);
        return true;
    };
    const Built built = build(samples, options);
    const auto tiles = byKey(built.tiles);
    const TilePtr tile = tiles.at(TileKey{0, 2, 1}.packed());
    for (std::size_t i = 0; i < tile->errors.size(); ++i)
        EXPECT_EQ(tile->errors[i], 3000.0 + double(i));
    EXPECT_EQ(tiles.at(TileKey{1, 1, 0}.packed())->errors[0], 4001.0);
}

TEST(PyramidBuilder, BadInputIsRefusedByName) {
    Samples samples;
    samples.width = samples.height = 4;
    samples.values.assign(16, kVoid);
    MemorySink sink;
    const Result<BuildReport> nothing = buildPyramid(samples, sink, {});
    ASSERT_FALSE(nothing.ok());
    EXPECT_NE(nothing.error().message.find("4 x 4"), std::string::npos);
    samples.values.assign(16, 1.0f);
    BuildOptions options;
    options.tileCells = 48;
    EXPECT_NE(buildPyramid(samples, sink, options).error().message.find("48"), std::string::npos);
    options = {};
    options.version = 7;
    EXPECT_NE(buildPyramid(samples, sink, options).error().message.find("7"), std::string::npos);
    options = {};
    options.heightStep = -2;
    EXPECT_FALSE(buildPyramid(samples, sink, options).ok());
    options = {};
    options.range = HeightRange{5, 1};
    EXPECT_FALSE(buildPyramid(samples, sink, options).ok());
    const auto nowhere = makeFileSink("/nowhere-to-be-found/x.karst", Durability::Process);
    const Result<BuildReport> unwritable = buildPyramid(samples, *nowhere, {});
    ASSERT_FALSE(unwritable.ok());
    EXPECT_NE(unwritable.error().message.find("/nowhere-to-be-found/x.karst"), std::string::npos);
    // Level ground: one height, whose range is no range.
    EXPECT_TRUE(buildPyramid(samples, sink, {})->finished);
}

TEST(PyramidBuilder, AnInputThatFailsEndsTheBuildWithItsError) {
    struct Failing final : BuildInput {
        std::uint32_t columns() const override { return 50; }
        std::uint32_t rows() const override { return 50; }
        double spacingX() const override { return 1; }
        double spacingZ() const override { return 1; }
        Result<void> readRows(std::uint32_t first, std::uint32_t, std::span<float> heights) override {
            if (++reads > fails) return makeError(ErrorCode::Io, "row %u is gone", first);
            std::fill(heights.begin(), heights.end(), 3.0f);
            return {};
        }
        int reads = 0, fails = 0;
    };
    for (int fails = 0; fails < 6; ++fails) {
        Failing input;
        input.fails = fails;
        MemorySink sink;
        BuildOptions options;
        options.tileCells = 8;
        const Result<BuildReport> report = buildPyramid(input, sink, options);
        if (report.ok()) continue;
        EXPECT_NE(report.error().message.find("is gone"), std::string::npos);
    }
}

TEST(PyramidBuilder, H10_ASurfaceInMemory) {
    test::Random random(9);
    Samples samples = makeSamples(random, 50, 40, 0);
    BuildOptions options;
    options.tileCells = 8;
    const Result<Surface> surface = buildSurface(samples, options);
    ASSERT_TRUE(surface.ok()) << surface.error().message;
    EXPECT_EQ(surface->layout().samplesX, 50u);
    EXPECT_NE(surface->find({surface->layout().rootLevel(), 0, 0}), nullptr);
    EXPECT_EQ(surface->find({0, 60, 0}), nullptr);
}

}  // namespace
}  // namespace karst::heightfield
