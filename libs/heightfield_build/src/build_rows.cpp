#include "build_rows.h"

#include <algorithm>

#include "row_feed.h"

namespace karst::heightfield {
namespace {

// TileLayout::quantise of many.
void quantise(const TileLayout& layout, std::span<const float> heights, std::uint16_t* out) {
    const double low = layout.quantisation.min, range = double{layout.quantisation.max} - low;
    if (!(range > 0)) {
        std::fill_n(out, heights.size(), std::uint16_t{0});
        return;
    }
    const double perUnit = 65535.0 / range;
    constexpr std::size_t kAtOnce = 512;
    std::int32_t steps[kAtOnce];  // narrowed in a loop of its own: each is vector code then
    for (std::size_t first = 0; first < heights.size(); first += kAtOnce) {
        const std::size_t count = std::min(kAtOnce, heights.size() - first);
        for (std::size_t i = 0; i < count; ++i) {
            double value = (double{heights[first + i]} - low) * perUnit;
            value = value < 0 ? 0 : value;
            value = value > 65535 ? 65535 : value;
            steps[i] = static_cast<std::int32_t>(value + 0.5);
        }
        for (std::size_t i = 0; i < count; ++i)
            out[first + i] = static_cast<std::uint16_t>(steps[i]);
    }
}

// Cells between the band's rows: beside samples without data, and those that the input cuts.
void cellsOfBand(BuildInput& input, const RowBand& band, std::span<const std::uint8_t> nextRowVoids,
                 std::vector<std::vector<std::uint8_t>>& cells) {
    cells.resize(band.rowCount);
    const std::size_t count = input.columns() - 1;
    for (std::uint32_t r = 0; r < band.rowCount; ++r) {
        std::vector<std::uint8_t>& out = cells[r];
        out.clear();
        const std::span<const std::uint8_t> below =
            r + 1 < band.rowCount ? std::span<const std::uint8_t>(band.voids[r + 1]) : nextRowVoids;
        for (const std::span<const std::uint8_t> voids :
             {std::span<const std::uint8_t>(band.voids[r]), below}) {
            if (voids.empty()) continue;
            if (out.empty()) out.assign(count, 0);
            for (std::size_t x = 0; x < count; ++x)
                out[x] = static_cast<std::uint8_t>(out[x] | voids[x] | voids[x + 1]);
        }
        if (band.firstRow + r + 1 >= input.rows()) continue;
        input.cutCells(band.firstRow + r, [&](std::uint32_t x) {
            if (out.empty()) out.assign(count, 0);
            if (x < count) out[x] = 1;
        });
    }
}

}  // namespace

Result<void> beginRows(const RowBuild& build, BuildState& state, bool& resumed, const Externals& externals) {
    if (resumed) {
        // The unfinished package may be gone or another's: then the tiles begin anew.
        ByteReader in(state.production);
        Result<void> begun = makeError(ErrorCode::CorruptData, "%s: does not fit the layout",
                                       build.options->stateFile.c_str());
        if (build.production->load(in)) begun = build.sink->begin(*build.manifest, state.sink);
        resumed = begun.ok();
        if (resumed) return begun;
        externals.log->write(LogLevel::Warning, begun.error().message + ": its tiles begin anew");
        build.production->reset();
        state.nextRow = 0;
    }
    if (state.nextRow == 0) {
        Result<std::vector<float>> before =
            filledRowBefore(*build.input, build.rows.first, build.options->tileCells);
        if (!before) return before.error();
        state.rowBefore = std::move(*before);
    }
    return build.sink->begin(*build.manifest, {});
}

Result<bool> runRows(const RowBuild& build, BuildState& state, bool& stateKept, const Externals& externals) {
    BuildInput& input = *build.input;
    const BuildOptions& options = *build.options;
    const TileLayout& layout = build.manifest->layout;
    const RowRange left{std::max(state.nextRow, build.rows.first), build.rows.end};
    RowFeed feed(input, left, bandRows(input, options.tileCells), std::move(state.rowBefore),
                 layout.quantisation.min);
    const std::size_t width = input.columns();
    std::vector<std::uint16_t> rows;
    std::vector<std::vector<std::uint8_t>> cells;
    std::uint64_t savedAt = externals.clock->nowNanoseconds();
    // The last row of cells of a band needs the first row of the next, so each band is taken one row late.
    const RowBand* before = nullptr;
    for (;;) {
        const Result<const RowBand*> next = feed.next();
        if (!next) return next.error();
        const RowBand& band = **next;
        if (before != nullptr) {
            const RowBand& held = *before;
            const std::span<const std::uint8_t> below = band.rowCount > 0
                                                            ? std::span<const std::uint8_t>(band.voids[0])
                                                            : std::span<const std::uint8_t>();
            cellsOfBand(input, held, below, cells);
            rows.resize(std::size_t{held.rowCount} * width);
            externals.jobs->parallelFor(held.rowCount, 8, [&](std::size_t begin, std::size_t end) {
                quantise(layout, std::span(held.heights).subspan(begin * width, (end - begin) * width),
                         rows.data() + begin * width);
            });
            if (Result<void> taken = build.production->take(held.firstRow, held.rowCount, rows, cells);
                !taken) {
                return taken.error();
            }
            if (options.progress) {
                options.progress(kSurveyShare + (1 - kSurveyShare) *
                                                    (held.firstRow + held.rowCount - build.rows.first) /
                                                    build.rows.count());
            }
            const std::uint64_t now = externals.clock->nowNanoseconds();
            const bool stop = stopWanted(options);
            const bool due = static_cast<double>(now - savedAt) * 1e-9 >= options.stateInterval;
            if (band.rowCount > 0 && !options.stateFile.empty() && (stop || due)) {
                savedAt = now;
                state.sink.clear();
                if (Result<void> saved = build.sink->saveState(state.sink); !saved) return saved.error();
                state.production.clear();
                ByteWriter out(state.production);
                build.production->save(out);
                state.nextRow = held.firstRow + held.rowCount;
                state.rowBefore.assign(held.heights.end() - static_cast<std::ptrdiff_t>(width),
                                       held.heights.end());
                if (Result<void> written = writeState(options.stateFile, build.mark, state); !written)
                    return written.error();
            }
            if (stop && band.rowCount > 0) {
                stateKept = !options.stateFile.empty();
                return false;
            }
        }
        if (band.rowCount == 0) break;
        before = &band;
    }
    if (Result<void> finished = build.production->finish(); !finished) return finished.error();
    return true;
}

}  // namespace karst::heightfield
