#include <karst/base/assert.h>

#include <algorithm>
#include <cmath>

#include "tile_production.h"

namespace karst::heightfield {

TileProduction::TileProduction(const TileLayout& layout, const BuildOptions& options,
                               const CornerGrid& corners, TileSink& sink, const Externals& externals,
                               const TileWindow& window, CoarseShare* coarse)
    : m_layout(layout),
      m_window(window),
      m_coarse(coarse),
      m_options(&options),
      m_corners(&corners),
      m_sink(&sink),
      m_jobs(externals.jobs),
      m_step((double{layout.quantisation.max} - layout.quantisation.min) / 65535.0) {
    reset();
    m_encoded.resize(storedTilesX(layout, 0));
    m_spans.resize(std::size_t{storedTilesX(layout, 0)} * m_levels.size());
}

void TileProduction::reset() {
    const TileLayout& layout = m_layout;
    m_levels.clear();
    m_lastRow.clear();
    m_tiles = m_bytes = 0;
    if (m_coarse != nullptr) *m_coarse = CoarseShare(layout, m_window);
    for (std::int32_t level = 0; level <= layout.rootLevel(); ++level) {
        const std::uint32_t x = storedTilesX(layout, level);
        const bool made = level >= m_window.bottomLevel && level <= m_window.topLevel;
        std::uint32_t first = 0, end = 0;
        if (made) {
            first = m_window.firstRow << (m_window.topLevel - level);
            end = std::min(m_window.endRow << (m_window.topLevel - level), storedTilesZ(layout, level));
        }
        m_levels.push_back({LevelRows(layout, x, first, end), {}, {}});
        const bool isChild = made || level == m_window.bottomLevel - 1;
        for (auto& row : m_levels.back().summaries)
            row.resize(isChild ? x : 0);
        for (auto& row : m_levels.back().spanErrors)
            row.resize(made && level > 0 ? x : 0);
    }
}

Result<void> TileProduction::take(std::uint32_t firstRow, std::uint32_t rowCount,
                                  std::span<const std::uint16_t> rows,
                                  std::span<const std::vector<std::uint8_t>> cells) {
    const std::size_t width = m_layout.samplesX;
    for (std::uint32_t r = 0; r < rowCount; ++r) {
        const std::uint32_t row = firstRow + r;
        if (Result<void> pushed = pushRow(row, rows.subspan(r * width, width)); !pushed) return pushed;
        // The cells below this row; those of the last row of samples are padding.
        if (row + 1 < m_layout.samplesZ) {
            pushCells(row, cells[r]);
        }
    }
    m_lastRow.assign(rows.end() - static_cast<std::ptrdiff_t>(width), rows.end());
    return {};
}

Result<void> TileProduction::finish() {
    // Rows past the ground repeat the last one, at each level only until its last row of tiles is full.
    const std::int64_t end =
        static_cast<std::int64_t>(m_layout.cellsZ()) + (std::int64_t{2} << m_layout.rootLevel());
    std::uint32_t pending = 0;  // levels below are finished
    for (std::int64_t row = m_layout.samplesZ; row <= end && pending < m_levels.size();) {
        if (Result<void> pushed = pushRow(static_cast<std::uint32_t>(row), m_lastRow); !pushed) return pushed;
        while (pending < m_levels.size() && m_levels[pending].rows.finished())
            ++pending;
        const std::int64_t stride = std::int64_t{1} << pending;
        row = (row / stride + 1) * stride;
    }
    for (std::size_t level = 0; level < m_levels.size(); ++level) {
        if (m_levels[level].rows.finished()) continue;
        return makeError(ErrorCode::InvalidArgument,
                         "pyramid builder: level %zu ended after %u rows of tiles", level,
                         m_levels[level].rows.tileRow());
    }
    return {};
}

Result<void> TileProduction::pushRow(std::uint32_t row, std::span<const std::uint16_t> samples) {
    if (m_coarse != nullptr) m_coarse->takeRow(row, samples);
    const std::int32_t bottom = m_window.bottomLevel;
    for (std::int32_t level = bottom; level <= m_window.topLevel; ++level) {
        const std::uint32_t stride = 1u << level;
        if (row % stride != 0) break;
        LevelRows& rows = m_levels[static_cast<std::size_t>(level)].rows;
        // A window may begin with rows that only its coarser levels need.
        if (rows.finished() || row / stride < rows.nextRow()) continue;
        KARST_ASSERT(rows.nextRow() == row / stride);
        const std::size_t lattice = bottom > 0 ? samples.size() - 1 : samples.size();
        rows.push(samples.first(lattice), std::size_t{1} << (level - bottom), samples.back());
        if (!rows.full()) continue;
        if (Result<void> made = emitTileRow(level); !made) return made;
    }
    return {};
}

void TileProduction::pushCells(std::uint32_t cellRow, std::span<const std::uint8_t> cells) {
    if (m_coarse != nullptr) m_coarse->takeCells(cellRow, cells);
    const std::int32_t given = std::max(0, m_window.bottomLevel - 1);  // stride of `cells`
    const std::size_t count = (m_layout.samplesX - 1 + (std::size_t{1} << given) - 1) >> given;
    for (std::int32_t level = m_window.bottomLevel; level <= m_window.topLevel; ++level) {
        LevelRows& rows = m_levels[static_cast<std::size_t>(level)].rows;
        if (rows.finished()) continue;
        // A coarse cell is a hole where the finest cell at its centre is.
        const std::uint32_t stride = 1u << level, centre = stride / 2;
        if (cellRow % stride == centre)
            rows.setCellRow(cellRow / stride, cells, count, centre >> given, stride >> given);
    }
}

void TileProduction::setSummaries(std::uint32_t tileRow, std::span<const TileSummary> summaries) {
    Level& below = m_levels[static_cast<std::size_t>(m_window.bottomLevel) - 1];
    std::copy(summaries.begin(), summaries.end(), below.summaries[tileRow & 1].begin());
}

void TileProduction::setSpanErrors(std::int32_t level, std::uint32_t tileRow,
                                   std::span<const double> errors) {
    std::copy(errors.begin(), errors.end(), spanErrors(level, tileRow).begin());
}

std::span<double> TileProduction::spanErrors(std::int32_t level, std::uint32_t tileRow) {
    if (level > m_window.topLevel) return m_coarse->spanErrors(level, tileRow);
    return m_levels[static_cast<std::size_t>(level)].spanErrors[tileRow & 1];
}

Result<void> TileProduction::emitTileRow(std::int32_t level) {
    Level& state = m_levels[static_cast<std::size_t>(level)];
    const std::uint32_t count = state.rows.tilesX();
    std::vector<Result<void>> results(count);
    m_jobs->parallelFor(count, 4, [&](std::size_t begin, std::size_t end) {
        std::unique_ptr<Worker> worker = m_workers.take();
        if (worker == nullptr) {
            worker = std::make_unique<Worker>();
            if (m_options->makeCodec && m_options->version == 3) worker->codec = m_options->makeCodec();
        }
        for (std::size_t x = begin; x < end; ++x) {
            results[x] = makeTile(level, static_cast<std::uint32_t>(x), *worker, m_encoded[x]);
        }
        m_workers.give(std::move(worker));
    });
    const std::uint32_t z = state.rows.tileRow();
    if (level == 0) {
        // What the tiles found of the larger ones over them.
        for (std::size_t above = 1; above < m_levels.size(); ++above) {
            const std::span<double> spans = spanErrors(static_cast<std::int32_t>(above), z >> above);
            for (std::uint32_t x = 0; x < count; ++x) {
                spans[x >> above] = std::max(spans[x >> above], m_spans[x * m_levels.size() + above]);
            }
        }
    } else {
        std::fill(state.spanErrors[z & 1].begin(), state.spanErrors[z & 1].end(), 0.0);
    }
    if (m_coarse != nullptr && level == m_window.topLevel) m_coarse->takeSummaries(z, state.summaries[z & 1]);
    for (std::uint32_t x = 0; x < count; ++x) {
        if (!results[x]) return results[x];
        if (Result<void> written = m_sink->write({level, x, z}, m_encoded[x]); !written) return written;
        m_bytes += m_encoded[x].size();
        ++m_tiles;
    }
    state.rows.advance();
    return {};
}

Result<void> TileProduction::makeTile(std::int32_t level, std::uint32_t x, Worker& worker,
                                      std::vector<std::byte>& out) {
    Level& state = m_levels[static_cast<std::size_t>(level)];
    const LevelRows& rows = state.rows;
    const TileKey key{level, x, rows.tileRow()};
    const std::uint32_t cells = m_layout.tileCells, side = m_layout.tileSide();
    const std::uint16_t* samples = rows.tileSamples(x);

    TileSummary& summary = state.summaries[key.z & 1][x];
    summary = {};
    if (level == 0) {
        summariseFinest(key, samples + rows.pitch() + 1, summary);
    } else {
        summariseParent(key, summary);
    }

    std::vector<std::uint16_t>& copy = worker.samples;
    std::vector<std::uint64_t>& holes = worker.holes;
    copy.resize(std::size_t{side} * side);
    for (std::uint32_t j = 0; j < side; ++j)
        std::copy_n(samples + j * rows.pitch(), side, copy.data() + j * side);
    holes.clear();
    if (m_options->version == 3 && rows.hasHole()) {
        const std::uint8_t* source = rows.tileCells(x);
        bool any = false;
        for (std::uint32_t j = 0; j < cells; ++j) {
            const std::uint8_t* row = source + j * rows.cellPitch();
            std::uint8_t inRow = 0;
            for (std::uint32_t i = 0; i < cells; ++i)
                inRow = static_cast<std::uint8_t>(inRow | row[i]);
            if (inRow == 0) continue;
            for (std::uint32_t i = 0; i < cells; ++i) {
                if (row[i] == 0) continue;
                if (!any) holes.assign((std::size_t{cells} * cells + 63) / 64, 0);
                any = true;
                const std::size_t bit = std::size_t{j} * cells + i;
                holes[bit >> 6] |= std::uint64_t{1} << (bit & 63);
            }
        }
    }
    TileContent content;
    content.key = key;
    content.samples = copy;
    content.bounds = {m_layout.dequantise(summary.low), m_layout.dequantise(summary.high)};
    content.errors = std::span<const double>(summary.errors, m_layout.tileLevels() + 1);
    content.holes = holes;
    return m_options->version == 2 ? encodeTileV2(m_layout, content, out)
                                   : encodeTileV3(m_layout, content, worker.codec.get(), worker.scratch, out);
}

void TileProduction::summariseFinest(const TileKey& key, const std::uint16_t* samples, TileSummary& summary) {
    const LevelRows& rows = m_levels[0].rows;
    const std::uint32_t cells = m_layout.tileCells, levels = m_layout.tileLevels();
    std::uint16_t low = 65535, high = 0;
    for (std::uint32_t j = 0; j <= cells; ++j) {
        const std::uint16_t* row = samples + j * rows.pitch();
        for (std::uint32_t i = 0; i <= cells; ++i) {
            low = row[i] < low ? row[i] : low;
            high = row[i] > high ? row[i] : high;
        }
    }
    summary.low = low;
    summary.high = high;
    BlockErrors blocks;
    measureStrideErrors(samples, rows.pitch(), cells, summary.errors, blocks);

    double* spans = m_spans.data() + std::size_t{key.x} * m_levels.size();
    for (std::size_t above = 1; above < m_levels.size(); ++above) {
        const std::uint64_t x = key.x >> above, z = key.z >> above;
        const auto corner = [&](std::uint64_t cx, std::uint64_t cz) {
            return m_layout.quantise(m_corners->at((x + cx) << above, (z + cz) << above));
        };
        const TileCorners corners{corner(0, 0), corner(1, 0), corner(0, 1), corner(1, 1)};
        // From what earlier rows of tiles found, which does not depend on the order of this row's.
        spans[above] = measureSpanError(
            samples, rows.pitch(), cells, summary.errors, blocks, corners, std::uint64_t{cells} << above,
            (key.x - (x << above)) * std::uint64_t{cells}, (key.z - (z << above)) * std::uint64_t{cells},
            spanErrors(static_cast<std::int32_t>(above), static_cast<std::uint32_t>(z))[x]);
    }

    for (std::uint32_t i = 0; i <= levels; ++i)
        summary.errors[i] *= m_step;
    if (m_options->levelZeroErrors) {
        static_cast<void>(m_options->levelZeroErrors(key, std::span(summary.errors, levels + 1)));
    }
    for (std::uint32_t i = 1; i <= levels; ++i)
        summary.errors[i] = std::max(summary.errors[i], summary.errors[i - 1]);
}

// Bounds and shared errors are the largest over the children; only the tile's own two triangles were
// measured.
void TileProduction::summariseParent(const TileKey& key, TileSummary& summary) {
    const Level& below = m_levels[static_cast<std::size_t>(key.level) - 1];
    const std::uint32_t levels = m_layout.tileLevels();
    summary.low = 65535;
    for (std::uint32_t child = 0; child < 4; ++child) {
        const TileKey childKey = key.child(child);
        if (!m_layout.contains(childKey)) continue;
        const TileSummary& from = below.summaries[childKey.z & 1][childKey.x];
        summary.low = std::min(summary.low, from.low);
        summary.high = std::max(summary.high, from.high);
        for (std::uint32_t i = 0; i < levels; ++i)
            summary.errors[i] = std::max(summary.errors[i], from.errors[i + 1]);
    }
    const double span = m_levels[static_cast<std::size_t>(key.level)].spanErrors[key.z & 1][key.x] * m_step;
    summary.errors[levels] = std::max(span, summary.errors[levels - 1]);
}

void TileProduction::save(ByteWriter& out) const {
    out.u64(m_tiles);
    out.u64(m_bytes);
    writeArray(out, std::span<const std::uint16_t>(m_lastRow));
    for (const Level& level : m_levels) {
        level.rows.save(out);
        for (const auto& row : level.summaries)
            writeArray(out, std::span<const TileSummary>(row));
        for (const auto& row : level.spanErrors)
            writeArray(out, std::span<const double>(row));
    }
    if (m_coarse != nullptr) m_coarse->save(out);
}

bool TileProduction::load(ByteReader& in) {
    m_tiles = in.u64();
    m_bytes = in.u64();
    m_lastRow.resize(m_layout.samplesX);
    if (!readArray(in, std::span(m_lastRow))) return false;
    for (Level& level : m_levels) {
        if (!level.rows.load(in)) return false;
        for (auto& row : level.summaries) {
            if (!readArray(in, std::span(row))) return false;
        }
        for (auto& row : level.spanErrors) {
            if (!readArray(in, std::span(row))) return false;
        }
    }
    return m_coarse == nullptr || m_coarse->load(in);
}

}  // namespace karst::heightfield
