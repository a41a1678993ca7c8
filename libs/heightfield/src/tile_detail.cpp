#include <karst/heightfield/tile_detail.h>

#include <algorithm>
#include <cmath>

#include "detail_errors.h"

namespace karst::heightfield {
namespace {

const HeightTile* noTile(const TileKey&) {
    return nullptr;
}

void setHoles(const HeightTile& ancestor, const DetailPlace& place, int cells, HeightTile& tile) {
    if (ancestor.holes.empty()) return;
    std::vector<std::uint64_t> holes(
        (static_cast<std::size_t>(cells) * static_cast<std::size_t>(cells) + 63) / 64);
    bool any = false;
    std::size_t bit = 0;
    for (int j = 0; j < cells; ++j) {
        for (int i = 0; i < cells; ++i, ++bit) {
            if (!ancestor.isHole(floorCell(place.u + i * place.stride),
                                 floorCell(place.v + j * place.stride)))
                continue;
            holes[bit >> 6] |= std::uint64_t{1} << (bit & 63);
            any = true;
        }
    }
    if (any) tile.holes = std::move(holes);
}

/// Bilinear, in whole numbers.
void setMaterials(const HeightTile& ancestor, const DetailPlace& place, int cells, HeightTile& tile) {
    tile.materialLayers = ancestor.materialLayers;
    const std::size_t side = ancestor.side, layer = side * side;
    tile.materials.resize(ancestor.materialLayers * layer);
    std::uint8_t* out = tile.materials.data();
    for (std::uint32_t m = 0; m < ancestor.materialLayers; ++m) {
        const std::uint8_t* from = ancestor.materials.data() + m * layer;
        for (int j = -kTileApron; j <= cells + kTileApron; ++j) {
            const int v = place.v + j * place.stride, fz = v & (kSixteenths - 1);
            const std::size_t row = static_cast<std::size_t>(floorCell(v) + kTileApron) * side;
            for (int i = -kTileApron; i <= cells + kTileApron; ++i) {
                const int u = place.u + i * place.stride, fx = u & (kSixteenths - 1);
                const std::uint8_t* p = from + row + static_cast<std::size_t>(floorCell(u) + kTileApron);
                // The far samples are read only where they count: there are none beyond the apron.
                const int right = fx != 0 ? 1 : 0;
                const std::size_t under = fz != 0 ? side : 0;
                const int low = p[0] * (kSixteenths - fx) + p[right] * fx;
                const int high =
                    p[under] * (kSixteenths - fx) + p[under + static_cast<std::size_t>(right)] * fx;
                *out++ = static_cast<std::uint8_t>((low * (kSixteenths - fz) + high * fz + 128) >> 8);
            }
        }
    }
}

Result<void> check(const char* name, double value, double low, double high) {
    if (value >= low && value <= high) return {};
    return makeError(ErrorCode::InvalidArgument, "tile detail: %s %g is not in %g..%g", name, value, low,
                     high);
}

}  // namespace

TileDetail::State::State(const TileLayout& l, const TileDetailOptions& o)
    : layout(l), options(o), noise(o.seed, o.baseWavelengthSamples, o.octaves, o.persistence) {
    noiseError = perMaterial(noise.residualBound());
}

Result<TileDetail> TileDetail::create(const TileLayout& layout, const TileDetailOptions& options) {
    if (Result<void> valid = validate(layout); !valid) return valid.error();
    if (Result<void> valid = validate(options.rules); !valid) return valid.error();
    const auto levels = static_cast<double>(options.levels);
    Result<void> checks[] = {
        check("levels", levels, 1, TileLayout::kMaxDetailLevels),
        check("base wavelength", options.baseWavelengthSamples, 0.25, 1e6),
        check("octaves", options.octaves, 1, DetailNoise::kMaxOctaves),
        check("persistence", options.persistence, 0, 1),
        check("collision level", options.collisionLevel, -levels, layout.rootLevel()),
    };
    for (Result<void>& valid : checks) {
        if (!valid) return valid.error();
    }
    for (std::size_t m = 0; m < options.rules.materials; ++m) {
        if (Result<void> valid = check("a material's amplitude", options.materials[m].amplitude, 0, 1e9);
            !valid)
            return valid.error();
        if (Result<void> valid = check("a material's ridged", options.materials[m].ridged, 0, 1); !valid)
            return valid.error();
    }
    return TileDetail(std::make_shared<const State>(layout, options));
}

const TileDetailOptions& TileDetail::options() const {
    return m_state->options;
}

TilePtr TileDetail::synthesise(const TileKey& key, const HeightTile& ancestor,
                               std::span<const Crater> craters) const {
    return synthesise(key, ancestor, craters, noTile);
}

TilePtr TileDetail::synthesise(const TileKey& key, const HeightTile& ancestor,
                               std::span<const Crater> craters, TileLookup lookup) const {
    const TileLayout& layout = m_state->layout;
    KARST_ASSERT(key.level < 0 && key.level >= finestLevel() && layout.contains(key));
    KARST_ASSERT(ancestor.key == ancestorOf(key) && ancestor.side == layout.tileSide());
    const int cells = static_cast<int>(layout.tileCells);
    const DetailPlace place(key, layout.tileCells);
    const CraterSet set(craters, layout, key);

    auto tile = std::make_shared<HeightTile>();
    tile->key = key;
    tile->revision = ancestor.revision + set.size();
    tile->side = layout.tileSide();
    tile->samples.resize(std::size_t{tile->side} * tile->side);
    const GridRect places{place.u - place.stride, place.v - place.stride,
                          place.u + (cells + 1) * place.stride, place.v + (cells + 1) * place.stride};
    DetailPatch patch(*m_state, ancestor, places, lookup);
    float* out = tile->samples.data();
    for (int j = -kTileApron; j <= cells + kTileApron; ++j, out += tile->side) {
        patch.row(set, place.v + j * place.stride, places.minX, place.stride, static_cast<int>(tile->side),
                  out);
    }
    setHoles(ancestor, place, cells, *tile);
    setMaterials(ancestor, place, cells, *tile);
    measureDetail(*m_state, ancestor, set, patch, *tile);
    return tile;
}

double TileDetail::detailError(const HeightTile& tile) const {
    const TileLayout& layout = m_state->layout;
    const std::int32_t level = tile.key.level;
    KARST_ASSERT(level >= 0 && tile.side == layout.tileSide());
    const int cells = static_cast<int>(layout.tileCells);
    const double spacingX = layout.strideX(level), spacingZ = layout.strideZ(level);
    double worst = 0, largest = 0;
    for (int z = 0; z < cells; ++z) {
        for (int x = 0; x < cells; ++x) {
            double samples[4][4];
            for (int j = 0; j < 4; ++j) {
                for (int i = 0; i < 4; ++i)
                    samples[j][i] = double{tile.sample(x - 1 + i, z - 1 + j)};
            }
            const CellShape shape(samples, spacingX, spacingZ);
            const MaterialBounds bounds(m_state->options.rules, shape);
            const double noise = bounds.largest(m_state->noiseError);
            worst = std::max(worst, level == 0 ? noise + shape.deviation : noise);
            largest = std::max(largest, std::abs(samples[1][1]));
        }
    }
    // Two samples' roundings to float.
    return worst + largest * 0x1p-22;
}

std::vector<double> addDetailError(const HeightTile& tile, const TileDetail& detail) {
    std::vector<double> errors = tile.errors;
    const double more = detail.detailError(tile);
    for (double& error : errors)
        error += more;
    return errors;
}

TilePtr resolveStoredTile(const TilePtr& tile, const TileLayout& layout, std::span<const Crater> craters,
                          const TileDetail* detail) {
    if (detail == nullptr) return applyCraters(tile, layout, craters, 0);
    const TilePtr cratered = applyCraters(tile, layout, craters, detail->finestLevel());
    auto resolved = std::make_shared<HeightTile>(*cratered);
    const double more = detail->detailError(*tile);
    for (double& error : resolved->errors)
        error += more;
    return resolved;
}

}  // namespace karst::heightfield
