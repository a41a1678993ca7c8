#include "shape_coverage.h"

#include "ball_share.h"

#include <algorithm>
#include <cmath>

namespace karst::voxel {
namespace {

// Volumes are summed as whole multiples of 2^-30 cell, so that no order of summing matters.
constexpr std::int64_t kCell = std::int64_t{1} << 30;
// A small ball's cell is covered by at most this many parts a side.
constexpr int kMostBallParts = 8;
// A shape's faces as bits, after those of its slabs.
constexpr unsigned kPlaneFace = 8, kRoundFace = 16, kAllFaces = 31;

/// Entries within 1e-9 of 0 or 1 become that, so that a right angle by way of sines is one.
double snap(double v) {
    const double r = std::floor(v + 0.5);
    return std::abs(v - r) <= 1e-9 ? r : v;
}
Vec3d snap(Vec3d v) {
    return {snap(v.x), snap(v.y), snap(v.z)};
}
bool alongAxis(Vec3d v) {
    return std::abs(v.x) + std::abs(v.y) + std::abs(v.z) == 1 &&
           std::max({std::abs(v.x), std::abs(v.y), std::abs(v.z)}) == 1;
}

/// The first cell >= lowest and the one after the last <= highest; numbers far outside become the limit.
std::int32_t cellAtLeast(double lowest) {
    lowest = std::clamp(lowest, -1e9, 1e9);
    const auto cell = static_cast<std::int32_t>(lowest);
    return cell < lowest ? cell + 1 : cell;
}
std::int32_t cellBeyond(double highest) {
    highest = std::clamp(highest, -1e9, 1e9);
    const auto cell = static_cast<std::int32_t>(highest);
    return cell > highest ? cell : cell + 1;
}

struct Interval {
    double low = -1e9, high = 1e9;
    void meet(double l, double h) {
        low = std::max(low, l);
        high = std::min(high, h);
    }
    void clear() { low = 1, high = -1; }
    /// Where |offset + slope t| <= limit.
    void meetSlab(double offset, double slope, double limit) {
        if (limit < 0) return clear();
        if (slope == 0) {
            if (std::abs(offset) > limit) clear();
            return;
        }
        const double t0 = (-limit - offset) / slope, t1 = (limit - offset) / slope;
        meet(std::min(t0, t1), std::max(t0, t1));
    }
    /// Where offset + slope t <= limit.
    void meetBelow(double offset, double slope, double limit) {
        if (slope == 0) {
            if (offset > limit) clear();
            return;
        }
        const double t = (limit - offset) / slope;
        if (slope > 0) {
            high = std::min(high, t);
        } else {
            low = std::max(low, t);
        }
    }
    /// Where c + 2 b t + a t^2 <= limit^2, a >= 0.
    void meetRound(double c, double b, double a, double limit) {
        if (limit < 0) return clear();
        const double rest = c - limit * limit;
        if (a < 1e-12) {
            // A cylinder along the row.
            if (rest > 0) clear();
            return;
        }
        const double d = b * b - a * rest;
        if (d < 0) return clear();
        const double root = std::sqrt(d);
        meet((-b - root) / a, (-b + root) / a);
    }
};

}  // namespace

CutDirection CutDirection::of(Vec3d direction) {
    double a = std::abs(direction.x), b = std::abs(direction.y), c = std::abs(direction.z);
    if (a > b) std::swap(a, b);
    if (b > c) std::swap(b, c);
    if (a > b) std::swap(a, b);
    CutDirection cut;
    cut.a = a < 1e-6 ? 0 : a;
    cut.b = b < 1e-6 ? 0 : b;
    cut.c = c;
    cut.sum = cut.a + cut.b + cut.c;
    cut.inverseC = 1 / (2 * c);
    if (cut.b > 0) {
        cut.inverseBc = 1 / (2 * cut.b * c);
        cut.edge = cut.a * cut.a * cut.inverseBc / 3;
    }
    if (cut.a > 0) cut.inverseAbc = 1 / (6 * cut.a * cut.b * c);
    return cut;
}

double cubeBelowPlane(double distance, const CutDirection& n) {
    const double half = 0.5 * n.sum;
    // The plane's height over the lowest corner; the upper half is the mirror image of the lower one.
    const bool upper = distance < 0;
    const double h = half - std::abs(distance);
    if (h <= 0) return upper ? 1 : 0;
    const double ab = n.a + n.b;
    double volume;
    if (h < n.a) {
        volume = h * h * h * n.inverseAbc;
    } else if (h < n.b) {
        volume = h * (h - n.a) * n.inverseBc + n.edge;
    } else if (h >= ab && ab <= n.c) {
        volume = (2 * h - ab) * n.inverseC;
    } else {
        const double ha = h - n.a, hb = h - n.b, hc = std::max(h - n.c, 0.0);
        volume = (h * h * h - ha * ha * ha - hb * hb * hb - hc * hc * hc) * n.inverseAbc;
    }
    return upper ? 1 - volume : volume;
}

ShapeCoverage::ShapeCoverage(const GridPlacement& placement, const Pose& pose) {
    const Vec3d p = (pose.center - placement.origin) * (1 / placement.cellSize);
    const auto split = [this](double v, std::int32_t& cell, double& rest) {
        // A place far outside of the limit only has to be recognised.
        if (!(std::abs(v) <= 1e9)) m_inLimit = false;
        v = std::clamp(v, -1e9, 1e9);
        const double lower = std::floor(v);
        cell = static_cast<std::int32_t>(lower);
        rest = std::floor((v - lower) * 65536 + 0.5) / 65536;
    };
    split(p.x, m_base.x, m_center.x);
    split(p.y, m_base.y, m_center.y);
    split(p.z, m_base.z, m_center.z);
    m_rotation = {snap(pose.rotation.x), snap(pose.rotation.y), snap(pose.rotation.z)};
    m_aligned = alongAxis(m_rotation.x) && alongAxis(m_rotation.y) && alongAxis(m_rotation.z);
}

void ShapeCoverage::addSlab(Vec3d axis, double half) {
    m_slabs[static_cast<std::size_t>(m_slabCount++)] = {axis, half, CutDirection::of(axis)};
}

void ShapeCoverage::setBounds(Vec3d extent) {
    const auto set = [this](std::int32_t base, double center, double half, std::int32_t& low,
                            std::int32_t& high) {
        const double from = base + std::floor(center - half), to = base + std::ceil(center + half);
        if (!(from >= -double{kCellLimit} && to <= double{kCellLimit})) {
            m_inLimit = false;
            return;
        }
        low = static_cast<std::int32_t>(from);
        high = std::max(static_cast<std::int32_t>(to), low + 1);
    };
    set(m_base.x, m_center.x, extent.x, m_bounds.min.x, m_bounds.max.x);
    set(m_base.y, m_center.y, extent.y, m_bounds.min.y, m_bounds.max.y);
    set(m_base.z, m_center.z, extent.z, m_bounds.min.z, m_bounds.max.z);
}

ShapeCoverage ShapeCoverage::block(const GridPlacement& placement, const Pose& pose, Vec3d size) {
    ShapeCoverage s(placement, pose);
    const Rotation& r = s.m_rotation;
    const Vec3d half = size * (0.5 / placement.cellSize);
    s.addSlab(r.x, half.x);
    s.addSlab(r.y, half.y);
    s.addSlab(r.z, half.z);
    s.setBounds({std::abs(r.x.x) * half.x + std::abs(r.y.x) * half.y + std::abs(r.z.x) * half.z,
                 std::abs(r.x.y) * half.x + std::abs(r.y.y) * half.y + std::abs(r.z.y) * half.z,
                 std::abs(r.x.z) * half.x + std::abs(r.y.z) * half.y + std::abs(r.z.z) * half.z});
    return s;
}

ShapeCoverage ShapeCoverage::ball(const GridPlacement& placement, WorldPosition center, double radius) {
    ShapeCoverage s(placement, {center, {}});
    s.m_round = Round::Sphere;
    s.m_radius = radius / placement.cellSize;
    for (int parts = kMostBallParts; parts > 0 && s.m_radius * parts >= kFlatBallRadius; parts /= 2)
        s.m_ballParts = parts;
    s.setBounds({s.m_radius, s.m_radius, s.m_radius});
    return s;
}

ShapeCoverage ShapeCoverage::cylinder(const GridPlacement& placement, const Pose& pose, double height,
                                      double radius) {
    ShapeCoverage s(placement, pose);
    const double half = height * (0.5 / placement.cellSize);
    s.m_round = Round::Cylinder;
    s.m_roundU = s.m_rotation.x;
    s.m_roundV = s.m_rotation.z;
    s.m_radius = radius / placement.cellSize;
    const Vec3d axis = s.m_rotation.y;
    s.addSlab(axis, half);
    const auto extent = [&](double a, double u, double v) {
        return std::abs(a) * half + s.m_radius * std::sqrt(u * u + v * v);
    };
    s.setBounds({extent(axis.x, s.m_roundU.x, s.m_roundV.x), extent(axis.y, s.m_roundU.y, s.m_roundV.y),
                 extent(axis.z, s.m_roundU.z, s.m_roundV.z)});
    return s;
}

ShapeCoverage ShapeCoverage::wedge(const GridPlacement& placement, const Pose& pose, Vec3d size) {
    ShapeCoverage s = block(placement, pose, size);
    // Below the diagonal y / size.y = z / size.z.
    const double largest = std::max(size.y, size.z);
    const double y = size.y / largest, z = size.z / largest, l = std::sqrt(y * y + z * z);
    const double up = z / l, back = y / l;
    s.m_hasPlane = true;
    s.m_planeNormal = s.m_rotation.y * up - s.m_rotation.z * back;
    s.m_planeOffset = 0;
    s.m_planeCut = CutDirection::of(s.m_planeNormal);
    return s;
}

double ShapeCoverage::roundShare(Vec3d p, double edge) const {
    Vec3d normal;
    double square, bend;
    if (m_round == Round::Sphere) {
        normal = p;
        square = dot(p, p);
        bend = 1.0 / 12;
    } else {
        const double u = dot(p, m_roundU), v = dot(p, m_roundV);
        normal = m_roundU * u + m_roundV * v;
        square = u * u + v * v;
        bend = 1.0 / 24;
    }
    const double rho = std::sqrt(square);
    const double distance = rho - m_radius;
    if (std::abs(distance) >= edge) return distance < 0 ? 1 : 0;
    // The middle of the smallest cube sits on the centre of a ball that is smaller than it.
    if (rho < 1e-12) return 0.5;
    const CutDirection cut = CutDirection::of(normal * (1 / rho));
    if (distance >= 0.5 * edge * cut.sum) return 0;
    if (square + rho * edge * cut.sum + 0.75 * edge * edge <= m_radius * m_radius) return 1;
    // The mean of the distance over the cube is that of its middle and, for the bend of the face, a bit more.
    const double share = cubeBelowPlane(distance / edge + bend * edge / rho, cut);
    return std::clamp(share, 1e-9, 1 - 1e-9);
}

std::int64_t ShapeCoverage::volume(Vec3d p, double edge, int depth, unsigned faces) const {
    const std::int64_t cube = kCell >> (3 * depth);
    // The shares that single faces leave, in rising order, so that their product is that of any order.
    std::array<double, 5> shares{};
    std::size_t count = 0;
    unsigned cutting = 0;
    const auto add = [&](double share, unsigned face) {
        std::size_t i = count++;
        for (; i > 0 && shares[i - 1] > share; --i)
            shares[i] = shares[i - 1];
        shares[i] = share;
        cutting |= face;
    };
    const double inverseEdge = 1 / edge;
    for (int i = 0; i < m_slabCount; ++i) {
        if (!(faces & (1u << i))) continue;
        const Slab& slab = m_slabs[static_cast<std::size_t>(i)];
        const double q = std::abs(dot(slab.axis, p));
        const double reach = 0.5 * edge * slab.cut.sum;
        if (q >= slab.half + reach) return 0;
        if (q + reach <= slab.half) continue;
        double share = cubeBelowPlane((q - slab.half) * inverseEdge, slab.cut);
        // The other side of a thin one.
        if (q - reach < -slab.half) share += cubeBelowPlane((-q - slab.half) * inverseEdge, slab.cut) - 1;
        add(std::max(share, 0.0), 1u << i);
    }
    if (m_hasPlane && (faces & kPlaneFace)) {
        const double q = dot(m_planeNormal, p) - m_planeOffset;
        const double reach = 0.5 * edge * m_planeCut.sum;
        if (q >= reach) return 0;
        if (q > -reach) add(cubeBelowPlane(q * inverseEdge, m_planeCut), kPlaneFace);
    }
    bool bent = false;
    if (m_round != Round::None && (faces & kRoundFace)) {
        const double share = roundShare(p, edge);
        if (share == 0) return 0;
        if (share < 1) {
            add(share, kRoundFace);
            bent = m_radius < kFlatBallRadius * edge;
        }
    }
    if (count == 0) return cube;
    // Faces along the grid's axes cut independently; so does a lone one. Others do so more nearly the
    // smaller the cube; least those at a wedge's sharp edge.
    const bool apart = count == 1 || (m_aligned && !m_hasPlane && m_round == Round::None);
    const int deepest = bent ? 4 : apart ? 0 : m_hasPlane ? 3 : 2;
    if (depth >= deepest) {
        double share = 1;
        for (std::size_t i = 0; i < count; ++i)
            share *= shares[i];
        return static_cast<std::int64_t>(share * static_cast<double>(cube) + 0.5);
    }
    const double q = edge / 4;
    std::int64_t sum = 0;
    for (int i = 0; i < 8; ++i) {
        const Vec3d step{i & 1 ? q : -q, i & 2 ? q : -q, i & 4 ? q : -q};
        sum += volume(p + step, edge / 2, depth + 1, cutting);
    }
    return sum;
}

std::uint8_t ShapeCoverage::coverage(CellCoord cell) const {
    std::uint8_t coverage;
    coverRow(cell, 1, &coverage);
    return coverage;
}

void ShapeCoverage::coverRow(CellCoord first, std::int32_t count, std::uint8_t* out) const {
    if (m_ballParts > 0) {
        const Vec3d p = relative(first);
        if (m_ballParts == 1) return ballCoverage(p.x, p.y, p.z, m_radius, count, out);
        return smallBallCoverage(p.x, p.y, p.z, m_radius, m_ballParts, count, out);
    }
    for (std::int32_t i = 0; i < count; ++i) {
        const std::int64_t share = volume(relative({first.x + i, first.y, first.z}), 1, 0, kAllFaces);
        out[i] = static_cast<std::uint8_t>((share * 255 + kCell / 2) >> 30);
    }
}

RowSpan ShapeCoverage::spanOf(double outerLow, double outerHigh, double innerLow, double innerHigh) const {
    const std::int32_t low = m_bounds.min.x - m_base.x, high = m_bounds.max.x - m_base.x;
    RowSpan span;
    span.outerBegin = std::clamp(cellAtLeast(outerLow), low, high);
    span.outerEnd = std::max(std::clamp(cellBeyond(outerHigh), low, high), span.outerBegin);
    span.innerBegin = std::clamp(cellAtLeast(innerLow), span.outerBegin, span.outerEnd);
    span.innerEnd = std::clamp(cellBeyond(innerHigh), span.innerBegin, span.outerEnd);
    return {span.outerBegin + m_base.x, span.innerBegin + m_base.x, span.innerEnd + m_base.x,
            span.outerEnd + m_base.x};
}

RowSpan ShapeCoverage::rowSpan(std::int32_t y, std::int32_t z) const {
    // Of the row's cell at m_base.x; t counts cells from there. A cell in doubt belongs to the rim.
    constexpr double kDoubt = 1e-6;
    const Vec3d p = relative({m_base.x, y, z});
    if (m_round == Round::Sphere) {
        // By the farthest and by the nearest corner.
        const double ay = std::abs(p.y), az = std::abs(p.z), square = m_radius * m_radius;
        const double ny = std::max(ay - 0.5, 0.0), nz = std::max(az - 0.5, 0.0);
        const double near = square - ny * ny - nz * nz;
        if (near < 0) return {};
        const double far = square - (ay + 0.5) * (ay + 0.5) - (az + 0.5) * (az + 0.5);
        const double nearX = std::sqrt(near) + 0.5 + kDoubt;
        const double farX = far > 0 ? std::sqrt(far) - 0.5 - kDoubt : -1;
        return spanOf(-nearX - p.x, nearX - p.x, -farX - p.x, farX - p.x);
    }
    Interval inner, outer;
    for (int i = 0; i < m_slabCount; ++i) {
        const Slab& slab = m_slabs[static_cast<std::size_t>(i)];
        const double q = dot(slab.axis, p), reach = 0.5 * slab.cut.sum;
        inner.meetSlab(q, slab.axis.x, slab.half - reach - kDoubt);
        outer.meetSlab(q, slab.axis.x, slab.half + reach + kDoubt);
    }
    if (m_hasPlane) {
        const double q = dot(m_planeNormal, p) - m_planeOffset, reach = 0.5 * m_planeCut.sum;
        inner.meetBelow(q, m_planeNormal.x, -reach - kDoubt);
        outer.meetBelow(q, m_planeNormal.x, reach + kDoubt);
    }
    if (m_round == Round::Cylinder) {
        const double u = dot(p, m_roundU), v = dot(p, m_roundV);
        const double a = m_roundU.x * m_roundU.x + m_roundV.x * m_roundV.x;
        const double b = u * m_roundU.x + v * m_roundV.x;
        // Half a cell's diagonal, across the axis.
        const double reach = m_aligned ? 0.7072 : 0.8661;
        inner.meetRound(u * u + v * v, b, a, m_radius - reach - kDoubt);
        outer.meetRound(u * u + v * v, b, a, m_radius + reach + kDoubt);
    }
    return spanOf(outer.low, outer.high, inner.low, inner.high);
}

}  // namespace karst::voxel
