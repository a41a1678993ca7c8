#include <karst/heightfield/tile_layout.h>
#include <karst/heightfield_build/tile_errors.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace karst::heightfield {
namespace {

constexpr std::uint32_t kMostCells = TileLayout::kMaxTileCells;
constexpr std::size_t kPitch = kMostCells / 2 + 4;

// Samples are 16 bits and strides at most 128, so every number here has at most 24 bits: f32 holds them
// exactly.

// A row of a lattice, its even and its odd samples apart.
struct SplitRow {
    alignas(32) float even[kPitch];
    alignas(32) float odd[kPitch];
};

template <class T>
void split(const T* row, std::uint32_t count, SplitRow& out) {
    for (std::uint32_t i = 0; i < count; ++i) {
        out.even[i] = static_cast<float>(row[2 * i]);
        out.odd[i] = static_cast<float>(row[2 * i + 1]);
    }
    out.even[count] = static_cast<float>(row[2 * count]);
}

float larger(float a, float b) {
    return a > b ? a : b;
}

// Twice the distances of a row of lattice points to the lines between every second one.
void alongRow(const SplitRow& row, std::uint32_t count, float* out) {
    for (std::uint32_t i = 0; i < count; ++i)
        out[i] = std::fabs(2 * row.odd[i] - row.even[i] - row.even[i + 1]);
}

// The lattice at every second sample of `rows`: count x count cells of 2 x 2. Each cell's error (closed: its
// border counts) goes to `out`, rows kPitch apart, and the lattice itself to `coarse`. Gives the largest.
template <class T>
float measureHalved(const T* samples, std::size_t pitch, std::uint32_t count, float* out, float* coarse) {
    SplitRow rows[3];
    alignas(32) float alongTop[kPitch], alongBottom[kPitch], down[kPitch];
    SplitRow *top = &rows[0], *middle = &rows[1], *bottom = &rows[2];
    float *atTop = alongTop, *atBottom = alongBottom;
    split(samples, count, *top);
    alongRow(*top, count, atTop);
    std::copy_n(top->even, count + 1, coarse);
    // By column, since a compiler may not reorder one maximum over a row.
    alignas(32) float byColumn[kPitch] = {};
    for (std::uint32_t j = 0; j < count; ++j) {
        split(samples + (2 * j + 1) * pitch, count, *middle);
        split(samples + (2 * j + 2) * pitch, count, *bottom);
        alongRow(*bottom, count, atBottom);
        std::copy_n(bottom->even, count + 1, coarse + (j + 1) * kPitch);
        for (std::uint32_t i = 0; i <= count; ++i)
            down[i] = std::fabs(2 * middle->even[i] - top->even[i] - bottom->even[i]);
        float* row = out + j * kPitch;
        for (std::uint32_t i = 0; i < count; ++i) {
            const float diagonal = std::fabs(2 * middle->odd[i] - top->even[i + 1] - bottom->even[i]);
            const float sides = larger(larger(down[i], down[i + 1]), larger(atTop[i], atBottom[i]));
            row[i] = 0.5f * larger(sides, diagonal);
        }
        for (std::uint32_t i = 0; i < count; ++i)
            byColumn[i] = larger(byColumn[i], row[i]);
        std::swap(top, bottom);
        std::swap(atTop, atBottom);
    }
    return *std::max_element(byColumn, byColumn + count);
}

// The two triangles of a cell of `span` samples a side: h00 + (x (h10 - h00) + z (h01 - h00)) / span below
// the diagonal, likewise from h11 above it.
template <class Float>
struct Triangles {
    Float h00, lowerX, lowerZ, h11, upperX, upperZ;
    Float span;

    Triangles(const TileCorners& c, Float cells)
        : h00(c.h00),
          lowerX((Float(c.h10) - Float(c.h00)) / cells),
          lowerZ((Float(c.h01) - Float(c.h00)) / cells),
          h11(c.h11),
          upperX((Float(c.h11) - Float(c.h01)) / cells),
          upperZ((Float(c.h11) - Float(c.h10)) / cells),
          span(cells) {}

    Float lower(Float x, Float z) const { return h00 + z * lowerZ + x * lowerX; }
    Float upper(Float x, Float z) const { return h11 - (span - z) * upperZ - (span - x) * upperX; }
    Float at(Float x, Float z) const { return x + z <= span ? lower(x, z) : upper(x, z); }
};

// Largest distance of a block's samples to the triangles; it begins at (x, z) of them. The block lies in one
// triangle or shares the diagonal.
template <class Float>
float measureBlock(const std::uint16_t* samples, std::size_t pitch, std::uint32_t cells,
                   const Triangles<Float>& triangles, Float x, Float z) {
    const bool lowerOnly = x + z + Float(2 * cells) <= triangles.span;
    const bool upperOnly = x + z >= triangles.span;
    alignas(32) float byColumn[BlockErrors::kCells + 4] = {};
    const auto stepLower = static_cast<float>(triangles.lowerX);
    const auto stepUpper = static_cast<float>(triangles.upperX);
    for (std::uint32_t j = 0; j <= cells; ++j) {
        const std::uint16_t* row = samples + j * pitch;
        const std::uint32_t diagonal = lowerOnly ? cells + 1 : upperOnly ? 0 : cells - j;
        // f32 from here also where Float is wider: 16-bit samples, so the rounding is below 1/100 of a step.
        const auto left = static_cast<float>(triangles.lower(x, z + Float(j)));
        const auto right = static_cast<float>(triangles.upper(x, z + Float(j)));
        for (std::uint32_t i = 0; i < diagonal; ++i) {
            const float height = left + static_cast<float>(i) * stepLower;
            byColumn[i] = larger(byColumn[i], std::fabs(static_cast<float>(row[i]) - height));
        }
        for (std::uint32_t i = diagonal; i <= cells; ++i) {
            const float height = right + static_cast<float>(i) * stepUpper;
            byColumn[i] = larger(byColumn[i], std::fabs(static_cast<float>(row[i]) - height));
        }
    }
    return *std::max_element(byColumn, byColumn + cells + 1);
}

// Raises `largest` to the distance of a block's samples to larger triangles, looking at its samples only
// where its corners do not tell: on each of its own two triangles the difference to the larger ones is
// linear.
template <class Float>
void raiseByBlock(const std::uint16_t* samples, std::size_t pitch, std::uint32_t cells, float atMost,
                  const Triangles<Float>& triangles, Float x, Float z, Float& largest) {
    const Float end = Float(cells);
    const std::uint16_t* last = samples + cells * pitch;
    const Float d00 = std::abs(Float(samples[0]) - triangles.at(x, z));
    const Float d10 = std::abs(Float(samples[cells]) - triangles.at(x + end, z));
    const Float d01 = std::abs(Float(last[0]) - triangles.at(x, z + end));
    const Float d11 = std::abs(Float(last[cells]) - triangles.at(x + end, z + end));
    const Float atCorners = std::max(std::max(d00, d10), std::max(d01, d11));
    largest = std::max(largest, atCorners);
    if (atCorners + Float(atMost) <= largest) return;
    largest = std::max(largest, Float(measureBlock(samples, pitch, cells, triangles, x, z)));
}

}  // namespace

void measureStrideErrors(const std::uint16_t* samples, std::size_t pitch, std::uint32_t cells, double* errors,
                         BlockErrors& blocks) {
    // Of each level: the error of each cell, or a bound of it, and the lattice.
    constexpr std::size_t kMost = (kMostCells / 2 + 1) * kPitch;
    alignas(32) float cellErrors[2][kMost];
    alignas(32) float lattices[2][kMost];
    errors[0] = 0;
    float* fine = cellErrors[0];
    float* lattice = lattices[0];
    float largest = measureHalved(samples, pitch, cells / 2, fine, lattice);
    errors[1] = double{largest};
    blocks.cells = std::min(cells, BlockErrors::kCells);
    blocks.blocks = cells / blocks.cells;
    const auto keepBlocks = [&](std::uint32_t stride, const float* bounds) {
        if (stride != blocks.cells) return;
        for (std::uint32_t j = 0; j < blocks.blocks; ++j)
            std::copy_n(bounds + j * kPitch, blocks.blocks, blocks.atMost + j * blocks.blocks);
    };
    keepBlocks(2, fine);
    std::uint32_t level = 2;
    for (std::uint32_t s = 4; s <= cells; s *= 2, ++level) {
        const std::uint32_t count = cells / s;
        float* bounds = fine == cellErrors[0] ? cellErrors[1] : cellErrors[0];
        float* next = lattice == lattices[0] ? lattices[1] : lattices[0];
        largest = larger(largest, measureHalved(lattice, kPitch, count, bounds, next));
        for (std::uint32_t j = 0; j < count; ++j) {
            const float *above = fine + 2 * j * kPitch, *below = above + kPitch;
            float* row = bounds + j * kPitch;
            for (std::uint32_t i = 0; i < count; ++i) {
                // The surface is no further from this lattice than from the finer one and that from this.
                row[i] +=
                    larger(larger(above[2 * i], above[2 * i + 1]), larger(below[2 * i], below[2 * i + 1]));
            }
            for (std::uint32_t i = 0; i < count; ++i) {
                if (row[i] <= largest) continue;
                const std::uint16_t* cell = samples + j * s * pitch + i * s;
                const TileCorners corners{cell[0], cell[s], cell[s * pitch], cell[s * pitch + s]};
                const Triangles<float> triangles(corners, static_cast<float>(s));
                if (s <= blocks.cells) {
                    row[i] = measureBlock(cell, pitch, s, triangles, 0.0f, 0.0f);
                    largest = larger(largest, row[i]);
                    continue;
                }
                for (std::uint32_t z = 0; z < s; z += blocks.cells) {
                    const float* atMost =
                        blocks.atMost + (j * s + z) / blocks.cells * blocks.blocks + i * s / blocks.cells;
                    for (std::uint32_t x = 0; x < s; x += blocks.cells) {
                        raiseByBlock(cell + z * pitch + x, pitch, blocks.cells, atMost[x / blocks.cells],
                                     triangles, static_cast<float>(x), static_cast<float>(z), largest);
                    }
                }
                row[i] = std::min(row[i], largest);
            }
        }
        errors[level] = double{largest};
        keepBlocks(s, bounds);
        fine = bounds;
        lattice = next;
    }
}

double measureSpanError(const std::uint16_t* samples, std::size_t pitch, std::uint32_t cells,
                        const double* errors, const BlockErrors& blocks, const TileCorners& corners,
                        std::uint64_t span, std::uint64_t x, std::uint64_t z, double atLeast) {
    const Triangles<double> triangles(corners, static_cast<double>(span));
    const auto x0 = static_cast<double>(x), z0 = static_cast<double>(z), end = static_cast<double>(cells);
    std::uint32_t level = 0;
    while ((1u << level) < cells)
        ++level;
    const std::uint16_t* last = samples + cells * pitch;
    const double atCorners = std::max(std::max(std::abs(samples[0] - triangles.at(x0, z0)),
                                               std::abs(samples[cells] - triangles.at(x0 + end, z0))),
                                      std::max(std::abs(last[0] - triangles.at(x0, z0 + end)),
                                               std::abs(last[cells] - triangles.at(x0 + end, z0 + end))));
    double largest = std::max(atLeast, atCorners);
    if (atCorners + errors[level] <= largest) return largest;
    for (std::uint32_t j = 0; j < blocks.blocks; ++j) {
        for (std::uint32_t i = 0; i < blocks.blocks; ++i) {
            const std::uint32_t bx = i * blocks.cells, bz = j * blocks.cells;
            raiseByBlock(samples + bz * pitch + bx, pitch, blocks.cells, blocks.atMost[j * blocks.blocks + i],
                         triangles, x0 + bx, z0 + bz, largest);
        }
    }
    return largest;
}

}  // namespace karst::heightfield
