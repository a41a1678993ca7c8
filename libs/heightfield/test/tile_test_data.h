#pragma once

#include "run_codec.h"

#include <karst/base/checksum.h>
#include <karst/base/math.h>
#include <karst/heightfield/package_format.h>
#include <karst/heightfield/tile_codec.h>
#include <karst_test/test_support.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace karst::heightfield::test_data {

inline TileLayout randomLayout(test::Random& random, std::uint32_t tileCells) {
    TileLayout layout;
    layout.tileCells = tileCells;
    layout.storedLevels = static_cast<std::uint32_t>(random.integer(1, 4));
    layout.rootsX = static_cast<std::uint32_t>(random.integer(1, 3));
    layout.rootsZ = static_cast<std::uint32_t>(random.integer(1, 3));
    layout.originX = random.range(-1e6, 1e6);
    layout.originZ = random.range(-1e6, 1e6);
    layout.spacingX = random.range(0.1, 90);
    layout.spacingZ = random.range(0.1, 90);
    const auto low = static_cast<float>(random.range(-500, 500));
    layout.quantisation = {low, low + static_cast<float>(random.range(1, 7000))};
    layout.samplesX = static_cast<std::uint32_t>(random.integer(2, static_cast<int>(layout.cellsX()) + 1));
    layout.samplesZ = static_cast<std::uint32_t>(random.integer(2, static_cast<int>(layout.cellsZ()) + 1));
    return layout;
}

inline TileKey randomKey(test::Random& random, const TileLayout& layout) {
    return storedTileAt(layout, random.next() % storedTileCount(layout));
}

/// Rough, smooth or level ground, with holes and materials half of the time.
inline QuantisedTile randomTile(test::Random& random, const TileLayout& layout, const TileKey& key) {
    QuantisedTile tile;
    tile.key = key;
    const std::uint32_t side = layout.tileSide();
    const std::size_t count = std::size_t{side} * side;
    tile.samples.resize(count);
    const int kind = random.integer(0, 2);
    const double a = random.range(0, 0.3), b = random.range(0, 0.3), size = random.range(0, 30000);
    for (std::size_t i = 0; i < count; ++i) {
        const double smooth = 32768 + size * std::sin(a * static_cast<double>(i % side)) *
                                          std::cos(b * static_cast<double>(i / side));
        tile.samples[i] =
            static_cast<std::uint16_t>(kind == 0   ? random.integer(0, 65535)
                                       : kind == 1 ? static_cast<int>(smooth) + random.integer(-9, 9)
                                                   : 777);
    }
    const auto low = static_cast<float>(random.range(-500, 500));
    tile.bounds = {low, low + static_cast<float>(random.range(0, 900))};
    double error = 0;
    for (std::uint32_t i = 0; i <= layout.tileLevels(); ++i) {
        tile.errors.push_back(error);
        error += random.chance(0.3) ? 0 : random.range(0, 5);
    }
    if (random.chance(0.5)) {
        const std::size_t cells = std::size_t{layout.tileCells} * layout.tileCells;
        tile.holes.assign((cells + 63) / 64, 0);
        for (std::size_t cell = 0; cell < cells; ++cell)
            tile.holes[cell / 64] |= std::uint64_t{random.chance(0.1)} << (cell % 64);
        tile.holes[0] |= 1;
    }
    if (random.chance(0.5)) {
        tile.materialLayers = static_cast<std::uint32_t>(random.integer(1, 4));
        tile.materials.resize(tile.materialLayers * count);
        for (std::uint8_t& weight : tile.materials)
            weight = static_cast<std::uint8_t>(random.integer(0, 255));
    }
    return tile;
}

template <class T>
void poke(std::vector<std::byte>& bytes, std::size_t at, T value) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof value);
    for (std::size_t i = 0; i < sizeof value; ++i)
        bytes[at + i] = static_cast<std::byte>(bits >> (8 * i));
}

/// A number read by hand, little-endian.
inline std::uint64_t peek(std::span<const std::byte> bytes, std::size_t at, std::size_t size) {
    std::uint64_t value = 0;
    for (std::size_t i = size; i-- > 0;)
        value = value * 256 + std::to_integer<std::uint64_t>(bytes[at + i]);
    return value;
}

/// "tile 2/1-0: ".
inline std::string nameOf(const TileKey& key) {
    return "tile " + std::to_string(key.level) + "/" + std::to_string(key.x) + "-" + std::to_string(key.z) +
           ": ";
}

}  // namespace karst::heightfield::test_data
