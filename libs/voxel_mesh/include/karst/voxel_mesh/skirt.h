#pragma once

#include <karst/voxel_mesh/surface_vertex.h>

#include <cstddef>

namespace karst::voxel_mesh {

/// No skirt is longer: with half a sample of the coarsest level it stays within 16 cells of its chunk.
inline constexpr float kMaxSkirtCells = 11.5f;

struct SkirtOptions {
    /// How long a skirt is, in samples of the next coarser level: at 1 a level-0 skirt is two cells long. At
    /// most kMaxSkirtCells.
    float depth = 1.0f;
    /// How far a skirt leans out of its mesh, below the neighbour: parts of its depth below the surface.
    float lean = 0.25f;
    /// Whether level 0 has one too: a coarser neighbour may lie lower, and its skirt hides nothing then.
    bool finest = true;
};

/// Appends a skirt to a surface: a strip along each edge at the chunk's sides that only one triangle has,
/// which leads from the edge into the solid, against the vertices' normals and a little outwards. It hides
/// the crack where a neighbour of another level does not meet the edge: a mesh may end half a sample before
/// its neighbour begins, which a skirt straight down would not cover. Where the solid is thinner than two
/// skirts they are shorter, so that they do not stick out of its other side. The strip faces away from its
/// triangle; its vertices carry the materials and normals of the edge, so that it looks like the ground.
/// Indices and vertices that were there stay in place, so a picking copy is what lies before the returned
/// index count. Decoration only: never for colliders. Returns the number of indices before the skirt. Any
/// thread. Source: spec row V19.
std::size_t appendSkirt(SurfaceMesh& mesh, const SkirtOptions& options = {});

}  // namespace karst::voxel_mesh
