#include <karst/heightfield/height_triangle.h>
#include <karst/physics/terrain_shape.h>

#include <algorithm>
#include <cmath>

#include "terrain_shape_state.h"

namespace karst::physics {
namespace {

bool overlaps(float aMin, float aMax, float bMin, float bMax) {
    return aMin <= bMax && aMax >= bMin;
}

bool meetsBox(const TerrainTriangle& triangle, Vec3f min, Vec3f max) {
    const auto& [a, b, c] = triangle.vertices;
    return overlaps(std::min({a.x, b.x, c.x}), std::max({a.x, b.x, c.x}), min.x, max.x) &&
           overlaps(std::min({a.y, b.y, c.y}), std::max({a.y, b.y, c.y}), min.y, max.y) &&
           overlaps(std::min({a.z, b.z, c.z}), std::max({a.z, b.z, c.z}), min.z, max.z);
}

/// The integers from floor(low) to floor(high), held to first..last.
struct IndexRange {
    std::int64_t first, last;
    IndexRange(double low, double high, std::int64_t least, std::int64_t most) {
        const auto hold = [&](double value) {
            return static_cast<std::int64_t>(
                std::clamp(std::floor(value), static_cast<double>(least) - 1, static_cast<double>(most) + 1));
        };
        first = std::max(hold(low), least);
        last = std::min(hold(high), most);
    }
};

/// Cells by which a search reaches further than its box, so that no rounding loses a triangle.
constexpr double kCellSlack = 1e-3;

}  // namespace

TerrainTriangle TerrainShape::State::chunkTriangle(const voxel_mesh::CollisionSurface& surface,
                                                   std::size_t slot, std::uint32_t triangle) const {
    const voxel_mesh::CollisionTriangle& from = surface.triangles()[triangle];
    TerrainTriangle out;
    for (std::size_t i = 0; i < 3; ++i)
        out.vertices[i] = chunkVertex(surface.chunk(), surface.vertices()[from.vertices[i]]);
    out.id = makeTriangleId(kVoxelKind, slot, triangle);
    out.activeEdges = from.activeEdges;
    return out;
}

bool TerrainShape::State::groundAt(const HeightColliderTile& tile, int x, int z) const {
    if (x >= 0 && z >= 0 && x < tileCells && z < tileCells) return tile.ground(x, z);
    const heightfield::TileKey& key = tile.tile()->key;
    const std::int64_t tileX = std::int64_t{key.x} + (x < 0 ? -1 : x >= tileCells ? 1 : 0);
    const std::int64_t tileZ = std::int64_t{key.z} + (z < 0 ? -1 : z >= tileCells ? 1 : 0);
    if (!hasTile(tileX, tileZ)) return false;
    const HeightColliderTile* neighbour =
        tiles.read(tileSlot(static_cast<std::uint32_t>(tileX), static_cast<std::uint32_t>(tileZ)));
    return neighbour != nullptr && neighbour->ground(x & (tileCells - 1), z & (tileCells - 1));
}

TerrainTriangle TerrainShape::State::tileTriangle(const HeightColliderTile& tile, std::size_t slot, int x,
                                                  int z, bool lower) const {
    using heightfield::CellGradient;
    using heightfield::triangleGradient;
    TerrainTriangle out;
    if (lower) {
        out.vertices = {tileVertex(tile, x, z), tileVertex(tile, x, z + 1), tileVertex(tile, x + 1, z)};
    } else {
        out.vertices = {tileVertex(tile, x + 1, z + 1), tileVertex(tile, x + 1, z),
                        tileVertex(tile, x, z + 1)};
    }
    out.id = makeTriangleId(kHeightKind, slot,
                            static_cast<std::uint32_t>(2 * (z * tileCells + x) + (lower ? 0 : 1)));

    const auto gradientOf = [&](int cellX, int cellZ, bool isLower) {
        const CellGradient<double> g = triangleGradient<double>(
            tile.height(cellX, cellZ), tile.height(cellX + 1, cellZ), tile.height(cellX, cellZ + 1),
            tile.height(cellX + 1, cellZ + 1), isLower);
        return CellGradient<double>{g.x / strideX, g.z / strideZ};
    };
    const CellGradient<double> own = gradientOf(x, z, lower);
    const double ownLength = std::sqrt(own.x * own.x + own.z * own.z + 1);
    // The edge is active where the ground beyond it is missing or bends down by more than the angle. (dx, dz)
    // points across it.
    const auto active = [&](int cellX, int cellZ, double dx, double dz) {
        if (!groundAt(tile, cellX, cellZ)) return true;
        const CellGradient<double> other = gradientOf(cellX, cellZ, !lower);
        const double turn = (other.x - own.x) * dx + (other.z - own.z) * dz;
        if (turn >= 0) return false;
        const double cosine = (own.x * other.x + own.z * other.z + 1) /
                              (ownLength * std::sqrt(other.x * other.x + other.z * other.z + 1));
        return cosine < activeCosine;
    };
    const double side = lower ? -1 : 1;  // across the edges along z, and along x
    const int step = lower ? -1 : 1;
    const bool alongZ = active(x + step, z, side, 0), alongX = active(x, z + step, 0, side);
    const bool diagonal = active(x, z, -side / strideX, -side / strideZ);
    // Edges of the lower triangle: along z, diagonal, along x; of the upper: along z, diagonal, along x.
    out.activeEdges = static_cast<std::uint8_t>((alongZ ? 1 : 0) | (diagonal ? 2 : 0) | (alongX ? 4 : 0));
    return out;
}

void TerrainShape::trianglesInBox(Vec3f min, Vec3f max,
                                  FunctionRef<void(const TerrainTriangle&)> visit) const {
    const State& s = *m_state;
    if (!(min.x <= max.x && min.y <= max.y && min.z <= max.z)) return;
    const Epochs::Reader reader(s.epochs);
    if (s.chunks.size() > 0) {
        const double scale = 1 / s.definition.voxels.cellSize;
        const auto cells = [&](Vec3f p, double slack) {
            return Vec3d{(double{p.x} - s.voxelBase.x) * scale + slack,
                         (double{p.y} - s.voxelBase.y) * scale + slack,
                         (double{p.z} - s.voxelBase.z) * scale + slack};
        };
        const Vec3d low = cells(min, -kCellSlack), high = cells(max, kCellSlack);
        // A surface reaches up to one cell out of its chunk.
        constexpr double kChunk = voxel::kChunkSize;
        const voxel::ChunkCoord &first = s.definition.minChunk, &last = s.definition.maxChunk;
        const IndexRange xs((low.x - 1) / kChunk, (high.x + 1) / kChunk, first.x, std::int64_t{last.x} - 1);
        const IndexRange ys((low.y - 1) / kChunk, (high.y + 1) / kChunk, first.y, std::int64_t{last.y} - 1);
        const IndexRange zs((low.z - 1) / kChunk, (high.z + 1) / kChunk, first.z, std::int64_t{last.z} - 1);
        for (std::int64_t y = ys.first; y <= ys.last; ++y) {
            for (std::int64_t z = zs.first; z <= zs.last; ++z) {
                for (std::int64_t x = xs.first; x <= xs.last; ++x) {
                    const voxel::ChunkCoord chunk{static_cast<std::int32_t>(x), static_cast<std::int32_t>(y),
                                                  static_cast<std::int32_t>(z)};
                    const std::size_t slot = s.chunkSlot(chunk);
                    const voxel_mesh::CollisionSurface* surface = s.chunks.read(slot);
                    if (surface == nullptr) continue;
                    const Vec3d corner =
                        Vec3d{static_cast<double>(x), static_cast<double>(y), static_cast<double>(z)} *
                        kChunk;
                    // The slack is far above the rounding of these floats.
                    const voxel_mesh::LocalBox local{toFloat(low - corner), toFloat(high - corner)};
                    surface->trianglesInBox(local, [&](std::uint32_t triangle) {
                        const TerrainTriangle out = s.chunkTriangle(*surface, slot, triangle);
                        if (meetsBox(out, min, max)) visit(out);
                    });
                }
            }
        }
    }
    if (s.tiles.size() == 0) return;
    const double lowX = (double{min.x} - s.heightBase.x) / s.strideX - kCellSlack;
    const double highX = (double{max.x} - s.heightBase.x) / s.strideX + kCellSlack;
    const double lowZ = (double{min.z} - s.heightBase.z) / s.strideZ - kCellSlack;
    const double highZ = (double{max.z} - s.heightBase.z) / s.strideZ + kCellSlack;
    const double slackY =
        1e-5 * (std::abs(s.heightBase.y) + std::abs(double{min.y}) + std::abs(double{max.y})) + 1e-5;
    const double lowY = double{min.y} - s.heightBase.y - slackY,
                 highY = double{max.y} - s.heightBase.y + slackY;
    const int cells = s.tileCells;
    const IndexRange tileXs(lowX / cells, highX / cells, s.definition.minTileX,
                            std::int64_t{s.definition.maxTileX} - 1);
    const IndexRange tileZs(lowZ / cells, highZ / cells, s.definition.minTileZ,
                            std::int64_t{s.definition.maxTileZ} - 1);
    for (std::int64_t tileZ = tileZs.first; tileZ <= tileZs.last; ++tileZ) {
        for (std::int64_t tileX = tileXs.first; tileX <= tileXs.last; ++tileX) {
            const std::size_t slot =
                s.tileSlot(static_cast<std::uint32_t>(tileX), static_cast<std::uint32_t>(tileZ));
            const HeightColliderTile* tile = s.tiles.read(slot);
            if (tile == nullptr || double{tile->range().max} < lowY || double{tile->range().min} > highY)
                continue;
            const IndexRange xs(lowX - static_cast<double>(tileX) * cells,
                                highX - static_cast<double>(tileX) * cells, 0, cells - 1);
            const IndexRange zs(lowZ - static_cast<double>(tileZ) * cells,
                                highZ - static_cast<double>(tileZ) * cells, 0, cells - 1);
            for (auto z = static_cast<int>(zs.first); z <= zs.last; ++z) {
                for (auto x = static_cast<int>(xs.first); x <= xs.last; ++x) {
                    const HeightColliderTile::Range range = tile->blockRange(
                        x / HeightColliderTile::kBlockCells, z / HeightColliderTile::kBlockCells);
                    if (double{range.max} < lowY || double{range.min} > highY) {
                        x |= HeightColliderTile::kBlockCells - 1;
                        continue;
                    }
                    if (!tile->ground(x, z)) continue;
                    for (const bool lower : {true, false}) {
                        const TerrainTriangle out = s.tileTriangle(*tile, slot, x, z, lower);
                        if (meetsBox(out, min, max)) visit(out);
                    }
                }
            }
        }
    }
}

std::optional<TerrainTriangle> TerrainShape::triangle(TriangleId id) const {
    const State& s = *m_state;
    const std::uint64_t kind = id.value >> kKindShift;
    const auto slot = static_cast<std::size_t>(id.value >> kSlotShift & (kMaxSlots - 1));
    const auto index = static_cast<std::uint32_t>(id.value);
    const Epochs::Reader reader(s.epochs);
    if (kind == kVoxelKind && slot < s.chunks.size()) {
        const voxel_mesh::CollisionSurface* surface = s.chunks.read(slot);
        if (surface == nullptr || index >= surface->triangles().size()) return std::nullopt;
        return s.chunkTriangle(*surface, slot, index);
    }
    if (kind == kHeightKind && slot < s.tiles.size()) {
        const HeightColliderTile* tile = s.tiles.read(slot);
        const auto cell = static_cast<int>(index >> 1);
        if (tile == nullptr || cell >= s.tileCells * s.tileCells) return std::nullopt;
        const int x = cell % s.tileCells, z = cell / s.tileCells;
        if (!tile->ground(x, z)) return std::nullopt;
        return s.tileTriangle(*tile, slot, x, z, (index & 1) == 0);
    }
    return std::nullopt;
}

Bounds TerrainShape::bounds() const {
    const State& s = *m_state;
    Bounds bounds;
    for (std::size_t i = 0; i < s.chunks.size(); ++i) {
        const voxel_mesh::CollisionSurfacePtr& surface = s.chunks.owner(i);
        if (surface == nullptr || surface->triangles().empty()) continue;
        bounds = unite(bounds, {toDouble(s.chunkVertex(surface->chunk(), surface->bounds().min)),
                                toDouble(s.chunkVertex(surface->chunk(), surface->bounds().max))});
    }
    for (std::size_t i = 0; i < s.tiles.size(); ++i) {
        const HeightColliderTilePtr& tile = s.tiles.owner(i);
        if (tile == nullptr) continue;
        Vec3d low = toDouble(s.tileVertex(*tile, 0, 0)),
              high = toDouble(s.tileVertex(*tile, tile->cells(), tile->cells()));
        low.y = s.heightBase.y + double{tile->range().min};
        high.y = s.heightBase.y + double{tile->range().max};
        bounds = unite(bounds, {toDouble(toFloat(low)), toDouble(toFloat(high))});
    }
    return bounds;
}

}  // namespace karst::physics
