#pragma once

#include <karst/voxel/grid_snapshot.h>
#include <karst/voxel_mesh/padded_field.h>

#include <cstdint>
#include <span>
#include <vector>

namespace karst::voxel_mesh {

/// How the solid cells of a coarse sample's block vote for its material: each with its occupancy times one
/// of these, at least 1. A cell is exposed where one of its six neighbours is not solid (solid occupancy
/// below 128), also one beyond the block. With the default nine full exposed cells outvote all others of a
/// block of 8^3, so that a thin layer shows wherever the surface comes through the block.
struct MaterialVote {
    std::uint8_t exposed = 64;
    std::uint8_t buried = 1;
};

/// Reads the samples of a chunk and of kFieldPadding samples around it at a level (0 to 3), from up to 27
/// chunks, in the order of FieldView with padding kFieldPadding: `samples` (and `materials` and `water`, each
/// of the same size or empty) hold (samplesPerAxis(level) + 4)^3 at least.
///
/// Level 0: a sample is the solid occupancy of its cell, its material the cell's where that is not 0, else
/// air. Level L: a sample is the mean solid occupancy of its block of (1 << L)^3 cells, halves rounded up.
/// The material is the one with the most votes (MaterialVote), the lower id of equal ones. A solid sample
/// without any exposed cell has no part in what is seen, but it touches the surface all the same: it takes
/// the vote of the exposed cells in those of its six neighbours that are not solid (a thin layer on top of it
/// may lie wholly in the block above), else of those in any of its 26 neighbours, where there are some. For
/// this only cells of the same block count as what exposes a cell. Materials are only given to samples of
/// cubes that hold both solid and other samples; all others are air, as are those of the outermost layer,
/// which no cube touches.
///
/// A sample's value and material depend on the cells alone, never on the chunk that asks, and on nothing
/// farther than voxel::meshReach(level) cells from the chunk.
///
/// `water` is the same of the water occupancy.
///
/// Returns what the samples from 0 to size say: those are all that an edge owned by the chunk touches.
/// Where it is not Mixed, `samples` and `materials` may be left as they were; `water` never is. Uniform and
/// absent chunks are recognised without reading a cell.
///
/// Threads: any. Allocates nothing. Source: spec rows V13 and V15.
FieldContent samplePaddedField(const voxel::GridSnapshot& grid, voxel::ChunkCoord chunk, int level,
                               std::span<std::uint8_t> samples, std::span<voxel::MaterialId> materials = {},
                               std::span<std::uint8_t> water = {}, const MaterialVote& vote = {});

/// False where the chunk's surface is known to be empty at every level from the kinds of chunks alone: it
/// and the three neighbours that its edges reach into (+x, +y, +z) are uniform, and all solid or none.
bool mayOwnSurface(const voxel::GridSnapshot& grid, voxel::ChunkCoord chunk);

/// All chunks that may own a surface: of the written chunks and of those whose edges reach into a written one
/// (V13), the ones of which mayOwnSurface() is true. In the order of ChunkCoord.
std::vector<voxel::ChunkCoord> meshCandidates(const voxel::GridSnapshot& grid);

}  // namespace karst::voxel_mesh
