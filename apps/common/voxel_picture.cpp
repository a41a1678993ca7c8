#include "common/voxel_picture.h"

#include <karst/voxel_mesh/chunk_surface.h>
#include <karst/voxel_mesh/surface_export.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "common/voxel_light.h"

namespace karst::app {
namespace {

using namespace karst::voxel;
using render::MeshVertex;

constexpr float kWaterOpacity = 0.8f;
// Colours on a map are lighter and stronger than those of the ground itself.
constexpr float kGroundShade = 0.6f;
constexpr float kGroundGrey = 0.4f;
constexpr float kWaterShade = 0.3f;  // water is darker than its colour on a map

std::uint16_t sixteenBits(float value) {
    return static_cast<std::uint16_t>(std::lround(std::clamp(value, 0.0f, 1.0f) * 65535.0f));
}

std::array<std::uint16_t, 4> packColor(Vec3f color, float opacity) {
    return {sixteenBits(color.x), sixteenBits(color.y), sixteenBits(color.z), sixteenBits(opacity)};
}

std::array<std::uint16_t, 2> packLight(const VoxelLight::Light& light) {
    return {sixteenBits(light.sun), sixteenBits(light.sky)};
}

Vec3f groundColor(Vec3f color) {
    const float grey = dot(color, Vec3f{0.2126f, 0.7152f, 0.0722f}) * kGroundGrey;
    return (color * (1 - kGroundGrey) + Vec3f{grey, grey, grey}) * kGroundShade;
}

// One chunk's share of a picture.
struct Part {
    std::vector<MeshVertex> vertices;
    std::vector<std::uint32_t> indices;
};

// Places in cells of the grid, and where they are in the picture.
struct Frame {
    GridPlacement placement;
    WorldPosition origin;
    std::array<Vec3f, 256> colors;

    Vec3f position(Vec3d cells) const {
        return toFloat(placement.origin + cells * placement.cellSize - origin);
    }
};

Part solidPart(const Frame& frame, ChunkCoord chunk, const voxel_mesh::SurfaceMesh& mesh, VoxelLight& light) {
    Part part;
    part.indices = mesh.indices;
    part.vertices.reserve(mesh.vertices.size());
    const CellCoord first = firstCell(chunk);
    const double step = 1.0 + 0.5 * ((1 << mesh.level) - 1);
    for (const voxel_mesh::SurfaceVertex& vertex : mesh.vertices) {
        const Vec3d place =
            toDouble(vertex.position) + Vec3d{double(first.x), double(first.y), double(first.z)};
        MeshVertex out;
        out.position = frame.position(place);
        out.normal = vertex.normal;
        out.color = packColor(groundColor(voxel_mesh::blendColors(vertex, frame.colors)), 1);
        out.light = packLight(light.at(place, vertex.normal, step));
        part.vertices.push_back(out);
    }
    return part;
}

// Where water has its top in or beside a cell: on its own, or, where something solid stands in the water's
// way, that of a neighbour, so that the ground cuts the outline.
class WaterTops {
  public:
    explicit WaterTops(const GridSnapshot& grid) : m_grid(grid), m_cells(grid) {}

    struct Top {
        double height = 0;  // in the cell, 0..1
        MaterialId material = kAir;
    };
    std::optional<Top> at(CellCoord c) {
        if (const auto own = open(c)) return own;
        const Cell cell = m_cells.cell(c);
        if (!m_grid.materials().isSolid(cell.material)) return std::nullopt;
        for (std::int32_t z = -1; z <= 1; ++z) {
            for (std::int32_t x = -1; x <= 1; ++x) {
                if (const auto beside = open({c.x + x, c.y, c.z + z})) return beside;
            }
        }
        return std::nullopt;
    }

  private:
    std::optional<Top> open(CellCoord c) {
        const Cell cell = m_cells.cell(c);
        if (!m_grid.materials().isWater(cell.material) || m_cells.water({c.x, c.y + 1, c.z}))
            return std::nullopt;
        return Top{cell.occupancy / 255.0, cell.material};
    }

    const GridSnapshot& m_grid;
    CellReader m_cells;
};

Part waterPart(const GridSnapshot& grid, const Frame& frame, ChunkCoord chunk, VoxelLight& light) {
    Part part;
    WaterTops tops(grid);
    const CellCoord first = firstCell(chunk);
    constexpr double kCorners[4][2] = {{0, 0}, {0, 1}, {1, 1}, {1, 0}};
    for (std::int32_t i = 0; i < kChunkCellCount; ++i) {
        const CellCoord c{first.x + (i & 31), first.y + (i >> 10), first.z + (i >> 5 & 31)};
        const auto top = tops.at(c);
        if (!top) continue;
        const auto base = static_cast<std::uint32_t>(part.vertices.size());
        for (const auto& [dx, dz] : kCorners) {
            const Vec3d place{c.x + dx, c.y + top->height, c.z + dz};
            MeshVertex out;
            out.position = frame.position(place);
            out.normal = {0, 1, 0};
            out.color = packColor(frame.colors[top->material] * kWaterShade, kWaterOpacity);
            out.light = packLight(light.at(place, out.normal, 0.75));
            part.vertices.push_back(out);
        }
        for (const std::uint32_t corner : {0u, 1u, 2u, 0u, 2u, 3u})
            part.indices.push_back(base + corner);
    }
    return part;
}

// The chunks that hold a cell of water, and their neighbours of the same layer.
std::vector<ChunkCoord> waterChunks(const GridSnapshot& grid) {
    std::set<ChunkCoord> chunks;
    const MaterialTable& materials = grid.materials();
    grid.forEachChunk([&](ChunkCoord c, const Chunk& chunk) {
        bool water = chunk.uniform() && materials.isWater(chunk.uniformCell().material);
        for (const Cell cell : chunk.cells())
            water = water || materials.isWater(cell.material);
        if (!water) return;
        for (std::int32_t z = -1; z <= 1; ++z)
            for (std::int32_t x = -1; x <= 1; ++x)
                chunks.insert({c.x + x, c.y, c.z + z});
    });
    return {chunks.begin(), chunks.end()};
}

void append(PictureMesh& mesh, const Part& part) {
    const auto base = static_cast<std::uint32_t>(mesh.vertices.size());
    mesh.vertices.insert(mesh.vertices.end(), part.vertices.begin(), part.vertices.end());
    for (const std::uint32_t index : part.indices)
        mesh.indices.push_back(base + index);
}

}  // namespace

PictureMesh makeVoxelPicture(const GridSnapshot& grid, const VoxelPictureOptions& options, JobSystem& jobs) {
    const CellBox bounds = grid.chunkBounds();
    Frame frame{grid.placement(), grid.placement().cellCorner(bounds.min),
                voxel_mesh::linearColors(grid.materials())};
    PictureMesh mesh;
    mesh.origin = frame.origin;

    const std::vector<ChunkCoord> chunks = voxel_mesh::meshCandidates(grid);
    const auto surfaces = voxel_mesh::buildSurfaces(grid, chunks, options.level, jobs);
    std::vector<Part> parts(chunks.size());
    jobs.parallelFor(chunks.size(), 4, [&](std::size_t begin, std::size_t end) {
        VoxelLight light(grid, options.toSun);
        for (std::size_t i = begin; i < end; ++i)
            parts[i] = solidPart(frame, chunks[i], surfaces[i], light);
    });
    for (const Part& part : parts)
        append(mesh, part);
    mesh.opaqueIndices = static_cast<std::uint32_t>(mesh.indices.size());

    const std::vector<ChunkCoord> wet = waterChunks(grid);
    std::vector<Part> waters(wet.size());
    jobs.parallelFor(wet.size(), 1, [&](std::size_t begin, std::size_t end) {
        VoxelLight light(grid, options.toSun);
        for (std::size_t i = begin; i < end; ++i)
            waters[i] = waterPart(grid, frame, wet[i], light);
    });
    for (const Part& part : waters)
        append(mesh, part);
    return mesh;
}

}  // namespace karst::app
