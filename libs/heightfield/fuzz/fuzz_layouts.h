#pragma once

#include <karst/heightfield/tile_layout.h>

#include <cstdint>
#include <cstdlib>

namespace karst::heightfield::fuzz {

/// Aborts where a property does not hold.
inline void demand(bool holds) {
    if (!holds) std::abort();
}

/// A layout of small tiles; the first byte chooses their size.
inline TileLayout smallLayout(std::uint8_t choice) {
    TileLayout layout;
    layout.tileCells = 2u << (choice % 4);
    layout.storedLevels = 3;
    layout.rootsX = layout.rootsZ = 2;
    layout.quantisation = {-10, 90};
    layout.samplesX = layout.samplesZ = layout.tileCells * 8 + 1;
    return layout;
}

}  // namespace karst::heightfield::fuzz
