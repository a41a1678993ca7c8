#include "coarse_share.h"

#include <karst/heightfield/package_format.h>

#include <algorithm>

namespace karst::heightfield {

TileWindow TileWindow::whole(const TileLayout& layout) {
    return {0, layout.rootLevel(), 0, storedTilesZ(layout, layout.rootLevel())};
}

RowRange TileWindow::ownRows(const TileLayout& layout) const {
    const auto sampleRow = [&](std::uint32_t tileRow) {
        const std::uint64_t row = std::uint64_t{tileRow} * layout.tileCells << topLevel;
        const bool last = tileRow >= storedTilesZ(layout, topLevel);
        return last ? layout.samplesZ
                    : static_cast<std::uint32_t>(std::min<std::uint64_t>(row, layout.samplesZ));
    };
    return {sampleRow(firstRow), sampleRow(endRow)};
}

RowRange TileWindow::neededRows(const TileLayout& layout) const {
    if (firstRow == endRow) return {};
    const std::uint64_t first = std::uint64_t{firstRow} * layout.tileCells << topLevel,
                        last = (std::uint64_t{endRow} * layout.tileCells + 1) << topLevel;
    const std::uint64_t apron = std::uint64_t{1} << topLevel;
    return {static_cast<std::uint32_t>(firstRow > 0 ? first - apron : 0),
            static_cast<std::uint32_t>(std::min<std::uint64_t>(last + 1, layout.samplesZ))};
}

CoarseShare::CoarseShare(const TileLayout& layout, const TileWindow& window)
    : m_layout(layout), m_window(window), m_own(window.ownRows(layout)) {
    if (window.topLevel >= layout.rootLevel() || window.firstRow == window.endRow) return;
    const std::size_t cellStride = std::size_t{1} << window.topLevel, rowStride = cellStride * 2;
    m_rowWidth = (layout.samplesX - 1) / rowStride + 2;
    m_cellWidth = (layout.samplesX - 1 + cellStride - 1) / cellStride;
    m_tileWidth = storedTilesX(layout, window.topLevel);
    m_rows.resize(m_rowWidth * ((m_own.count() + rowStride - 1) / rowStride));
    m_cells.resize(m_cellWidth * ((m_own.count() + cellStride - 1) / cellStride));
    m_summaries.resize(m_tileWidth * (window.endRow - window.firstRow));
    for (std::int32_t level = window.topLevel + 1; level <= layout.rootLevel(); ++level)
        m_spans.emplace_back(std::size_t{storedTilesX(layout, level)} * spanRows(level).count());
}

void CoarseShare::decimate(std::span<const std::uint16_t> row, std::size_t stride,
                           std::vector<std::uint16_t>& out) {
    for (std::size_t x = 0; x < row.size(); x += stride)
        out.push_back(row[x]);
    out.push_back(row.back());
}

void CoarseShare::takeRow(std::uint32_t row, std::span<const std::uint16_t> samples) {
    if (m_rows.empty() || row < m_own.first || row >= m_own.end) return;
    const std::uint32_t stride = 2u << m_window.topLevel;
    if (row == m_layout.samplesZ - 1) {
        m_lastRow.clear();
        decimate(samples, stride, m_lastRow);
    }
    if (row % stride != 0) return;
    std::uint16_t* out = m_rows.data() + (row - m_own.first) / stride * m_rowWidth;
    for (std::size_t x = 0; x < samples.size(); x += stride)
        *out++ = samples[x];
    *out = samples.back();
}

void CoarseShare::takeCells(std::uint32_t cellRow, std::span<const std::uint8_t> cells) {
    const std::uint32_t stride = 1u << m_window.topLevel;
    if (m_cells.empty() || cells.empty() || cellRow < m_own.first || cellRow >= m_own.end ||
        cellRow % stride != 0)
        return;
    std::uint8_t* out = m_cells.data() + (cellRow - m_own.first) / stride * m_cellWidth;
    for (std::size_t x = 0; x < m_layout.samplesX - 1; x += stride)
        *out++ = cells[x];
}

void CoarseShare::takeSummaries(std::uint32_t tileRow, std::span<const TileSummary> summaries) {
    if (m_summaries.empty()) return;
    std::copy(summaries.begin(), summaries.end(),
              m_summaries.begin() + static_cast<std::ptrdiff_t>((tileRow - m_window.firstRow) * m_tileWidth));
}

RowRange CoarseShare::spanRows(std::int32_t level) const {
    const std::int32_t above = level - m_window.topLevel;
    return {m_window.firstRow >> above, ((m_window.endRow - 1) >> above) + 1};
}

std::span<double> CoarseShare::spanErrors(std::int32_t level, std::uint32_t tileRow) {
    const std::size_t width = storedTilesX(m_layout, level);
    return std::span(m_spans[static_cast<std::size_t>(level - m_window.topLevel - 1)])
        .subspan((tileRow - spanRows(level).first) * width, width);
}

std::span<const std::uint16_t> CoarseShare::row(std::uint32_t row) const {
    return std::span(m_rows).subspan((row - m_own.first) / (2u << m_window.topLevel) * m_rowWidth,
                                     m_rowWidth);
}

std::span<const std::uint8_t> CoarseShare::cells(std::uint32_t cellRow) const {
    return std::span(m_cells).subspan((cellRow - m_own.first) / (1u << m_window.topLevel) * m_cellWidth,
                                      m_cellWidth);
}

std::span<const TileSummary> CoarseShare::summaries(std::uint32_t tileRow) const {
    return std::span(m_summaries).subspan((tileRow - m_window.firstRow) * m_tileWidth, m_tileWidth);
}

void CoarseShare::save(ByteWriter& out) const {
    writeArray(out, std::span<const std::uint16_t>(m_rows));
    writeArray(out, std::span<const std::uint16_t>(m_lastRow));
    writeArray(out, std::span<const std::uint8_t>(m_cells));
    writeArray(out, std::span<const TileSummary>(m_summaries));
    for (const auto& spans : m_spans)
        writeArray(out, std::span<const double>(spans));
}

bool CoarseShare::load(ByteReader& in) {
    if (!readArray(in, std::span(m_rows)) || !readArray(in, m_lastRow) ||
        !readArray(in, std::span(m_cells)) || !readArray(in, std::span(m_summaries)))
        return false;
    for (auto& spans : m_spans) {
        if (!readArray(in, std::span(spans))) return false;
    }
    return m_lastRow.empty() || m_lastRow.size() == m_rowWidth;
}

}  // namespace karst::heightfield
