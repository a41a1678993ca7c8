#include <algorithm>

#include "part_files.h"
#include "tile_production.h"
#include "tile_rows.h"

namespace karst::heightfield {
namespace {

class Merger {
  public:
    Merger(const std::filesystem::path& package, std::uint64_t mark, const PackageManifest& manifest,
           std::vector<PartDone> parts, TileSink& sink, const BuildOptions& options,
           const Externals& externals)
        : m_package(package),
          m_mark(mark),
          m_layout(manifest.layout),
          m_count(static_cast<std::uint32_t>(parts.size())),
          m_done(std::move(parts)),
          m_tiles(m_count),
          m_coarse(m_count),
          m_sink(&sink),
          m_top(partWindow(m_layout, {0, m_count}).topLevel),
          m_production(m_layout, options, m_corners, sink, externals,
                       {m_top + 1, m_layout.rootLevel(), 0, storedTilesZ(m_layout, m_layout.rootLevel())}) {}

    /// The errors of coarse tiles, of which each part has seen a share.
    Result<void> gatherSpans() {
        for (std::int32_t level = m_top + 1; level <= m_layout.rootLevel(); ++level)
            m_spans.emplace_back(std::size_t{storedTilesX(m_layout, level)} * storedTilesZ(m_layout, level));
        for (std::uint32_t k = 0; k < m_count; ++k) {
            const TileWindow window = windowOf(k);
            if (window.firstRow == window.endRow || m_spans.empty()) continue;
            const Result<CoarseShare*> coarse = coarseOf(k);
            if (!coarse) return coarse.error();
            for (std::int32_t level = m_top + 1; level <= m_layout.rootLevel(); ++level) {
                const RowRange rows = (*coarse)->spanRows(level);
                for (std::uint32_t z = rows.first; z < rows.end; ++z) {
                    const std::span<const double> from = (*coarse)->spanErrors(level, z);
                    const std::span<double> to = spansOf(level, z);
                    for (std::size_t x = 0; x < to.size(); ++x)
                        to[x] = std::max(to[x], from[x]);
                }
            }
            m_coarse[k].reset();
        }
        return {};
    }

    /// The rows of tiles in the order in which one process makes them.
    Result<void> make(const TileRow& row) {
        if (row.level <= m_top) return copy(row);
        m_production.setSpanErrors(row.level, row.z, spansOf(row.level, row.z));
        // A row of tiles is made with the last sample row of its apron.
        const std::uint64_t last = ((row.z + std::uint64_t{1}) * m_layout.tileCells + 1) << row.level;
        while (m_production.tileRow(row.level) == row.z) {
            if (m_nextRow > last) {
                return makeError(ErrorCode::CorruptData, "%s: level %d does not come out of the parts",
                                 m_package.c_str(), row.level);
            }
            if (Result<void> pushed = pushNextRow(); !pushed) return pushed;
        }
        return {};
    }

    std::uint64_t tiles() const { return m_copied + m_production.tiles(); }
    std::uint64_t bytes() const { return m_bytes + m_production.bytes(); }

  private:
    TileWindow windowOf(std::uint32_t k) const { return partWindow(m_layout, {k, m_count}); }
    std::span<double> spansOf(std::int32_t level, std::uint32_t z) {
        const std::size_t width = storedTilesX(m_layout, level);
        return std::span(m_spans[static_cast<std::size_t>(level - m_top - 1)]).subspan(z * width, width);
    }

    // The part that made a row of tiles of level m_top.
    std::uint32_t partOf(std::uint32_t tileRow) const {
        std::uint32_t k = 0;
        while (tileRow >= windowOf(k).endRow)
            ++k;
        return k;
    }

    Result<CoarseShare*> coarseOf(std::uint32_t k) {
        if (!m_coarse[k]) {
            CoarseShare coarse(m_layout, windowOf(k));
            const std::filesystem::path file = partPath(m_package, {k, m_count}, PartFile::Done);
            const auto done = readPartDone(file, m_mark, &coarse);
            if (!done) return done.error();
            if (!*done) return makeError(ErrorCode::NotFound, "%s: is gone", file.c_str());
            m_coarse[k] = std::move(coarse);
        }
        return &*m_coarse[k];
    }

    Result<void> copy(const TileRow& row) {
        const std::uint32_t k = partOf(row.z >> (m_top - row.level));
        if (!m_tiles[k]) {
            m_tiles[k] = std::make_unique<PartTiles>();
            const std::filesystem::path file = partPath(m_package, {k, m_count}, PartFile::Tiles);
            if (Result<void> opened = m_tiles[k]->open(file, m_mark, m_done[k].fileBytes); !opened)
                return opened;
        }
        for (std::uint32_t x = 0; x < storedTilesX(m_layout, row.level); ++x) {
            const TileKey key{row.level, x, row.z};
            const auto bytes = m_tiles[k]->next(key);
            if (!bytes) return bytes.error();
            if (Result<void> written = m_sink->write(key, *bytes); !written) return written;
            ++m_copied;
            m_bytes += bytes->size();
        }
        if (row.level != m_top) return {};
        if (row.z + 1 == windowOf(k).endRow) m_tiles[k].reset();
        if (m_spans.empty()) return {};
        const Result<CoarseShare*> coarse = coarseOf(k);
        if (!coarse) return coarse.error();
        m_production.setSummaries(row.z, (*coarse)->summaries(row.z));
        return {};
    }

    Result<void> pushNextRow() {
        const auto row = static_cast<std::uint32_t>(m_nextRow);
        m_nextRow += std::uint64_t{2} << m_top;
        if (row >= m_layout.samplesZ) return m_production.pushRow(row, m_lastRow);
        const std::uint32_t tileRow =
            std::min(row / (m_layout.tileCells << m_top), storedTilesZ(m_layout, m_top) - 1);
        const std::uint32_t k = partOf(tileRow);
        const Result<CoarseShare*> coarse = coarseOf(k);
        if (!coarse) return coarse.error();
        // Parts before this one have been used up.
        for (std::uint32_t before = m_used; before < k; ++before)
            m_coarse[before].reset();
        m_used = k;
        if (!(*coarse)->lastRow().empty())
            m_lastRow.assign((*coarse)->lastRow().begin(), (*coarse)->lastRow().end());
        if (Result<void> pushed = m_production.pushRow(row, (*coarse)->row(row)); !pushed) return pushed;
        for (const std::uint32_t cellRow : {row, row + (1u << m_top)}) {
            if (cellRow + 1 < m_layout.samplesZ) m_production.pushCells(cellRow, (*coarse)->cells(cellRow));
        }
        return {};
    }

    std::filesystem::path m_package;
    std::uint64_t m_mark;
    TileLayout m_layout;
    std::uint32_t m_count;
    std::vector<PartDone> m_done;
    std::vector<std::unique_ptr<PartTiles>> m_tiles;
    std::vector<std::optional<CoarseShare>> m_coarse;
    std::uint32_t m_used = 0;  // m_coarse before this one are not needed any more
    TileSink* m_sink;
    std::int32_t m_top;
    CornerGrid m_corners;  // for finest tiles alone: none is made here
    TileProduction m_production;
    std::vector<std::vector<double>> m_spans;  // by level above m_top
    std::vector<std::uint16_t> m_lastRow;
    std::uint64_t m_nextRow = 0;
    std::uint64_t m_copied = 0, m_bytes = 0;
};

}  // namespace

Result<BuildReport> mergeParts(const BuildInput& input, TileSink& sink, const std::filesystem::path& package,
                               std::uint32_t count, const BuildOptions& options, const Externals& externals) {
    if (Result<void> valid = checkPart(input, options, {0, count}); !valid) return valid.error();
    Result<std::vector<PartDone>> parts = readAllDone(input, package, count, options);
    if (!parts) return parts.error();
    const PartDone& any = parts->front();
    const Result<PackageManifest> manifest = planManifest(input, options, any.heights);
    if (!manifest) return manifest.error();
    BuildReport report;
    report.layout = manifest->layout;
    report.heights = any.heights;
    report.voids = any.voids;
    const auto all = static_cast<double>(storedTileCount(report.layout));
    Merger merger(package, partsMark(input, options, count), *manifest, std::move(*parts), sink, options,
                  externals);
    if (Result<void> gathered = merger.gatherSpans(); !gathered) return gathered.error();
    if (Result<void> begun = sink.begin(*manifest, {}); !begun) return begun.error();
    TileRowOrder order(report.layout);
    while (const std::optional<TileRow> row = order.next()) {
        if (stopWanted(options)) return report;
        if (Result<void> made = merger.make(*row); !made) return made.error();
        if (options.progress) options.progress(static_cast<double>(merger.tiles()) / all);
    }
    if (Result<void> finished = sink.finish(); !finished) return finished.error();
    removeParts(package, count);
    report.finished = true;
    report.tiles = merger.tiles();
    report.bytes = merger.bytes();
    return report;
}

}  // namespace karst::heightfield
