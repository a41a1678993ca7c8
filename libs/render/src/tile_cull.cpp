#include "tile_cull.h"

#include <algorithm>
#include <cmath>

namespace karst::render {

using namespace heightfield;

namespace {

// The largest and the smallest factor by which the three axes stretch a direction: roots of the eigenvalues
// of the matrix times its transpose (closed form for symmetric 3 x 3 matrices, Smith 1961).
void findScales(const TerrainTransform& t, double& largest, double& smallest) {
    const double xx = dot(t.axisX, t.axisX), yy = dot(t.axisY, t.axisY), zz = dot(t.axisZ, t.axisZ);
    const double xy = dot(t.axisX, t.axisY), xz = dot(t.axisX, t.axisZ), yz = dot(t.axisY, t.axisZ);
    const double off = xy * xy + xz * xz + yz * yz;
    if (off == 0) {
        largest = std::sqrt(std::max({xx, yy, zz}));
        smallest = std::sqrt(std::min({xx, yy, zz}));
        return;
    }
    const double mean = (xx + yy + zz) / 3;
    const double spread = std::sqrt(
        ((xx - mean) * (xx - mean) + (yy - mean) * (yy - mean) + (zz - mean) * (zz - mean) + 2 * off) / 6);
    const double a = (xx - mean) / spread, b = (yy - mean) / spread, c = (zz - mean) / spread;
    const double d = xy / spread, e = xz / spread, f = yz / spread;
    const double half = 0.5 * (a * (b * c - f * f) - d * (d * c - f * e) + e * (d * f - b * e));
    constexpr double kThird = 2.0943951023931953;  // of a turn
    const double angle = std::acos(std::clamp(half, -1.0, 1.0)) / 3;
    largest = std::sqrt(std::max(mean + 2 * spread * std::cos(angle), 0.0));
    smallest = std::sqrt(std::max(mean + 2 * spread * std::cos(angle + kThird), 0.0));
}

}  // namespace

Result<TerrainFrame> TerrainFrame::make(const TerrainTransform& t) {
    for (const auto& [name, v] : {std::pair{"X axis", t.axisX}, std::pair{"Y axis", t.axisY},
                                  std::pair{"Z axis", t.axisZ}, std::pair{"translation", t.translation}}) {
        if (!isFinite(v)) {
            return makeError(ErrorCode::InvalidArgument,
                             "tile terrain: the transform's %s (%g, %g, %g) is not finite", name, v.x, v.y,
                             v.z);
        }
    }
    TerrainFrame frame;
    frame.transform = t;
    findScales(t, frame.largestScale, frame.smallestScale);
    frame.riseScale = length(t.axisY);
    const double volume = dot(cross(t.axisX, t.axisY), t.axisZ);
    frame.mirrored = volume < 0;
    frame.collapsed = !(frame.smallestScale > 1e-9 * frame.largestScale) || volume == 0 ||
                      !std::isfinite(1 / volume) || !std::isfinite(frame.largestScale);
    return frame;
}

WorldPosition TerrainFrame::toWorld(const Vec3d& p) const {
    return transform.axisX * p.x + transform.axisY * p.y + transform.axisZ * p.z + transform.translation;
}

Vec3d TerrainFrame::toLocal(const WorldPosition& world) const {
    const Vec3d p = world - transform.translation;
    const Vec3d yz = cross(transform.axisY, transform.axisZ), zx = cross(transform.axisZ, transform.axisX),
                xy = cross(transform.axisX, transform.axisY);
    const double volume = dot(transform.axisX, yz);
    return {dot(yz, p) / volume, dot(zx, p) / volume, dot(xy, p) / volume};
}

Frustum TerrainFrame::toLocal(const Frustum& world) const {
    Frustum local;
    local.count = world.count;
    for (std::size_t i = 0; i < static_cast<std::size_t>(world.count); ++i) {
        const Plane& plane = world.planes[i];
        local.planes[i] = {{dot(plane.normal, transform.axisX), dot(plane.normal, transform.axisY),
                            dot(plane.normal, transform.axisZ)},
                           plane.distance(transform.translation)};
    }
    return local;
}

Bounds tileBounds(const TileLayout& layout, const HeightTile& tile) {
    const Rect rect = layout.footprint(tile.key);
    // Bounds are those of the heights before they were quantised.
    const double low = double{tile.bounds.min}, high = double{tile.bounds.max};
    const double margin = 1.01 * layout.quantisationError() + 1e-6 * (std::abs(low) + std::abs(high));
    return {{rect.minX, low - margin, rect.minZ}, {rect.maxX, high + margin, rect.maxZ}};
}

void TileCull::run(const TileLayout& layout, std::span<const HeightTile* const> tiles,
                   const TerrainFrame& frame, std::span<const RenderView> views, bool cull) {
    m_nodes = tiles.size();
    m_distinct = 0;
    m_reached.assign(m_nodes * views.size(), cull ? 0 : 1);
    m_camera.assign(m_nodes, 0);
    m_any.assign(m_nodes, 0);
    m_frustums.clear();
    for (const RenderView& view : views)
        m_frustums.push_back(frame.toLocal(view.frustum));
    for (std::size_t n = 0; n < m_nodes; ++n) {
        const Bounds box = tileBounds(layout, *tiles[n]);
        for (std::size_t v = 0; v < views.size(); ++v) {
            const bool reached = m_frustums[v].mayTouch(box);
            if (reached) m_reached[v * m_nodes + n] = 1;
            const bool drawn = reached || !cull;
            if (drawn) m_any[n] = 1;
            if (reached && views[v].camera) m_camera[n] = 1;
        }
        m_distinct += m_any[n];
    }
}

}  // namespace karst::render
