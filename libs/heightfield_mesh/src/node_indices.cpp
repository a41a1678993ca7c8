#include <karst/base/assert.h>
#include <karst/heightfield_mesh/node_writer.h>

#include <cmath>

namespace karst::heightfield {
namespace {

// The cell in which the middle between two neighbouring vertices lies.
int middleCell(const LatticeAxis& axis, double place, double nextPlace) {
    const double a = axis.placeOfStop(axis.nearestStop(place));
    const double b = axis.placeOfStop(axis.nearestStop(nextPlace));
    return static_cast<int>(std::floor((a + b) * 0.5 - 0.5));
}

void writeRun(const NodePool& pool, const HeightRaster& raster, std::uint32_t run, std::uint32_t* out) {
    const NodeGrid& grid = pool.grid();
    const std::uint32_t slotIndex = pool.slotOrder()[run];
    const NodeKey key = pool.slot(slotIndex).key;
    const std::uint32_t quads = grid.quads();
    const std::uint32_t row = quads + 1;
    const std::uint32_t first = slotIndex * pool.verticesPerSlot();

    int cellX[NodeGrid::kMaxNodeVerts];
    if (raster.hasHoles()) {
        for (std::uint32_t i = 0; i < quads; ++i) {
            cellX[i] = middleCell(grid.axisX(), grid.placeX(key.depth, key.x, i),
                                  grid.placeX(key.depth, key.x, i + 1));
        }
    }
    for (std::uint32_t j = 0; j < quads; ++j) {
        int cellZ = 0;
        if (raster.hasHoles()) {
            cellZ = middleCell(grid.axisZ(), grid.placeZ(key.depth, key.z, j),
                               grid.placeZ(key.depth, key.z, j + 1));
        }
        for (std::uint32_t i = 0; i < quads; ++i, out += 6) {
            const std::uint32_t v00 = first + j * row + i;
            if (raster.hasHoles() && raster.isHole(cellX[i], cellZ)) {
                for (int k = 0; k < 6; ++k)
                    out[k] = v00;
                continue;
            }
            out[0] = v00;
            out[1] = v00 + row;
            out[2] = v00 + 1;
            out[3] = v00 + row + 1;
            out[4] = v00 + 1;
            out[5] = v00 + row;
        }
    }
}

}  // namespace

void writeNodeIndices(const NodePool& pool, const HeightRaster& raster, std::span<const std::uint32_t> runs,
                      std::span<std::uint32_t> indices, JobSystem& jobs) {
    KARST_ASSERT(indices.size() >= pool.indexCapacity());
    constexpr std::size_t kGrain = 4;
    jobs.parallelFor(runs.size(), kGrain, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            writeRun(pool, raster, runs[i], indices.data() + std::size_t{runs[i]} * pool.indicesPerRun());
        }
    });
}

}  // namespace karst::heightfield
