#pragma once

#include <karst/base/math.h>
#include <karst/voxel/cell_view.h>

#include <array>
#include <cstdint>

namespace karst::voxel {

/// The 8 cells whose middles make a cube. Corner i is at x + (i & 1), y + (i >> 2), z + (i >> 1 & 1).
using CubeCells = std::array<Cell, 8>;

/// The weights of the corners at a place in the cube, 0 to 1 on each axis.
inline std::array<double, 8> cubeWeights(Vec3d p) {
    const double x[2] = {1 - p.x, p.x}, y[2] = {1 - p.y, p.y}, z[2] = {1 - p.z, p.z};
    std::array<double, 8> w;
    for (unsigned i = 0; i < 8; ++i)
        w[i] = x[i & 1] * z[i >> 1 & 1] * y[i >> 2];
    return w;
}

/// The material of a kind that has most of a cube at a place, and the corner that has most of it.
struct StrongestMaterial {
    MaterialId material = kAir;
    int corner = -1;
};

/// `wanted` by material id.
inline StrongestMaterial strongestMaterial(const CubeCells& cells, const std::array<double, 8>& weights,
                                           const std::array<bool, 256>& wanted) {
    StrongestMaterial best;
    double bestSum = 0;
    for (std::size_t i = 0; i < 8; ++i) {
        const MaterialId material = cells[i].material;
        if (!wanted[material]) continue;
        double sum = 0, most = -1;
        int corner = -1;
        for (std::size_t k = 0; k < 8; ++k) {
            if (cells[k].material != material) continue;
            const double part = weights[k] * cells[k].occupancy;
            sum += part;
            if (part > most) {
                most = part;
                corner = static_cast<int>(k);
            }
        }
        if (sum > bestSum || (sum == bestSum && sum > 0 && material < best.material)) {
            best = {material, corner};
            bestSum = sum;
        }
    }
    return best;
}

}  // namespace karst::voxel
