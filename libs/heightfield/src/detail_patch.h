#pragma once

#include <karst/base/rect.h>
#include <karst/heightfield/tile_detail.h>

#include <vector>

#include "catmull_rom.h"
#include "crater_set.h"
#include "detail_bounds.h"
#include "detail_noise.h"

namespace karst::heightfield {

/// What all tiles of a TileDetail share.
struct TileDetail::State {
    State(const TileLayout& l, const TileDetailOptions& o);

    TileLayout layout;
    TileDetailOptions options;
    DetailNoise noise;
    /// The materials' noise, at most: beyond the reconstruction, in world units.
    std::array<double, 4> noiseError{};

    /// One number a material: its amplitude times bounds of the two characters.
    std::array<double, 4> perMaterial(const DetailNoise::Value& value) const;
};

/// The level-0 samples around part of one level-0 tile, and the continuous surface between them. Places are
/// in sixteenths of a level-0 cell from the tile's corner.
class DetailPatch {
  public:
    /// `places` closed on all sides; at most half a cell beyond the tile.
    DetailPatch(const TileDetail::State& detail, const HeightTile& ancestor, const GridRect& places,
                TileDetail::TileLookup lookup);

    /// Samples at (first + i * stride, v), i < count.
    void row(const CraterSet& craters, int v, int first, int stride, int count, float* out);

    /// Of a level-0 cell, -1 .. tileCells.
    CellShape shapeOf(int cellX, int cellZ) const;

  private:
    void readSamples(const HeightTile& ancestor, TileDetail::TileLookup lookup);
    /// The grid's row that holds sample row `sampleZ`.
    std::size_t rowOf(int sampleZ) const {
        return static_cast<std::size_t>(sampleZ - m_firstZ) * static_cast<std::size_t>(m_columns);
    }

    const TileDetail::State& m_detail;
    std::int64_t m_originU, m_originV;  // of the ancestor, sixteenths from the pyramid's corner
    int m_firstX, m_firstZ;             // sample of the grid's corner
    int m_columns, m_rows;
    std::vector<double> m_height, m_plain, m_ridged;
    std::vector<double> m_line;  // one row's columns: height, slope along Z, plain, ridged
};

inline int floorCell(int place) {
    return place >> 4;  // arithmetic: floors
}

}  // namespace karst::heightfield
