#include "level_rows.h"

#include <karst/base/assert.h>

#include <algorithm>

namespace karst::heightfield {

LevelRows::LevelRows(const TileLayout& layout, std::uint32_t tilesX, std::uint32_t firstTileRow,
                     std::uint32_t endTileRow)
    : m_cells(layout.tileCells),
      m_tilesX(tilesX),
      m_endTileRow(endTileRow),
      m_width(std::size_t{tilesX} * layout.tileCells + 3),
      m_tileRow(firstTileRow),
      m_nextRow(firstTileRow > 0 ? firstTileRow * layout.tileCells - 1 : 0) {
    if (finished()) return;
    m_rows.resize(m_width * (m_cells + 3));
    m_cellRows.assign(std::size_t{tilesX} * m_cells * (m_cells + 1), 1);
    m_rowHoles.assign(m_cells + 1, 1);
}

void LevelRows::push(std::span<const std::uint16_t> row, std::size_t stride, std::uint16_t edge) {
    std::uint16_t* out = m_rows.data() + m_filled * m_width;
    out[0] = row[0];
    const std::size_t last = row.size() - 1;
    const std::size_t inside = std::min(m_width - 1, last / stride + 1);
    if (stride == 1) {
        std::copy_n(row.data(), inside, out + 1);
    } else {
        for (std::size_t i = 0; i < inside; ++i)
            out[i + 1] = row[i * stride];
    }
    std::fill(out + 1 + inside, out + m_width, edge);
    ++m_filled;
    if (m_nextRow == 0) {  // the apron above the first row repeats it
        std::copy_n(out, m_width, out + m_width);
        ++m_filled;
    }
    ++m_nextRow;
}

void LevelRows::advance() {
    // Rows T - 1, T and T + 1 of this row of tiles are -1, 0 and 1 of the next.
    std::copy_n(m_rows.data() + m_cells * m_width, 3 * m_width, m_rows.data());
    m_filled = 3;
    ++m_tileRow;
    // One row of cells of the row of tiles below has come already.
    const std::size_t pitch = cellPitch();
    std::copy_n(m_cellRows.data() + m_cells * pitch, pitch, m_cellRows.data());
    std::fill(m_cellRows.begin() + static_cast<std::ptrdiff_t>(pitch), m_cellRows.end(), std::uint8_t{1});
    m_rowHoles[0] = m_rowHoles[m_cells];
    std::fill(m_rowHoles.begin() + 1, m_rowHoles.end(), std::uint8_t{1});
}

void LevelRows::setCellRow(std::uint32_t cellRow, std::span<const std::uint8_t> cells, std::size_t count,
                           std::size_t offset, std::size_t stride) {
    const std::size_t first = std::size_t{m_tileRow} * m_cells;
    if (cellRow < first) return;
    const std::size_t place = cellRow - first;
    KARST_ASSERT(place <= m_cells);
    std::uint8_t* out = m_cellRows.data() + place * cellPitch();
    const std::size_t ground = offset < count ? std::min(cellPitch(), (count - 1 - offset) / stride + 1) : 0;
    std::uint8_t any = ground < cellPitch() ? 1 : 0;
    if (cells.empty()) {
        std::fill_n(out, ground, std::uint8_t{0});
    } else {
        for (std::size_t i = 0; i < ground; ++i) {
            out[i] = cells[offset + i * stride];
            any = static_cast<std::uint8_t>(any | out[i]);
        }
    }
    std::fill(out + ground, out + cellPitch(), std::uint8_t{1});
    m_rowHoles[place] = any;
}

bool LevelRows::hasHole() const {
    return std::any_of(m_rowHoles.begin(), m_rowHoles.end() - 1, [](std::uint8_t any) { return any != 0; });
}

void LevelRows::save(ByteWriter& out) const {
    out.u32(m_tileRow);
    out.u32(m_nextRow);
    out.u32(m_filled);
    writeArray(out, std::span<const std::uint16_t>(m_rows));
    writeArray(out, std::span<const std::uint8_t>(m_cellRows));
    writeArray(out, std::span<const std::uint8_t>(m_rowHoles));
}

bool LevelRows::load(ByteReader& in) {
    m_tileRow = in.u32();
    m_nextRow = in.u32();
    m_filled = in.u32();
    if (in.failed() || m_filled > m_cells + 3 || m_tileRow > m_endTileRow) return false;
    return readArray(in, std::span(m_rows)) && readArray(in, std::span(m_cellRows)) &&
           readArray(in, std::span(m_rowHoles));
}

}  // namespace karst::heightfield
