#include <karst/voxel_mesh/water_mesh.h>

#include <algorithm>
#include <array>
#include <cstddef>

namespace karst::voxel_mesh {

using voxel::Cell;
using voxel::ChunkCoord;
using voxel::kChunkSize;
using voxel::MaterialKind;

namespace {

/// Cells beside the chunk that are looked at: a corner's height comes from cells up to 1 beyond it, and
/// whether a cell there carries a sheet from its own neighbours.
constexpr int kSide = 2;
constexpr int kWide = kChunkSize + 2 * kSide;
/// And one layer above, for what is open above.
constexpr int kTall = kChunkSize + 1;

enum Kind : std::uint8_t { kAir, kWater, kSolid };

std::size_t at(int x, int y, int z) {
    return static_cast<std::size_t>((x + kSide) + kWide * ((z + kSide) + kWide * y));
}

bool holdsWater(const voxel::Chunk& chunk, const voxel::MaterialTable& materials) {
    if (chunk.uniform()) return materials.isWater(chunk.uniformCell().material);
    for (const Cell& cell : chunk.cells()) {
        if (materials.isWater(cell.material)) return true;
    }
    return false;
}

}  // namespace

bool mayDrawWater(const voxel::GridSnapshot& grid, ChunkCoord chunk) {
    for (int dz = -1; dz <= 1; ++dz) {
        for (int dx = -1; dx <= 1; ++dx) {
            const voxel::Chunk* near = grid.chunk({chunk.x + dx, chunk.y, chunk.z + dz});
            if (near != nullptr && holdsWater(*near, grid.materials())) return true;
        }
    }
    return false;
}

/// One layer of cells: which carry a sheet, and the corners of the sheets.
struct WaterMesher::Layer {
    const std::vector<std::uint8_t>& kind;
    const std::vector<std::uint8_t>& occupancy;
    int y;

    std::uint8_t kindAt(int x, int z) const { return kind[at(x, y, z)]; }
    /// Water with no water and no full solid on it.
    bool openWater(int x, int z) const {
        if (kindAt(x, z) != kWater) return false;
        const std::size_t above = at(x, y + 1, z);
        return kind[above] == kAir || (kind[above] == kSolid && occupancy[above] < 255);
    }
    /// A solid cell with open water beside it.
    bool shore(int x, int z) const {
        if (kindAt(x, z) != kSolid) return false;
        for (int dz = -1; dz <= 1; ++dz) {
            for (int dx = -1; dx <= 1; ++dx) {
                if (openWater(x + dx, z + dz)) return true;
            }
        }
        return false;
    }
    bool sheet(int x, int z) const { return openWater(x, z) || shore(x, z); }

    struct Corner {
        float height, fade;
    };
    /// Of the corner at the lowest x and z of cell (x, z). A shore's far corner has no water around it and
    /// takes that of the open water one cell further.
    Corner corner(int x, int z) const {
        int water = 0, sum = 0, sheets = 0;
        for (int dz = -1; dz <= 0; ++dz) {
            for (int dx = -1; dx <= 0; ++dx) {
                sheets += sheet(x + dx, z + dz) ? 1 : 0;
                if (!openWater(x + dx, z + dz)) continue;
                ++water;
                sum += occupancy[at(x + dx, y, z + dz)];
            }
        }
        const float fade = sheets == 4 ? static_cast<float>(water) * 0.25f : 0.0f;
        if (water == 0) {
            for (int dz = -2; dz <= 1; ++dz) {
                for (int dx = -2; dx <= 1; ++dx) {
                    if (!openWater(x + dx, z + dz)) continue;
                    ++water;
                    sum += occupancy[at(x + dx, y, z + dz)];
                }
            }
        }
        const float fraction = water > 0 ? static_cast<float>(sum) / static_cast<float>(255 * water) : 0.0f;
        return {static_cast<float>(y) + fraction, fade};
    }
};

WaterMesher::WaterMesher()
    : m_kind(static_cast<std::size_t>(kWide * kWide * kTall)),
      m_occupancy(static_cast<std::size_t>(kWide * kWide * kTall)) {}

void WaterMesher::build(const voxel::GridSnapshot& grid, ChunkCoord chunk, WaterMesh& out) {
    out.vertices.clear();
    out.indices.clear();
    if (!mayDrawWater(grid, chunk)) return;

    const voxel::MaterialTable materials = grid.materials();
    std::array<Kind, 256> kinds;
    for (std::size_t i = 0; i < kinds.size(); ++i) {
        const MaterialKind kind = materials.kinds()[i];
        kinds[i] = kind == MaterialKind::Water ? kWater : kind == MaterialKind::Solid ? kSolid : kAir;
    }
    const voxel::CellCoord first = voxel::firstCell(chunk);
    for (int y = 0; y < kTall; ++y) {
        for (int z = -kSide; z < kChunkSize + kSide; ++z) {
            const voxel::Chunk* source = nullptr;
            for (int x = -kSide; x < kChunkSize + kSide; ++x) {
                const voxel::CellCoord cell{first.x + x, first.y + y, first.z + z};
                if (x == -kSide || x == 0 || x == kChunkSize) source = grid.chunk(voxel::chunkOf(cell));
                const Cell value = source != nullptr ? source->cell(voxel::cellIndex(cell)) : Cell{};
                m_kind[at(x, y, z)] = kinds[value.material];
                m_occupancy[at(x, y, z)] = value.occupancy;
            }
        }
    }

    constexpr int kCorners = kChunkSize + 1;
    std::array<std::uint32_t, static_cast<std::size_t>(kCorners * kCorners)> numbers;
    for (int y = 0; y < kChunkSize; ++y) {
        const Layer layer{m_kind, m_occupancy, y};
        numbers.fill(~std::uint32_t{0});
        const auto corner = [&](int x, int z) {
            std::uint32_t& number = numbers[static_cast<std::size_t>(x + kCorners * z)];
            if (number == ~std::uint32_t{0}) {
                number = static_cast<std::uint32_t>(out.vertices.size());
                const Layer::Corner c = layer.corner(x, z);
                out.vertices.push_back(
                    {{static_cast<float>(x), c.height, static_cast<float>(z)}, {0, 1, 0}, c.fade});
            }
            return number;
        };
        const auto side = [&](int x, int z, int dx, int dz) {
            if (layer.kindAt(x + dx, z + dz) != kAir) return;
            // The two corners of the side, so that it is seen from outside: the first to the left.
            const int leftX = dx == 0 ? (dz > 0 ? x : x + 1) : (dx > 0 ? x + 1 : x);
            const int leftZ = dz == 0 ? (dx > 0 ? z + 1 : z) : (dz > 0 ? z + 1 : z);
            const int rightX = dx == 0 ? (dz > 0 ? x + 1 : x) : leftX;
            const int rightZ = dz == 0 ? (dx > 0 ? z : z + 1) : leftZ;
            const bool open = layer.openWater(x, z);
            const auto begin = static_cast<std::uint32_t>(out.vertices.size());
            const Vec3f normal{static_cast<float>(dx), 0, static_cast<float>(dz)};
            const auto add = [&](int cx, int cz, bool top) {
                const float height = !top   ? static_cast<float>(y)
                                     : open ? layer.corner(cx, cz).height
                                            : static_cast<float>(y + 1);
                out.vertices.push_back({{static_cast<float>(cx), height, static_cast<float>(cz)}, normal, 0});
            };
            add(leftX, leftZ, false);
            add(rightX, rightZ, false);
            add(rightX, rightZ, true);
            add(leftX, leftZ, true);
            for (const std::uint32_t index : {0u, 1u, 2u, 0u, 2u, 3u})
                out.indices.push_back(begin + index);
        };
        for (int z = 0; z < kChunkSize; ++z) {
            for (int x = 0; x < kChunkSize; ++x) {
                if (layer.kindAt(x, z) == kAir) continue;
                if (layer.sheet(x, z)) {
                    const std::uint32_t a = corner(x, z), b = corner(x, z + 1), c = corner(x + 1, z + 1),
                                        d = corner(x + 1, z);
                    for (const std::uint32_t index : {a, b, c, a, c, d})
                        out.indices.push_back(index);
                }
                if (layer.kindAt(x, z) != kWater) continue;
                side(x, z, 1, 0);
                side(x, z, -1, 0);
                side(x, z, 0, 1);
                side(x, z, 0, -1);
            }
        }
    }
}

}  // namespace karst::voxel_mesh
