#pragma once

#include <karst/voxel/cell.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace karst::voxel::test_data {

/// A signed distance in cells as an occupancy: solid, 128 and more, where it is negative.
inline std::uint8_t occupancyOf(double distance) {
    const int rounded = static_cast<int>(std::floor(255 * std::clamp(0.5 - 0.5 * distance, 0.0, 1.0) + 0.5));
    return static_cast<std::uint8_t>(distance < 0 ? std::max(rounded, 128) : std::min(rounded, 127));
}

/// Materials by depth below the ground, the way a generator lays them: grass (sand where the ground is low,
/// rock where it is steep), ground, rock, and limestone from level 6 down.
inline MaterialId layerAt(double depth, double height, double slope, int y) {
    if (slope > 1.6) return 4;
    if (depth < 2) return height < 13 ? 5 : 2;
    if (depth < 5.5) return 3;
    return y < 6 ? 10 : 4;
}

/// Rugged ground of the standard materials around level 16 of a chunk: the hills of "terrain", or with caves
/// those of "rot<k>" (the benchmarks' inputs). `layers`: several materials, else rock alone.
inline std::vector<Cell> terrainCells(int k, bool caves, bool layers) {
    std::vector<Cell> cells(kChunkCellCount);
    const double a = 7.3 * k, b = 3.1 * k;
    const auto heightAt = [&](double x, double z) {
        return 16.37 + (caves ? 6 : 5) * std::sin(0.31 * x + a) * std::cos(0.27 * z + b) +
               2.5 * std::sin(0.13 * x + 0.71 * z + a) + 1.1 * std::sin(0.9 * x) * std::sin(0.83 * z);
    };
    for (int z = 0; z < kChunkSize; ++z) {
        for (int x = 0; x < kChunkSize; ++x) {
            const double px = x + 1 + 5 * a, pz = z + 1 + 9 * b;
            const double height = heightAt(px, pz);
            const double slope = std::hypot(heightAt(px + 0.5, pz) - heightAt(px - 0.5, pz),
                                            heightAt(px, pz + 0.5) - heightAt(px, pz - 0.5));
            for (int y = 0; y < kChunkSize; ++y) {
                const double py = y + 1;
                double distance = 0.7 * (py - height);
                if (caves) {
                    distance = std::max(
                        distance, std::sin(0.41 * px) + std::sin(0.37 * py + a) + std::sin(0.43 * pz) - 1.4);
                }
                const MaterialId material = layers ? layerAt(height - py, height, slope, y) : MaterialId{4};
                cells[static_cast<std::size_t>(cellIndex(x, y, z))] =
                    canonical({material, occupancyOf(distance)});
            }
        }
    }
    return cells;
}

/// Ground of the kind that a heightfield gives: each column filled up to its height, its top cell by the part
/// that is filled; layers of materials, and water up to `waterLevel`.
inline std::vector<Cell> columnCells(int k, double waterLevel) {
    std::vector<Cell> cells(kChunkCellCount);
    for (int z = 0; z < kChunkSize; ++z) {
        for (int x = 0; x < kChunkSize; ++x) {
            const double px = x + 32.0 * k, pz = z + 17.0 * k;
            const double height =
                16 + 7 * std::sin(0.11 * px) * std::cos(0.09 * pz) + 1.5 * std::sin(0.37 * px + 0.29 * pz);
            for (int y = 0; y < kChunkSize; ++y) {
                const double filled = std::clamp(height - y, 0.0, 1.0);
                Cell cell{layerAt(height - y - 1, height, 0, y),
                          static_cast<std::uint8_t>(std::lround(filled * 255))};
                if (cell.occupancy == 0 && waterLevel > y) {
                    cell = {1, static_cast<std::uint8_t>(std::lround(std::min(1.0, waterLevel - y) * 255))};
                }
                cells[static_cast<std::size_t>(cellIndex(x, y, z))] = canonical(cell);
            }
        }
    }
    return cells;
}

}  // namespace karst::voxel::test_data
