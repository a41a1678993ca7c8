#pragma once

#include <karst/voxel_mesh/surface_vertex.h>

#include <cstddef>

namespace karst::voxel_mesh {

struct SkirtOptions {
    /// How far a skirt reaches below the surface, in samples of the mesh's level: at 1 a level-1 skirt is two
    /// cells deep.
    float depth = 1.5f;
};

/// Appends a skirt to a surface: a strip along each edge that only one triangle has, which leads from the
/// edge into the solid, against the vertices' normals. It hides the crack where a neighbour of another level
/// does not meet the edge. The strip faces away from its triangle; its vertices carry the materials and
/// normals of the edge, so that it looks like the ground. Indices and vertices that were there stay in place,
/// so a picking copy is what lies before the returned index count. Decoration only: never for colliders.
/// Surfaces of level 0 get none: a coarser neighbour's skirt hides their crack. Returns the number of indices
/// before the skirt. Any thread. Source: spec row V19.
std::size_t appendSkirt(SurfaceMesh& mesh, const SkirtOptions& options = {});

}  // namespace karst::voxel_mesh
