#include <karst/heightfield/surface_query.h>

#include <array>
#include <cmath>

#include "surface_index.h"

namespace karst::heightfield {
namespace {

constexpr double kNoHeight = std::numeric_limits<double>::quiet_NaN();

/// A point's place on a level's lattice.
struct LevelPoint {
    std::uint32_t tileX, tileZ;
    int cellX, cellZ;
    double fx, fz;
};

LevelPoint pointOf(const TileLayout& layout, std::int32_t level, double u, double v) {
    const auto along = [&](double coordinate, double last, std::uint32_t& tile, int& cell, double& fraction) {
        const double scale =
            level >= 0 ? 1.0 / static_cast<double>(1u << level) : static_cast<double>(1u << -level);
        const double at = coordinate * scale;
        // The ground's end belongs to its last cell.
        const auto whole = static_cast<std::uint32_t>(std::min(std::floor(at), std::ceil(last * scale) - 1));
        tile = whole / layout.tileCells;
        cell = static_cast<int>(whole % layout.tileCells);
        fraction = at - whole;
    };
    LevelPoint point;
    along(u, layout.samplesX - 1.0, point.tileX, point.cellX, point.fx);
    along(v, layout.samplesZ - 1.0, point.tileZ, point.cellZ, point.fz);
    return point;
}

bool locate(const TileLayout& layout, double x, double z, double& u, double& v) {
    if (!layout.groundRect().contains(x, z)) return false;
    u = std::clamp((x - layout.originX) / layout.spacingX, 0.0, layout.samplesX - 1.0);
    v = std::clamp((z - layout.originZ) / layout.spacingZ, 0.0, layout.samplesZ - 1.0);
    return true;
}

std::optional<double> heightOf(const HeightTile& tile, const LevelPoint& point) {
    if (tile.isHole(point.cellX, point.cellZ)) return std::nullopt;
    const float* first =
        tile.samples.data() + kTileApron * static_cast<std::ptrdiff_t>(tile.side) + kTileApron;
    return heightIn(first + point.cellZ * static_cast<std::ptrdiff_t>(tile.side) + point.cellX, tile.side,
                    point.fx, point.fz);
}

}  // namespace

std::optional<double> heightAt(const Surface& surface, double x, double z) {
    double u, v;
    if (surface.empty() || !locate(surface.layout(), x, z, u, v)) return std::nullopt;
    const LevelPoint point = pointOf(surface.layout(), surface.collisionLevel(), u, v);
    const HeightTile* tile = surface.find({surface.collisionLevel(), point.tileX, point.tileZ});
    if (tile == nullptr) return std::nullopt;
    return heightOf(*tile, point);
}

std::optional<double> residentHeightAt(const Surface& surface, double x, double z) {
    double u, v;
    if (surface.empty() || !locate(surface.layout(), x, z, u, v)) return std::nullopt;
    const TileLayout& layout = surface.layout();
    for (std::int32_t level = -static_cast<std::int32_t>(TileLayout::kMaxDetailLevels);
         level <= layout.rootLevel(); ++level) {
        const LevelPoint point = pointOf(layout, level, u, v);
        const HeightTile* tile = surface.find({level, point.tileX, point.tileZ});
        if (tile != nullptr) return heightOf(*tile, point);
    }
    return std::nullopt;
}

SurfaceIndex::SurfaceIndex(const Surface& surface, const SurfaceIndex* previous, const Externals& externals) {
    if (surface.empty()) return;
    m_state = std::make_shared<const State>(surface, previous != nullptr ? previous->m_state.get() : nullptr,
                                            externals);
}

Surface SurfaceIndex::surface() const {
    return m_state != nullptr ? m_state->surface : Surface();
}

/// Where the level's tiles lie too far apart for a window. Out of line: the others keep no registers for it.
[[gnu::noinline]] double SurfaceIndex::State::heightInTree(double x, double z) const {
    double u, v;
    if (!locate(x, z, u, v)) return kNoHeight;
    const std::int32_t level = surface.collisionLevel();
    int cellX, cellZ;
    const DoublePair place = DoublePair(u, v) * collisionScale;
    const DoublePair cell = lesser(place, lastCell).truncated(cellX, cellZ);
    const SurfaceNode* node =
        leafAt(nodes.data(), cellX / collisionScale.x(), cellZ / collisionScale.z(), level);
    if (node == nullptr || node->level != level) return kNoHeight;
    const int x0 = cellX & (cells - 1), z0 = cellZ & (cells - 1);
    if (isHole(*node, x0, z0)) return kNoHeight;
    return heightIn(node->samples + z0 * side + x0, side, place - cell);
}

inline SurfaceIndex::State::CollisionPlace SurfaceIndex::State::collisionPlaceAt(DoublePair at) const {
    if (!within(at, groundMin, groundMax)) return {};
    // As locate().
    const DoublePair place = lesser(greater((at - origin) / spacing, DoublePair()), last) * collisionScale;
    int cellX, cellZ;
    const DoublePair cell = lesser(place, lastCell).truncated(cellX, cellZ);
    const int shift = collisionShift;
    const auto column = static_cast<std::uint32_t>((cellX >> shift) - windowX);
    const auto row = static_cast<std::uint32_t>((cellZ >> shift) - windowZ);
    if (column >= windowColumns || row >= windowRows) return {};
    const CollisionTile tile = window[std::size_t{row} * windowColumns + column];
    if (tile.samples == nullptr) return {};
    const int x0 = cellX & (cells - 1), z0 = cellZ & (cells - 1);
    if (isHole(tile.holes, x0, z0)) return {};
    return {tile.samples + z0 * side + x0, place - cell};
}

double SurfaceIndex::heightOrNaN(double x, double z) const {
    const State* state = m_state.get();
    if (state == nullptr) return kNoHeight;
    if (state->windowColumns == 0) return state->heightInTree(x, z);
    const State::CollisionPlace place = state->collisionPlaceAt({x, z});
    return place.corner != nullptr ? heightIn(place.corner, state->side, place.place) : kNoHeight;
}

void SurfaceIndex::heightsAt(std::span<const SurfacePoint> points, std::span<double> heights) const {
    KARST_ASSERT(points.size() == heights.size());
    if (m_state == nullptr) {
        std::fill(heights.begin(), heights.end(), kNoHeight);
        return;
    }
    if (m_state->windowColumns == 0) {
        for (std::size_t i = 0; i < points.size(); ++i)
            heights[i] = m_state->heightInTree(points[i].x, points[i].z);
        return;
    }
    // All samples of a group are on their way before the first is needed.
    constexpr std::size_t kGroup = 16;
    std::array<State::CollisionPlace, kGroup> places;
    const std::ptrdiff_t side = m_state->side;
    for (std::size_t begin = 0; begin < points.size(); begin += kGroup) {
        const std::size_t count = std::min(kGroup, points.size() - begin);
        for (std::size_t i = 0; i < count; ++i) {
            places[i] = m_state->collisionPlaceAt({points[begin + i].x, points[begin + i].z});
            if (places[i].corner == nullptr) continue;
            __builtin_prefetch(places[i].corner);
            __builtin_prefetch(places[i].corner + side);
        }
        for (std::size_t i = 0; i < count; ++i) {
            const State::CollisionPlace& place = places[i];
            heights[begin + i] =
                place.corner != nullptr ? heightIn(place.corner, side, place.place) : kNoHeight;
        }
    }
}

double SurfaceIndex::residentHeightOrNaN(double x, double z) const {
    const State* state = m_state.get();
    double u, v;
    if (state == nullptr || !state->locate(x, z, u, v)) return kNoHeight;
    const SurfaceNode* node = state->finestAt(u, v);
    if (node == nullptr) return kNoHeight;
    const State::CellPlace place = state->placeIn(*node, u, v);
    if (state->isHole(*node, place.x, place.z)) return kNoHeight;
    return heightIn(node->samples + place.z * state->side + place.x, state->side, place.fx, place.fz);
}

std::size_t SurfaceIndex::memoryBytes() const {
    if (m_state == nullptr) return 0;
    std::size_t bytes = sizeof(State) +
                        m_state->nodes.capacity() * (sizeof(SurfaceNode) + sizeof(m_state->holes[0])) +
                        m_state->window.capacity() * sizeof(State::CollisionTile) +
                        m_state->cover.memoryBytes() + m_state->coverHighs.capacity() * sizeof(float) +
                        m_state->coverLeaves.capacity() * sizeof(m_state->coverLeaves[0]) +
                        m_state->blocks.capacity() * sizeof(m_state->blocks[0]);
    for (const auto& blocks : m_state->blocks)
        bytes += blocks != nullptr ? blocks->memoryBytes() : 0;
    return bytes;
}

std::size_t SurfaceIndex::builtTiles() const {
    return m_state != nullptr ? m_state->built : 0;
}

}  // namespace karst::heightfield
