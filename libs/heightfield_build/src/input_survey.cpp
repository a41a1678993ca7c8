#include "input_survey.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "row_feed.h"

namespace karst::heightfield {

bool stopWanted(const BuildOptions& options) {
    return options.stop != nullptr && options.stop->load(std::memory_order_relaxed);
}

std::uint32_t bandRows(const BuildInput& input, std::uint32_t tileCells) {
    // Bands of the input's own height decode nothing twice; more than this many samples in one is memory
    // without use.
    constexpr std::uint64_t kMostSamples = std::uint64_t{1} << 23;
    std::uint32_t rows = std::max(1u, input.preferredRows());
    while (rows < tileCells)
        rows *= 2;
    while (rows > 1 && std::uint64_t{rows} * input.columns() > kMostSamples)
        rows = (rows + 1) / 2;
    return rows;
}

Result<std::vector<float>> filledRowBefore(BuildInput& input, std::uint32_t row, std::uint32_t tileCells) {
    const std::size_t width = input.columns();
    const std::uint32_t most = bandRows(input, tileCells);
    std::vector<float> heights;
    for (std::uint32_t end = row; end > 0;) {
        const std::uint32_t first = (end - 1) / most * most;
        heights.resize(std::size_t{end - first} * width);
        if (Result<void> read = input.readRows(first, end - first, heights); !read) return read.error();
        for (std::uint32_t r = end - first; r-- > 0;) {
            std::vector<float> found(heights.begin() + static_cast<std::ptrdiff_t>(r * width),
                                     heights.begin() + static_cast<std::ptrdiff_t>((r + 1) * width));
            if (fillRow(found)) return found;
        }
        end = first;
    }
    return std::vector<float>();
}

InputSurvey beginSurvey(const BuildInput& input, const BuildOptions& options) {
    InputSurvey survey;
    survey.corners = CornerGrid(input.columns(), input.rows(), options.tileCells);
    survey.heights.min = std::numeric_limits<float>::infinity();
    survey.heights.max = -survey.heights.min;
    return survey;
}

Result<bool> surveyRows(BuildInput& input, const BuildOptions& options, const RowRange& rows,
                        const std::function<void(double)>& progress, InputSurvey& found) {
    if (rows.count() == 0) return true;
    Result<std::vector<float>> before = filledRowBefore(input, rows.first, options.tileCells);
    if (!before) return before.error();
    float low = found.heights.min, high = found.heights.max;
    // Rows before the first data have no height yet.
    RowFeed feed(input, rows, bandRows(input, options.tileCells), std::move(*before),
                 std::numeric_limits<float>::quiet_NaN());
    const std::size_t width = input.columns();
    for (;;) {
        const Result<const RowBand*> band = feed.next();
        if (!band) return band.error();
        if ((*band)->rowCount == 0) break;
        for (std::uint32_t r = 0; r < (*band)->rowCount; ++r) {
            const std::span<const float> row = std::span((*band)->heights).subspan(r * width, width);
            // Filled voids lie between samples with data; NaN passes neither test. Four at a time, since a
            // compiler may not reorder a minimum over a row.
            float lows[4] = {low, low, low, low}, highs[4] = {high, high, high, high};
            for (std::size_t x = 0; x < width; ++x) {
                const float h = row[x];
                float &least = lows[x & 3], &most = highs[x & 3];
                least = h < least ? h : least;
                most = h > most ? h : most;
            }
            low = *std::min_element(lows, lows + 4);
            high = *std::max_element(highs, highs + 4);
            for (const std::uint8_t isVoid : (*band)->voids[r])
                found.voids += isVoid != 0 ? 1 : 0;
            found.corners.take((*band)->firstRow + r, row);
        }
        if (progress) {
            const std::uint32_t done = (*band)->firstRow + (*band)->rowCount - rows.first;
            progress(static_cast<double>(done) / rows.count());
        }
        if (stopWanted(options)) return false;
    }
    found.heights = {low, high};
    return true;
}

Result<void> checkSurvey(const BuildInput& input, const InputSurvey& survey) {
    if (survey.heights.min <= survey.heights.max) return {};
    return makeError(ErrorCode::CorruptData, "pyramid builder: none of the %u x %u samples has data",
                     input.columns(), input.rows());
}

}  // namespace karst::heightfield
