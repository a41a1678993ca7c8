#pragma once

#include <karst/base/byte_reader.h>
#include <karst/heightfield/tile_layout.h>

#include <cstdint>
#include <span>
#include <vector>

#include "state_arrays.h"

namespace karst::heightfield {

/// The lattice rows of one level that the next row of its tiles needs: tileCells + 3, apron included, as wide
/// as the level's stored tiles. Rows come in order; the row before row 0 repeats it.
class LevelRows {
  public:
    /// For rows of tiles firstTileRow .. endTileRow - 1.
    LevelRows(const TileLayout& layout, std::uint32_t tilesX, std::uint32_t firstTileRow,
              std::uint32_t endTileRow);

    std::uint32_t tilesX() const { return m_tilesX; }
    /// The row of tiles that comes next; endTileRow where all have come.
    std::uint32_t tileRow() const { return m_tileRow; }
    bool finished() const { return m_tileRow == m_endTileRow; }
    /// The lattice row that push() expects.
    std::uint32_t nextRow() const { return m_nextRow; }

    /// Takes the next row from samples at a stride: lattice sample i is row[i * stride], past the row's end
    /// `edge`.
    void push(std::span<const std::uint16_t> row, std::size_t stride, std::uint16_t edge);
    /// Are all rows of the next row of tiles there?
    bool full() const { return m_filled == m_cells + 3; }
    /// Sample (-1, -1) of tile x of the next row of tiles; rows pitch() apart.
    const std::uint16_t* tileSamples(std::uint32_t x) const {
        return m_rows.data() + std::size_t{x} * m_cells;
    }
    std::size_t pitch() const { return m_width; }
    /// Goes on to the row of tiles below, keeping the rows that both need.
    void advance();

    /// Takes a row of the level's cells from `count` finest ones, one byte each, not 0 for a hole (an empty
    /// span: none is): cell i is cells[offset + i * stride], or padding (a hole) past their end. Rows that
    /// never come are padding. The row may be the first of the row of tiles below; rows before the next row
    /// of tiles are left out.
    void setCellRow(std::uint32_t cellRow, std::span<const std::uint8_t> cells, std::size_t count,
                    std::size_t offset, std::size_t stride);
    /// Is any cell of the next row of tiles a hole?
    bool hasHole() const;
    /// Cell (0, 0) of tile x of the next row of tiles; rows cellPitch() apart.
    const std::uint8_t* tileCells(std::uint32_t x) const {
        return m_cellRows.data() + std::size_t{x} * m_cells;
    }
    std::size_t cellPitch() const { return std::size_t{m_tilesX} * m_cells; }

    void save(ByteWriter& out) const;
    bool load(ByteReader& in);

  private:
    std::uint32_t m_cells, m_tilesX, m_endTileRow;
    std::size_t m_width;
    std::uint32_t m_tileRow, m_nextRow;
    std::uint32_t m_filled = 0;  // rows in m_rows
    std::vector<std::uint16_t> m_rows;
    std::vector<std::uint8_t> m_cellRows;  // tileCells + 1 rows
    std::vector<std::uint8_t> m_rowHoles;  // of each: has it any?
};

}  // namespace karst::heightfield
