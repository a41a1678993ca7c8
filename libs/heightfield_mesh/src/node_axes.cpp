#include <karst/heightfield_mesh/node_axes.h>

#include <algorithm>
#include <cmath>

namespace karst::heightfield {
namespace {

struct RasterAxis {
    const LatticeAxis* lattice;
    int texels;
};

// The cell around a stop, with the texels held to the raster.
void locate(const RasterAxis& raster, double place, int i, NodeAxis& axis) {
    const LatticeAxis& lattice = *raster.lattice;
    const int stop = lattice.nearestStop(place);
    axis.position[i] = static_cast<float>(lattice.positionOfStop(stop));
    const double u = lattice.placeOfStop(stop) - 0.5;
    const double cell = std::floor(u);
    axis.texel0[i] = std::max(static_cast<std::int32_t>(cell), 0);
    axis.texel1[i] = std::min(static_cast<std::int32_t>(cell) + 1, raster.texels - 1);
    axis.fraction[i] = axis.texel0[i] == axis.texel1[i] ? 0.0 : u - cell;
}

float squared(double value) {
    return static_cast<float>(value * value);
}

// The cell in which the middle between two neighbouring vertices lies.
std::int32_t middleCell(const LatticeAxis& axis, double place, double nextPlace) {
    const double a = axis.placeOfStop(axis.nearestStop(place));
    const double b = axis.placeOfStop(axis.nearestStop(nextPlace));
    return static_cast<std::int32_t>(std::floor((a + b) * 0.5 - 0.5));
}

}  // namespace

void readNodeAxes(const NodePool& pool, const HeightRaster& raster, const NodeKey& key, NodeAxis& x,
                  NodeAxis& z) {
    const NodeGrid& grid = pool.grid();
    const WorldPosition camera = pool.camera();
    const double vertical = pool.cut().verticalDistanceSq(camera);
    const auto verts = static_cast<int>(grid.nodeVerts());
    for (int i = 0; i < verts; ++i) {
        const auto index = static_cast<std::uint32_t>(i);
        locate({&grid.axisX(), raster.columns()}, grid.placeX(key.depth, key.x, index), i, x);
        locate({&grid.axisZ(), raster.rows()}, grid.placeZ(key.depth, key.z, index), i, z);
        // Measured to the place, not to the stop: a stop may lie past the node's own square.
        x.distanceSq[i] = squared(grid.positionX(key.depth, key.x, index) - camera.x);
        const double dz = grid.positionZ(key.depth, key.z, index) - camera.z;
        z.distanceSq[i] = static_cast<float>(dz * dz + vertical);
    }
}

void readQuadCells(const NodeGrid& grid, const NodeKey& key, std::int32_t* x, std::int32_t* z) {
    for (std::uint32_t i = 0; i < grid.quads(); ++i) {
        x[i] =
            middleCell(grid.axisX(), grid.placeX(key.depth, key.x, i), grid.placeX(key.depth, key.x, i + 1));
        z[i] =
            middleCell(grid.axisZ(), grid.placeZ(key.depth, key.z, i), grid.placeZ(key.depth, key.z, i + 1));
    }
}

}  // namespace karst::heightfield
