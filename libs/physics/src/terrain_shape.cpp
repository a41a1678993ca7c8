#include <karst/physics/terrain_shape.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "terrain_shape_state.h"

namespace karst::physics {
namespace {

/// Slots of a lattice, or an error that names it.
Result<std::size_t> slotCount(const char* what, std::int64_t x, std::int64_t y, std::int64_t z) {
    if (x < 0 || y < 0 || z < 0) {
        return makeError(ErrorCode::InvalidArgument, "terrain shape: the last of the %s lie before the first",
                         what);
    }
    if (x == 0 || y == 0 || z == 0) return std::size_t{0};
    constexpr auto kMost = static_cast<std::int64_t>(kMaxSlots);
    if (x > kMost || y > kMost / x || z > kMost / (x * y)) {
        return makeError(ErrorCode::TooLarge,
                         "terrain shape: a lattice of %lld x %lld x %lld %s, at most %lld in all",
                         static_cast<long long>(x), static_cast<long long>(y), static_cast<long long>(z),
                         what, static_cast<long long>(kMost));
    }
    return static_cast<std::size_t>(x * y * z);
}

DirtyBox boxOf(Vec3f a, Vec3f b) {
    return {{std::min(a.x, b.x), std::min(a.y, b.y), std::min(a.z, b.z)},
            {std::max(a.x, b.x), std::max(a.y, b.y), std::max(a.z, b.z)}};
}

}  // namespace

TerrainShape::State::State(const TerrainShapeDefinition& def, std::size_t chunkSlots, std::size_t tileSlots)
    : definition(def), chunks(chunkSlots, epochs), chunkBounds(chunkSlots), tiles(tileSlots, epochs) {
    voxelBase = def.voxels.origin - def.origin;
    heightBase = def.heightOrigin - def.origin + Vec3d{def.heights.originX, 0, def.heights.originZ};
    strideX = def.heights.strideX(def.heightLevel);
    strideZ = def.heights.strideZ(def.heightLevel);
    tileCells = static_cast<int>(def.heights.tileCells);
    activeCosine = std::cos(def.activeEdgeAngle);
}

voxel::ChunkCoord TerrainShape::State::chunkAt(std::size_t slot) const {
    const auto index = static_cast<std::int64_t>(slot);
    return {static_cast<std::int32_t>(definition.minChunk.x + index % chunksX()),
            static_cast<std::int32_t>(definition.minChunk.y + index / (chunksX() * chunksZ())),
            static_cast<std::int32_t>(definition.minChunk.z + index / chunksX() % chunksZ())};
}

TerrainShape::TerrainShape(std::unique_ptr<State> state) : m_state(std::move(state)) {}
TerrainShape::~TerrainShape() = default;

Result<std::shared_ptr<TerrainShape>> TerrainShape::create(const TerrainShapeDefinition& definition) {
    if (!isFinite(definition.origin) || !isFinite(definition.voxels.origin) ||
        !isFinite(definition.heightOrigin)) {
        return makeError(ErrorCode::InvalidArgument, "terrain shape: an origin is not finite");
    }
    if (!std::isfinite(definition.voxels.cellSize) || definition.voxels.cellSize <= 0) {
        return makeError(ErrorCode::InvalidArgument, "terrain shape: a cell size of %g, expected one above 0",
                         definition.voxels.cellSize);
    }
    if (!(definition.activeEdgeAngle >= 0 && definition.activeEdgeAngle <= 3.2)) {
        return makeError(ErrorCode::InvalidArgument,
                         "terrain shape: an active edge angle of %g, expected 0 to pi radians",
                         definition.activeEdgeAngle);
    }
    const voxel::ChunkCoord &low = definition.minChunk, &high = definition.maxChunk;
    constexpr std::int32_t kChunkLimit = voxel::kCellLimit / voxel::kChunkSize;
    for (const std::int32_t c : {low.x, low.y, low.z, high.x, high.y, high.z}) {
        if (c < -kChunkLimit || c > kChunkLimit) {
            return makeError(ErrorCode::InvalidArgument,
                             "terrain shape: chunk coordinate %d, expected -%d to %d", c, kChunkLimit,
                             kChunkLimit);
        }
    }
    const auto chunkSlots = slotCount("chunks", std::int64_t{high.x} - low.x, std::int64_t{high.y} - low.y,
                                      std::int64_t{high.z} - low.z);
    if (!chunkSlots) return chunkSlots.error();
    const auto tileSlots = slotCount("tiles", std::int64_t{definition.maxTileX} - definition.minTileX, 1,
                                     std::int64_t{definition.maxTileZ} - definition.minTileZ);
    if (!tileSlots) return tileSlots.error();
    if (*tileSlots > 0) {
        if (const auto valid = validate(definition.heights); !valid) return valid.error();
        const std::int32_t level = definition.heightLevel;
        const auto finest = -static_cast<std::int32_t>(heightfield::TileLayout::kMaxDetailLevels);
        if (level < finest || level > definition.heights.rootLevel()) {
            return makeError(ErrorCode::InvalidArgument, "terrain shape: height level %d, expected %d to %d",
                             level, finest, definition.heights.rootLevel());
        }
        if (definition.maxTileX > definition.heights.tilesX(level) ||
            definition.maxTileZ > definition.heights.tilesZ(level)) {
            return makeError(ErrorCode::InvalidArgument,
                             "terrain shape: tiles up to (%u, %u), level %d has %u x %u", definition.maxTileX,
                             definition.maxTileZ, level, definition.heights.tilesX(level),
                             definition.heights.tilesZ(level));
        }
    }
    return std::shared_ptr<TerrainShape>(
        new TerrainShape(std::make_unique<State>(definition, *chunkSlots, *tileSlots)));
}

const TerrainShapeDefinition& TerrainShape::definition() const {
    return m_state->definition;
}

Result<void> TerrainShape::setChunk(voxel::ChunkCoord chunk, voxel_mesh::CollisionSurfacePtr surface) {
    State& state = *m_state;
    if (!state.hasChunk(chunk)) {
        return makeError(ErrorCode::InvalidArgument, "terrain shape: chunk (%d, %d, %d) has no slot", chunk.x,
                         chunk.y, chunk.z);
    }
    if (surface && !(surface->chunk() == chunk)) {
        return makeError(ErrorCode::InvalidArgument,
                         "terrain shape: slot (%d, %d, %d) was given the surface of chunk (%d, %d, %d)",
                         chunk.x, chunk.y, chunk.z, surface->chunk().x, surface->chunk().y,
                         surface->chunk().z);
    }
    const std::size_t slot = state.chunkSlot(chunk);
    const voxel::ChunkCoord& low = state.definition.minChunk;
    const voxel_mesh::CollisionSurfacePtr old = state.chunks.owner(slot);
    if (old == surface) return {};
    for (const voxel_mesh::CollisionSurface* each : {old.get(), surface.get()}) {
        if (each == nullptr || each->triangles().empty()) continue;
        state.dirty.push_back(boxOf(state.chunkVertex(chunk, each->bounds().min),
                                    state.chunkVertex(chunk, each->bounds().max)));
    }
    const auto cells = [](std::int32_t at, std::int32_t first) {
        return (static_cast<double>(at) - first) * voxel::kChunkSize;
    };
    state.chunkBounds.set(slot, {cells(chunk.x, low.x), cells(chunk.y, low.y), cells(chunk.z, low.z)},
                          surface.get());
    state.chunks.set(slot, std::move(surface));
    return {};
}

voxel_mesh::CollisionSurfacePtr TerrainShape::chunk(voxel::ChunkCoord chunk) const {
    return m_state->hasChunk(chunk) ? m_state->chunks.owner(m_state->chunkSlot(chunk)) : nullptr;
}

Result<void> TerrainShape::setTile(std::uint32_t tileX, std::uint32_t tileZ, HeightColliderTilePtr tile) {
    State& state = *m_state;
    if (!state.hasTile(tileX, tileZ)) {
        return makeError(ErrorCode::InvalidArgument, "terrain shape: tile (%u, %u) has no slot", tileX,
                         tileZ);
    }
    const heightfield::TileKey expected{state.definition.heightLevel, tileX, tileZ};
    if (tile && (!(tile->tile()->key == expected) || tile->cells() != state.tileCells)) {
        const heightfield::TileKey& key = tile->tile()->key;
        return makeError(ErrorCode::InvalidArgument,
                         "terrain shape: slot (%u, %u) of level %d was given tile (%u, %u) of level %d",
                         tileX, tileZ, expected.level, key.x, key.z, key.level);
    }
    const std::size_t slot = state.tileSlot(tileX, tileZ);
    const HeightColliderTilePtr old = state.tiles.owner(slot);
    if (old == tile) return {};
    for (const HeightColliderTile* each : {old.get(), tile.get()}) {
        if (each == nullptr) continue;
        DirtyBox box =
            boxOf(state.tileVertex(*each, 0, 0), state.tileVertex(*each, each->cells(), each->cells()));
        box.min.y = static_cast<float>(state.heightBase.y + double{each->range().min});
        box.max.y = static_cast<float>(state.heightBase.y + double{each->range().max});
        state.dirty.push_back(box);
    }
    state.tiles.set(slot, std::move(tile));
    return {};
}

HeightColliderTilePtr TerrainShape::tile(std::uint32_t tileX, std::uint32_t tileZ) const {
    return m_state->hasTile(tileX, tileZ) ? m_state->tiles.owner(m_state->tileSlot(tileX, tileZ)) : nullptr;
}

std::vector<DirtyBox> TerrainShape::takeDirtyBoxes() {
    return std::exchange(m_state->dirty, {});
}

std::size_t TerrainShape::memoryBytes() const {
    const State& state = *m_state;
    std::size_t bytes = sizeof(State);
    for (std::size_t i = 0; i < state.chunks.size(); ++i)
        bytes += state.chunks.owner(i) ? state.chunks.owner(i)->memoryBytes() : 0;
    for (std::size_t i = 0; i < state.tiles.size(); ++i)
        bytes += state.tiles.owner(i) ? state.tiles.owner(i)->memoryBytes() : 0;
    return bytes + state.chunks.size() * sizeof(std::uint64_t) +
           (state.chunks.size() + state.tiles.size()) * 3 * sizeof(void*);
}

}  // namespace karst::physics
