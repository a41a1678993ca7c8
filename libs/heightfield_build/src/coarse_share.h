#pragma once

#include <karst/heightfield/tile_layout.h>

#include <cstdint>
#include <span>
#include <vector>

#include "input_survey.h"
#include "state_arrays.h"

namespace karst::heightfield {

/// What a tile's parent needs to know of it.
struct TileSummary {
    std::uint16_t low = 0, high = 0;  ///< of the finest samples, in quantisation steps
    double errors[8] = {};            ///< in world units, monotone
};

/// Which tiles a production makes: rows firstRow .. endRow - 1 of level topLevel and all that lies under
/// them, down to bottomLevel.
struct TileWindow {
    std::int32_t bottomLevel = 0, topLevel = 0;
    std::uint32_t firstRow = 0, endRow = 0;

    static TileWindow whole(const TileLayout& layout);
    /// Of the samples between the first and the last row of tiles, those that are this window's own: windows
    /// side by side cover the ground once.
    RowRange ownRows(const TileLayout& layout) const;
    /// All samples that its tiles need, aprons included.
    RowRange neededRows(const TileLayout& layout) const;
};

/// What a window's tiles leave to the levels above topLevel, which another production makes.
class CoarseShare {
  public:
    CoarseShare() = default;
    CoarseShare(const TileLayout& layout, const TileWindow& window);

    /// Every sample at that stride, then the row's last: the lattice of level topLevel + 1.
    static void decimate(std::span<const std::uint16_t> row, std::size_t stride,
                         std::vector<std::uint16_t>& out);
    void takeRow(std::uint32_t row, std::span<const std::uint16_t> samples);
    void takeCells(std::uint32_t cellRow, std::span<const std::uint8_t> cells);
    void takeSummaries(std::uint32_t tileRow, std::span<const TileSummary> summaries);
    /// Of the tiles of a level above topLevel, in quantisation steps: the largest that the window's finest
    /// tiles show so far.
    std::span<double> spanErrors(std::int32_t level, std::uint32_t tileRow);

    std::span<const std::uint16_t> row(std::uint32_t row) const;
    /// One byte each, at the stride of level topLevel.
    std::span<const std::uint8_t> cells(std::uint32_t cellRow) const;
    std::span<const TileSummary> summaries(std::uint32_t tileRow) const;
    /// The ground's last row, as decimate() gives it; empty where it is another window's.
    std::span<const std::uint16_t> lastRow() const { return m_lastRow; }
    /// The rows of tiles of a level above topLevel that spanErrors() has.
    RowRange spanRows(std::int32_t level) const;

    void save(ByteWriter& out) const;
    bool load(ByteReader& in);

  private:
    TileLayout m_layout;
    TileWindow m_window;
    RowRange m_own;
    std::size_t m_rowWidth = 0, m_cellWidth = 0, m_tileWidth = 0;
    std::vector<std::uint16_t> m_rows, m_lastRow;
    std::vector<std::uint8_t> m_cells;
    std::vector<TileSummary> m_summaries;
    std::vector<std::vector<double>> m_spans;  // by level above topLevel
};

}  // namespace karst::heightfield
