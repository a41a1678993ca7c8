#include "common/voxel_light.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace karst::app {
namespace {

constexpr double kSkyReach = 24;  // cells; what is farther off does not darken

}  // namespace

voxel::Cell CellReader::cell(voxel::CellCoord coord) {
    const voxel::ChunkCoord chunk = voxel::chunkOf(coord);
    if (!m_known || !(chunk == m_coord)) {
        m_chunk = m_grid->chunk(chunk);
        m_coord = chunk;
        m_known = true;
    }
    return m_chunk ? m_chunk->cell(voxel::cellIndex(coord)) : voxel::Cell{};
}

VoxelLight::VoxelLight(const voxel::GridSnapshot& grid) : m_cells(grid), m_bounds(grid.chunkBounds()) {
    // Three rings about the zenith and the zenith itself.
    m_skyDirections.push_back({0, 1, 0});
    constexpr double kPi = 3.14159265358979323846;
    for (const auto& [elevation, count] : {std::pair{60.0, 3}, {32.0, 5}, {10.0, 5}}) {
        for (int i = 0; i < count; ++i) {
            const double angle = 2 * kPi * (i + elevation / 90) / count, e = elevation * kPi / 180;
            m_skyDirections.push_back(
                {std::cos(angle) * std::cos(e), std::sin(e), std::sin(angle) * std::cos(e)});
        }
    }
}

// From cell to cell along the ray (Amanatides and Woo 1987).
bool VoxelLight::blocked(Vec3d from, Vec3d direction, double distance) {
    const double d[] = {direction.x, direction.y, direction.z}, p[] = {from.x, from.y, from.z};
    std::int32_t c[3], step[3];
    double next[3], delta[3];
    for (int i = 0; i < 3; ++i) {
        c[i] = static_cast<std::int32_t>(std::floor(p[i]));
        step[i] = d[i] < 0 ? -1 : 1;
        delta[i] = d[i] == 0 ? std::numeric_limits<double>::infinity() : 1 / std::abs(d[i]);
        const double border = d[i] < 0 ? p[i] - c[i] : c[i] + 1 - p[i];
        next[i] = d[i] == 0 ? std::numeric_limits<double>::infinity() : border * delta[i];
    }
    for (;;) {
        const voxel::CellCoord cell{c[0], c[1], c[2]};
        if (!m_bounds.contains(cell)) return false;
        if (m_cells.solid(cell)) return true;
        const int axis = next[0] < next[1] ? (next[0] < next[2] ? 0 : 2) : (next[1] < next[2] ? 1 : 2);
        if (next[axis] > distance) return false;
        c[axis] += step[axis];
        next[axis] += delta[axis];
    }
}

float VoxelLight::sky(Vec3d place, Vec3f normal, double step) {
    const Vec3d n = toDouble(normal);
    const Vec3d start = place + n * step;
    double open = 0, all = 0;
    for (const Vec3d direction : m_skyDirections) {
        const double weight = std::max(dot(n, direction), 0.12);
        all += weight;
        if (!blocked(start, direction, kSkyReach)) open += weight;
    }
    // Some light always finds its way in.
    return static_cast<float>(0.05 + 0.95 * open / all);
}

}  // namespace karst::app
