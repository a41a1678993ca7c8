#include <karst/heightfield/height_ray.h>
#include <karst/heightfield/height_triangle.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "height_ray_cell.h"
#include "height_ray_cull.h"

namespace karst::heightfield {

namespace {

/// Directions beyond this, or below its inverse, are scaled first, so that squares and inverses stay finite.
constexpr double kPlainDirection = 1e100;
/// Shares of a direction below this cannot leave a cell.
constexpr double kLeastShare = 1e-290;

/// What every hit has, its place excepted.
inline void fill(RayHit& hit, const HeightPyramid& pyramid, const Vec3d& direction, int cellX, int cellZ,
                 double t, bool lower, const CellTriangle& triangle) {
    const Vec3d up{-triangle.gradientX() * pyramid.inverseSpacingX(), 1,
                   -triangle.gradientZ() * pyramid.inverseSpacingZ()};
    hit.status = RayStatus::Hit;
    hit.lowerTriangle = lower;
    hit.fromBelow = dot(up, direction) > 0;
    hit.cellX = cellX;
    hit.cellZ = cellZ;
    hit.t = t;
    hit.normal = toFloat(normalized(up));
}

/// A ray straight up or down: the answer is heightAt's, cell and all. True for a hit, and then the ray is a
/// valid one.
inline bool castVertical(const HeightRaster& raster, const HeightPyramid& pyramid, const Ray& ray,
                         double maxT, RayHit& hit) {
    constexpr double kLargest = std::numeric_limits<double>::max();
    const Vec3d& o = ray.origin;
    const Rect& rect = raster.rect();
    if (!rect.contains(o.x, o.z)) return false;
    const double u = held((o.x - rect.minX) / raster.spacingX() - 0.5, -0.5, raster.columns() - 0.5);
    const double v = held((o.z - rect.minZ) / raster.spacingZ() - 0.5, -0.5, raster.rows() - 0.5);
    const int cellX = floorOf(u), cellZ = floorOf(v);
    if (raster.isHole(cellX, cellZ)) return false;
    const double fx = u - cellX, fz = v - cellZ;
    const bool lower = isLowerTriangle(fx, fz);
    const CellTriangle triangle(CellTexels(raster, cellX, cellZ), lower);
    const double height = triangle.heightAt(fx, fz);
    const double t = (height - o.y) / ray.direction.y + 0.0;  // never -0
    if (!(t >= 0 && t <= maxT && t <= kLargest && std::abs(ray.direction.y) <= kLargest)) return false;
    fill(hit, pyramid, ray.direction, cellX, cellZ, t, lower, triangle);
    hit.position = {o.x, height, o.z};
    return true;
}

class Cast {
  public:
    Cast(const HeightRaster& raster, const HeightPyramid& pyramid, const Ray& ray, double maxT)
        : m_raster(raster), m_pyramid(pyramid), m_ray(ray), m_maxT(maxT) {}

    /// Makes `hit` a hit or leaves it as it is, as do all that take it.
    void run(RayHit& hit);

  private:
    bool clip();
    bool startsOnGround(RayHit& hit) const;
    void walk(RayHit& hit) const;
    template <int kLevel>
    bool meetNode(const RayCuller& culler, int nodeX, int nodeZ, RayHit& hit) const;
    bool meetBlock(const RayCuller& culler, int blockX, int blockZ, RayHit& hit) const;
    bool meetRimBlock(int blockX, int blockZ, RayHit& hit) const;
    bool meetAt(int cellX, int cellZ, RayHit& hit) const;
    void fillAt(RayHit& hit, int cellX, int cellZ, double t, bool lower, const CellTriangle& triangle) const;

    const HeightRaster& m_raster;
    const HeightPyramid& m_pyramid;
    const Ray& m_ray;
    double m_maxT;
    LatticeRay m_lattice;
};

void Cast::run(RayHit& hit) {
    const Vec3d& d = m_ray.direction;
    m_lattice.du = d.x * m_pyramid.inverseSpacingX();
    m_lattice.dv = d.z * m_pyramid.inverseSpacingZ();
    if (std::abs(m_lattice.du) < kLeastShare) m_lattice.du = 0;
    if (std::abs(m_lattice.dv) < kLeastShare) m_lattice.dv = 0;
    if (m_lattice.du == 0 && m_lattice.dv == 0) {
        castVertical(m_raster, m_pyramid, m_ray, m_maxT, hit);
    } else if (clip() && !startsOnGround(hit)) {
        walk(hit);
    }
}

/// Sets the lattice ray and its part over the rect and within the height range; false where there is none.
bool Cast::clip() {
    LatticeRay& l = m_lattice;
    const Vec3d& o = m_ray.origin;
    const Rect& rect = m_raster.rect();
    l.u = (o.x - rect.minX) * m_pyramid.inverseSpacingX() - 0.5;
    l.v = (o.z - rect.minZ) * m_pyramid.inverseSpacingZ() - 0.5;
    l.y = o.y;
    l.dy = m_ray.direction.y;
    const double lastU = m_raster.columns() - 0.5, lastV = m_raster.rows() - 0.5;
    double begin = 0, end = std::numeric_limits<double>::infinity();
    const auto take = [&](double low, double high, double origin, double inverse) {
        const double a = (low - origin) * inverse, b = (high - origin) * inverse;
        begin = greater(begin, lesser(a, b));
        end = lesser(end, greater(a, b));
    };
    // Along an axis the ray stays in one row of cells: the one that heightAt takes, to the last bit.
    if (l.du != 0) {
        l.inverseU = 1 / l.du;
        take(-0.5, lastU, l.u, l.inverseU);
    } else {
        if (!(o.x >= rect.minX && o.x <= rect.maxX)) return false;
        l.inverseU = LatticeRay::kHuge;
        l.u = held((o.x - rect.minX) / m_raster.spacingX() - 0.5, -0.5, lastU);
    }
    if (l.dv != 0) {
        l.inverseV = 1 / l.dv;
        take(-0.5, lastV, l.v, l.inverseV);
    } else {
        if (!(o.z >= rect.minZ && o.z <= rect.maxZ)) return false;
        l.inverseV = LatticeRay::kHuge;
        l.v = held((o.z - rect.minZ) / m_raster.spacingZ() - 0.5, -0.5, lastV);
    }

    // Wider than the range by more than any rounding, so that at its ends the ray is surely off the ground.
    const double slack = 1e-9 * std::abs(o.y) + 1e-30;
    const double low = m_pyramid.clearBelow() - slack, high = m_pyramid.clearAbove() + slack;
    if (std::abs(l.dy) > kLeastShare) {
        take(low, high, l.y, 1 / l.dy);
    } else if (!(o.y >= low && o.y <= high)) {
        return false;
    }
    l.begin = begin;
    l.end = end;
    return begin <= end && begin <= m_maxT && end <= std::numeric_limits<double>::max();
}

/// The walk meets a ray that begins on the ground too, but for rounding: this is heightAt's own figure.
inline bool Cast::startsOnGround(RayHit& hit) const {
    const Vec3d& o = m_ray.origin;
    if (m_lattice.begin > 0 || !m_raster.rect().contains(o.x, o.z)) return false;
    const CellPoint p = m_raster.cellPointAt(o.x, o.z);
    if (m_raster.isHole(p.cellX, p.cellZ)) return false;
    const bool lower = isLowerTriangle(p.fx, p.fz);
    const CellTriangle triangle(CellTexels(m_raster, p.cellX, p.cellZ), lower);
    if (triangle.heightAt(p.fx, p.fz) != o.y) return false;
    fillAt(hit, p.cellX, p.cellZ, 0, lower, triangle);
    return true;
}

inline void Cast::walk(RayHit& hit) const {
    const LatticeRay& l = m_lattice;
    const int columns = m_raster.columns(), rows = m_raster.rows();
    const double end = lesser(l.end, m_maxT);
    const double speed = greater(std::abs(l.du), std::abs(l.dv));
    const double inverseSpeed = lesser(std::abs(l.inverseU), std::abs(l.inverseV));
    const double beginX = held(l.u + l.begin * l.du, -1, columns);
    const double beginZ = held(l.v + l.begin * l.dv, -1, rows);
    CullSegment segment;
    segment.x = beginX;
    segment.z = beginZ;
    segment.inverseX = held(l.inverseU * speed, -1e30, 1e30);
    segment.inverseZ = held(l.inverseV * speed, -1e30, 1e30);
    segment.length = (end - l.begin) * speed;
    segment.height = l.y + l.begin * l.dy;
    segment.rise = l.dy * inverseSpeed;
    segment.extent = std::max(columns, rows) + 2;
    const RayCuller culler(segment, m_pyramid);

    // The least node that holds both ends, with a hair of room.
    const auto blockOf = [](double cell, int texels) {
        return static_cast<int>(held(cell, 0, std::max(texels - 2, 0))) >> 2;
    };
    const double roomX = std::copysign(1e-6, l.du), roomZ = std::copysign(1e-6, l.dv);
    const int lowX = blockOf(beginX - roomX, columns), lowZ = blockOf(beginZ - roomZ, rows);
    const int highX = blockOf(l.u + end * l.du + roomX, columns);
    const int highZ = blockOf(l.v + end * l.dv + roomZ, rows);
    const auto apart = static_cast<unsigned>((lowX ^ highX) | (lowZ ^ highZ));
    const int level = apart == 0 ? -1 : (std::bit_width(apart) - 1) / 2;
    const int x = lowX >> (2 * level + 2), z = lowZ >> (2 * level + 2);
    switch (level) {
        case -1:
            meetBlock(culler, x, z, hit);
            break;
        case 0:
            meetNode<0>(culler, x, z, hit);
            break;
        case 1:
            meetNode<1>(culler, x, z, hit);
            break;
        case 2:
            meetNode<2>(culler, x, z, hit);
            break;
        case 3:
            meetNode<3>(culler, x, z, hit);
            break;
        case 4:
            meetNode<4>(culler, x, z, hit);
            break;
        case 5:
            meetNode<5>(culler, x, z, hit);
            break;
        case 6:
            meetNode<6>(culler, x, z, hit);
            break;
        case 7:
            meetNode<7>(culler, x, z, hit);
            break;
        case 8:
            meetNode<8>(culler, x, z, hit);
            break;
        default:
            meetNode<9>(culler, x, z, hit);
            break;
    }
}

/// The blocks of a node, front to back. True where the ray ends: at a hit, or at one past the greatest t.
/// One function a level, so that each has branches of its own to be predicted by.
template <int kLevel>
bool Cast::meetNode(const RayCuller& culler, int nodeX, int nodeZ, RayHit& hit) const {
    bool roomy = kLevel > 0;
    if constexpr (kLevel == 0) {
        const HeightPyramid::Level& bottom = m_pyramid.level(0);
        roomy = nodeX == 0 || nodeZ == 0 || nodeX == bottom.columns - 1 || nodeZ == bottom.rows - 1;
    }
    constexpr auto kBlockCells = static_cast<float>(4 << (2 * kLevel));
    unsigned mask =
        culler.blocks(m_pyramid.node(kLevel, nodeX, nodeZ), nodeX * 4, nodeZ * 4, kBlockCells, roomy);
    while (mask != 0) {
        const unsigned child = static_cast<unsigned>(std::countr_zero(mask)) ^ culler.order();
        mask &= mask - 1;
        const int x = nodeX * 4 + static_cast<int>(child & 3), z = nodeZ * 4 + static_cast<int>(child >> 2);
        if constexpr (kLevel == 0) {
            if (meetBlock(culler, x, z, hit)) return true;
        } else {
            if (meetNode<kLevel - 1>(culler, x, z, hit)) return true;
        }
    }
    return false;
}

bool Cast::meetBlock(const RayCuller& culler, int blockX, int blockZ, RayHit& hit) const {
    const int columns = m_raster.columns(), rows = m_raster.rows();
    const int x0 = blockX * 4, z0 = blockZ * 4;
    if (x0 == 0 || z0 == 0 || x0 + 5 >= columns || z0 + 5 >= rows) return meetRimBlock(blockX, blockZ, hit);
    const std::ptrdiff_t stride = columns;
    unsigned mask = culler.cells(m_raster.heights().data() + z0 * stride + x0, stride, x0, z0);
    while (mask != 0) {
        const unsigned child = static_cast<unsigned>(std::countr_zero(mask)) ^ culler.order();
        mask &= mask - 1;
        if (meetAt(x0 + static_cast<int>(child & 3), z0 + static_cast<int>(child >> 2), hit)) return true;
    }
    return false;
}

/// A block with half cells, and perhaps with less than 4 x 4 whole ones.
bool Cast::meetRimBlock(int blockX, int blockZ, RayHit& hit) const {
    const auto side = [](int block, int texels, int& low, int& high) {
        low = block == 0 ? -1 : block * 4;
        high = block * 4 + 5 >= texels ? texels - 1 : block * 4 + 3;
    };
    int lowX, highX, lowZ, highZ;
    side(blockX, m_raster.columns(), lowX, highX);
    side(blockZ, m_raster.rows(), lowZ, highZ);
    const bool backX = m_lattice.inverseU < 0, backZ = m_lattice.inverseV < 0;
    for (int i = lowZ; i <= highZ; ++i) {
        const int cellZ = backZ ? highZ + lowZ - i : i;
        for (int j = lowX; j <= highX; ++j) {
            if (meetAt(backX ? highX + lowX - j : j, cellZ, hit)) return true;
        }
    }
    return false;
}

inline bool Cast::meetAt(int cellX, int cellZ, RayHit& hit) const {
    CellHit met;
    if (m_raster.isHole(cellX, cellZ) || !meetCell(m_lattice, m_raster, cellX, cellZ, met)) return false;
    if (met.t <= m_maxT) {
        fillAt(hit, cellX, cellZ, met.t, met.lowerTriangle, CellTriangle(met.texels, met.lowerTriangle));
    }
    return true;
}

inline void Cast::fillAt(RayHit& hit, int cellX, int cellZ, double t, bool lower,
                         const CellTriangle& triangle) const {
    const Rect& rect = m_raster.rect();
    fill(hit, m_pyramid, m_ray.direction, cellX, cellZ, t, lower, triangle);
    const Vec3d at = m_ray.at(t);
    hit.position = {held(at.x, rect.minX, rect.maxX), at.y, held(at.z, rect.minZ, rect.maxZ)};
}

void castScaled(const HeightRaster& raster, const HeightPyramid& pyramid, const Ray& ray, double maxT,
                RayHit& hit) {
    const Vec3d& d = ray.direction;
    const int exponent = std::ilogb(greater(greater(std::abs(d.x), std::abs(d.y)), std::abs(d.z)));
    const auto scaled = [&](double size) { return std::scalbn(size, -exponent); };
    const Ray plain{ray.origin, {scaled(d.x), scaled(d.y), scaled(d.z)}};
    Cast(raster, pyramid, plain, std::scalbn(maxT, exponent)).run(hit);
    hit.t = std::scalbn(hit.t, -exponent);
    if (!std::isfinite(hit.t)) hit = {};
}

}  // namespace

RayHit castRay(const HeightRaster& raster, const HeightPyramid& pyramid, const Ray& ray, double maxT) {
    KARST_ASSERT(pyramid.generation() == raster.generation());
    const Vec3d &o = ray.origin, &d = ray.direction;
    RayHit hit;
    if (d.x == 0 && d.z == 0 && castVertical(raster, pyramid, ray, maxT, hit)) return hit;
    const double size = std::abs(d.x) + std::abs(d.y) + std::abs(d.z);
    const double far = std::abs(o.x) + std::abs(o.y) + std::abs(o.z);
    if (size >= 1 / kPlainDirection && size <= kPlainDirection && far <= std::numeric_limits<double>::max() &&
        maxT >= 0) {
        Cast(raster, pyramid, ray, maxT).run(hit);
    } else if (isFinite(o) && isFinite(d) && d != Vec3d{} && maxT >= 0) {
        castScaled(raster, pyramid, ray, maxT, hit);
    } else {
        hit.status = RayStatus::InvalidRay;
    }
    return hit;
}

}  // namespace karst::heightfield
