#pragma once

#include <karst/voxel/grid.h>

namespace karst::voxel {

/// What a query reads: a grid or a snapshot, by reference. Use it for parameters only; what it was made from
/// must outlive it and, for a grid, not be edited meanwhile. Threads: as the grid or the snapshot.
class CellView {
  public:
    CellView(const Grid& grid) : m_grid(&grid) {}
    CellView(const GridSnapshot& snapshot) : m_snapshot(&snapshot) {}

    /// Null where the chunk is empty.
    const Chunk* chunk(ChunkCoord coord) const {
        return m_grid ? m_grid->chunk(coord) : m_snapshot->chunk(coord);
    }
    Cell cell(CellCoord cell) const { return m_grid ? m_grid->cell(cell) : m_snapshot->cell(cell); }
    const GridPlacement& placement() const { return m_grid ? m_grid->placement() : m_snapshot->placement(); }
    const MaterialTable& materials() const { return m_grid ? m_grid->materials() : m_snapshot->materials(); }

  private:
    const Grid* m_grid = nullptr;
    const GridSnapshot* m_snapshot = nullptr;
};

}  // namespace karst::voxel
