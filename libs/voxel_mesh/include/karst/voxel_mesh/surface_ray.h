#pragma once

#include <karst/base/ray.h>
#include <karst/voxel/grid_changes.h>
#include <karst/voxel/grid_snapshot.h>
#include <karst/voxel_mesh/chunk_surface.h>

#include <cstdint>
#include <limits>
#include <memory>

namespace karst::voxel_mesh {

enum class SurfaceRayStatus : std::uint8_t {
    Miss,
    Hit,
    InvalidRay,  ///< the direction is zero, or a number of the ray is not finite, or maxT is NaN or negative
};

struct SurfaceRayOptions {
    double maxT = std::numeric_limits<double>::infinity();
    /// Also hit triangles from within the solid.
    bool backFaces = true;
};

struct SurfaceRayHit {
    SurfaceRayStatus status = SurfaceRayStatus::Miss;
    bool backFace = false;           ///< the ray met the triangle from within the solid
    voxel::MaterialId material = 0;  ///< with the largest weight at the point, the lower id of equal ones
    voxel::ChunkCoord chunk;         ///< that owns the triangle
    std::uint32_t triangle = 0;      ///< its first index in the chunk's SurfaceMesh, divided by 3
    double t = 0;                    ///< in lengths of the ray's direction
    WorldPosition position;
    Vec3f normal{0, 1, 0};  ///< of the flat triangle, length 1, out of the solid

    bool hit() const { return status == SurfaceRayStatus::Hit; }
};

/// Casts rays, in world units, against the full-detail surface of a snapshot: exactly the triangles that
/// ChunkMesher makes at level 0. The surfaces are made as rays come near them, and kept.
///
/// A ray cannot slip between two triangles of the surface, also where it is aimed at an edge or a vertex: the
/// corners are moved into the ray's own frame, each by itself and so alike for all triangles that share it,
/// and whether the ray passes an edge left or right is then told for both its triangles by the same figures.
/// A ray along a triangle's own plane does not meet that triangle, only the ones beside it.
///
/// Threads: cast() and surface() from any, at once. build() from one at a time beside these. update() and the
/// destructor alone.
/// Source: the triangle test is Woop, Benthin, Wald: Watertight Ray/Triangle Intersection (2013), in doubles;
/// the walk through chunks and cubes is Amanatides, Woo: A Fast Voxel Traversal Algorithm (1987).
class SurfaceRayCaster {
  public:
    explicit SurfaceRayCaster(voxel::GridSnapshot grid, const SurfaceOptions& options = {},
                              Allocator& allocator = heapAllocator());
    SurfaceRayCaster(SurfaceRayCaster&&) noexcept;
    SurfaceRayCaster& operator=(SurfaceRayCaster&&) noexcept;
    ~SurfaceRayCaster();

    const voxel::GridSnapshot& grid() const;

    /// The nearest hit with t in 0..maxT.
    SurfaceRayHit cast(const Ray& ray, const SurfaceRayOptions& options = {}) const;

    /// The surface of a chunk, made if need be; valid until update().
    const SurfaceMesh& surface(voxel::ChunkCoord chunk) const;

    /// Makes all surfaces that are missing.
    void build(JobSystem& jobs) const;

    /// Goes on to a later snapshot of the same grid. `changes` are those since grid()'s revision; surfaces
    /// that they cannot reach are kept, all are dropped for a full refresh.
    void update(voxel::GridSnapshot grid, const voxel::GridChanges& changes);

  private:
    struct State;
    std::unique_ptr<State> m_state;
};

}  // namespace karst::voxel_mesh
