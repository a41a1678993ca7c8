#include "streamer_state.h"

#include <cmath>

namespace karst::heightfield {
namespace {

// Roots with ground.
std::uint64_t rootCount(const TileLayout& layout) {
    const std::uint64_t span = std::uint64_t{layout.tileCells} << (layout.storedLevels - 1);
    return ((layout.samplesX - 1 + span - 1) / span) * ((layout.samplesZ - 1 + span - 1) / span);
}

Result<void> check(const TileStreamerOptions& options, const TileLayout& layout) {
    const auto refuse = [](const char* what, double value) {
        return makeError(ErrorCode::InvalidArgument, "streamer: %s, not %g", what, value);
    };
    const std::uint64_t roots = rootCount(layout);
    if (options.maximumResidentTiles < roots) {
        return makeError(ErrorCode::InvalidArgument,
                         "streamer: maximumResidentTiles %u is less than the %llu roots",
                         options.maximumResidentTiles, static_cast<unsigned long long>(roots));
    }
    if (options.maximumPendingLoads < 1)
        return refuse("maximumPendingLoads must be at least 1", options.maximumPendingLoads);
    if (options.retryAfterUpdates < 1)
        return refuse("retryAfterUpdates must be at least 1", options.retryAfterUpdates);
    if (options.cancelUnwantedAfterUpdates < 1)
        return refuse("cancelUnwantedAfterUpdates must be at least 1", options.cancelUnwantedAfterUpdates);
    if (!(options.loadTimeoutSeconds >= 0 && options.loadTimeoutSeconds <= 1e9))
        return refuse("loadTimeoutSeconds must be 0 to 1e9", options.loadTimeoutSeconds);
    if (options.detailLevels > TileLayout::kMaxDetailLevels)
        return refuse("detailLevels must be 0 to 4", options.detailLevels);
    if (options.detailLevels > 0 && options.resolver == nullptr)
        return refuse("detailLevels needs a resolver or must be 0", options.detailLevels);
    if (options.detailLevels > 0 && options.maximumSynthesesPerUpdate < 1)
        return refuse("maximumSynthesesPerUpdate must be at least 1", options.maximumSynthesesPerUpdate);
    const auto finest = -static_cast<std::int32_t>(options.detailLevels);
    if (options.collisionLevel < finest || options.collisionLevel > layout.rootLevel()) {
        return makeError(ErrorCode::InvalidArgument, "streamer: collisionLevel %d is not one of %d to %d",
                         options.collisionLevel, finest, layout.rootLevel());
    }
    return {};
}

class SelectorPlanner final : public ViewPlanner {
  public:
    explicit SelectorPlanner(const Externals& externals) : m_selector(externals) {}
    TileSelection plan(const Surface& surface, const TileView& view, std::uint32_t detailLevels) override {
        return m_selector.select(surface, view, detailLevels);
    }

  private:
    TileSelector m_selector;
};

}  // namespace

std::unique_ptr<ViewPlanner> makeSelectorPlanner(const Externals& externals) {
    return std::make_unique<SelectorPlanner>(externals);
}

Result<TileStreamer> TileStreamer::create(const TileLayout& layout, std::unique_ptr<TileSource> source,
                                          TileStreamerOptions options, const Externals& externals) {
    if (Result<void> valid = validate(layout); !valid) return valid.error();
    if (source == nullptr) return makeError(ErrorCode::InvalidArgument, "streamer: the tile source is null");
    if (Result<void> valid = check(options, layout); !valid) return valid.error();
    if (options.planner == nullptr) options.planner = makeSelectorPlanner(externals);
    return TileStreamer(std::make_unique<State>(layout, std::move(source), std::move(options), externals));
}

TileStreamer::TileStreamer(std::unique_ptr<State> state) : m_state(std::move(state)) {}
TileStreamer::~TileStreamer() = default;
TileStreamer::TileStreamer(TileStreamer&&) noexcept = default;
TileStreamer& TileStreamer::operator=(TileStreamer&&) noexcept = default;

Result<StreamingReport> TileStreamer::update(std::span<const Interest> interests) {
    for (const Interest& interest : interests) {
        if (Result<void> valid = validate(interest); !valid) return valid.error();
    }
    return m_state->update(interests);
}

Surface TileStreamer::surface() const {
    return m_state->published();
}

Result<void> TileStreamer::addCrater(const Crater& crater) {
    const TileResolver* resolver = m_state->options.resolver.get();
    if (resolver == nullptr) return makeError(ErrorCode::Unsupported, "streamer: a crater needs a resolver");
    if (Result<void> valid = resolver->check(crater); !valid) return valid.error();
    m_state->addCrater(crater);
    return {};
}

std::span<const Crater> TileStreamer::craters() const {
    return m_state->craters;
}

const TileLayout& TileStreamer::layout() const {
    return m_state->layout;
}

}  // namespace karst::heightfield
