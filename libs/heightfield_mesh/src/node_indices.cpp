#include <karst/base/assert.h>
#include <karst/heightfield_mesh/node_axes.h>
#include <karst/heightfield_mesh/node_writer.h>

namespace karst::heightfield {
namespace {

void writeRun(const NodePool& pool, const HeightRaster& raster, std::uint32_t run, std::uint32_t* out) {
    const NodeGrid& grid = pool.grid();
    const std::uint32_t slotIndex = pool.slotOrder()[run];
    const NodeKey key = pool.slot(slotIndex).key;
    const std::uint32_t quads = grid.quads();
    const std::uint32_t row = quads + 1;
    const std::uint32_t first = slotIndex * pool.verticesPerSlot();

    std::int32_t cellX[NodeGrid::kMaxNodeVerts], cellZ[NodeGrid::kMaxNodeVerts];
    const bool holes = raster.hasHoles();
    if (holes) readQuadCells(grid, key, cellX, cellZ);
    for (std::uint32_t j = 0; j < quads; ++j) {
        for (std::uint32_t i = 0; i < quads; ++i, out += 6) {
            const std::uint32_t v00 = first + j * row + i;
            if (holes && raster.isHole(cellX[i], cellZ[j])) {
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
