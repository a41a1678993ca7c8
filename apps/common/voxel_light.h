#pragma once

#include <karst/voxel/grid_snapshot.h>

#include <vector>

namespace karst::app {

/// Reads cells one near the other of a snapshot, without finding the chunk anew each time. Keeps a pointer
/// into the snapshot, which must outlive it. One per thread.
class CellReader {
  public:
    explicit CellReader(const voxel::GridSnapshot& grid) : m_grid(&grid) {}

    voxel::Cell cell(voxel::CellCoord coord);
    /// At least half full of something solid.
    bool solid(voxel::CellCoord coord) { return m_grid->materials().solidOccupancy(cell(coord)) >= 128; }

  private:
    const voxel::GridSnapshot* m_grid;
    voxel::ChunkCoord m_coord;
    const voxel::Chunk* m_chunk = nullptr;
    bool m_known = false;
};

/// How much light of the sky reaches places of voxel ground, for pictures: rays through the cells. One per
/// thread.
class VoxelLight {
  public:
    explicit VoxelLight(const voxel::GridSnapshot& grid);

    /// 0..1. `place` in cells of the grid, at a surface with this unit normal; `step` (in cells) is how far
    /// off it the rays begin.
    float sky(Vec3d place, Vec3f normal, double step);

  private:
    bool blocked(Vec3d from, Vec3d direction, double distance);

    CellReader m_cells;
    voxel::CellBox m_bounds;
    std::vector<Vec3d> m_skyDirections;
};

}  // namespace karst::app
