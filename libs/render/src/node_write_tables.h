#pragma once

#include <karst/heightfield_mesh/node_pool.h>

#include <cstddef>
#include <cstdint>

namespace karst::render {

/// What the writers' shaders read for each node, in 32-bit words. For its vertices: the slot, the coarser
/// edges and whether it slides, two morph bands, then for X and for Z the nodeVerts positions, squared
/// distances, lower texels, upper texels and fractions. For its index run: the run, the slot, and the cells
/// of quads along X and Z.
struct NodeWriteTables {
    explicit NodeWriteTables(std::uint32_t nodeVerts);

    std::uint32_t vertexWords, indexWords;  ///< of one node

    void writeVertexTable(const heightfield::NodePool& pool, const heightfield::HeightRaster& raster,
                          std::uint32_t slot, std::uint32_t* out) const;
    void writeIndexTable(const heightfield::NodePool& pool, bool holes, std::uint32_t run,
                         std::uint32_t* out) const;
};

}  // namespace karst::render
