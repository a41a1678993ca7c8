#include <karst/base/assert.h>
#include <karst/heightfield_mesh/tile_layer.h>

#include <algorithm>

#include "tile_ground.h"

namespace karst::heightfield {
namespace {

struct LatticePoint {
    std::int64_t x = 0, z = 0;
};

// The lattice points along a side of a tile, `away` cells beyond it (below 0: inside); in the tile's cells.
LatticePoint besideSide(std::uint32_t cells, std::uint32_t side, std::int64_t place, std::int64_t away) {
    const std::int64_t end = cells;
    switch (side) {
        case kSideLowX:
            return {-away, place};
        case kSideHighX:
            return {end + away, place};
        case kSideLowZ:
            return {place, -away};
        default:
            return {place, end + away};
    }
}

float sampleAt(const HeightTile& tile, const LatticePoint& point) {
    return tile.sample(static_cast<int>(point.x), static_cast<int>(point.z));
}

// Is there a tile with ground of the same level beyond the side?
bool groundBeyond(const TileLayout& layout, const TileKey& key, std::uint32_t side) {
    TileKey beside = key;
    switch (side) {
        case kSideLowX:
            if (key.x == 0) return false;
            --beside.x;
            break;
        case kSideHighX:
            ++beside.x;
            break;
        case kSideLowZ:
            if (key.z == 0) return false;
            --beside.z;
            break;
        default:
            ++beside.z;
    }
    return layout.contains(beside);
}

// The source's sample at a point given in the tile's cells, where the source's lattice has it.
bool sourceSample(const HeightTile& tile, const HeightTile* source, std::uint32_t cells,
                  const LatticePoint& point, float& out) {
    if (source == nullptr) return false;
    const auto shift = static_cast<std::uint32_t>(source->key.level - tile.key.level);
    const std::int64_t x = point.x + std::int64_t{tile.key.x} * cells;
    const std::int64_t z = point.z + std::int64_t{tile.key.z} * cells;
    const std::int64_t mask = (std::int64_t{1} << shift) - 1;
    if (((x | z) & mask) != 0) return false;
    const LatticePoint inSource{(x >> shift) - std::int64_t{source->key.x} * cells,
                                (z >> shift) - std::int64_t{source->key.z} * cells};
    if (inSource.x < 0 || inSource.z < 0 || inSource.x > cells || inSource.z > cells) return false;
    out = sampleAt(*source, inSource);
    return true;
}

float continued(const HeightTile& tile, std::uint32_t cells, std::uint32_t side, std::int64_t place,
                std::int64_t stride) {
    return 2 * sampleAt(tile, besideSide(cells, side, place, 0)) -
           sampleAt(tile, besideSide(cells, side, place, -stride));
}

void writeGaps(const TileLayout& layout, const TileLayerShape& shape, const HeightTile& tile,
               std::span<float> out) {
    if (!hasGaps(layout, tile)) return;
    for (std::uint32_t j = 0; j < shape.cells; ++j) {
        for (std::uint32_t i = 0; i < shape.cells; ++i) {
            if (isGround(layout, tile, i, j)) continue;
            const std::uint32_t cell = j * shape.cells + i;
            out[std::size_t{shape.gapRow} * shape.width + (cell >> 4)] +=
                static_cast<float>(1u << (cell & 15u));
        }
    }
}

}  // namespace

TileLayerShape tileLayerShape(const TileLayout& layout) {
    TileLayerShape shape;
    shape.cells = layout.tileCells;
    shape.levels = layout.tileLevels();
    shape.width = std::max(layout.tileSide(), shape.cells - 1 + shape.levels);
    shape.ringRow = layout.tileSide();
    shape.gapRow = shape.ringRow + 4;
    const std::uint32_t numbers = (shape.cells * shape.cells + 15) / 16;
    shape.height = shape.gapRow + (numbers + shape.width - 1) / shape.width;
    return shape;
}

LayerSources layerSources(const Surface& surface, const TileKey& key) {
    LayerSources sources{};
    const TileLayout& layout = surface.layout();
    for (std::uint32_t side = 0; side < 4; ++side) {
        // The tile of the same level beyond the side, then those over it.
        if ((side == kSideLowX && key.x == 0) || (side == kSideLowZ && key.z == 0)) continue;
        TileKey beside = key;
        if (side <= kSideHighX)
            beside.x += side == kSideLowX ? ~0u : 1u;
        else
            beside.z += side == kSideLowZ ? ~0u : 1u;
        for (; beside.level <= layout.rootLevel(); beside = beside.parent()) {
            sources[side] = surface.find(beside);
            if (sources[side] != nullptr) break;
        }
    }
    return sources;
}

std::uint64_t layerStamp(const HeightTile& tile, const LayerSources& sources) {
    std::uint64_t stamp = 0x243f6a8885a308d3u;
    const auto mix = [&stamp](std::uint64_t value) {
        stamp = (stamp ^ value) * 0x9e3779b97f4a7c15u;
        stamp ^= stamp >> 32;
    };
    mix(tile.key.packed());
    mix(tile.revision);
    for (const HeightTile* source : sources) {
        mix(source != nullptr ? source->key.packed() : 0);
        mix(source != nullptr ? source->revision : 0);
    }
    return stamp;
}

void writeTileLayer(const TileLayout& layout, const TileLayerShape& shape, const HeightTile& tile,
                    const LayerSources& sources, std::span<float> out) {
    KARST_ASSERT(out.size() == shape.size() && tile.side == layout.tileSide());
    std::fill(out.begin(), out.end(), 0.0f);
    const std::uint32_t cells = shape.cells, side = tile.side, width = shape.width;
    for (std::uint32_t j = 0; j < side; ++j)
        std::copy_n(tile.samples.begin() + std::ptrdiff_t{j} * side, side,
                    out.begin() + std::ptrdiff_t{j} * width);
    for (std::uint32_t s = 0; s < 4; ++s) {
        if (!groundBeyond(layout, tile.key, s)) {
            for (std::uint32_t place = 0; place <= cells; ++place) {
                const LatticePoint apron = besideSide(cells, s, place, 1);
                out[static_cast<std::size_t>((apron.z + 1) * width + apron.x + 1)] =
                    continued(tile, cells, s, place, 1);
            }
        }
        for (std::uint32_t n = 1; n <= shape.levels; ++n) {
            const std::int64_t stride = std::int64_t{1} << n;
            float* ring = out.data() + std::size_t{shape.ringRow + s} * width + shape.ringColumn(n);
            for (std::int64_t place = 0; place <= cells; place += stride) {
                float sample = 0;
                if (!sourceSample(tile, sources[s], cells, besideSide(cells, s, place, stride), sample))
                    sample = continued(tile, cells, s, place, stride);
                *ring++ = sample;
            }
        }
    }
    writeGaps(layout, shape, tile, out);
}

}  // namespace karst::heightfield
