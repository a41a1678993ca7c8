#include <karst/heightfield/height_tile.h>

#include <cmath>

namespace karst::heightfield {

Result<void> validate(const HeightTile& tile, const TileLayout& layout) {
    const auto refuse = [&](const char* field, double value) {
        return makeError(ErrorCode::CorruptData, "tile %d/%u-%u: %s %g", tile.key.level, tile.key.x,
                         tile.key.z, field, value);
    };
    if (!layout.contains(tile.key)) return refuse("is not one of the layout; level", tile.key.level);
    if (tile.side != layout.tileSide()) return refuse("wrong samples a side:", tile.side);
    const std::size_t count = std::size_t{tile.side} * tile.side;
    if (tile.samples.size() != count)
        return refuse("wrong number of samples:", static_cast<double>(tile.samples.size()));
    for (const float sample : tile.samples) {
        if (!std::isfinite(sample)) return refuse("sample is not finite:", double{sample});
    }
    const HeightRange& bounds = tile.bounds;
    if (!std::isfinite(bounds.min) || !std::isfinite(bounds.max))
        return refuse("bounds are not finite:", double{bounds.min});
    if (bounds.min > bounds.max) return refuse("bounds are out of order: min", double{bounds.min});
    if (tile.errors.empty() || tile.errors.size() > layout.tileLevels() + 1u + TileLayout::kMaxDetailLevels) {
        return refuse("wrong number of errors:", static_cast<double>(tile.errors.size()));
    }
    double before = 0;
    for (const double error : tile.errors) {
        if (!std::isfinite(error) || error < before) return refuse("error table is not monotone at", error);
        before = error;
    }
    const std::size_t cells = std::size_t{layout.tileCells} * layout.tileCells;
    if (!tile.holes.empty() && tile.holes.size() != (cells + 63) / 64) {
        return refuse("wrong size of hole mask:", static_cast<double>(tile.holes.size()));
    }
    if (tile.materialLayers > 4 || tile.materials.size() != tile.materialLayers * count) {
        return refuse("wrong size of material weights:", static_cast<double>(tile.materials.size()));
    }
    return {};
}

}  // namespace karst::heightfield
