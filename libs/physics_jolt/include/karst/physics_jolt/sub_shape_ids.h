#pragma once

#include <Jolt/Jolt.h>

#include <Jolt/Physics/Collision/Shape/SubShapeID.h>
#include <karst/physics/terrain_shape.h>

#include <cstdint>

namespace karst::physics_jolt {

static_assert(JPH_VERSION_MAJOR >= 5, "physics_jolt is made for Jolt 5");

/// Between Karst's names of triangles (64 bits) and Jolt's sub shape ids (32 bits for a whole path of
/// shapes): first the slot, chunks before tiles, in just as many bits as the shape's lattice has slots for,
/// then the triangle in it. Both widths are those of the shape's definition and stay the same whatever is in
/// the slots.
class SubShapeIds {
  public:
    SubShapeIds() = default;
    explicit SubShapeIds(const physics::TerrainShapeDefinition& definition) {
        const auto span = [](auto first, auto last) {
            return static_cast<std::uint64_t>(std::int64_t{last} - std::int64_t{first});
        };
        const voxel::ChunkCoord &low = definition.minChunk, &high = definition.maxChunk;
        m_chunkSlots = span(low.x, high.x) * span(low.y, high.y) * span(low.z, high.z);
        const std::uint64_t tileSlots =
            span(definition.minTileX, definition.maxTileX) * span(definition.minTileZ, definition.maxTileZ);
        // A chunk's surface has at most two triangles for each edge between samples.
        std::uint64_t triangles = m_chunkSlots > 0 ? 2 * 3 * std::uint64_t{voxel::kChunkCellCount} : 1;
        const std::uint64_t tileTriangles =
            tileSlots > 0 ? 2 * std::uint64_t{definition.heights.tileCells} * definition.heights.tileCells
                          : 1;
        if (tileTriangles > triangles) triangles = tileTriangles;
        m_slotBits = bitsFor(m_chunkSlots + tileSlots);
        m_triangleBits = bitsFor(triangles);
    }

    /// At most 32 for a shape that stands alone; what is left is for shapes around it.
    JPH::uint bits() const { return m_slotBits + m_triangleBits; }

    JPH::SubShapeID push(physics::TriangleId id, const JPH::SubShapeIDCreator& creator) const {
        const std::uint64_t slot = (id.value >> 32 & 0x3fffffffu) + (id.value >> 62 == 0 ? 0 : m_chunkSlots);
        return creator.PushID(static_cast<JPH::uint>(slot), m_slotBits)
            .PushID(static_cast<JPH::uint>(id.value & 0xffffffffu), m_triangleBits)
            .GetID();
    }
    physics::TriangleId pop(const JPH::SubShapeID& id) const {
        JPH::SubShapeID rest;
        std::uint64_t slot = id.PopID(m_slotBits, rest);
        const std::uint64_t triangle = rest.PopID(m_triangleBits, rest);
        const bool isTile = slot >= m_chunkSlots;
        if (isTile) slot -= m_chunkSlots;
        return {std::uint64_t{isTile} << 62 | slot << 32 | triangle};
    }

  private:
    /// To tell `count` things apart.
    static JPH::uint bitsFor(std::uint64_t count) {
        JPH::uint bits = 0;
        while (count > std::uint64_t{1} << bits)
            ++bits;
        return bits;
    }

    std::uint64_t m_chunkSlots = 0;
    JPH::uint m_slotBits = 0, m_triangleBits = 0;
};

}  // namespace karst::physics_jolt
