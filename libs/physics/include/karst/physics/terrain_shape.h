#pragma once

#include <karst/base/bounds.h>
#include <karst/base/function_ref.h>
#include <karst/base/ray.h>
#include <karst/base/result.h>
#include <karst/heightfield/tile_layout.h>
#include <karst/physics/height_collider_tile.h>
#include <karst/voxel/grid_snapshot.h>
#include <karst/voxel_mesh/collision_surface.h>

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace karst::physics {

/// Names a triangle of a terrain shape for as long as the slot that holds it is not replaced: bits 63..62 the
/// kind of ground (0 voxel, 1 height), 61..32 the slot of the lattice, 31..0 the triangle within it.
struct TriangleId {
    std::uint64_t value = ~std::uint64_t{0};
    bool operator==(const TriangleId&) const = default;
};

/// A triangle as a physics engine wants it, counter-clockwise seen from the air.
struct TerrainTriangle {
    /// Relative to the shape's origin, rounded to float from exact sums: a vertex that two chunks or tiles
    /// share is the same bits.
    std::array<Vec3f, 3> vertices;
    TriangleId id;
    /// Bit i: the edge from vertex i to (i + 1) % 3 is one that a body may catch on.
    std::uint8_t activeEdges = 0;
};

struct TerrainRayHit {
    double t = 0;  ///< in lengths of the ray's direction
    Vec3f normal;  ///< of the triangle, length 1, towards the air
    TriangleId id;
};

/// What the ground's shape became since the last call: boxes in shape space around the old and new surface of
/// what was replaced. Bodies asleep in them must be woken.
struct DirtyBox {
    Vec3f min, max;
};

struct TerrainShapeDefinition {
    /// World position of the shape's own (0, 0, 0): the static body stands there. Keep it within some
    /// kilometres of the bodies.
    WorldPosition origin{};
    /// Placement of the voxel ground, and the chunks min <= c < max that the lattice has slots for; may be
    /// empty.
    voxel::GridPlacement voxels;
    voxel::ChunkCoord minChunk, maxChunk;
    /// The height ground: its layout, the level whose tiles collide, the world position of the terrain's
    /// local zero, and the tiles min <= t < max of that level that the lattice has slots for; may be none.
    heightfield::TileLayout heights;
    std::int32_t heightLevel = 0;
    WorldPosition heightOrigin{};
    std::uint32_t minTileX = 0, minTileZ = 0, maxTileX = 0, maxTileZ = 0;
    /// Edges where the ground bends outwards by less than this are not active, radians.
    double activeEdgeAngle = 0.0873;
};

/// The ground as one shape of one static body, for any physics engine: a lattice of slots, one for each chunk
/// and each height tile, that answers "which triangles touch this box" and "where does this ray hit" straight
/// from the shared surfaces. Nothing is built when a slot is replaced.
/// Threads: setChunk, setTile, takeDirtyBoxes and the getters of slots by one thread at a time;
/// trianglesInBox, castRay, castRays and triangle from any thread meanwhile, each slot being read either as
/// it was or as it is, and kept alive while a query is in it.
class TerrainShape {
  public:
    static Result<std::shared_ptr<TerrainShape>> create(const TerrainShapeDefinition& definition);
    ~TerrainShape();

    const TerrainShapeDefinition& definition() const;

    /// Puts another surface into a slot; null empties it. The same pointer again changes nothing.
    /// InvalidArgument for a coordinate outside of the lattice.
    Result<void> setChunk(voxel::ChunkCoord chunk, voxel_mesh::CollisionSurfacePtr surface);
    voxel_mesh::CollisionSurfacePtr chunk(voxel::ChunkCoord chunk) const;
    Result<void> setTile(std::uint32_t tileX, std::uint32_t tileZ, HeightColliderTilePtr tile);
    HeightColliderTilePtr tile(std::uint32_t tileX, std::uint32_t tileZ) const;

    /// Boxes since the last call.
    std::vector<DirtyBox> takeDirtyBoxes();

    /// Each triangle whose bounding box meets the closed box (shape space), once, in the order of their ids.
    void trianglesInBox(Vec3f min, Vec3f max, FunctionRef<void(const TerrainTriangle&)> visit) const;
    /// The first triangle that the ray (shape space) meets from either side, 0 <= t <= maxT.
    std::optional<TerrainRayHit> castRay(const Ray& ray,
                                         double maxT = std::numeric_limits<double>::infinity()) const;
    /// The same for each of many, `hits` of as many, to the bit. Those that come to the ground near each
    /// other are cast after each other, so that what one looked at is still in the cache for the next.
    void castRays(std::span<const Ray> rays, std::span<std::optional<TerrainRayHit>> hits,
                  double maxT = std::numeric_limits<double>::infinity()) const;
    /// The triangle, where its slot still has it.
    std::optional<TerrainTriangle> triangle(TriangleId id) const;
    /// Around all filled slots, in shape space; empty where there are none. For the thread that sets slots.
    Bounds bounds() const;
    /// Of the shape and of the surfaces in it, without the height tiles' samples.
    std::size_t memoryBytes() const;

    struct State;

  private:
    explicit TerrainShape(std::unique_ptr<State> state);
    std::unique_ptr<State> m_state;
};

}  // namespace karst::physics
