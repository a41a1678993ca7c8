#pragma once

#include <karst/base/result.h>
#include <karst/voxel/cell.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace karst::voxel {

/// One filled cell of a MagicaVoxel model, in the model's own axes: Z is up, and X, Y, Z each below 256.
struct MagicaVoxelCell {
    std::uint8_t x = 0, y = 0, z = 0;
    std::uint8_t color = 0;  ///< into the palette; never 0
    bool operator==(const MagicaVoxelCell&) const = default;
};

struct MagicaVoxelModel {
    std::array<std::int32_t, 3> size{};  ///< cells along the file's x, y, z, each 1..256
    std::vector<MagicaVoxelCell> cells;
};

/// A model where the scene graph puts it: the file's axes, turned and moved.
struct MagicaVoxelInstance {
    std::uint32_t model = 0;
    /// A turn or mirroring that keeps cells cells: row r of the matrix has `sign[r]` in column `axis[r]`.
    std::array<std::uint8_t, 3> axis{0, 1, 2};
    std::array<std::int8_t, 3> sign{1, 1, 1};
    /// Where the corner at size / 2 (rounded down) of the model goes.
    std::array<std::int32_t, 3> translation{};

    bool operator==(const MagicaVoxelInstance&) const = default;
};

/// What a .vox file holds, as it stands there. Immutable by habit; readable from any thread.
struct MagicaVoxelScene {
    /// RGBA, 8 bits a channel, sRGB; a cell of colour i has palette[i], and palette[0] is of nothing.
    std::array<std::array<std::uint8_t, 4>, 256> palette{};
    std::vector<MagicaVoxelModel> models;
    /// In the order of the scene graph: where two fill one cell, the later wins.
    std::vector<MagicaVoxelInstance> instances;

    /// The cell of the grid's axes (X east, Y up, Z south: the file's x, z and -y) that a model's cell fills.
    CellCoord cellOf(const MagicaVoxelInstance& instance, const MagicaVoxelCell& cell) const;
    /// Around all instances' model boxes, filled or not; empty where there is no instance.
    CellBox bounds() const;
};

struct MagicaVoxelLimits {
    /// Of all instances' filled cells: a small file can place one model very often.
    std::uint64_t maxCells = 67'108'864;
    std::uint32_t maxInstances = 65'536;
    std::uint32_t maxDepth = 64;  ///< of the scene graph
    /// Instances are also taken from nodes and layers that the file hides.
    bool includeHidden = false;
};

/// Reads a .vox file: MAIN with SIZE, XYZI, RGBA, nTRN, nGRP, nSHP and LAYR; every other chunk is passed
/// over. Of what is animated, the first frame counts. A file without a scene graph places each model once,
/// its lowest corner in the file's origin; a file without RGBA has MagicaVoxel's own palette. `bytes` may be
/// hostile: an error names the chunk and its offset, and memory stays within a small multiple of the file's
/// size. Errors: CorruptData, TooLarge for what is over a limit, Unsupported for another file version.
/// Format: "MagicaVoxel-file-format-vox" and its extension for the scene graph, by ephtracy.
Result<MagicaVoxelScene> readMagicaVoxel(std::span<const std::byte> bytes,
                                         const MagicaVoxelLimits& limits = {});

}  // namespace karst::voxel
