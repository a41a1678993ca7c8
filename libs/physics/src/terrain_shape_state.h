#pragma once

#include <karst/physics/terrain_shape.h>

#include "epochs.h"
#include "slot_bounds.h"

namespace karst::physics {

inline constexpr unsigned kKindShift = 62, kSlotShift = 32;
inline constexpr std::uint64_t kVoxelKind = 0, kHeightKind = 1;
inline constexpr std::uint64_t kMaxSlots = std::uint64_t{1} << 30;

inline TriangleId makeTriangleId(std::uint64_t kind, std::size_t slot, std::uint32_t triangle) {
    return {kind << kKindShift | static_cast<std::uint64_t>(slot) << kSlotShift | triangle};
}

struct TerrainShape::State {
    State(const TerrainShapeDefinition& def, std::size_t chunkSlots, std::size_t tileSlots);

    // The voxel lattice.
    std::int64_t chunksX() const { return std::int64_t{definition.maxChunk.x} - definition.minChunk.x; }
    std::int64_t chunksY() const { return std::int64_t{definition.maxChunk.y} - definition.minChunk.y; }
    std::int64_t chunksZ() const { return std::int64_t{definition.maxChunk.z} - definition.minChunk.z; }
    std::size_t chunkSlot(voxel::ChunkCoord c) const {
        return static_cast<std::size_t>((std::int64_t{c.x} - definition.minChunk.x) +
                                        chunksX() *
                                            ((std::int64_t{c.z} - definition.minChunk.z) +
                                             chunksZ() * (std::int64_t{c.y} - definition.minChunk.y)));
    }
    bool hasChunk(voxel::ChunkCoord c) const {
        const voxel::ChunkCoord &low = definition.minChunk, &high = definition.maxChunk;
        return c.x >= low.x && c.y >= low.y && c.z >= low.z && c.x < high.x && c.y < high.y && c.z < high.z;
    }
    voxel::ChunkCoord chunkAt(std::size_t slot) const;
    /// A vertex in shape space: exact in cells of the grid, then rounded, so that chunks agree about shared
    /// vertices.
    Vec3f chunkVertex(voxel::ChunkCoord chunk, Vec3f local) const {
        const auto along = [this](std::int32_t c, float l, double base) {
            return static_cast<float>(base + (static_cast<double>(c) * voxel::kChunkSize + double{l}) *
                                                 definition.voxels.cellSize);
        };
        return {along(chunk.x, local.x, voxelBase.x), along(chunk.y, local.y, voxelBase.y),
                along(chunk.z, local.z, voxelBase.z)};
    }

    // The height lattice.
    std::uint32_t tilesX() const { return definition.maxTileX - definition.minTileX; }
    std::uint32_t tilesZ() const { return definition.maxTileZ - definition.minTileZ; }
    bool hasTile(std::int64_t x, std::int64_t z) const {
        return x >= definition.minTileX && z >= definition.minTileZ && x < definition.maxTileX &&
               z < definition.maxTileZ;
    }
    std::size_t tileSlot(std::uint32_t x, std::uint32_t z) const {
        return std::size_t{z - definition.minTileZ} * tilesX() + (x - definition.minTileX);
    }
    /// A sample of the level's lattice, counted over the whole ground.
    double sampleX(std::int64_t x) const { return heightBase.x + static_cast<double>(x) * strideX; }
    double sampleZ(std::int64_t z) const { return heightBase.z + static_cast<double>(z) * strideZ; }
    /// In shape space, of tile-local sample (x, z).
    Vec3f tileVertex(const HeightColliderTile& tile, int x, int z) const {
        const heightfield::TileKey& key = tile.tile()->key;
        return {static_cast<float>(sampleX(std::int64_t{key.x} * tileCells + x)),
                static_cast<float>(heightBase.y + double{tile.height(x, z)}),
                static_cast<float>(sampleZ(std::int64_t{key.z} * tileCells + z))};
    }
    /// `cell` may be one beyond the tile on one axis: the neighbour answers.
    bool groundAt(const HeightColliderTile& tile, int x, int z) const;
    TerrainTriangle tileTriangle(const HeightColliderTile& tile, std::size_t slot, int x, int z,
                                 bool lower) const;
    TerrainTriangle chunkTriangle(const voxel_mesh::CollisionSurface& surface, std::size_t slot,
                                  std::uint32_t triangle) const;

    TerrainShapeDefinition definition;
    Vec3d voxelBase, heightBase;  ///< corner of cell (0, 0, 0), and sample (0, 0), in shape space
    double strideX = 1, strideZ = 1;
    int tileCells = 64;
    double activeCosine = 1;
    Epochs epochs;
    SlotTable<voxel_mesh::CollisionSurface> chunks;
    SlotBounds chunkBounds;
    SlotTable<HeightColliderTile> tiles;
    std::vector<DirtyBox> dirty;
};

}  // namespace karst::physics
