#pragma once

#include <karst/base/allocator.h>
#include <karst/voxel/grid_snapshot.h>
#include <karst/voxel_mesh/collision_surface.h>
#include <karst/voxel_mesh/padded_field.h>

#include <memory>

namespace karst::voxel_mesh {

struct CollisionOptions {
    /// Edges where the ground bends outwards by less than this are not active, radians, 0 to pi.
    double activeEdgeAngle = 0.0873;
    /// Reduce flat patches to fans. Without it every quad stays two triangles.
    bool reduceFlats = true;
};

/// Makes the collision surfaces of chunks: the full-detail extraction (surface_nets.h), in which
/// - rectangles of at least 3 x 2 regular quads in one plane, square to an axis to within 2^-14 cell, become
/// a fan from a vertex in their
///   middle to each vertex of their rim: the rim stays as it is, so no T-junction arises, and all vertices
///   are ones of the full surface;
/// - each edge knows the triangle beyond it, also where that is a neighbouring chunk's, and is marked active
/// where a body could catch
///   on it. Both chunks come to the same answer.
/// Holds scratch memory; one per thread. Source: spec rows V24 to V26.
class CollisionBuilder {
  public:
    explicit CollisionBuilder(const CollisionOptions& options = {}, Allocator& allocator = heapAllocator());
    ~CollisionBuilder();

    /// Null where the chunk owns no surface.
    CollisionSurfacePtr build(const voxel::GridSnapshot& grid, voxel::ChunkCoord chunk);
    /// The same from the chunk's own field, of size 32 and padding 2.
    CollisionSurfacePtr build(const FieldView& field, voxel::ChunkCoord chunk);

  private:
    struct Scratch;
    CollisionOptions m_options;
    std::unique_ptr<Scratch> m_scratch;
};

}  // namespace karst::voxel_mesh
