#include <karst/base/assert.h>
#include <karst/heightfield_mesh/tile_mesh.h>

#include <cmath>

#include "tile_ground.h"
#include "vertex_writer.h"

namespace karst::heightfield {
namespace {

// A node's share of the mesh.
struct Share {
    std::uint32_t firstVertex = 0;
    std::size_t firstIndex = 0;
};

std::uint32_t strideOf(const TileNode& node) {
    return 1u << static_cast<std::uint32_t>(std::floor(node.detail - static_cast<float>(node.key.level)));
}

template <class Emit>
void forEachQuad(const TileLayout& layout, const HeightTile& tile, std::uint32_t stride, Emit emit) {
    for (std::uint32_t j = 0; j < layout.tileCells; j += stride) {
        for (std::uint32_t i = 0; i < layout.tileCells; i += stride) {
            if (isGround(layout, tile, i + stride / 2, j + stride / 2)) emit(i / stride, j / stride);
        }
    }
}

void writeNode(const TileLayout& layout, const HeightTile& tile, const TileNode& node,
               const VertexLayout& vertex, const Vec3d& origin, const Share& share, TileMesh& mesh) {
    const std::uint32_t cells = layout.tileCells, stride = strideOf(node), row = cells / stride + 1;
    const Rect footprint = layout.footprint(node.key), ground = layout.groundRect();
    const double spacingX = layout.strideX(node.key.level), spacingZ = layout.strideZ(node.key.level);
    std::uint32_t* out = mesh.vertices.data() + std::size_t{share.firstVertex} * vertex.strideWords;
    for (std::uint32_t j = 0; j <= cells; j += stride) {
        for (std::uint32_t i = 0; i <= cells; i += stride, out += vertex.strideWords) {
            const int x = static_cast<int>(i), z = static_cast<int>(j);
            const double worldX = i == cells ? footprint.maxX : footprint.minX + i * spacingX;
            const double worldZ = j == cells ? footprint.maxZ : footprint.minZ + j * spacingZ;
            const double height = sampleNodeHeight(tile, layout, node, i, j);
            const auto gx =
                static_cast<float>((tile.sample(x + 1, z) - tile.sample(x - 1, z)) / (2 * spacingX));
            const auto gz =
                static_cast<float>((tile.sample(x, z + 1) - tile.sample(x, z - 1)) / (2 * spacingZ));
            writeVertex(vertex, toFloat(Vec3d{worldX, height, worldZ} - origin), gx, gz,
                        static_cast<float>((worldX - ground.minX) / ground.width()),
                        static_cast<float>((worldZ - ground.minZ) / ground.depth()), out);
        }
    }
    std::uint32_t* index = mesh.indices.data() + share.firstIndex;
    forEachQuad(layout, tile, stride, [&](std::uint32_t i, std::uint32_t j) {
        const std::uint32_t v00 = share.firstVertex + j * row + i;
        for (const std::uint32_t v : {v00, v00 + row, v00 + 1, v00 + row + 1, v00 + 1, v00 + row})
            *index++ = v;
    });
}

}  // namespace

void buildTileMesh(const Surface& surface, std::span<const TileNode> nodes, const VertexLayout& layout,
                   const Vec3d& origin, TileMesh& mesh, JobSystem& jobs) {
    KARST_ASSERT(validate(layout).ok());
    const TileLayout& tiles = surface.layout();
    std::vector<Share> shares(nodes.size());
    std::uint64_t vertices = 0, indices = 0;
    for (std::size_t n = 0; n < nodes.size(); ++n) {
        const HeightTile* tile = surface.find(nodes[n].key);
        KARST_ASSERT(tile != nullptr);
        shares[n] = {static_cast<std::uint32_t>(vertices), static_cast<std::size_t>(indices)};
        const std::uint32_t stride = strideOf(nodes[n]), row = tiles.tileCells / stride + 1;
        vertices += std::uint64_t{row} * row;
        forEachQuad(tiles, *tile, stride, [&](std::uint32_t, std::uint32_t) { indices += 6; });
    }
    mesh.tiles = static_cast<std::uint32_t>(nodes.size());
    mesh.vertexCount = vertices;
    mesh.vertices.resize(static_cast<std::size_t>(vertices) * layout.strideWords);
    mesh.indices.resize(static_cast<std::size_t>(indices));
    jobs.parallelFor(nodes.size(), 4, [&](std::size_t begin, std::size_t end) {
        for (std::size_t n = begin; n < end; ++n) {
            writeNode(tiles, *surface.find(nodes[n].key), nodes[n], layout, origin, shares[n], mesh);
        }
    });
}

}  // namespace karst::heightfield
