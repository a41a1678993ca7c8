#include "package_streaming.h"

#include <karst/heightfield_stream/detail_resolver.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "interruption.h"
#include "package_access.h"

namespace karst::tool {

using namespace heightfield;
using SteadyClock = std::chrono::steady_clock;

namespace {

void waitALittle() {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
}

}  // namespace

Result<std::unique_ptr<PackageTileSource>> openWhenReady(const std::string& package, double seconds,
                                                         const Externals& externals) {
    Result<std::unique_ptr<PackageTileSource>> source = openTileSource(package, externals);
    if (!source) return source;
    const auto end = SteadyClock::now() + std::chrono::duration<double>(seconds);
    while (!(*source)->ready()) {
        (*source)->update();
        if ((*source)->state() == PackageTileSource::State::Failed) return (*source)->error();
        if (SteadyClock::now() > end) {
            return makeError(ErrorCode::Io, "%s: no manifest came within %g seconds", package.c_str(),
                             seconds);
        }
        waitALittle();
    }
    return source;
}

Result<std::shared_ptr<const TileResolver>> groundResolver(const TileLayout& layout,
                                                           std::uint32_t detailLevels) {
    std::optional<TileDetailOptions> detail;
    if (detailLevels > 0) {
        // Relief that fits the samples: rough ground moves by up to a fifth of their spacing.
        const double spacing = std::min(layout.spacingX, layout.spacingZ);
        detail.emplace();
        detail->levels = detailLevels;
        detail->materials[0] = {0.02 * spacing, 0};
        detail->materials[1] = {0.2 * spacing, 0.7};
    }
    return makeDetailResolver(layout, detail);
}

Result<Settled> settle(TileStreamer& streamer, std::span<const Interest> interests, double seconds) {
    const auto end = SteadyClock::now() + std::chrono::duration<double>(seconds);
    Settled settled;
    for (;;) {
        if (Interruption::wanted()) return makeError(ErrorCode::Io, "interrupted");
        const Result<StreamingReport> report = streamer.update(interests);
        if (!report) return report.error();
        ++settled.updates;
        settled.surface = streamer.surface();
        settled.missing = report->wanted;
        if (!settled.surface.empty() && report->settled() && report->waiting == 0) return settled;
        if (SteadyClock::now() > end) {
            if (!settled.surface.empty()) return settled;
            return makeError(ErrorCode::Io, "the package's root tiles did not come within %g seconds",
                             seconds);
        }
        if (report->pending > 0 && report->loaded == 0) waitALittle();
    }
}

}  // namespace karst::tool
