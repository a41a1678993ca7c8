#include "split_cubes.h"

#include <algorithm>
#include <bit>

#include "cube_sheets.h"
#include "cube_vertices.h"

namespace karst::voxel_mesh {
namespace {

constexpr std::uint32_t kNoOrder = 4, kAllEdges = 0xfff;

// A bit for each edge whose two bits in `orders` are `order`.
std::uint32_t edgesOf(std::uint32_t orders, std::uint32_t order) {
    const std::uint32_t differ = orders ^ order * 0x555555u;
    std::uint32_t bits = ~(differ | differ >> 1) & 0x555555u;
    bits = (bits | bits >> 1) & 0x33333333u;
    bits = (bits | bits >> 2) & 0x0f0f0f0fu;
    bits = (bits | bits >> 4) & 0x00ff00ffu;
    return (bits | bits >> 8) & 0xffffu;
}

}  // namespace

// A bit for each edge whose lower sample is in the chunk; the others belong to other chunks' quads.
std::uint32_t SplitCubes::ownedEdges(std::int32_t x, std::int32_t y, std::int32_t z) const {
    const auto inside = [&](std::int32_t c) { return c >= 0 && c < m_field.size - 1; };
    if (inside(x) && inside(y) && inside(z)) return kAllEdges;
    const auto in = [&](std::int32_t c) { return c >= 0 && c < m_field.size; };
    std::uint32_t owned = 0;
    for (int j = 0; j < 4; ++j) {
        const int first = j & 1, second = j >> 1;
        if (in(x) && in(y + second) && in(z + first)) owned |= 1u << j;
        if (in(x + first) && in(y) && in(z + second)) owned |= 1u << (4 + j);
        if (in(x + first) && in(y + second) && in(z)) owned |= 1u << (8 + j);
    }
    return owned;
}

std::uint16_t* SplitCubes::findLayer(const SignRows& rows, std::int32_t y, const std::uint64_t* used,
                                     std::uint32_t* numbers, std::uint16_t* next, std::uint32_t number) {
    std::uint64_t doubtful[33];
    findDoubtfulCubes(rows, y, doubtful);
    for (std::int32_t z = -1; z < m_field.size; ++z) {
        for (std::uint64_t bits = doubtful[z + 1] & used[z + 1]; bits != 0; bits &= bits - 1) {
            const std::int32_t x = std::countr_zero(bits) - 1;
            const std::size_t cube = m_field.fieldIndex(x, y, z);
            const CubeSheets sheets = sheetsOfCube(m_field, cube);
            if (sheets.count < 2) continue;
            SplitCube split{sheets.sheetOf, 0, number, sheets.crossing, sheets.count};
            const std::uint32_t owned = ownedEdges(x, y, z);
            if (owned != kAllEdges) {
                // Sheets without an owned edge get no vertex: their place stays at 3, which is then not
                // taken.
                std::uint32_t order[4] = {kNoOrder, kNoOrder, kNoOrder, kNoOrder};
                split.orders = split.count = 0;
                for (std::uint32_t edges = owned & sheets.crossing; edges != 0; edges &= edges - 1) {
                    std::uint32_t& place = order[sheets.sheet(std::countr_zero(edges))];
                    if (place == kNoOrder) place = split.count++;
                }
                for (int e = 0; e < 12; ++e)
                    split.orders |= std::min(order[sheets.sheet(e)], 3u) << (2 * e);
            }
            std::uint32_t& first = numbers[(z + m_field.padding) * m_field.stride() + x + m_field.padding];
            split.vertex = first;
            first = kSplit | m_count;
            m_splits[m_count++] = split;
            for (std::uint32_t k = 1; k < split.count; ++k, ++number)
                *next++ = static_cast<std::uint16_t>(cube);
        }
    }
    return next;
}

void SplitCubes::resolve(SurfaceQuad& quad, const int (&edges)[4], bool turned) const {
    for (std::size_t k = 0; k < 4; ++k) {
        std::uint32_t& number = quad.vertices[k];
        if (!(number & kSplit)) continue;
        const SplitCube& split = m_splits[number & ~kSplit];
        const int edge = edges[turned ? (4 - k) % 4 : k];
        const std::uint32_t order = split.orders >> (2 * edge) & 3;
        number = order == 0 ? split.vertex : split.firstFurther + order - 1;
    }
}

void SplitCubes::computeVertices(const SurfaceNetsOptions& options, const SurfaceNetsBuffers& buffers) const {
    constexpr std::size_t kBlock = 64;
    std::uint16_t cubes[kBlock] = {}, edges[kBlock] = {};
    std::uint32_t places[kBlock];
    Vec3f positions[kBlock], normals[kBlock];
    std::size_t filled = 0;
    const auto flush = [&] {
        std::fill(cubes + filled, cubes + kBlock, cubes[0]);
        computeCubeVertices(widestLanes(), m_field, options.normals, options.unitNormals, cubes, edges,
                            filled, positions, normals);
        for (std::size_t i = 0; i < filled; ++i) {
            buffers.positions[places[i]] = positions[i];
            buffers.normals[places[i]] = normals[i];
        }
        filled = 0;
    };
    for (const SplitCube& split : m_splits.first(m_count)) {
        const std::uint16_t cube = buffers.cubes[split.vertex];
        for (std::uint32_t k = 0; k < split.count; ++k) {
            cubes[filled] = cube;
            edges[filled] = static_cast<std::uint16_t>(edgesOf(split.orders, k) & split.crossing);
            places[filled] = k == 0 ? split.vertex : split.firstFurther + k - 1;
            if (++filled == kBlock) flush();
        }
    }
    flush();
}

}  // namespace karst::voxel_mesh
