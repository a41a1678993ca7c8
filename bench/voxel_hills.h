#pragma once

#include <karst/voxel/grid.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace karst::bench {

/// Hills that repeat every 8 chunks, so that a large world shares few arrays: 8.2 km wide, 14 km long.
inline voxel::Grid hills() {
    constexpr int kPeriod = 8, kHalfWidth = 32, kBegin = -32, kEnd = 80;
    constexpr double kWave = 2 * 3.14159265358979323846 / (32 * kPeriod);
    voxel::Grid pattern = std::move(voxel::Grid::create({})).value();
    const auto done =
        pattern.edit({{0, -32, 0}, {32 * kPeriod, 32, 32 * kPeriod}}, [](const voxel::EditBlock& b) {
            for (int z = b.box.min.z; z < b.box.max.z; ++z) {
                for (int x = b.box.min.x; x < b.box.max.x; ++x) {
                    const double height = 14 * std::sin(kWave * 2 * x) * std::cos(kWave * 3 * z) +
                                          5 * std::sin(kWave * (7 * x + 5 * z)) +
                                          2 * std::sin(kWave * 21 * x);
                    for (int y = b.box.min.y; y < b.box.max.y; ++y) {
                        const double filled = std::clamp(height - y, 0.0, 1.0);
                        if (filled > 0)
                            b.at({x, y, z}) = {4, static_cast<std::uint8_t>(std::lround(255 * filled))};
                    }
                }
            }
        });
    (void)done;
    const voxel::GridSnapshot source = pattern.snapshot();
    std::vector<voxel::ChunkReplacement> chunks;
    for (int z = -kHalfWidth; z < kHalfWidth; ++z) {
        for (int x = kBegin; x < kEnd; ++x) {
            for (int y = -1; y <= 0; ++y)
                chunks.push_back({{x, y, z}, source.chunkRef({x & (kPeriod - 1), y, z & (kPeriod - 1)})});
        }
    }
    voxel::Grid grid = std::move(voxel::Grid::create({})).value();
    const auto placed = grid.replaceChunks(chunks);
    (void)placed;
    return grid;
}

}  // namespace karst::bench
