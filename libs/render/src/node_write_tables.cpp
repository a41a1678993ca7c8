#include "node_write_tables.h"

#include <karst/base/assert.h>
#include <karst/heightfield_mesh/node_axes.h>

#include <algorithm>

namespace karst::render {

using heightfield::MorphBand;
using heightfield::NodeAxis;
using heightfield::NodeGrid;
using heightfield::NodePool;

namespace {

constexpr std::uint32_t kHeaderWords = 8, kAxisRows = 5;
constexpr std::uint32_t kSliding = 16;

std::uint32_t* putBand(const MorphBand& band, std::uint32_t* out) {
    *out++ = bitCast<std::uint32_t>(band.startSq);
    *out++ = bitCast<std::uint32_t>(band.scale);
    return out;
}

std::uint32_t* putAxis(const NodeAxis& axis, std::uint32_t verts, std::uint32_t* out) {
    for (std::uint32_t i = 0; i < verts; ++i)
        *out++ = bitCast<std::uint32_t>(axis.position[i]);
    for (std::uint32_t i = 0; i < verts; ++i)
        *out++ = bitCast<std::uint32_t>(axis.distanceSq[i]);
    out = std::copy_n(axis.texel0, verts, out);
    out = std::copy_n(axis.texel1, verts, out);
    for (std::uint32_t i = 0; i < verts; ++i)
        *out++ = bitCast<std::uint32_t>(static_cast<float>(axis.fraction[i]));
    return out;
}

}  // namespace

NodeWriteTables::NodeWriteTables(std::uint32_t nodeVerts)
    : vertexWords(kHeaderWords + 2 * kAxisRows * nodeVerts), indexWords(2 + 2 * (nodeVerts - 1)) {}

void NodeWriteTables::writeVertexTable(const NodePool& pool, const heightfield::HeightRaster& raster,
                                       std::uint32_t slotIndex, std::uint32_t* out) const {
    const NodePool::Slot& slot = pool.slot(slotIndex);
    NodeAxis x, z;
    readNodeAxes(pool, raster, slot.key, x, z);
    std::uint32_t* const end = out + vertexWords;
    *out++ = slotIndex;
    *out++ = slot.coarserEdges | (slot.sliding ? kSliding : 0u);
    out = putBand(pool.cut().morphBand(slot.key.depth), out);
    out = putBand(pool.cut().morphBand(slot.key.depth > 0 ? slot.key.depth - 1 : 0), out);
    *out++ = 0;
    *out++ = 0;
    const std::uint32_t verts = pool.grid().nodeVerts();
    out = putAxis(x, verts, out);
    out = putAxis(z, verts, out);
    KARST_ASSERT(out == end);
    static_cast<void>(end);
}

void NodeWriteTables::writeIndexTable(const NodePool& pool, bool holes, std::uint32_t run,
                                      std::uint32_t* out) const {
    const std::uint32_t slot = pool.slotOrder()[run], quads = pool.grid().quads();
    *out++ = run;
    *out++ = slot;
    if (!holes) {
        std::fill_n(out, 2 * quads, 0u);
        return;
    }
    std::int32_t x[NodeGrid::kMaxNodeVerts], z[NodeGrid::kMaxNodeVerts];
    readQuadCells(pool.grid(), pool.slot(slot).key, x, z);
    out = std::copy_n(x, quads, out);
    std::copy_n(z, quads, out);
}

}  // namespace karst::render
