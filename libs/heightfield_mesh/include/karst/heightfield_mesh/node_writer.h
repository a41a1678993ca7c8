#pragma once

#include <karst/base/job_system.h>
#include <karst/heightfield_mesh/node_pool.h>
#include <karst/heightfield_mesh/vertex_layout.h>

#include <cstdint>
#include <span>

namespace karst::heightfield {

/// Writes the vertices of the given slots (NodePoolUpdate::remeshedSlots) into `vertices`, the memory of the
/// whole pool: pool.vertexCapacity() vertices of layout.strideWords words; slot s begins at vertex s *
/// pool.verticesPerSlot(), its vertices row by row along X. Positions are world space.
///
/// A vertex stands on the stop of the lattice nearest to its place (spec rows N5, N6); its height is the
/// surface's there (N4) and its normal the blend of the gradients of the four texels around it (N7). Vertices
/// of an edge toward a coarser node lie on that node's edge (N9); far vertices slide to where the coarser
/// level has them (N10).
///
/// The raster must be the one of the pool's last update, the layout valid, the memory large enough
/// (asserted). Runs over `jobs`, one slot or more a job; the bytes do not depend on the number of workers.
/// Allocates nothing.
void writeNodeVertices(const NodePool& pool, const HeightRaster& raster, const VertexLayout& layout,
                       std::span<const std::uint32_t> slots, std::span<std::uint32_t> vertices,
                       JobSystem& jobs);

/// Writes the triangles of the given runs (NodePoolUpdate::rewrittenRuns) into `indices`, the memory of the
/// whole pool: pool.indexCapacity() numbers; run r begins at r * pool.indicesPerRun(). Two counter-clockwise
/// triangles a quad seen from above, split along the diagonal from the +Z corner to the +X corner. A quad
/// whose centre is a hole is six copies of one index (spec row N8), so every run has the same length.
///
/// Same conditions and thread rule as writeNodeVertices.
void writeNodeIndices(const NodePool& pool, const HeightRaster& raster, std::span<const std::uint32_t> runs,
                      std::span<std::uint32_t> indices, JobSystem& jobs);

}  // namespace karst::heightfield
