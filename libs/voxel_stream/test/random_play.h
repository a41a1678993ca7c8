#pragma once

#include "stream_rig.h"

namespace karst::voxel_stream::rig {

/// A camera that flies about and edits that come as they please.
struct Play {
    explicit Play(std::uint64_t seed) : random(seed) {}

    void step(voxel::Grid& grid, double editing) {
        const double speed = random.chance(0.05) ? 60 : 5;
        camera.x = std::clamp(camera.x + random.range(-speed, speed), -180.0, 180.0);
        camera.z = std::clamp(camera.z + random.range(-speed, speed), -180.0, 180.0);
        if (random.chance(0.02)) draw = random.range(20, 120);
        if (random.chance(editing)) edit(grid);
        if (random.chance(0.01)) grid = grid.clone();
    }

    void edit(voxel::Grid& grid) {
        const Cell cells[] = {{}, {}, {kWater, 255}, {kRock, 255}};
        const CellCoord at{random.integer(-128, 128), random.integer(-20, 20), random.integer(-128, 128)};
        const int r = random.integer(0, 6);
        const Cell cell = cells[random.integer(0, 3)];
        const auto edited =
            grid.edit({{at.x - r, at.y - r, at.z - r}, {at.x + r + 1, at.y + r + 1, at.z + r + 1}},
                      [&](const voxel::EditBlock& block) {
                          for (int y = block.box.min.y; y < block.box.max.y; ++y) {
                              for (int z = block.box.min.z; z < block.box.max.z; ++z) {
                                  for (int x = block.box.min.x; x < block.box.max.x; ++x) {
                                      const int dx = x - at.x, dy = y - at.y, dz = z - at.z;
                                      if (dx * dx + dy * dy + dz * dz <= r * r) block.at({x, y, z}) = cell;
                                  }
                              }
                          }
                      });
        EXPECT_TRUE(edited.ok());
    }

    test::Random random;
    WorldPosition camera{0, 10, 0};
    double draw = 80;
};

}  // namespace karst::voxel_stream::rig
