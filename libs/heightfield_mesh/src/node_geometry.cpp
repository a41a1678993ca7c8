#include "node_geometry.h"

#include <karst/heightfield/height_triangle.h>

namespace karst::heightfield {
namespace {

// On a texel's centre the fractions are 0, so the height is that texel's and the blended gradient is the
// difference to its two neighbours; the fourth texel has no weight. On a raster's edge the cell's texels are
// the same one twice across the edge, with the same outcome.
void readRow(const NodeAxis& axis, int verts, const float* row0, const float* row1, float perX, float perZ,
             float* height, float* gradientX, float* gradientZ) {
    for (int i = 0; i < verts; ++i) {
        const float h = row0[axis.texel0[i]];
        height[i] = h;
        gradientX[i] = (row0[axis.texel1[i]] - h) * perX;
        gradientZ[i] = (row1[axis.texel0[i]] - h) * perZ;
    }
}

// Anywhere in a cell: the edges of a drawn rect that cuts through cells.
void readWithin(double fx, double fz, float h00, float h10, float h01, float h11, float perX, float perZ,
                float& height, float& gradientX, float& gradientZ) {
    height = static_cast<float>(cellHeight<double>(h00, h10, h01, h11, fx, fz));
    const CellGradient<double> gradient = blendedGradient<double>(h00, h10, h01, h11, fx, fz);
    gradientX = static_cast<float>(gradient.x) * perX;
    gradientZ = static_cast<float>(gradient.z) * perZ;
}

}  // namespace

void NodeGeometry::read(const NodePool& pool, const HeightRaster& raster, const NodePool::Slot& slot) {
    const NodeKey key = slot.key;
    verts = static_cast<int>(pool.grid().nodeVerts());
    band = pool.cut().morphBand(key.depth);
    coarserBand = pool.cut().morphBand(key.depth > 0 ? key.depth - 1 : 0);
    readNodeAxes(pool, raster, key, x, z);

    const float* texels = raster.heights().data();
    const auto pitch = static_cast<std::size_t>(raster.columns());
    const auto perX = static_cast<float>(1.0 / raster.spacingX());
    const auto perZ = static_cast<float>(1.0 / raster.spacingZ());
    const bool cutsLowX = x.fraction[0] != 0;
    for (int j = 0; j < verts; ++j) {
        const float* row0 = texels + static_cast<std::size_t>(z.texel0[j]) * pitch;
        const float* row1 = texels + static_cast<std::size_t>(z.texel1[j]) * pitch;
        float* h = height + j * verts;
        float* gx = gradientX + j * verts;
        float* gz = gradientZ + j * verts;
        readRow(x, verts, row0, row1, perX, perZ, h, gx, gz);
        const auto within = [&](int i) {
            const std::int32_t t0 = x.texel0[i], t1 = x.texel1[i];
            readWithin(x.fraction[i], z.fraction[j], row0[t0], row0[t1], row1[t0], row1[t1], perX, perZ, h[i],
                       gx[i], gz[i]);
        };
        if (z.fraction[j] != 0) {
            for (int i = 0; i < verts; ++i)
                within(i);
        } else {
            // Only edges of the drawn rect stand off the texel centres: the first vertices, and the last.
            for (int i = 0; cutsLowX && i < verts && x.fraction[i] != 0; ++i)
                within(i);
            for (int i = verts; i-- > 0 && x.fraction[i] != 0;)
                within(i);
        }
    }
}

}  // namespace karst::heightfield
