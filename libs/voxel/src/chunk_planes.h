#pragma once

#include "byte_lanes.h"

#include <karst/voxel/cell.h>

#include <algorithm>
#include <cstdint>

namespace karst::voxel {

// A plane has one byte a cell, 32768, in the order of cellIndex(). The codec goes from the top layer down, in
// a layer from row z = 0 on. What is predicted for a row depends on rows before it alone, so whole rows are
// worked on at once. Lanes is ByteLanes, or PlainByteLanes, which gives the same bytes.

inline constexpr int kLayerCells = kChunkSize * kChunkSize;

enum class Prediction : std::uint8_t {
    Gradient = 1,  ///< a + b - c: a above, b north, c above and north
    Line = 2,      ///< 2 a - a', a' above a, where both are partly filled; else as Gradient
};

/// The predicted occupancy of 16 cells: a and b with their difference to the cells above and north added,
/// held to 0..255.
template <Prediction kPrediction, class Lanes>
inline Lanes predict(Lanes a, Lanes aa, Lanes b, Lanes c) {
    // One of the two saturating differences is 0.
    const Lanes gradient = subSaturated(addSaturated(a, subSaturated(b, c)), subSaturated(c, b));
    if constexpr (kPrediction == Prediction::Gradient) return gradient;
    const Lanes line = subSaturated(addSaturated(a, subSaturated(a, aa)), subSaturated(aa, a));
    const Lanes zero = Lanes::all(0), full = Lanes::all(255);
    const Lanes edge =
        either(either(equal(a, zero), equal(a, full)), either(equal(aa, zero), equal(aa, full)));
    return select(edge, gradient, line);
}

/// Calls `body(place, a, aa, b, c)` for each 16 cells, from the top layer down.
template <class Lanes, class Body>
inline void eachPrediction(const std::uint8_t* occupancy, Body body) {
    alignas(16) static constexpr std::uint8_t kZeros[kChunkSize] = {};
    for (int y = kChunkSize - 1; y >= 0; --y) {
        for (int z = 0; z < kChunkSize; ++z) {
            const int row = y * kLayerCells + z * kChunkSize;
            const std::uint8_t* a = y < 31 ? occupancy + row + kLayerCells : kZeros;
            const std::uint8_t* aa = y < 30 ? occupancy + row + 2 * kLayerCells : kZeros;
            const std::uint8_t* b = z > 0 ? occupancy + row - kChunkSize : a;
            const std::uint8_t* c = z > 0 ? (y < 31 ? a - kChunkSize : kZeros) : a;
            for (int x = 0; x < kChunkSize; x += 16) {
                body(row + x, Lanes::load(a + x), Lanes::load(aa + x), Lanes::load(b + x),
                     Lanes::load(c + x));
            }
        }
    }
}

/// The residuals, occupancy - prediction modulo 256, of both predictions.
template <class Lanes>
void toResiduals(const std::uint8_t* occupancy, std::uint8_t* gradient, std::uint8_t* line) {
    eachPrediction<Lanes>(occupancy, [&](int at, Lanes a, Lanes aa, Lanes b, Lanes c) {
        const Lanes filled = Lanes::load(occupancy + at);
        subtract(filled, predict<Prediction::Gradient>(a, aa, b, c)).store(gradient + at);
        subtract(filled, predict<Prediction::Line>(a, aa, b, c)).store(line + at);
    });
}

/// The occupancy from a prediction's residuals.
template <class Lanes>
void fromResidual(Prediction prediction, std::uint8_t* occupancy, const std::uint8_t* residual) {
    if (prediction == Prediction::Gradient) {
        eachPrediction<Lanes>(occupancy, [&](int at, Lanes a, Lanes aa, Lanes b, Lanes c) {
            add(Lanes::load(residual + at), predict<Prediction::Gradient>(a, aa, b, c)).store(occupancy + at);
        });
    } else {
        eachPrediction<Lanes>(occupancy, [&](int at, Lanes a, Lanes aa, Lanes b, Lanes c) {
            add(Lanes::load(residual + at), predict<Prediction::Line>(a, aa, b, c)).store(occupancy + at);
        });
    }
}

/// How many bytes of a plane are not 0.
template <class Lanes>
int countNonzero(const std::uint8_t* plane) {
    int zeros = 0;
    // A lane counts to 128 before its count is added up.
    for (int begin = 0; begin < kChunkCellCount; begin += 128 * 16) {
        Lanes counts = Lanes::all(0);
        for (int i = begin; i < begin + 128 * 16; i += 16)
            counts = subtract(counts, equal(Lanes::load(plane + i), Lanes::all(0)));
        std::uint8_t lanes[16];
        counts.store(lanes);
        for (const std::uint8_t count : lanes)
            zeros += count;
    }
    return kChunkCellCount - zeros;
}

/// The y of the highest cell that is not empty, of each of the 1024 columns x + 32 z; 255 where there is
/// none.
template <class Lanes>
void columnTops(const std::uint8_t* occupancy, std::uint8_t* tops) {
    for (int i = 0; i < kLayerCells; i += 16) {
        Lanes top = Lanes::all(255);
        for (int y = 0; y < kChunkSize; ++y) {
            const Lanes empty = equal(Lanes::load(occupancy + y * kLayerCells + i), Lanes::all(0));
            top = select(empty, top, Lanes::all(static_cast<std::uint8_t>(y)));
        }
        top.store(tops + i);
    }
}

/// For each column: bit y is set where its cell is not empty (`filled`), and where that cell's material is
/// another than the one before it, going down; the first one's is `first` (`changed`).
template <class Lanes>
void columnBits(const std::uint8_t* materials, const std::uint8_t* occupancy, std::uint8_t first,
                std::uint32_t* filled, std::uint32_t* changed) {
    const Lanes zero = Lanes::all(0);
    for (int i = 0; i < kLayerCells; i += 16) {
        Lanes material = Lanes::all(first);
        std::uint8_t bytes[2][4][16];
        for (int group = 3; group >= 0; --group) {
            Lanes isFilled = zero, isChanged = zero;
            for (int j = 7; j >= 0; --j) {
                const int at = (group * 8 + j) * kLayerCells + i;
                const Lanes bit = Lanes::all(static_cast<std::uint8_t>(1 << j));
                const Lanes empty = equal(Lanes::load(occupancy + at), zero);
                const Lanes own = select(empty, material, Lanes::load(materials + at));
                isFilled = either(isFilled, select(empty, zero, bit));
                isChanged = either(isChanged, select(equal(own, material), zero, bit));
                material = own;
            }
            isFilled.store(bytes[0][group]);
            isChanged.store(bytes[1][group]);
        }
        for (int j = 0; j < 16; ++j) {
            const auto word = [&](const std::uint8_t(&groups)[4][16]) {
                return static_cast<std::uint32_t>(groups[0][j] | groups[1][j] << 8 | groups[2][j] << 16) |
                       static_cast<std::uint32_t>(groups[3][j]) << 24;
            };
            filled[i + j] = word(bytes[0]);
            changed[i + j] = word(bytes[1]);
        }
    }
}

/// Cells of the plane `changes` and the occupancy: going down a column, a cell's material is its entry in
/// `changes`, or where that is 0 the one of the cell above; the first one's is `first`. Empty cells come out
/// as Cell{}.
template <class Lanes>
void mergeColumns(const std::uint8_t* changes, const std::uint8_t* occupancy, std::uint8_t first,
                  Cell* cells) {
    const Lanes zero = Lanes::all(0);
    for (int i = 0; i < kLayerCells; i += 16) {
        Lanes material = Lanes::all(first);
        for (int at = i + 31 * kLayerCells; at >= 0; at -= kLayerCells) {
            const Lanes change = Lanes::load(changes + at);
            material = select(equal(change, zero), material, change);
            const Lanes filled = Lanes::load(occupancy + at);
            storePairs(select(equal(filled, zero), zero, material), filled,
                       reinterpret_cast<std::uint8_t*>(cells + at));
        }
    }
}

/// As mergeColumns where all cells that are not empty are of one material.
template <class Lanes>
void mergeOne(std::uint8_t material, const std::uint8_t* occupancy, Cell* cells) {
    const Lanes zero = Lanes::all(0), all = Lanes::all(material);
    for (int i = 0; i < kChunkCellCount; i += 16) {
        const Lanes filled = Lanes::load(occupancy + i);
        storePairs(select(equal(filled, zero), zero, all), filled,
                   reinterpret_cast<std::uint8_t*>(cells + i));
    }
}

/// Cells to their two planes.
template <class Lanes>
void splitCells(const Cell* cells, std::uint8_t* materials, std::uint8_t* occupancy) {
    for (int i = 0; i < kChunkCellCount; i += 16) {
        Lanes material, filled;
        loadPairs(reinterpret_cast<const std::uint8_t*>(cells + i), material, filled);
        material.store(materials + i);
        filled.store(occupancy + i);
    }
}

}  // namespace karst::voxel
