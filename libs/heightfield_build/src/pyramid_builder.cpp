#include <karst/base/hash.h>
#include <karst/heightfield_build/pyramid_builder.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "build_job.h"
#include "file_output.h"

namespace karst::heightfield {
namespace {

constexpr std::uint32_t kStateMagic = 0x5342544b;  // "KTBS"
constexpr std::uint32_t kStateVersion = 1;
constexpr double kSurveyShare = 0.25;  // of a build's time, about

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

// What a state must agree with to be gone on from.
std::uint64_t buildMark(const BuildInput& input, const BuildOptions& options) {
    Hasher hash;
    hash.u32(input.columns())
        .u32(input.rows())
        .f64(input.spacingX())
        .f64(input.spacingZ())
        .u64(input.fingerprint());
    hash.u32(options.tileCells)
        .u32(options.levels)
        .u32(options.version)
        .f64(options.originX)
        .f64(options.originZ);
    hash.f64(options.heightStep).u32(options.range ? 1 : 0);
    if (options.range) hash.f32(options.range->min).f32(options.range->max);
    hash.u32(options.makeCodec ? 1 : 0);
    return hash.value();
}

Result<InputSurvey> survey(BuildInput& input, const BuildOptions& options, bool& stopped) {
    InputSurvey found;
    found.corners = CornerGrid(input.columns(), input.rows(), options.tileCells);
    float low = std::numeric_limits<float>::infinity(), high = -low;
    // Rows before the first data have no height yet.
    RowFeed feed(input, 0, bandRows(input, options.tileCells), {}, std::numeric_limits<float>::quiet_NaN());
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
        if (options.progress) {
            options.progress(kSurveyShare * ((*band)->firstRow + (*band)->rowCount) / input.rows());
        }
        if (stopWanted(options)) {
            stopped = true;
            return found;
        }
    }
    if (!(low <= high)) {
        return makeError(ErrorCode::CorruptData, "pyramid builder: none of the %u x %u samples has data",
                         input.columns(), input.rows());
    }
    found.heights = {low, high};
    return found;
}

HeightRange quantisationFor(const HeightRange& heights, const BuildOptions& options) {
    if (options.range) return *options.range;
    const double top = heights.min + 65535.0 * options.heightStep;
    if (options.heightStep > 0 && top >= heights.max && top <= double{std::numeric_limits<float>::max()}) {
        return {heights.min, static_cast<float>(top)};
    }
    return heights;
}

// State file: magic, version, mark, then whether the survey is whole, then the rest; a hash of all before it
// at the end.
struct BuildState {
    InputSurvey survey;
    std::uint32_t nextRow = 0;
    std::vector<float> rowBefore;  // filled
    std::vector<std::byte> sink;
    std::vector<std::byte> production;
};

Result<void> writeState(const BuildOptions& options, std::uint64_t mark, BuildState& state) {
    std::vector<std::byte> bytes;
    ByteWriter out(bytes);
    out.u32(kStateMagic);
    out.u32(kStateVersion);
    out.u64(mark);
    out.f32(state.survey.heights.min);
    out.f32(state.survey.heights.max);
    out.u64(state.survey.voids);
    out.array(std::span<const float>(state.survey.corners.values()));
    out.u32(state.nextRow);
    out.array(std::span<const float>(state.rowBefore));
    out.array(std::span<const std::byte>(state.sink));
    out.array(std::span<const std::byte>(state.production));
    out.u64(Hasher().bytes(bytes.data(), bytes.size()).value());
    // Its hash tells a state that a power cut spoilt; then the build begins anew.
    return replaceFile(options.stateFile, bytes, false);
}

bool readBytes(ByteReader& in, std::vector<std::byte>& out) {
    const auto bytes = in.bytes(static_cast<std::size_t>(in.u64()));
    out.assign(bytes.begin(), bytes.end());
    return !in.failed();
}

// False where there is no state, or none of this input and these options.
bool readState(const BuildInput& input, const BuildOptions& options, std::uint64_t mark, BuildState& state) {
    const Result<std::vector<std::byte>> bytes = readWholeFile(options.stateFile);
    if (!bytes || bytes->size() < 24) return false;
    const std::span<const std::byte> body(bytes->data(), bytes->size() - 8);
    ByteReader tail(std::span<const std::byte>(*bytes).last(8));
    if (Hasher().bytes(body.data(), body.size()).value() != tail.u64()) return false;
    ByteReader in(body);
    if (in.u32() != kStateMagic || in.u32() != kStateVersion || in.u64() != mark) return false;
    state.survey.heights.min = in.f32();
    state.survey.heights.max = in.f32();
    state.survey.voids = in.u64();
    state.survey.corners = CornerGrid(input.columns(), input.rows(), options.tileCells);
    if (!readArray(in, std::span(state.survey.corners.values()))) return false;
    state.nextRow = in.u32();
    state.rowBefore.resize(input.columns());
    return readArray(in, std::span(state.rowBefore)) && readBytes(in, state.sink) &&
           readBytes(in, state.production) && state.nextRow > 0 && state.nextRow < input.rows();
}

Result<void> checkOptions(const BuildInput& input, const BuildOptions& options) {
    if (options.version != 2 && options.version != 3) {
        return makeError(ErrorCode::InvalidArgument, "pyramid builder: version %u; there are 2 and 3",
                         options.version);
    }
    if (!(options.heightStep >= 0) || !std::isfinite(options.heightStep)) {
        return makeError(ErrorCode::InvalidArgument,
                         "pyramid builder: height step %g must be finite and not negative",
                         options.heightStep);
    }
    if (options.range && !(options.range->min <= options.range->max)) {
        return makeError(ErrorCode::InvalidArgument, "pyramid builder: range %g..%g is out of order",
                         double{options.range->min}, double{options.range->max});
    }
    // The layout tells what is wrong with the size before anything is read.
    const Result<TileLayout> layout =
        makeTileLayout(input.columns(), input.rows(), options.tileCells, options.levels, input.spacingX(),
                       input.spacingZ(), {0, 1});
    if (!layout) return layout.error();
    return {};
}

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

Result<BuildReport> buildPyramid(BuildInput& input, TileSink& sink, const BuildOptions& options,
                                 const Externals& externals) {
    if (Result<void> valid = checkOptions(input, options); !valid) return valid.error();
    const std::uint64_t mark = buildMark(input, options);
    BuildReport report;
    BuildState state;
    report.resumed = options.resume && !options.stateFile.empty() && readState(input, options, mark, state);
    if (!report.resumed) {
        state = {};
        bool stopped = false;
        Result<InputSurvey> found = survey(input, options, stopped);
        if (!found) return found.error();
        if (stopped) return report;  // so little is lost that nothing is kept
        state.survey = std::move(*found);
    }
    const HeightRange range = quantisationFor(state.survey.heights, options);
    Result<TileLayout> layout = makeTileLayout(input.columns(), input.rows(), options.tileCells,
                                               options.levels, input.spacingX(), input.spacingZ(), range);
    if (!layout) return layout.error();
    layout->originX = options.originX;
    layout->originZ = options.originZ;
    if (Result<void> valid = validate(*layout); !valid) return valid.error();
    state.survey.corners.replaceMissing(range.min);
    report.layout = *layout;
    report.heights = state.survey.heights;
    report.voids = state.survey.voids;

    PackageManifest manifest;
    manifest.version = options.version;
    manifest.layout = *layout;
    if (options.version == 3 && options.makeCodec) {
        const std::unique_ptr<BlockCodec> codec = options.makeCodec();
        if (codec != nullptr) manifest.codec = codec->id();
    }
    TileProduction production(*layout, options, state.survey.corners, sink, externals);
    if (report.resumed) {
        // The unfinished package may be gone or another's: then the tiles begin anew.
        ByteReader in(state.production);
        report.resumed = production.load(in) && sink.begin(manifest, state.sink).ok();
        if (!report.resumed) {
            production.reset();
            state.nextRow = 0;
            state.rowBefore.clear();
        }
    }
    if (!report.resumed) {
        if (Result<void> begun = sink.begin(manifest, {}); !begun) return begun.error();
    }

    RowFeed feed(input, state.nextRow, bandRows(input, options.tileCells), std::move(state.rowBefore),
                 range.min);
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
                quantise(*layout, std::span(held.heights).subspan(begin * width, (end - begin) * width),
                         rows.data() + begin * width);
            });
            if (Result<void> taken = production.take(held.firstRow, held.rowCount, rows, cells); !taken) {
                return taken.error();
            }
            if (options.progress) {
                options.progress(kSurveyShare +
                                 (1 - kSurveyShare) * (held.firstRow + held.rowCount) / input.rows());
            }
            const std::uint64_t now = externals.clock->nowNanoseconds();
            const bool stop = stopWanted(options);
            const bool due = static_cast<double>(now - savedAt) * 1e-9 >= options.stateInterval;
            if (band.rowCount > 0 && !options.stateFile.empty() && (stop || due)) {
                savedAt = now;
                state.sink.clear();
                if (Result<void> saved = sink.saveState(state.sink); !saved) return saved.error();
                state.production.clear();
                ByteWriter out(state.production);
                production.save(out);
                state.nextRow = held.firstRow + held.rowCount;
                state.rowBefore.assign(held.heights.end() - static_cast<std::ptrdiff_t>(width),
                                       held.heights.end());
                if (Result<void> written = writeState(options, mark, state); !written) return written.error();
            }
            if (stop && band.rowCount > 0) {
                report.stateKept = !options.stateFile.empty();
                return report;
            }
        }
        if (band.rowCount == 0) break;
        before = &band;
    }
    if (Result<void> finished = production.finish(); !finished) return finished.error();
    if (Result<void> finished = sink.finish(); !finished) return finished.error();
    if (!options.stateFile.empty()) {
        std::error_code ignored;
        std::filesystem::remove(options.stateFile, ignored);
    }
    if (options.progress) options.progress(1);
    report.finished = true;
    report.tiles = production.tiles();
    report.bytes = production.bytes();
    return report;
}

Result<Surface> buildSurface(BuildInput& input, const BuildOptions& options, const Externals& externals) {
    BuildOptions inMemory = options;
    inMemory.makeCodec = nullptr;
    inMemory.stateFile.clear();
    inMemory.stop = nullptr;
    MemorySink sink;
    const Result<BuildReport> report = buildPyramid(input, sink, inMemory, externals);
    if (!report) return report.error();
    return Surface::fromTiles(report->layout, std::move(sink.tiles()));
}

}  // namespace karst::heightfield
