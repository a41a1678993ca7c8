#include <karst/heightfield/height_ray.h>
#include <karst/heightfield/height_triangle.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "height_ray_cell.h"
#include "height_ray_cull.h"

namespace karst::heightfield {

namespace {

struct Span {
    double begin, end;
};

/// Where a ray that moves along an axis is between two values. `d` is not 0, `inverse` finite.
Span spanBetween(double low, double high, double origin, double inverse) {
    const double a = (low - origin) * inverse, b = (high - origin) * inverse;
    return {std::min(a, b), std::max(a, b)};
}

/// Directions beyond this, or below its inverse, are scaled first, so that squares and inverses stay finite.
constexpr double kPlainDirection = 1e100;
/// Shares of a direction below this cannot leave a cell.
constexpr double kLeastShare = 1e-290;

class Cast {
  public:
    Cast(const HeightRaster& raster, const HeightPyramid& pyramid, const Ray& ray, double maxT)
        : m_raster(raster), m_pyramid(pyramid), m_ray(ray), m_maxT(maxT) {}

    RayHit run();

  private:
    RayHit vertical() const;
    RayHit walk() const;
    RayHit walkNodes(const RayCuller& culler, int level, int nodeX, int nodeZ) const;
    bool meetBlock(const RayCuller& culler, int blockX, int blockZ, RayHit& hit) const;
    bool meetAt(int cellX, int cellZ, RayHit& hit) const;
    bool clip();
    bool startsOnGround(RayHit& hit) const;
    void fill(RayHit& hit, int cellX, int cellZ, double t, bool lower, const double* corners) const;

    const HeightRaster& m_raster;
    const HeightPyramid& m_pyramid;
    const Ray& m_ray;
    double m_maxT;
    LatticeRay m_lattice;
};

RayHit Cast::run() {
    const Vec3d& d = m_ray.direction;
    if (d.x == 0 && d.z == 0) return vertical();
    m_lattice.du = d.x / m_raster.spacingX();
    m_lattice.dv = d.z / m_raster.spacingZ();
    if (std::abs(m_lattice.du) < kLeastShare) m_lattice.du = 0;
    if (std::abs(m_lattice.dv) < kLeastShare) m_lattice.dv = 0;
    if (m_lattice.du == 0 && m_lattice.dv == 0) return vertical();
    if (!clip()) return {};
    RayHit hit;
    if (startsOnGround(hit)) return hit;
    return walk();
}

/// Straight up or down: the answer is heightAt's, cell and all.
RayHit Cast::vertical() const {
    RayHit hit;
    const Vec3d& o = m_ray.origin;
    if (!m_raster.rect().contains(o.x, o.z)) return hit;
    const auto along = [](double value, double low, double spacing, int count) {
        return std::min(std::max((value - low) / spacing - 0.5, -0.5), count - 0.5);
    };
    const double u = along(o.x, m_raster.rect().minX, m_raster.spacingX(), m_raster.columns());
    const double v = along(o.z, m_raster.rect().minZ, m_raster.spacingZ(), m_raster.rows());
    const int cellX = floorOf(u), cellZ = floorOf(v);
    if (m_raster.isHole(cellX, cellZ)) return hit;
    const CellCorners corners(m_raster, cellX, cellZ);
    const double* h = corners.h;
    const double fx = u - cellX, fz = v - cellZ;
    const double height = cellHeight<double>(h[0], h[1], h[2], h[3], fx, fz);
    const double t = height == o.y ? 0 : (height - o.y) / m_ray.direction.y;
    if (!(t >= 0 && t <= m_maxT) || t > std::numeric_limits<double>::max()) return hit;
    fill(hit, cellX, cellZ, t, isLowerTriangle(fx, fz), h);
    hit.position = {o.x, height, o.z};
    return hit;
}

/// Sets the lattice ray and its part over the rect and within the height range; false where there is none.
bool Cast::clip() {
    LatticeRay& l = m_lattice;
    const Vec3d& o = m_ray.origin;
    const Rect& rect = m_raster.rect();
    l.u = (o.x - rect.minX) / m_raster.spacingX() - 0.5;
    l.v = (o.z - rect.minZ) / m_raster.spacingZ() - 0.5;
    l.y = o.y;
    l.dy = m_ray.direction.y;
    l.begin = 0;
    l.end = std::numeric_limits<double>::infinity();
    const double lastU = m_raster.columns() - 0.5, lastV = m_raster.rows() - 0.5;
    const auto take = [&](Span span) {
        l.begin = std::max(l.begin, span.begin);
        l.end = std::min(l.end, span.end);
    };
    if (l.du != 0) {
        l.inverseU = 1 / l.du;
        take(spanBetween(-0.5, lastU, l.u, l.inverseU));
    } else {
        if (!(o.x >= rect.minX && o.x <= rect.maxX)) return false;
        l.u = std::min(std::max(l.u, -0.5), lastU);
    }
    if (l.dv != 0) {
        l.inverseV = 1 / l.dv;
        take(spanBetween(-0.5, lastV, l.v, l.inverseV));
    } else {
        if (!(o.z >= rect.minZ && o.z <= rect.maxZ)) return false;
        l.v = std::min(std::max(l.v, -0.5), lastV);
    }

    // Wider than the range by more than any rounding, so that at its ends the ray is surely off the ground.
    const HeightRange& range = m_raster.heightRange();
    const double low = range.min, high = range.max;
    const double slack =
        1e-6 * ((high - low) + std::abs(low) + std::abs(high)) + 1e-9 * std::abs(o.y) + 1e-30;
    if (std::abs(l.dy) > kLeastShare) {
        take(spanBetween(low - slack, high + slack, l.y, 1 / l.dy));
    } else if (!(o.y >= low - slack && o.y <= high + slack)) {
        return false;
    }
    return l.begin <= l.end && l.begin <= m_maxT && l.end <= std::numeric_limits<double>::max();
}

/// The walk meets a ray that begins on the ground too, but for rounding: this is heightAt's own figure.
bool Cast::startsOnGround(RayHit& hit) const {
    const Vec3d& o = m_ray.origin;
    if (m_lattice.begin > 0 || !m_raster.rect().contains(o.x, o.z)) return false;
    const CellPoint p = m_raster.cellPointAt(o.x, o.z);
    if (m_raster.isHole(p.cellX, p.cellZ)) return false;
    const CellCorners corners(m_raster, p.cellX, p.cellZ);
    const double* h = corners.h;
    if (cellHeight<double>(h[0], h[1], h[2], h[3], p.fx, p.fz) != o.y) return false;
    fill(hit, p.cellX, p.cellZ, 0, isLowerTriangle(p.fx, p.fz), h);
    return true;
}

RayHit Cast::walk() const {
    const LatticeRay& l = m_lattice;
    const double end = std::min(l.end, m_maxT);
    const double speed = std::max(std::abs(l.du), std::abs(l.dv));
    const double inverseSpeed = std::min(std::abs(l.inverseU), std::abs(l.inverseV));
    CullSegment segment;
    const int columns = m_raster.columns(), rows = m_raster.rows();
    segment.x = std::min(std::max(l.u + l.begin * l.du, -1.0), static_cast<double>(columns)) + 1;
    segment.z = std::min(std::max(l.v + l.begin * l.dv, -1.0), static_cast<double>(rows)) + 1;
    const auto inverse = [&](double lattice) { return std::min(std::max(lattice * speed, -1e30), 1e30); };
    segment.inverseX = inverse(l.inverseU);
    segment.inverseZ = inverse(l.inverseV);
    segment.length = (end - l.begin) * speed;
    segment.height = l.y + l.begin * l.dy;
    segment.rise = l.dy * inverseSpeed;
    segment.extent = std::max(columns, rows) + 2;

    // The least node that holds both ends.
    const double endX = l.u + end * l.du + 1, endZ = l.v + end * l.dv + 1;
    const auto blockOf = [](double cell, int lastCell) {
        return floorOf(std::min(std::max(cell, 0.0), static_cast<double>(lastCell))) >> 2;
    };
    constexpr double kRoom = 1e-6;
    const int lowX = blockOf(std::min(segment.x, endX) - kRoom, columns);
    const int highX = blockOf(std::max(segment.x, endX) + kRoom, columns);
    const int lowZ = blockOf(std::min(segment.z, endZ) - kRoom, rows);
    const int highZ = blockOf(std::max(segment.z, endZ) + kRoom, rows);
    const RayCuller culler(segment, m_pyramid);
    const auto apart = static_cast<unsigned>((lowX ^ highX) | (lowZ ^ highZ));
    if (apart == 0) {
        RayHit hit;
        meetBlock(culler, lowX, lowZ, hit);
        return hit;
    }
    const int level = (std::bit_width(apart) - 1) / 2;
    const int shift = 2 * level + 2;
    return walkNodes(culler, level, lowX >> shift, lowZ >> shift);
}

/// Depth first, front to back.
RayHit Cast::walkNodes(const RayCuller& culler, int level, int nodeX, int nodeZ) const {
    struct Pending {
        unsigned mask;
        int level, x, z;
    };
    Pending stack[HeightPyramid::kMaxLevels];
    int depth = 0;
    RayHit hit;
    const HeightPyramid::Node* nodes = m_pyramid.nodes().data();
    Pending at{0, level, nodeX, nodeZ};
    for (;;) {
        const HeightPyramid::Level& l = m_pyramid.level(at.level);
        const int shift = 2 * at.level + 4;
        at.mask = culler.blocks(
            nodes[l.first + static_cast<std::size_t>(at.z) * static_cast<std::size_t>(l.columns) +
                  static_cast<std::size_t>(at.x)],
            at.x << shift, at.z << shift, 1 << (shift - 2));
        for (;;) {
            if (at.mask == 0) {
                if (depth == 0) return hit;
                at = stack[--depth];
            }
            const unsigned child = static_cast<unsigned>(std::countr_zero(at.mask)) ^ culler.order();
            at.mask &= at.mask - 1;
            const int x = at.x * 4 + static_cast<int>(child & 3), z = at.z * 4 + static_cast<int>(child >> 2);
            if (at.level > 0) {
                if (at.mask != 0) stack[depth++] = at;
                at = {0, at.level - 1, x, z};
                break;
            }
            if (meetBlock(culler, x, z, hit)) return hit;
        }
    }
}

bool Cast::meetBlock(const RayCuller& culler, int blockX, int blockZ, RayHit& hit) const {
    const int columns = m_raster.columns(), rows = m_raster.rows();
    const int x0 = blockX * 4 - 1, z0 = blockZ * 4 - 1;  // the first cell, and the first texel
    const float* texels = m_raster.heights().data();
    unsigned mask;
    if (x0 >= 0 && z0 >= 0 && x0 + 5 <= columns && z0 + 5 <= rows) {
        const std::ptrdiff_t stride = columns;
        mask = culler.cells(texels + z0 * stride + x0, stride, blockX * 4, blockZ * 4);
    } else {
        float held[25];
        for (int z = 0; z < 5; ++z) {
            const float* row =
                texels + static_cast<std::ptrdiff_t>(std::clamp(z0 + z, 0, rows - 1)) * columns;
            for (int x = 0; x < 5; ++x)
                held[z * 5 + x] = row[std::clamp(x0 + x, 0, columns - 1)];
        }
        mask = culler.cells(held, 5, blockX * 4, blockZ * 4);
    }
    while (mask != 0) {
        const unsigned child = static_cast<unsigned>(std::countr_zero(mask)) ^ culler.order();
        mask &= mask - 1;
        if (meetAt(x0 + static_cast<int>(child & 3), z0 + static_cast<int>(child >> 2), hit)) return true;
    }
    return false;
}

/// True where the ray ends: a hit, or one past the greatest t.
bool Cast::meetAt(int cellX, int cellZ, RayHit& hit) const {
    if (cellX >= m_raster.columns() || cellZ >= m_raster.rows() || m_raster.isHole(cellX, cellZ))
        return false;
    CellHit met;
    if (!meetCell(m_lattice, m_raster, cellX, cellZ, met)) return false;
    if (met.t <= m_maxT) {
        fill(hit, cellX, cellZ, met.t, met.lowerTriangle, CellCorners(m_raster, cellX, cellZ).h);
    }
    return true;
}

void Cast::fill(RayHit& hit, int cellX, int cellZ, double t, bool lower, const double* h) const {
    const Rect& rect = m_raster.rect();
    const CellGradient<double> rise = triangleGradient(h[0], h[1], h[2], h[3], lower);
    const Vec3d up{-rise.x / m_raster.spacingX(), 1, -rise.z / m_raster.spacingZ()};
    hit.status = RayStatus::Hit;
    hit.lowerTriangle = lower;
    hit.fromBelow = dot(up, m_ray.direction) > 0;
    hit.cellX = cellX;
    hit.cellZ = cellZ;
    hit.t = t;
    hit.position = m_ray.at(t);
    hit.position.x = std::min(std::max(hit.position.x, rect.minX), rect.maxX);
    hit.position.z = std::min(std::max(hit.position.z, rect.minZ), rect.maxZ);
    hit.normal = toFloat(normalized(up));
}

RayHit castScaled(const HeightRaster& raster, const HeightPyramid& pyramid, const Ray& ray, double maxT,
                  double largest) {
    const int exponent = std::ilogb(largest);
    const auto scaled = [&](double d) { return std::scalbn(d, -exponent); };
    const Ray plain{ray.origin, {scaled(ray.direction.x), scaled(ray.direction.y), scaled(ray.direction.z)}};
    RayHit hit = Cast(raster, pyramid, plain, std::scalbn(maxT, exponent)).run();
    if (!hit.hit()) return hit;
    hit.t = std::scalbn(hit.t, -exponent);
    if (!std::isfinite(hit.t)) return {};
    return hit;
}

}  // namespace

RayHit castRay(const HeightRaster& raster, const HeightPyramid& pyramid, const Ray& ray, double maxT) {
    KARST_ASSERT(pyramid.generation() == raster.generation());
    const Vec3d& d = ray.direction;
    const double largest = std::max(std::max(std::abs(d.x), std::abs(d.y)), std::abs(d.z));
    if (!isFinite(ray.origin) || !isFinite(d) || largest == 0 || !(maxT >= 0)) {
        RayHit refused;
        refused.status = RayStatus::InvalidRay;
        return refused;
    }
    if (largest > kPlainDirection || largest < 1 / kPlainDirection) {
        return castScaled(raster, pyramid, ray, maxT, largest);
    }
    return Cast(raster, pyramid, ray, maxT).run();
}

}  // namespace karst::heightfield
