#include <karst/heightfield/tile_layout.h>
#include <karst/heightfield_build/tile_errors.h>

#include <algorithm>
#include <cmath>

namespace karst::heightfield {
namespace {

constexpr std::size_t kMostSamples = TileLayout::kMaxTileCells + 1;

// Samples are 16 bits and strides at most 128, so every number here has at most 24 bits: f32 holds them
// exactly.

// The lattice at stride s along row z0 + z of the samples, for all x of the tile: in each cell a line from
// its left edge to the diagonal and one from there to its right edge.
void coarseRow(const std::uint16_t* row0, const std::uint16_t* row1, std::uint32_t cells, std::uint32_t s,
               std::uint32_t z, float* out) {
    const float perStride = 1.0f / static_cast<float>(s);
    const float fz = static_cast<float>(z) * perStride;
    const std::uint32_t diagonal = s - z;
    for (std::uint32_t x0 = 0; x0 < cells; x0 += s) {
        const float h00 = row0[x0], h10 = row0[x0 + s], h01 = row1[x0], h11 = row1[x0 + s];
        const float left = h00 + fz * (h01 - h00);
        const float lower = (h10 - h00) * perStride, upper = (h11 - h01) * perStride;
        float* o = out + x0;
        for (std::uint32_t x = 0; x < diagonal; ++x)
            o[x] = left + static_cast<float>(x) * lower;
        const float middle = h10 + fz * (h01 - h10);
        for (std::uint32_t x = diagonal; x < s; ++x)
            o[x] = middle + static_cast<float>(x - diagonal) * upper;
    }
    out[cells] =
        row0[cells] + fz * static_cast<float>(static_cast<int>(row1[cells]) - static_cast<int>(row0[cells]));
}

float largestDifference(const float* a, const float* b, std::size_t count) {
    float largest = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const float d = std::fabs(a[i] - b[i]);
        largest = d > largest ? d : largest;
    }
    return largest;
}

}  // namespace

void measureStrideErrors(const std::uint16_t* samples, std::size_t pitch, std::uint32_t cells,
                         double* errors) {
    alignas(32) float fine[kMostSamples];
    alignas(32) float coarse[kMostSamples];
    float largest[8] = {};
    for (std::uint32_t z = 0; z <= cells; ++z) {
        const std::uint16_t* row = samples + z * pitch;
        for (std::uint32_t x = 0; x <= cells; ++x)
            fine[x] = row[x];
        std::uint32_t level = 1;
        for (std::uint32_t s = 2; s <= cells; s *= 2, ++level) {
            const std::uint32_t z0 = std::min(z - z % s, cells - s);
            coarseRow(samples + z0 * pitch, samples + (z0 + s) * pitch, cells, s, z - z0, coarse);
            largest[level] = std::max(largest[level], largestDifference(fine, coarse, cells + 1));
        }
    }
    std::uint32_t level = 0;
    for (std::uint32_t s = 1; s <= cells; s *= 2, ++level)
        errors[level] = double{largest[level]};
}

double measureSpanError(const std::uint16_t* samples, std::size_t pitch, std::uint32_t cells, double ownError,
                        const TileCorners& corners, std::uint64_t span, std::uint64_t x, std::uint64_t z,
                        double atLeast) {
    const double perSpan = 1.0 / static_cast<double>(span);
    const double h00 = corners.h00, h10 = corners.h10, h01 = corners.h01, h11 = corners.h11;
    // The block's cells lie in one triangle, or share its diagonal.
    const auto plane = [&](std::uint64_t px, std::uint64_t pz) {
        const double fx = static_cast<double>(px) * perSpan, fz = static_cast<double>(pz) * perSpan;
        return px + pz <= span ? h00 + fx * (h10 - h00) + fz * (h01 - h00)
                               : h11 + (1 - fx) * (h01 - h11) + (1 - fz) * (h10 - h11);
    };
    // On each of the block's own two triangles the difference to the larger ones is linear: largest at a
    // corner.
    const double c00 = plane(x, z), c10 = plane(x + cells, z);
    const double c01 = plane(x, z + cells), c11 = plane(x + cells, z + cells);
    const std::uint16_t* last = samples + cells * pitch;
    const double atCorners = std::max({std::abs(samples[0] - c00), std::abs(samples[cells] - c10),
                                       std::abs(last[0] - c01), std::abs(last[cells] - c11)});
    double largest = std::max(atLeast, atCorners);
    if (atCorners + ownError <= largest) return largest;

    alignas(32) float difference[kMostSamples];
    const bool lowerOnly = x + z + 2 * std::uint64_t{cells} <= span;
    const bool upperOnly = x + z >= span;
    const double lowerX = (h10 - h00) * perSpan, upperX = (h11 - h01) * perSpan;
    float found = 0;
    for (std::uint32_t j = 0; j <= cells; ++j) {
        const std::uint16_t* row = samples + j * pitch;
        const std::uint32_t diagonal = lowerOnly ? cells + 1 : upperOnly ? 0 : cells - j;
        // f32 from here: 16-bit samples, so the rounding is below 1/100 of a step.
        const auto left = static_cast<float>(h00 + static_cast<double>(x) * lowerX +
                                             static_cast<double>(z + j) * perSpan * (h01 - h00));
        const auto right = static_cast<float>(h01 + static_cast<double>(x) * upperX +
                                              static_cast<double>(span - z - j) * perSpan * (h10 - h01) -
                                              static_cast<double>(span - z - j) * upperX);
        const auto stepLower = static_cast<float>(lowerX), stepUpper = static_cast<float>(upperX);
        for (std::uint32_t i = 0; i < diagonal; ++i) {
            difference[i] = static_cast<float>(row[i]) - (left + static_cast<float>(i) * stepLower);
        }
        for (std::uint32_t i = diagonal; i <= cells; ++i) {
            difference[i] = static_cast<float>(row[i]) - (right + static_cast<float>(i) * stepUpper);
        }
        for (std::uint32_t i = 0; i <= cells; ++i) {
            const float d = std::fabs(difference[i]);
            found = d > found ? d : found;
        }
    }
    return std::max(largest, double{found});
}

}  // namespace karst::heightfield
