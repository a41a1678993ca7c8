#include "detail_errors.h"

#include <karst/heightfield/height_triangle.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace karst::heightfield {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
/// Two samples' roundings to float, as a share of the largest.
constexpr double kRounding = 0x1p-23;

/// The largest |sample - height of the lattice at `step` samples| over the tile's samples: exact, for the
/// triangles of finer lattices lie within those of coarser ones.
double errorOfStep(const HeightTile& tile, int cells, int step) {
    double worst = 0;
    for (int z = 0; z < cells; z += step) {
        for (int x = 0; x < cells; x += step) {
            const double h00 = tile.sample(x, z), h10 = tile.sample(x + step, z),
                         h01 = tile.sample(x, z + step), h11 = tile.sample(x + step, z + step);
            for (int j = 0; j <= step; ++j) {
                for (int i = 0; i <= step; ++i) {
                    const double drawn = cellHeight<double>(h00, h10, h01, h11, static_cast<double>(i) / step,
                                                            static_cast<double>(j) / step);
                    worst = std::max(worst, std::abs(tile.sample(x + i, z + j) - drawn));
                }
            }
        }
    }
    return worst;
}

/// Looks at the samples of the next finer level: how far they lie from the tile's triangles, and their range.
double measureFiner(DetailPatch& patch, const CraterSet& craters, const DetailPlace& place, int cells,
                    const HeightTile& tile, HeightRange& range) {
    const int half = place.stride / 2;
    std::vector<float> line(static_cast<std::size_t>(cells) * 2 + 1);
    double worst = 0;
    const auto take = [&](float sample, double drawn) {
        range.min = std::min(range.min, sample);
        range.max = std::max(range.max, sample);
        worst = std::max(worst, std::abs(double{sample} - drawn));
    };
    for (int j = 0; j <= cells; ++j) {
        // Between the samples of a row; then the row of half way to the next.
        patch.row(craters, place.v + j * place.stride, place.u + half, place.stride, cells, line.data());
        for (int i = 0; i < cells; ++i) {
            take(line[static_cast<std::size_t>(i)],
                 (double{tile.sample(i, j)} + double{tile.sample(i + 1, j)}) / 2);
        }
        if (j == cells) break;
        patch.row(craters, place.v + j * place.stride + half, place.u, half, 2 * cells + 1, line.data());
        for (int i = 0; i <= 2 * cells; ++i) {
            const int left = i / 2, right = (i + 1) / 2;
            // On an edge down, or on the diagonal from (left, j + 1) to (right, j).
            take(line[static_cast<std::size_t>(i)],
                 (double{tile.sample(right, j)} + double{tile.sample(left, j + 1)}) / 2);
        }
    }
    return worst;
}

}  // namespace

DetailPlace::DetailPlace(const TileKey& key, std::uint32_t tileCells) {
    const auto depth = static_cast<std::uint32_t>(-key.level);
    const std::uint32_t mask = (1u << depth) - 1;
    stride = kSixteenths >> depth;
    u = static_cast<int>((key.x & mask) * tileCells) * stride;
    v = static_cast<int>((key.z & mask) * tileCells) * stride;
}

void measureDetail(const TileDetail::State& detail, const HeightTile& ancestor, const CraterSet& craters,
                   DetailPatch& patch, HeightTile& tile) {
    const TileLayout& layout = detail.layout;
    const int cells = static_cast<int>(layout.tileCells);
    const std::int32_t level = tile.key.level;
    const std::int32_t finest = -static_cast<std::int32_t>(detail.options.levels);
    const DetailPlace place(tile.key, layout.tileCells);

    HeightRange range{kInfinity, -kInfinity};
    for (int j = 0; j <= cells; ++j) {
        for (int i = 0; i <= cells; ++i) {
            range.min = std::min(range.min, tile.sample(i, j));
            range.max = std::max(range.max, tile.sample(i, j));
        }
    }
    // The tile's own triangles from the next finer level's samples, then those from the finest surface.
    const double measured = level > finest ? measureFiner(patch, craters, place, cells, tile, range) : 0.0;
    const double rounding = std::max(std::abs(double{range.min}), std::abs(double{range.max})) * kRounding;

    const double stride = place.stride / 2 / double{kSixteenths};
    const double diagonal =
        stride * std::sqrt(layout.spacingX * layout.spacingX + layout.spacingZ * layout.spacingZ);
    const bool deeper = level - 1 > finest;
    const std::array<double, 4> deviation =
        deeper ? detail.perMaterial(detail.noise.deviationBound(stride)) : std::array<double, 4>{};
    double beyond = 0, whole = 0;
    const int lastX = floorCell(place.u + cells * place.stride - 1);
    const int lastZ = floorCell(place.v + cells * place.stride - 1);
    for (int z = floorCell(place.v); z <= lastZ; ++z) {
        for (int x = floorCell(place.u); x <= lastX; ++x) {
            const CellShape shape = patch.shapeOf(x, z);
            const MaterialBounds bounds(detail.options.rules, shape);
            const double noise = bounds.largest(detail.noiseError);
            whole = std::max(whole, shape.deviation + noise);
            if (!deeper) continue;
            const double change = bounds.largest(deviation) + bounds.change(detail.noiseError, diagonal);
            beyond = std::max(beyond, shape.deviationAt(stride) + std::min(change, 2 * noise));
        }
    }
    const double ofFinest = craters.deviation(layout.strideX(finest), layout.strideZ(finest));
    if (deeper) {
        beyond +=
            rounding + ofFinest + craters.deviation(layout.strideX(level - 1), layout.strideZ(level - 1));
    }

    tile.firstErrorLevel = level;
    tile.errors.assign(layout.tileLevels() + 1, 0.0);
    double before = 0;
    for (std::size_t i = 0; i < tile.errors.size(); ++i) {
        const std::int32_t at = level + static_cast<std::int32_t>(i);
        if (i > 0) before = std::max(before, errorOfStep(tile, cells, 1 << i));
        double error = before + measured + beyond;
        if (at >= 0) {
            double ofAncestor = whole + rounding + ancestor.errorAt(at);
            if (!craters.empty()) {
                ofAncestor += rounding + ofFinest + craters.deviation(layout.strideX(at), layout.strideZ(at));
            }
            error = std::min(error, ofAncestor);
        }
        tile.errors[i] = i > 0 ? std::max(error, tile.errors[i - 1]) : error;
    }
    tile.bounds.min = std::nextafter(static_cast<float>(range.min - beyond), -kInfinity);
    tile.bounds.max = std::nextafter(static_cast<float>(range.max + beyond), kInfinity);
}

}  // namespace karst::heightfield
