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

/// Cells beside the chunk that are looked at, and one layer above, for what is open above.
constexpr int kSide = kWaterReach;
constexpr int kWide = kChunkSize + 2 * kSide;
constexpr int kTall = kChunkSize + 1;
constexpr std::size_t kLayerCells = static_cast<std::size_t>(kWide * kWide);

enum Kind : std::uint8_t { kAir, kWater, kSolid };

std::size_t at(int x, int z) {
    return static_cast<std::size_t>((x + kSide) + kWide * (z + kSide));
}
std::size_t at(int x, int y, int z) {
    return at(x, z) + kLayerCells * static_cast<std::size_t>(y);
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

/// One layer of cells: which carry a sheet, how high, and the corners of the sheets.
class WaterMesher::Layer {
  public:
    Layer(const std::uint8_t* kind, const std::uint8_t* occupancy) : m_kind(kind), m_occupancy(occupancy) {}

    /// False where no cell of the layer carries a sheet.
    bool begin(int y) {
        m_y = y;
        m_here = m_kind + kLayerCells * static_cast<std::size_t>(y);
        const std::uint8_t* fill = m_occupancy + kLayerCells * static_cast<std::size_t>(y);
        const std::uint8_t* above = m_here + kLayerCells;
        const std::uint8_t* fillAbove = fill + kLayerCells;
        bool any = false;
        for (std::size_t i = 0; i < kLayerCells; ++i) {
            const bool covered = above[i] == kWater || (above[i] == kSolid && fillAbove[i] == 255);
            m_ring[i] = m_here[i] == kWater && !covered ? 0 : kNone;
            m_height[i] = fill[i] * kHeightScale;
            any = any || m_ring[i] == 0;
        }
        if (any) spread(fill);
        return any;
    }

    std::uint8_t kindAt(int x, int z) const { return m_here[at(x, z)]; }
    bool openWater(int x, int z) const { return m_ring[at(x, z)] == 0; }
    bool sheet(int x, int z) const { return m_ring[at(x, z)] != kNone; }

    struct Corner {
        float height, fade;
    };
    /// Of the corner at the lowest x and z of cell (x, z), which carries a sheet or has a neighbour that
    /// does.
    Corner corner(int x, int z) const {
        int water = 0, sheets = 0, waterSum = 0, sheetSum = 0;
        for (int dz = -1; dz <= 0; ++dz) {
            for (int dx = -1; dx <= 0; ++dx) {
                const std::size_t i = at(x + dx, z + dz);
                if (m_ring[i] == kNone) continue;
                ++sheets;
                sheetSum += m_height[i];
                if (m_ring[i] != 0) continue;
                ++water;
                waterSum += m_height[i];
            }
        }
        const int sum = water > 0 ? waterSum : sheetSum, count = water > 0 ? water : sheets;
        const float fraction =
            count > 0 ? static_cast<float>(sum) / static_cast<float>(255 * kHeightScale * count) : 0.0f;
        return {static_cast<float>(m_y) + fraction, sheets == 4 ? static_cast<float>(water) * 0.25f : 0.0f};
    }

  private:
    static constexpr std::uint8_t kNone = 255;
    static constexpr int kHeightScale = 256;

    /// Carries the sheets on over the shore, ring by ring, at the mean height of what each cell joins.
    void spread(const std::uint8_t* fill) {
        for (int ring = 1; ring < kWaterReach; ++ring) {
            for (int z = -kSide + 1; z < kChunkSize + kSide - 1; ++z) {
                for (int x = -kSide + 1; x < kChunkSize + kSide - 1; ++x) {
                    const std::size_t cell = at(x, z);
                    if (m_here[cell] != kSolid || m_ring[cell] != kNone) continue;
                    int count = 0, sum = 0;
                    for (int dz = -1; dz <= 1; ++dz) {
                        for (int dx = -1; dx <= 1; ++dx) {
                            const std::size_t near = at(x + dx, z + dz);
                            // Full ground is above the water: nothing goes on beyond it.
                            if (m_ring[near] != ring - 1 || (ring > 1 && fill[near] == 255)) continue;
                            ++count;
                            sum += m_height[near];
                        }
                    }
                    if (count == 0) continue;
                    m_ring[cell] = static_cast<std::uint8_t>(ring);
                    m_height[cell] = sum / count;
                }
            }
        }
    }

    const std::uint8_t* m_kind;
    const std::uint8_t* m_occupancy;
    const std::uint8_t* m_here = nullptr;
    int m_y = 0;
    /// 0 for water that is open above, n for shore n cells from it, or kNone.
    std::array<std::uint8_t, kLayerCells> m_ring{};
    std::array<int, kLayerCells> m_height{};
};

WaterMesher::WaterMesher()
    : m_kind(kLayerCells * static_cast<std::size_t>(kTall)),
      m_occupancy(kLayerCells * static_cast<std::size_t>(kTall)) {}

bool WaterMesher::read(const voxel::GridSnapshot& grid, ChunkCoord chunk) {
    const voxel::MaterialTable& materials = grid.materials();
    std::array<Kind, 256> kinds;
    for (std::size_t i = 0; i < kinds.size(); ++i) {
        const MaterialKind kind = materials.kinds()[i];
        kinds[i] = kind == MaterialKind::Water ? kWater : kind == MaterialKind::Solid ? kSolid : kAir;
    }
    // The chunks around in their layer, and in the one above.
    std::array<const voxel::Chunk*, 18> sources;
    bool mayHold = false;
    for (int i = 0; i < 18; ++i) {
        const voxel::Chunk* source =
            grid.chunk({chunk.x + i % 3 - 1, chunk.y + i / 9, chunk.z + i / 3 % 3 - 1});
        sources[static_cast<std::size_t>(i)] = source;
        if (i < 9 && source != nullptr)
            mayHold = mayHold || !source->uniform() || kinds[source->uniformCell().material] == kWater;
    }
    if (!mayHold) return false;

    bool holds = false;
    for (int y = 0; y < kTall; ++y) {
        for (int z = -kSide; z < kChunkSize + kSide; ++z) {
            const int row = (y < kChunkSize ? 0 : 9) + 3 * (z < 0 ? 0 : z < kChunkSize ? 1 : 2);
            unsigned found = 0;
            const auto part = [&](int which, int begin, int end) {
                const voxel::Chunk* source = sources[static_cast<std::size_t>(row + which)];
                std::uint8_t* kind = m_kind.data() + at(begin, y, z);
                std::uint8_t* occupancy = m_occupancy.data() + at(begin, y, z);
                const int count = end - begin;
                if (source == nullptr || source->uniform()) {
                    const Cell cell = source != nullptr ? source->uniformCell() : Cell{};
                    std::fill_n(kind, count, kinds[cell.material]);
                    std::fill_n(occupancy, count, cell.occupancy);
                    found |= kinds[cell.material] == kWater ? 1u : 0u;
                    return;
                }
                const Cell* cells = source->cells().data() + voxel::cellIndex({begin & 31, y & 31, z & 31});
                for (int i = 0; i < count; ++i) {
                    const Kind k = kinds[cells[i].material];
                    kind[i] = k;
                    occupancy[i] = cells[i].occupancy;
                    found |= k == kWater ? 1u : 0u;
                }
            };
            part(0, -kSide, 0);
            part(1, 0, kChunkSize);
            part(2, kChunkSize, kChunkSize + kSide);
            holds = holds || (found != 0 && y < kChunkSize);
        }
    }
    return holds;
}

void WaterMesher::build(const voxel::GridSnapshot& grid, ChunkCoord chunk, WaterMesh& out) {
    out.vertices.clear();
    out.indices.clear();
    if (!read(grid, chunk)) return;

    constexpr int kCorners = kChunkSize + 1;
    std::array<std::uint32_t, static_cast<std::size_t>(kCorners * kCorners)> numbers;
    Layer layer(m_kind.data(), m_occupancy.data());
    for (int y = 0; y < kChunkSize; ++y) {
        const bool sheets = layer.begin(y);
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
            const bool open = sheets && layer.openWater(x, z);
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
                if (sheets && layer.sheet(x, z)) {
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
