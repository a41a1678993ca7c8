#pragma once

#include <karst/heightfield_mesh/node_axes.h>

#include <cstdint>

namespace karst::heightfield {

/// A node's vertices before they slide or are stitched: where they stand, how high, how steep. Lives on the
/// stack of the job that writes the node.
struct NodeGeometry {
    static constexpr int kMost = NodeAxis::kMost;

    void read(const NodePool& pool, const HeightRaster& raster, const NodePool::Slot& slot);

    const float* heightRow(int j) const { return height + j * verts; }
    const float* gradientXRow(int j) const { return gradientX + j * verts; }
    const float* gradientZRow(int j) const { return gradientZ + j * verts; }

    int verts = 0;
    MorphBand band, coarserBand;
    NodeAxis x, z;  ///< the camera's vertical distance is part of z.distanceSq
    alignas(32) float height[kMost * kMost];
    alignas(32) float gradientX[kMost * kMost];
    alignas(32) float gradientZ[kMost * kMost];
};

}  // namespace karst::heightfield
