// The streamer in a layout of more than a million tiles: one core. What an update costs must not depend on
// the size of the package (spec rows H8, H9).
#include <benchmark/benchmark.h>
#include <karst/base/hash.h>
#include <karst/heightfield/package_format.h>
#include <karst/heightfield_stream/streamer.h>

#include <cmath>
#include <deque>

namespace {

using namespace karst;
using namespace karst::heightfield;

// Any tile of a layout, at once: its error grows with the level.
class EndlessSource final : public TileSource {
  public:
    explicit EndlessSource(const TileLayout& layout) : m_layout(layout) {}
    void request(const TileKey& key) override { m_requests.push_back(key); }
    std::optional<Finished> poll() override {
        if (m_requests.empty()) return std::nullopt;
        auto tile = std::make_shared<HeightTile>();
        tile->key = m_requests.front();
        m_requests.pop_front();
        tile->side = m_layout.tileSide();
        tile->samples.assign(std::size_t{tile->side} * tile->side,
                             static_cast<float>(mix64(tile->key.packed()) >> 54));
        tile->bounds = {0, 1024};
        tile->firstErrorLevel = tile->key.level;
        for (std::uint32_t i = 0; i <= m_layout.tileLevels(); ++i) {
            const double level = tile->key.level + static_cast<double>(i);
            tile->errors.push_back(level == 0 ? 0 : 1.5 * std::pow(1.8, level));
        }
        return Finished{tile->key, TilePtr(tile)};
    }
    void cancel(const TileKey&) override {}

  private:
    TileLayout m_layout;
    std::deque<TileKey> m_requests;
};

// Side in samples; 65,537 make 1.4 million tiles of 64 cells.
TileLayout layoutOf(std::uint32_t samples) {
    return *makeTileLayout(samples, samples, 64, 0, 10, 10, {0, 1024});
}

TileStreamer streamerOf(const TileLayout& layout, std::uint32_t maximumResident) {
    TileStreamerOptions options;
    options.maximumResidentTiles = maximumResident;
    auto made = TileStreamer::create(layout, std::make_unique<EndlessSource>(layout), std::move(options));
    return std::move(*made);
}

TileView viewAt(const TileLayout& layout, double along, double tolerance) {
    TileView view;
    const Rect ground = layout.groundRect();
    view.eye = {ground.width() * 0.3 + along, 1400, ground.depth() * 0.4};
    view.projectionScale = 1080 / (2 * std::tan(0.5));
    view.tolerance = tolerance;
    return view;
}

void countTiles(benchmark::State& state, const TileLayout& layout, const TileStreamer& streamer) {
    state.counters["tiles"] = double(storedTileCount(layout));
    state.counters["resident"] = double(streamer.surface().tiles().size());
}

// Nothing to do: 2,000 resident tiles, a view and a region to stand on that have all they want.
void updateWithNothingToDo(benchmark::State& state) {
    const TileLayout layout = layoutOf(std::uint32_t(state.range(0)));
    TileStreamer streamer = streamerOf(layout, 2000);
    const TileView view = viewAt(layout, 0, 1.0);
    const Interest interests[] = {view, CollisionInterest{view.eye.x, view.eye.z, 300}};
    // Fills the limit with tiles that were seen on the way, and comes to rest.
    for (int i = 0; i < 400; ++i) {
        const Interest moving[] = {viewAt(layout, (400 - i) * 200.0, 1.0)};
        (void)streamer.update(moving);
    }
    StreamingReport report;
    for (int i = 0; i < 300; ++i)
        report = *streamer.update(interests);
    for (auto _ : state)
        report = *streamer.update(interests);
    if (!report.settled() || report.wanted != 0) state.SkipWithError("there was something to do");
    countTiles(state, layout, streamer);
}
BENCHMARK(updateWithNothingToDo)->Arg(4097)->Arg(65537)->Arg(1 << 23)->Unit(benchmark::kMicrosecond);

// Saturated: the view wants far more than there is room for.
void updateSaturated(benchmark::State& state) {
    const TileLayout layout = layoutOf(65537);
    TileStreamer streamer = streamerOf(layout, 2000);
    const Interest interests[] = {viewAt(layout, 0, 0.1)};
    StreamingReport report;
    for (int i = 0; i < 2000; ++i)
        report = *streamer.update(interests);
    for (auto _ : state)
        report = *streamer.update(interests);
    state.counters["waiting"] = report.waiting;
    countTiles(state, layout, streamer);
}
BENCHMARK(updateSaturated)->Unit(benchmark::kMicrosecond);

// Streaming: a camera that flies on, tiles come and leave in each update, a snapshot each.
void updateWhileStreaming(benchmark::State& state) {
    const TileLayout layout = layoutOf(65537);
    TileStreamer streamer = streamerOf(layout, 2000);
    for (int i = 0; i < 600; ++i) {
        const Interest interests[] = {viewAt(layout, i * 40.0, 1.0)};
        (void)streamer.update(interests);
    }
    std::size_t step = 600, published = 0, loaded = 0;
    for (auto _ : state) {
        const Interest interests[] = {viewAt(layout, double(step++) * 40.0, 1.0)};
        const StreamingReport report = *streamer.update(interests);
        published += report.published;
        loaded += report.loaded;
    }
    const auto updates = double(state.iterations());
    state.counters["published"] = double(published) / updates;
    state.counters["loaded"] = double(loaded) / updates;
    countTiles(state, layout, streamer);
}
BENCHMARK(updateWhileStreaming)->Iterations(4000)->Unit(benchmark::kMicrosecond);

// The reference: a snapshot of 2,000 tiles alone.
void publishAlone(benchmark::State& state) {
    const TileLayout layout = layoutOf(65537);
    std::vector<TilePtr> tiles;
    for (std::uint32_t i = 0; i < 2000; ++i) {
        auto tile = std::make_shared<HeightTile>();
        tile->key = storedTileAt(layout, i);
        tiles.push_back(tile);
    }
    const SurfaceLineage lineage = Surface::newLineage();
    for (auto _ : state)
        benchmark::DoNotOptimize(Surface::publish(layout, tiles, 0, lineage, 1));
}
BENCHMARK(publishAlone)->Unit(benchmark::kMicrosecond);

}  // namespace
