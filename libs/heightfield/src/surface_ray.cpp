#include <array>
#include <cmath>
#include <optional>

#include "surface_cast.h"

namespace karst::heightfield {
namespace {

/// Directions beyond this, or below its inverse, are scaled first, so that products and inverses stay finite.
constexpr double kPlainDirection = 1e100;

}  // namespace

void SurfaceCast::begin() {
    m_du = m_ray.direction.x / m_layout.spacingX;
    m_dv = m_ray.direction.z / m_layout.spacingZ;
    // Too little to leave a cell before t is no longer finite.
    if (std::abs(m_du) < 1e-290) m_du = 0;
    if (std::abs(m_dv) < 1e-290) m_dv = 0;
    if (m_du == 0 && m_dv == 0) {
        vertical();
    } else if (clip()) {
        approach();
    }
}

/// The answer is residentHeightAt's, cell and all.
void SurfaceCast::vertical() {
    const Vec3d &o = m_ray.origin, &d = m_ray.direction;
    double u, v;
    if (!m_state.locate(o.x, o.z, u, v)) return;
    const SurfaceNode* node = m_state.finestAt(u, v);
    if (node == nullptr) return;
    const SurfaceIndex::State::CellPlace place = m_state.placeIn(*node, u, v);
    if (m_state.isHole(*node, place.x, place.z)) return;
    const double height =
        heightIn(node->samples + place.z * m_state.side + place.x, m_state.side, place.fx, place.fz);
    const double t = height == o.y ? 0.0 : (height - o.y) / d.y;
    if (!(t >= 0 && t <= m_maxT && t <= std::numeric_limits<double>::max())) return;
    hitAt(*node, place.x, place.z, isLowerTriangle(place.fx, place.fz), t);
    m_hit.position = {o.x, height, o.z};
}

/// Sets the ray over the samples and its part over the ground and within all heights; false where there is
/// none.
bool SurfaceCast::clip() {
    const SurfaceNode& root = m_state.nodes.front();
    const Vec3d& o = m_ray.origin;
    if (!(root.low <= root.high)) return false;
    m_u = (o.x - m_layout.originX) / m_layout.spacingX;
    m_v = (o.z - m_layout.originZ) / m_layout.spacingZ;
    m_y = o.y;
    m_dy = m_ray.direction.y;
    double begin = 0, end = m_maxT;
    const auto take = [&](double low, double high, double origin, double inverse) {
        const double a = (low - origin) * inverse, b = (high - origin) * inverse;
        begin = std::max(begin, std::min(a, b));
        end = std::min(end, std::max(a, b));
    };
    if (m_du != 0) {
        m_inverseU = 1 / m_du;
        take(0, m_state.lastU, m_u, m_inverseU);
    } else if (!(o.x >= m_state.ground.minX && o.x <= m_state.ground.maxX)) {
        return false;
    } else {
        m_u = std::clamp(m_u, 0.0, m_state.lastU);
    }
    if (m_dv != 0) {
        m_inverseV = 1 / m_dv;
        take(0, m_state.lastV, m_v, m_inverseV);
    } else if (!(o.z >= m_state.ground.minZ && o.z <= m_state.ground.maxZ)) {
        return false;
    } else {
        m_v = std::clamp(m_v, 0.0, m_state.lastV);
    }
    const double low = root.low, high = root.high;
    m_slack = 1e-7 * (high - low) + 1e-12 * (std::abs(low) + std::abs(high) + std::abs(m_y)) + 1e-30;
    if (std::abs(m_dy) > 1e-290) {
        m_inverseY = 1 / m_dy;
        take(low - 2 * m_slack, high + 2 * m_slack, m_y, m_inverseY);
    } else if (!(m_y >= low - m_slack && m_y <= high + m_slack)) {
        return false;
    }
    if (!(begin <= end) || end > std::numeric_limits<double>::max()) return false;
    m_slack += 1e-12 * std::abs(m_dy) * end;
    m_begin = begin;
    m_end = end;
    if (m_du + m_dv != 0) m_inverseAcross = 1 / (m_du + m_dv);
    m_flip = (m_du < 0 ? 1u : 0u) | (m_dv < 0 ? 2u : 0u);
    return true;
}

/// A ray comes to a piece on another side of its ground than it had: the ground has a gap there, which it
/// meets unless a hole touches it.
bool SurfaceCast::meetGap(const Piece& piece, double t) {
    const CellPlace from = cellIn(m_last, t), to = cellIn(piece, t);
    if (from.node == nullptr || to.node == nullptr) return false;
    if (m_state.isHole(*from.node, from.x, from.z) || m_state.isHole(*to.node, to.x, to.z)) {
        return false;
    }
    hitAt(*to.node, to.x, to.z, isLowerTriangle(to.fx, to.fz), t);
    m_hit.fromBelow = m_side < 0;
    m_hit.atBorder = from.node != to.node;
    return true;
}

SurfaceCast::CellPlace SurfaceCast::cellIn(const Piece& piece, double t) const {
    const double u = m_u + t * m_du, v = m_v + t * m_dv;
    SurfaceIndex::State::Square square{piece.node, piece.x, piece.z, piece.size};
    const int half = m_state.cells / 2;
    while (square.size == 0) {
        // The quadrant at the point held to the node.
        const SurfaceNode& node = *square.node;
        const unsigned q = ((u - node.u()) * node.inverseCell() >= half ? 1u : 0u) |
                           ((v - node.v()) * node.inverseCell() >= half ? 2u : 0u);
        if (node.child[q] >= 0) {
            square.node = &m_state.nodes[static_cast<std::size_t>(node.child[q])];
        } else {
            square = m_state.squareOf(node, q);
            if (square.node == nullptr) return {};
        }
    }
    CellPlace place;
    place.node = square.node;
    static_cast<SurfaceIndex::State::CellPlace&>(place) =
        m_state.placeIn(*square.node, u, v, square.x, square.z, square.size);
    return place;
}

void SurfaceCast::hitAt(const SurfaceNode& node, int x, int z, bool lower, double t) {
    const CellSamples cell(node.samples, m_state.side, x, z);
    const CellGradient<double> rise = triangleGradient(cell.h[0], cell.h[1], cell.h[2], cell.h[3], lower);
    const Vec3d up{-rise.x * node.inverseCell() / m_layout.spacingX, 1,
                   -rise.z * node.inverseCell() / m_layout.spacingZ};
    m_hit.status = RayStatus::Hit;
    m_hit.lowerTriangle = lower;
    m_hit.fromBelow = dot(up, m_ray.direction) > 0;
    m_hit.cellX = x;
    m_hit.cellZ = z;
    m_hit.t = t;
    m_hit.position = m_ray.at(t);
    m_hit.position.x = std::clamp(m_hit.position.x, m_state.ground.minX, m_state.ground.maxX);
    m_hit.position.z = std::clamp(m_hit.position.z, m_state.ground.minZ, m_state.ground.maxZ);
    m_hit.normal = toFloat(normalized(up));
    m_hit.tile = node.keyOf(m_state.cells);
}

namespace {

/// Whether a ray's numbers are such that there is an answer.
bool isValid(const Ray& ray, double maxT) {
    const Vec3d &o = ray.origin, &d = ray.direction;
    // 0, or NaN where one of them is not finite.
    const double nothing =
        ((o.x - o.x) + (o.y - o.y)) + ((o.z - o.z) + (d.x - d.x)) + ((d.y - d.y) + (d.z - d.z));
    return nothing == 0 && (d.x != 0 || d.y != 0 || d.z != 0) && maxT >= 0;
}

double largestOf(const Vec3d& direction) {
    return std::max({std::abs(direction.x), std::abs(direction.y), std::abs(direction.z)});
}

bool isPlain(const Vec3d& direction) {
    const double largest = largestOf(direction);
    return largest <= kPlainDirection && largest >= 1 / kPlainDirection;
}

SurfaceHit cast(const SurfaceIndex::State& state, const Ray& ray, double maxT) {
    SurfaceCast cast(state, ray, maxT);
    cast.begin();
    cast.narrow();
    return cast.finish();
}

}  // namespace

SurfaceHit SurfaceIndex::castRay(const Ray& ray, double maxT) const {
    if (!isValid(ray, maxT)) {
        SurfaceHit hit;
        hit.status = RayStatus::InvalidRay;
        return hit;
    }
    if (m_state == nullptr) return {};
    if (isPlain(ray.direction)) return cast(*m_state, ray, maxT);
    const Vec3d& d = ray.direction;
    const int exponent = std::ilogb(largestOf(d));
    const Ray plain{ray.origin,
                    {std::scalbn(d.x, -exponent), std::scalbn(d.y, -exponent), std::scalbn(d.z, -exponent)}};
    SurfaceHit hit = cast(*m_state, plain, std::scalbn(maxT, exponent));
    hit.t = std::scalbn(hit.t, -exponent);
    return std::isfinite(hit.t) ? hit : SurfaceHit{};
}

void SurfaceIndex::castRays(std::span<const Ray> rays, std::span<SurfaceHit> hits, double maxT) const {
    KARST_ASSERT(rays.size() == hits.size());
    constexpr std::size_t kGroup = 16;
    std::array<std::optional<SurfaceCast>, kGroup> casts;
    for (std::size_t first = 0; first < rays.size(); first += kGroup) {
        const std::size_t count = std::min(kGroup, rays.size() - first);
        for (std::size_t i = 0; i < count; ++i) {
            const Ray& ray = rays[first + i];
            casts[i].reset();
            if (m_state == nullptr || !isValid(ray, maxT) || !isPlain(ray.direction)) continue;
            casts[i].emplace(*m_state, ray, maxT).begin();
        }
        for (std::size_t i = 0; i < count; ++i) {
            if (casts[i]) casts[i]->narrow();
        }
        for (std::size_t i = 0; i < count; ++i)
            hits[first + i] = casts[i] ? casts[i]->finish() : castRay(rays[first + i], maxT);
    }
}

}  // namespace karst::heightfield
