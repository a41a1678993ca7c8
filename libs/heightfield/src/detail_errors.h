#pragma once

#include "detail_patch.h"

namespace karst::heightfield {

/// A detail tile's place in its ancestor, in sixteenths of a level-0 cell.
struct DetailPlace {
    int u = 0, v = 0;  ///< of its first sample
    int stride = 0;    ///< 16 >> -level

    DetailPlace(const TileKey& key, std::uint32_t tileCells);
};

/// Sets a synthesised tile's bounds and error table; its samples are there already. `ancestor` as loaded.
void measureDetail(const TileDetail::State& detail, const HeightTile& ancestor, const CraterSet& craters,
                   DetailPatch& patch, HeightTile& tile);

}  // namespace karst::heightfield
