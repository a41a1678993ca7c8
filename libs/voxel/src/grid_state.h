#pragma once

#include <karst/voxel/grid.h>

#include <vector>

#include "block_difference.h"
#include "chunk_map.h"
#include "edit_history.h"
#include "removal_log.h"

namespace karst::voxel {

/// What a grid is made of. An edit has two steps: first the new cells of each chunk are made, with the map as
/// it was (only chunks that nobody shares are written in place, so that an error can take that back); then
/// commit() enters all of them into the map as one revision.
struct Grid::State {
    State(const Externals& ext, const GridPlacement& place, const MaterialTable& table,
          std::uint32_t capacity, const ChunkMap& map, Revision first);
    ~State();

    /// What becomes of a chunk.
    struct Update {
        ChunkCoord chunk;
        /// Null where it is removed, or written in place.
        ChunkRef cells;
        bool inPlace = false;
        /// Of the cells that changed.
        CellBox local;
    };
    /// What was written over in place.
    struct Undo {
        Chunk* chunk;
        CellBox local;
        std::size_t firstCell;  ///< in undoCells
    };

    Cell* scratchCells();
    /// The chunk, where its array may be written: nobody shares it.
    Chunk* writable(ChunkCoord coord) const;
    /// Makes `coord` hold the cells of `local` in the scratch array, of which `difference` differ. With
    /// `undo`, what is written over in place is kept for takeBack().
    void stage(ChunkCoord coord, const Chunk* before, const CellBox& local, const BlockDifference& difference,
               bool undo);
    void stageReplacement(ChunkCoord coord, ChunkRef cells, const BlockDifference& difference);
    /// Undoes what was staged.
    void takeBack();
    void forgetStaged();
    /// Makes the staged updates one edit; without any there is none.
    EditSummary commit();

    Externals externals;
    GridPlacement placement;
    MaterialTable materials;
    GridGeneration generation;
    Revision revision;
    /// Records up to this revision are another grid's, and so are their histories.
    Revision firstRevision;
    ChunkMap chunks;
    EditHistories histories;
    RemovalLog removals;

    Cell* scratch = nullptr;
    std::vector<Update> updates;
    std::vector<Undo> undos;
    std::vector<Cell> undoCells;
    EditSummary staged;
};

}  // namespace karst::voxel
