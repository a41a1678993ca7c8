#pragma once

#include <karst/base/job_system.h>
#include <karst/heightfield_lod/tile_selection.h>
#include <karst/heightfield_mesh/vertex_layout.h>

#include <cstdint>
#include <span>
#include <vector>

namespace karst::heightfield {

/// A selection of tiles as plain triangles in memory. For pictures, exports and tests; a renderer that draws
/// every frame instances one lattice and morphs on the GPU.
struct TileMesh {
    std::vector<std::uint32_t> vertices;  ///< layout.strideWords words each
    std::vector<std::uint32_t> indices;   ///< counter-clockwise seen from above; holes and padding left out
    std::uint32_t tiles = 0;
    std::uint64_t vertexCount = 0;
};

/// Writes the lattice that each node draws: vertices at its level's stride, at the heights of
/// sampleNodeHeight (spec row H16), split along the surface's diagonal; normals from the tile's own samples,
/// one to each side. Positions are local space less `origin`. Reuses the memory of `mesh`.
///
/// `nodes` is a selection of this surface and `layout` is valid (asserted). Runs over `jobs`; the bytes do
/// not depend on the number of workers.
void buildTileMesh(const Surface& surface, std::span<const TileNode> nodes, const VertexLayout& layout,
                   const Vec3d& origin, TileMesh& mesh, JobSystem& jobs);

}  // namespace karst::heightfield
