// A built pyramid streamed for real views, with the selector that draws it (spec rows H8, H9, H12).
#include "scripted_source.h"

#include <karst/heightfield/memory_tile_source.h>
#include <karst/heightfield/surface_query.h>
#include <karst/heightfield_build/pyramid_builder.h>
#include <karst_test/test_support.h>

#include <cmath>

namespace karst::heightfield {
namespace {

class Hills final : public BuildInput {
  public:
    std::uint32_t columns() const override { return 301; }
    std::uint32_t rows() const override { return 220; }
    double spacingX() const override { return 10; }
    double spacingZ() const override { return 12; }
    Result<void> readRows(std::uint32_t firstRow, std::uint32_t count, std::span<float> heights) override {
        for (std::uint32_t row = 0; row < count; ++row) {
            for (std::uint32_t x = 0; x < columns(); ++x) {
                const double z = firstRow + row;
                heights[std::size_t{row} * columns() + x] = static_cast<float>(
                    120 * std::sin(x * 0.05) * std::cos(z * 0.043) + 15 * std::sin(x * 0.4 + z * 0.3));
            }
        }
        return {};
    }
};

const Surface& pyramid() {
    static const Surface surface = [] {
        Hills hills;
        BuildOptions options;
        options.tileCells = 8;
        return *buildSurface(hills, options);
    }();
    return surface;
}

TileStreamer makeStreamer(TileStreamerOptions options) {
    const std::span<const TilePtr> tiles = pyramid().tiles();
    auto made = TileStreamer::create(
        pyramid().layout(),
        std::make_unique<MemoryTileSource>(std::vector<TilePtr>(tiles.begin(), tiles.end())),
        std::move(options));
    EXPECT_TRUE(made.ok());
    return std::move(*made);
}

TileView lookFrom(double x, double z, double tolerance) {
    TileView view;
    view.eye = {x, 150, z};
    view.tolerance = tolerance;
    return view;
}

TEST(StreamerViews, H8_WhatAViewWantsComesUntilItWantsNothing) {
    test::Random random(4);
    TileStreamerOptions options;
    options.maximumResidentTiles = 5000;
    TileStreamer streamer = makeStreamer(std::move(options));
    TileSelector selector;
    for (int flight = 0; flight < 10; ++flight) {
        const TileView view = lookFrom(random.range(0, 3000), random.range(0, 2600), random.range(0.5, 8));
        const Interest interests[] = {view};
        StreamingReport report;
        for (int i = 0; i < 100 && !(report.settled() && i > 0); ++i)
            report = *streamer.update(interests);
        EXPECT_TRUE(report.settled());
        EXPECT_EQ(report.wanted, 0u);
        const Surface surface = streamer.surface();
        const TileSelection streamed = selector.select(surface, view);
        EXPECT_TRUE(streamed.wanted.empty());
        const std::vector<TileNode> drawn(streamed.nodes.begin(), streamed.nodes.end());
        // As drawn with everything resident.
        const TileSelection whole = selector.select(pyramid(), view);
        EXPECT_TRUE(std::equal(drawn.begin(), drawn.end(), whole.nodes.begin(), whole.nodes.end()));
        EXPECT_GT(drawn.size(), 8u);
    }
}

TEST(StreamerViews, H9_AViewThatWantsMoreThanTheLimitSettles) {
    TileStreamerOptions options;
    options.maximumResidentTiles = 60;
    TileStreamer streamer = makeStreamer(std::move(options));
    const Interest interests[] = {lookFrom(1500, 1300, 0.5)};
    std::uint64_t revision = 0;
    for (int i = 0; i < 2000; ++i) {
        const StreamingReport report = *streamer.update(interests);
        EXPECT_LE(report.resident + report.pending, 60u);
        if (i == 1500) revision = streamer.surface().revision();
    }
    EXPECT_EQ(streamer.surface().revision(), revision) << "nothing came or went for 500 updates";
    EXPECT_GT(streamer.surface().tiles().size(), 50u);
}

TEST(StreamerViews, H8_ACameraThatFliesKeepsWithinTheLimitAndIsServed) {
    TileStreamerOptions options;
    options.maximumResidentTiles = 400;
    options.maximumPendingLoads = 12;
    options.detailLevels = 2;
    options.resolver = *makeDetailResolver(pyramid().layout(), TileDetailOptions{});
    TileStreamer streamer = makeStreamer(std::move(options));
    std::uint32_t released = 0, synthesised = 0;
    for (int i = 0; i < 600; ++i) {
        const double x = 200 + i * 4.5, z = 1300 + 900 * std::sin(i * 0.02);
        const Interest interests[] = {lookFrom(x, z, 3), CollisionInterest{x, z, 120}};
        const StreamingReport report = *streamer.update(interests);
        EXPECT_LE(report.resident + report.pending, 400u);
        released += report.released;
        synthesised += report.synthesised;
        if (i > 20) {
            EXPECT_TRUE(heightAt(streamer.surface(), x, z).has_value()) << "ground to stand on at step " << i;
        }
    }
    EXPECT_GT(released, 100u);
    EXPECT_GT(synthesised, 20u);
}

TEST(StreamerViews, H10_GroundToStandOnIsTheStoredGround) {
    test::Random random(12);
    TileStreamer streamer = makeStreamer({});
    for (int i = 0; i < 50; ++i) {
        const double x = random.range(0, 3000), z = random.range(0, 2600);
        const Interest interests[] = {CollisionInterest{x, z, 5}};
        for (int j = 0; j < 15; ++j)
            EXPECT_TRUE(streamer.update(interests).ok());
        const auto height = heightAt(streamer.surface(), x, z);
        ASSERT_TRUE(height.has_value());
        EXPECT_EQ(*height, *heightAt(pyramid(), x, z));
    }
}

}  // namespace
}  // namespace karst::heightfield
