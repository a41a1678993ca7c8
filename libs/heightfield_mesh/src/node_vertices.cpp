#include <karst/base/assert.h>
#include <karst/heightfield/height_triangle.h>
#include <karst/heightfield_mesh/node_writer.h>

#include <algorithm>
#include <cmath>

#include "node_geometry.h"
#include "vertex_writer.h"

namespace karst::heightfield {
namespace {

constexpr int kMost = static_cast<int>(NodeGrid::kMaxNodeVerts);

// One row of finished vertices.
struct Row {
    alignas(32) float x[kMost];
    alignas(32) float y[kMost];
    alignas(32) float z[kMost];
    alignas(32) float gx[kMost];
    alignas(32) float gz[kMost];
};

// From a to b; exactly a at 0 and exactly b at 1, and no rounding where both are the same.
inline float slide(float a, float b, float weight) {
    return weight >= 1.0f ? b : a + weight * (b - a);
}

void restRow(const NodeGeometry& node, int j, Row& row) {
    const int verts = node.verts;
    const float* h = node.heightRow(j);
    const float* gx = node.gradientXRow(j);
    const float* gz = node.gradientZRow(j);
    const float z = node.z.position[j];
    for (int i = 0; i < verts; ++i)
        row.x[i] = node.x.position[i];
    for (int i = 0; i < verts; ++i)
        row.z[i] = z;
    std::copy_n(h, verts, row.y);
    std::copy_n(gx, verts, row.gx);
    std::copy_n(gz, verts, row.gz);
}

// Vertices slide to where the next coarser level has them: each odd index to the even one before it (spec row
// N10).
void slidingRow(const NodeGeometry& node, int j, Row& row) {
    const int verts = node.verts;
    const int target = j & ~1;
    const float* h = node.heightRow(j);
    const float* gx = node.gradientXRow(j);
    const float* gz = node.gradientZRow(j);
    const float z = node.z.position[j];
    // The target row with every even entry doubled, so that the loop below has no gather.
    alignas(32) float tx[kMost], th[kMost], tgx[kMost], tgz[kMost];
    {
        const float* fromH = node.heightRow(target);
        const float* fromGx = node.gradientXRow(target);
        const float* fromGz = node.gradientZRow(target);
        for (int i = 0; i < verts; ++i)
            tx[i] = node.x.position[i & ~1];
        for (int i = 0; i < verts; ++i)
            th[i] = fromH[i & ~1];
        for (int i = 0; i < verts; ++i)
            tgx[i] = fromGx[i & ~1];
        for (int i = 0; i < verts; ++i)
            tgz[i] = fromGz[i & ~1];
    }
    const float tz = node.z.position[target];
    const float distanceZ = node.z.distanceSq[j];
    const MorphBand band = node.band;
    for (int i = 0; i < verts; ++i) {
        const float w = band.weight(node.x.distanceSq[i] + distanceZ);
        row.x[i] = slide(node.x.position[i], tx[i], w);
        row.z[i] = slide(z, tz, w);
        row.y[i] = slide(h[i], th[i], w);
        row.gx[i] = slide(gx[i], tgx[i], w);
        row.gz[i] = slide(gz[i], tgz[i], w);
    }
}

// A vertex of an edge toward a coarser node, computed as that node computes it (spec row N9): indices go to
// the previous even one, and from there slide by the coarser level's band to the one that level slides to.
void coarserVertex(const NodeGeometry& node, int i, int j, Row& row) {
    const int fromI = i & ~1, fromJ = j & ~1;
    const int toI = i & ~3, toJ = j & ~3;
    const float w = node.coarserBand.weight(node.x.distanceSq[fromI] + node.z.distanceSq[fromJ]);
    row.x[i] = slide(node.x.position[fromI], node.x.position[toI], w);
    row.z[i] = slide(node.z.position[fromJ], node.z.position[toJ], w);
    row.y[i] = slide(node.heightRow(fromJ)[fromI], node.heightRow(toJ)[toI], w);
    row.gx[i] = slide(node.gradientXRow(fromJ)[fromI], node.gradientXRow(toJ)[toI], w);
    row.gz[i] = slide(node.gradientZRow(fromJ)[fromI], node.gradientZRow(toJ)[toI], w);
}

// The compact layout, which most hosts take.
void writeCompact(const Row& row, int verts, std::uint32_t* out) {
    alignas(32) std::uint32_t normal[kMost];
    for (int i = 0; i < verts; ++i)
        normal[i] = packOctahedral(row.gx[i], row.gz[i]);
    for (int i = 0; i < verts; ++i, out += 4) {
        putFloat(out, row.x[i]);
        putFloat(out + 1, row.y[i]);
        putFloat(out + 2, row.z[i]);
        out[3] = normal[i];
    }
}

void writeAny(const Row& row, int verts, const VertexLayout& layout, const Rect& ground, std::uint32_t* out) {
    const auto minX = static_cast<float>(ground.minX), minZ = static_cast<float>(ground.minZ);
    const auto perWidth = static_cast<float>(1.0 / ground.width()),
               perDepth = static_cast<float>(1.0 / ground.depth());
    for (int i = 0; i < verts; ++i, out += layout.strideWords) {
        writeVertex(layout, {row.x[i], row.y[i], row.z[i]}, row.gx[i], row.gz[i],
                    (row.x[i] - minX) * perWidth, (row.z[i] - minZ) * perDepth, out);
    }
}

void writeSlot(const NodePool& pool, const HeightRaster& raster, const VertexLayout& layout,
               std::uint32_t slotIndex, std::uint32_t* out) {
    const NodePool::Slot& slot = pool.slot(slotIndex);
    NodeGeometry node;
    node.read(pool, raster, slot);
    const int last = node.verts - 1;
    const bool compact = layout == VertexLayout::compact();
    Row row;
    for (int j = 0; j <= last;
         ++j, out += std::size_t{layout.strideWords} * static_cast<std::size_t>(node.verts)) {
        if (slot.sliding) {
            slidingRow(node, j, row);
        } else {
            restRow(node, j, row);
        }
        if ((j == 0 && (slot.coarserEdges & kEdgeLowZ) != 0) ||
            (j == last && (slot.coarserEdges & kEdgeHighZ) != 0)) {
            for (int i = 0; i <= last; ++i)
                coarserVertex(node, i, j, row);
        }
        if ((slot.coarserEdges & kEdgeLowX) != 0) coarserVertex(node, 0, j, row);
        if ((slot.coarserEdges & kEdgeHighX) != 0) coarserVertex(node, last, j, row);
        if (compact) {
            writeCompact(row, node.verts, out);
        } else {
            writeAny(row, node.verts, layout, raster.rect(), out);
        }
    }
}

}  // namespace

void writeNodeVertices(const NodePool& pool, const HeightRaster& raster, const VertexLayout& layout,
                       std::span<const std::uint32_t> slots, std::span<std::uint32_t> vertices,
                       JobSystem& jobs) {
    KARST_ASSERT(validate(layout).ok());
    KARST_ASSERT(vertices.size() >= pool.vertexCapacity() * layout.strideWords);
    const std::size_t slotWords = std::size_t{pool.verticesPerSlot()} * layout.strideWords;
    constexpr std::size_t kGrain = 2;
    jobs.parallelFor(slots.size(), kGrain, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            writeSlot(pool, raster, layout, slots[i], vertices.data() + slots[i] * slotWords);
        }
    });
}

}  // namespace karst::heightfield
