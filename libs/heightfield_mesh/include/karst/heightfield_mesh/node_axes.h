#pragma once

#include <karst/heightfield_mesh/node_pool.h>

#include <cstdint>

namespace karst::heightfield {

/// Where a node's vertices stand along one axis, by vertex index: all of a node that is computed in f64 from
/// whole indices. A writer of vertices, on the CPU or a GPU, needs these, the slot's morph bands and the
/// raster's heights.
struct NodeAxis {
    static constexpr int kMost = static_cast<int>(NodeGrid::kMaxNodeVerts);

    alignas(32) float position[kMost];    ///< of the stop, world units
    alignas(32) float distanceSq[kMost];  ///< from the camera to the place, along this axis
    std::int32_t texel0[kMost];           ///< texels of the cell around the stop, held to the raster
    std::int32_t texel1[kMost];
    double
        fraction[kMost];  ///< across that cell; not 0 only on edges of a drawn rect that cuts through cells
};

/// Fills the first nodeVerts entries of both axes; the camera's vertical distance is part of z.distanceSq.
void readNodeAxes(const NodePool& pool, const HeightRaster& raster, const NodeKey& key, NodeAxis& x,
                  NodeAxis& z);

/// For each of a node's quads along an axis, the cell of the raster that its middle lies in: quads() numbers
/// each. A quad (i, j) is left out where (x[i], z[j]) is a hole (spec row N8).
void readQuadCells(const NodeGrid& grid, const NodeKey& key, std::int32_t* x, std::int32_t* z);

}  // namespace karst::heightfield
