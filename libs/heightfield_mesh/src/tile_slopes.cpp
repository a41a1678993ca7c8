#include <karst/base/assert.h>
#include <karst/base/math.h>
#include <karst/heightfield_mesh/tile_slopes.h>

#include <algorithm>
#include <cmath>

namespace karst::heightfield {
namespace {

// Without branches, so that compilers make vectors of it. `value` is at most 65504 away from 0.
inline std::uint32_t halfBits(float value) {
    const auto bits = bitCast<std::uint32_t>(value);
    const std::uint32_t sign = bits >> 16 & 0x8000u, size = bits & 0x7fffffffu;
    // From 2^-14 on: the exponent's bias changes, and 13 bits are rounded away, ties to even.
    const std::uint32_t normal = (size - (112u << 23) + 0xfffu + (size >> 13 & 1u)) >> 13;
    // Below: adding a half lets the addition round to multiples of 2^-24.
    const std::uint32_t small =
        bitCast<std::uint32_t>(bitCast<float>(size) + 0.5f) - bitCast<std::uint32_t>(0.5f);
    return sign | (size < 113u << 23 ? small : normal);
}

inline float held(float value) {
    constexpr float kMost = 65504.0f;
    // NaN compares false and becomes 0.
    return value >= -kMost ? (value <= kMost ? value : kMost) : (value < 0 ? -kMost : 0.0f);
}

inline std::uint32_t pairOf(float x, float z) {
    return halfBits(held(x)) | halfBits(held(z)) << 16;
}

}  // namespace

std::uint16_t toHalf(float value) {
    return static_cast<std::uint16_t>(halfBits(held(value)));
}

TileSlopeShape tileSlopeShape(const TileLayerShape& layer) {
    TileSlopeShape shape;
    shape.cells = layer.cells;
    shape.levels = layer.levels;
    shape.width = shape.cells + 1 + shape.cells / 2 + 1;
    shape.height = std::max(shape.cells + 1, shape.row(shape.levels) + 2);
    return shape;
}

void writeTileSlopes(const TileSlopeShape& shape, const TileLayerShape& layerShape,
                     std::span<const float> layer, std::int32_t level, std::span<std::uint32_t> out) {
    KARST_ASSERT(layer.size() == layerShape.size() && out.size() == shape.size());
    const std::size_t cells = shape.cells, width = layerShape.width;
    std::fill(out.begin(), out.end(), 0u);
    // The lattice's sample (0, 0), within the apron.
    const float* const lattice = layer.data() + width + 1;
    for (std::uint32_t n = 0; n <= shape.levels; ++n) {
        const std::size_t stride = std::size_t{1} << n, points = (cells >> n) + 1;
        const float perCell = std::ldexp(1.0f, -(level + static_cast<std::int32_t>(n) + 1));
        // What lies a stride beyond a side, beside the k-th point of this lattice along it.
        const auto beyond = [&](std::uint32_t side, std::size_t k) {
            if (n > 0)
                return layer[std::size_t{layerShape.ringRow + side} * width + layerShape.ringColumn(n) + k];
            const std::size_t across = (side & 1u) != 0 ? cells + 2 : 0;
            return side < 2 ? layer[(k + 1) * width + across] : layer[across * width + k + 1];
        };
        for (std::size_t j = 0; j < points; ++j) {
            const float* const row = lattice + j * stride * width;
            std::uint32_t* const to = out.data() + (shape.row(n) + j) * shape.width + shape.column(n);
            const auto lowZ = [&](std::size_t i) {
                return j > 0 ? row[i * stride - stride * width] : beyond(kSideLowZ, i);
            };
            const auto highZ = [&](std::size_t i) {
                return j + 1 < points ? row[i * stride + stride * width] : beyond(kSideHighZ, i);
            };
            const auto write = [&](std::size_t i, float lowX, float highX) {
                to[i] = pairOf((highX - lowX) * perCell, (highZ(i) - lowZ(i)) * perCell);
            };
            if (j > 0 && j + 1 < points) {
                const float *const above = row - stride * width, *const below = row + stride * width;
                for (std::size_t i = 1; i + 1 < points; ++i) {
                    const std::size_t at = i * stride;
                    to[i] = pairOf((row[at + stride] - row[at - stride]) * perCell,
                                   (below[at] - above[at]) * perCell);
                }
            } else {
                for (std::size_t i = 1; i + 1 < points; ++i)
                    write(i, row[(i - 1) * stride], row[(i + 1) * stride]);
            }
            write(0, beyond(kSideLowX, j), row[stride]);
            write(points - 1, row[(points - 2) * stride], beyond(kSideHighX, j));
        }
    }
}

}  // namespace karst::heightfield
