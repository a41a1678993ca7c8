#include <karst/heightfield/tile_layout.h>

#include <algorithm>
#include <cmath>

namespace karst::heightfield {
namespace {

// 2^level, also for negative levels; exact.
double powerOfTwo(std::int32_t level) {
    return level >= 0 ? static_cast<double>(std::uint64_t{1} << level)
                      : 1.0 / static_cast<double>(std::uint64_t{1} << -level);
}

bool finite(double a) {
    return std::isfinite(a);
}

}  // namespace

std::uint32_t TileLayout::tileLevels() const {
    std::uint32_t levels = 0;
    while ((tileCells >> levels) > 1)
        ++levels;
    return levels;
}

std::uint32_t TileLayout::tilesX(std::int32_t level) const {
    return rootsX << static_cast<std::uint32_t>(rootLevel() - level);
}

std::uint32_t TileLayout::tilesZ(std::int32_t level) const {
    return rootsZ << static_cast<std::uint32_t>(rootLevel() - level);
}

bool TileLayout::contains(const TileKey& key) const {
    if (key.level > rootLevel() || key.level < -static_cast<std::int32_t>(kMaxDetailLevels)) return false;
    if (key.x >= tilesX(key.level) || key.z >= tilesZ(key.level)) return false;
    // Some cell with ground: the tile begins before the last sample.
    const double span = tileCells * powerOfTwo(key.level);
    return key.x * span < samplesX - 1.0 && key.z * span < samplesZ - 1.0;
}

double TileLayout::tileSizeX(std::int32_t level) const {
    return tileCells * powerOfTwo(level) * spacingX;
}

double TileLayout::tileSizeZ(std::int32_t level) const {
    return tileCells * powerOfTwo(level) * spacingZ;
}

Rect TileLayout::footprint(const TileKey& key) const {
    // From whole cells, so that neighbours share their borders bit for bit.
    const double span = tileCells * powerOfTwo(key.level);
    return {originX + key.x * span * spacingX, originZ + key.z * span * spacingZ,
            originX + (key.x + 1.0) * span * spacingX, originZ + (key.z + 1.0) * span * spacingZ};
}

Rect TileLayout::groundRect() const {
    return {originX, originZ, originX + (samplesX - 1.0) * spacingX, originZ + (samplesZ - 1.0) * spacingZ};
}

std::uint16_t TileLayout::quantise(float height) const {
    const double range = double{quantisation.max} - quantisation.min;
    if (!(range > 0)) return 0;
    const double value = (double{height} - quantisation.min) * (65535.0 / range);
    return static_cast<std::uint16_t>(std::clamp(value, 0.0, 65535.0) + 0.5);
}

float TileLayout::dequantise(std::uint16_t value) const {
    return static_cast<float>(quantisation.min +
                              value * ((double{quantisation.max} - quantisation.min) / 65535.0));
}

Result<void> validate(const TileLayout& layout) {
    const std::uint32_t cells = layout.tileCells;
    if (cells < 2 || cells > TileLayout::kMaxTileCells || (cells & (cells - 1)) != 0) {
        return makeError(ErrorCode::InvalidArgument,
                         "tile layout: tile_cells %u is not a power of two from 2 to %u", cells,
                         TileLayout::kMaxTileCells);
    }
    if (layout.storedLevels < 1 || layout.storedLevels > TileLayout::kMaxStoredLevels) {
        return makeError(ErrorCode::InvalidArgument, "tile layout: levels %u is not 1 to %u",
                         layout.storedLevels, TileLayout::kMaxStoredLevels);
    }
    if (layout.rootsX < 1 || layout.rootsZ < 1 || layout.cellsX() > TileLayout::kMaxCells ||
        layout.cellsZ() > TileLayout::kMaxCells) {
        return makeError(
            ErrorCode::InvalidArgument,
            "tile layout: roots %u x %u of %u cells over %u levels: each side must have 1 to %llu cells",
            layout.rootsX, layout.rootsZ, cells, layout.storedLevels,
            static_cast<unsigned long long>(TileLayout::kMaxCells));
    }
    if (!finite(layout.originX) || !finite(layout.originZ)) {
        return makeError(ErrorCode::InvalidArgument, "tile layout: origin (%g, %g) is not finite",
                         layout.originX, layout.originZ);
    }
    if (!(layout.spacingX > 0 && layout.spacingZ > 0) ||
        !finite(layout.originX + layout.spacingX * static_cast<double>(layout.cellsX())) ||
        !finite(layout.originZ + layout.spacingZ * static_cast<double>(layout.cellsZ()))) {
        return makeError(ErrorCode::InvalidArgument,
                         "tile layout: spacing (%g, %g) must be finite and above 0", layout.spacingX,
                         layout.spacingZ);
    }
    const HeightRange& range = layout.quantisation;
    if (!finite(range.min) || !finite(range.max) || range.min > range.max) {
        return makeError(ErrorCode::InvalidArgument,
                         "tile layout: height range %g..%g must be finite and in order", double{range.min},
                         double{range.max});
    }
    if (layout.samplesX < 2 || layout.samplesZ < 2 || layout.samplesX > layout.cellsX() + 1 ||
        layout.samplesZ > layout.cellsZ() + 1) {
        return makeError(ErrorCode::InvalidArgument,
                         "tile layout: %u x %u samples do not lie within the pyramid's %llu x %llu cells",
                         layout.samplesX, layout.samplesZ, static_cast<unsigned long long>(layout.cellsX()),
                         static_cast<unsigned long long>(layout.cellsZ()));
    }
    return {};
}

Result<TileLayout> makeTileLayout(std::uint32_t samplesX, std::uint32_t samplesZ, std::uint32_t tileCells,
                                  std::uint32_t levels, double spacingX, double spacingZ, HeightRange range) {
    TileLayout layout;
    layout.tileCells = tileCells;
    layout.spacingX = spacingX;
    layout.spacingZ = spacingZ;
    layout.quantisation = range;
    layout.samplesX = samplesX;
    layout.samplesZ = samplesZ;
    if (samplesX < 2 || samplesZ < 2 || tileCells < 2 || tileCells > TileLayout::kMaxTileCells) {
        const Result<void> refused = validate(layout);
        return refused
                   ? makeError(ErrorCode::InvalidArgument, "tile layout: %u x %u samples", samplesX, samplesZ)
                   : refused.error();
    }
    const std::uint64_t cellsX = samplesX - 1, cellsZ = samplesZ - 1;
    if (levels == 0) {
        levels = 1;
        while (levels < TileLayout::kMaxStoredLevels &&
               (std::uint64_t{tileCells} << (levels - 1)) < std::min(cellsX, cellsZ)) {
            ++levels;
        }
    }
    layout.storedLevels = levels;
    if (levels >= 1 && levels <= TileLayout::kMaxStoredLevels) {
        const std::uint64_t root = std::uint64_t{tileCells} << (levels - 1);
        layout.rootsX = static_cast<std::uint32_t>((cellsX + root - 1) / root);
        layout.rootsZ = static_cast<std::uint32_t>((cellsZ + root - 1) / root);
    }
    if (Result<void> valid = validate(layout); !valid) return valid.error();
    return layout;
}

}  // namespace karst::heightfield
