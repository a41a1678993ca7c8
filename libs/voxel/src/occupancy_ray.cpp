#include <karst/voxel/occupancy_ray.h>

#include "cell_cube.h"
#include "edit_arguments.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace karst::voxel {
namespace {

constexpr double kThreshold = 127.5;

/// Along a straight way through a cube, s from 0 to 1, the trilinear field is a cubic.
struct Cubic {
    double c0, c1, c2, c3;

    double at(double s) const { return c0 + s * (c1 + s * (c2 + s * c3)); }
};

Cubic alongCube(const std::array<int, 8>& v, Vec3d p, Vec3d d) {
    // As k0 + kx x + ky y + kz z + kxy x y + kxz x z + kyz y z + kxyz x y z.
    const double k0 = v[0], kx = v[1] - v[0], kz = v[2] - v[0], ky = v[4] - v[0];
    const double kxz = v[3] - v[2] - v[1] + v[0], kxy = v[5] - v[4] - v[1] + v[0],
                 kyz = v[6] - v[4] - v[2] + v[0];
    const double kxyz = v[7] - v[6] - v[5] - v[3] + v[4] + v[2] + v[1] - v[0];
    Cubic c;
    c.c0 = k0 + kx * p.x + ky * p.y + kz * p.z + kxy * p.x * p.y + kxz * p.x * p.z + kyz * p.y * p.z +
           kxyz * p.x * p.y * p.z;
    c.c1 = kx * d.x + ky * d.y + kz * d.z + kxy * (p.x * d.y + p.y * d.x) + kxz * (p.x * d.z + p.z * d.x) +
           kyz * (p.y * d.z + p.z * d.y) + kxyz * (d.x * p.y * p.z + p.x * d.y * p.z + p.x * p.y * d.z);
    c.c2 = kxy * d.x * d.y + kxz * d.x * d.z + kyz * d.y * d.z +
           kxyz * (p.x * d.y * d.z + d.x * p.y * d.z + d.x * d.y * p.z);
    c.c3 = kxyz * d.x * d.y * d.z;
    return c;
}

/// Where f first comes to the threshold on from..to, over which it only rises and does so.
double crossing(const Cubic& f, double from, double to) {
    double low = from, high = to;
    double fLow = f.at(low) - kThreshold, fHigh = f.at(high) - kThreshold;
    for (int i = 0; i < 60 && high - low > 1e-12; ++i) {
        // The secant, and the middle where that does not shorten the interval well.
        double s = i % 3 == 2 ? 0.5 * (low + high) : low - fLow * (high - low) / (fHigh - fLow);
        if (!(s > low && s < high)) s = 0.5 * (low + high);
        const double v = f.at(s) - kThreshold;
        if (v >= 0) {
            high = s, fHigh = v;
            if (v < 1e-12) break;
        } else {
            low = s, fLow = v;
        }
    }
    return high;
}

/// The first s in 0..1 where f is at least the threshold; -1 where there is none.
double firstCrossing(const Cubic& f) {
    if (f.c0 >= kThreshold) return 0;
    // Between the places where it turns it only rises or only falls.
    double turns[3];
    int count = 0;
    const double a = 3 * f.c3, b = 2 * f.c2, c = f.c1;
    const auto add = [&](double s) {
        if (s > 0 && s < 1) turns[count++] = s;
    };
    const double d = b * b - 4 * a * c;
    if (d > 0) {
        const double q = -0.5 * (b + (b < 0 ? -std::sqrt(d) : std::sqrt(d)));
        if (a != 0) add(q / a);
        if (q != 0) add(c / q);
        if (count == 2 && turns[0] > turns[1]) std::swap(turns[0], turns[1]);
    }
    turns[count++] = 1;
    double from = 0;
    for (int i = 0; i < count; ++i) {
        if (f.at(turns[i]) >= kThreshold) return crossing(f, from, turns[i]);
        from = turns[i];
    }
    return -1;
}

class Caster {
  public:
    Caster(const CellView& view, RayTarget target) : m_view(view) {
        for (std::size_t i = 0; i < 256; ++i) {
            const MaterialKind kind = view.materials().kinds()[i];
            m_wanted[i] = (kind == MaterialKind::Solid && target != RayTarget::Water) ||
                          (kind == MaterialKind::Water && target != RayTarget::Solid);
        }
    }

    /// `from` counts cells from the middle of cell (0, 0, 0), `direction` has length 1. The number of cells
    /// to the hit, or -1.
    double cast(Vec3d from, Vec3d direction, double length);

    // Of the hit.
    CellCoord cube;
    CubeCells cells;
    Vec3d inCube;

    const std::array<bool, 256>& wanted() const { return m_wanted; }
    int value(Cell cell) const { return m_wanted[cell.material] ? cell.occupancy : 0; }

  private:
    void enter(ChunkCoord block);
    void readCube();

    const CellView& m_view;
    std::array<bool, 256> m_wanted{};
    // The chunk that holds the cube's lowest cell, and its neighbours towards larger coordinates, in the
    // order of the corners.
    bool m_entered = false;
    ChunkCoord m_block;
    std::array<const Chunk*, 8> m_chunks{};
    bool m_firstFree = false, m_allFree = false;
};

void Caster::enter(ChunkCoord block) {
    if (m_entered && block == m_block) return;
    m_entered = true;
    m_block = block;
    m_allFree = true;
    for (int i = 7; i >= 0; --i) {
        const Chunk* chunk = m_view.chunk({block.x + (i & 1), block.y + (i >> 2), block.z + (i >> 1 & 1)});
        m_chunks[static_cast<std::size_t>(i)] = chunk;
        m_firstFree = !chunk || (chunk->uniform() && value(chunk->uniformCell()) < kThreshold);
        m_allFree = m_allFree && m_firstFree;
    }
}

void Caster::readCube() {
    const std::int32_t x = cube.x & 31, y = cube.y & 31, z = cube.z & 31;
    if (x < 31 && y < 31 && z < 31) {
        // Not free, so it is there.
        const std::int32_t first = cellIndex(x, y, z);
        const Chunk& chunk = *m_chunks[0];
        if (chunk.uniform()) {
            cells.fill(chunk.uniformCell());
            return;
        }
        const Cell* c = chunk.cells().data() + first;
        constexpr int kZ = kChunkSize, kY = kChunkSize * kChunkSize;
        cells = {c[0], c[1], c[kZ], c[kZ + 1], c[kY], c[kY + 1], c[kY + kZ], c[kY + kZ + 1]};
        return;
    }
    for (int i = 0; i < 8; ++i) {
        const std::int32_t cx = x + (i & 1), cz = z + (i >> 1 & 1), cy = y + (i >> 2);
        const Chunk* chunk = m_chunks[static_cast<std::size_t>((cx >> 5) + 2 * (cz >> 5) + 4 * (cy >> 5))];
        cells[static_cast<std::size_t>(i)] = chunk ? chunk->cell(cellIndex(cx, cy, cz)) : Cell{};
    }
}

double Caster::cast(Vec3d from, Vec3d direction, double length) {
    const double origin[3] = {from.x, from.y, from.z};
    const double step[3] = {direction.x, direction.y, direction.z};
    const double inverse[3] = {1 / direction.x, 1 / direction.y, 1 / direction.z};
    constexpr double kNever = std::numeric_limits<double>::infinity();
    std::int32_t at[3];
    for (int i = 0; i < 3; ++i)
        at[i] = static_cast<std::int32_t>(std::floor(origin[i]));
    double t = 0;
    while (t <= length) {
        if (std::max({std::abs(at[0]), std::abs(at[1]), std::abs(at[2])}) > kCellLimit) return -1;
        cube = {at[0], at[1], at[2]};
        enter(chunkOf(cube));
        // The cubes that can be passed at once: all of the block's, those inside its first chunk, or one.
        std::int32_t low[3], high[3];
        bool test = false;
        const bool inFirst = (at[0] & 31) < 31 && (at[1] & 31) < 31 && (at[2] & 31) < 31;
        if (m_allFree || (m_firstFree && inFirst)) {
            for (int i = 0; i < 3; ++i) {
                low[i] = at[i] & ~31;
                high[i] = low[i] + (m_allFree ? 31 : 30);
            }
        } else {
            test = true;
            for (int i = 0; i < 3; ++i)
                low[i] = high[i] = at[i];
        }
        double out = kNever;
        int axis = 0;
        for (int i = 0; i < 3; ++i) {
            if (step[i] == 0) continue;
            const double border = step[i] > 0 ? high[i] + 1.0 : low[i];
            const double there = (border - origin[i]) * inverse[i];
            if (there < out) {
                out = there;
                axis = i;
            }
        }
        out = std::max(out, t);
        if (test) {
            readCube();
            std::array<int, 8> v;
            int most = 0;
            for (std::size_t i = 0; i < 8; ++i) {
                v[i] = value(cells[i]);
                most = std::max(most, v[i]);
            }
            if (most > kThreshold) {
                const double end = std::min(out, length);
                double p[3], d[3];
                for (int i = 0; i < 3; ++i) {
                    p[i] = std::clamp(origin[i] + t * step[i] - at[i], 0.0, 1.0);
                    d[i] = std::clamp(origin[i] + end * step[i] - at[i], 0.0, 1.0) - p[i];
                }
                const Vec3d start{p[0], p[1], p[2]}, way{d[0], d[1], d[2]};
                const double s = firstCrossing(alongCube(v, start, way));
                if (s >= 0) {
                    inCube = start + way * s;
                    return t + s * (end - t);
                }
            }
        }
        if (out == kNever) return -1;
        t = out;
        for (int i = 0; i < 3; ++i) {
            if (i != axis && low[i] != high[i]) {
                const double p = std::floor(origin[i] + t * step[i]);
                at[i] = static_cast<std::int32_t>(std::clamp(p, double(low[i]), double(high[i])));
            }
        }
        at[axis] = step[axis] > 0 ? high[axis] + 1 : low[axis] - 1;
    }
    return -1;
}

}  // namespace

Result<std::optional<OccupancyHit>> castOccupancyRay(const CellView& view, WorldPosition origin,
                                                     Vec3d direction, double maxDistance, RayTarget target) {
    constexpr const char* kName = "castOccupancyRay";
    if (auto r = checkFinite(kName, "origin", origin); !r) return r.error();
    if (auto r = checkFinite(kName, "direction", direction); !r) return r.error();
    if (auto r = checkPositive(kName, "maxDistance", maxDistance); !r) return r.error();
    const double largest = std::max({std::abs(direction.x), std::abs(direction.y), std::abs(direction.z)});
    if (largest == 0) {
        return makeError(ErrorCode::InvalidArgument, "%s: direction is (0, 0, 0), it must have a length",
                         kName);
    }
    const double cellSize = view.placement().cellSize;
    const double length = maxDistance / cellSize;
    if (!(length <= kMaxRayCells)) {
        return makeError(ErrorCode::TooLarge, "%s: maxDistance is %g, %.0f cells, at most %.0f are taken",
                         kName, maxDistance, length, kMaxRayCells);
    }
    const Vec3d d = origin - view.placement().origin;
    const Vec3d from{d.x / cellSize - 0.5, d.y / cellSize - 0.5, d.z / cellSize - 0.5};
    if (!(std::max({std::abs(from.x), std::abs(from.y), std::abs(from.z)}) <= double{kCellLimit})) {
        return makeError(ErrorCode::InvalidArgument,
                         "%s: origin (%g, %g, %g) lies beyond the cell limit of 2^28", kName, origin.x,
                         origin.y, origin.z);
    }
    // Any length, also one whose square is no number.
    const Vec3d unit = normalized(Vec3d{direction.x / largest, direction.y / largest, direction.z / largest});
    Caster caster(view, target);
    const double cells = caster.cast(from, unit, length);
    if (cells < 0) return std::optional<OccupancyHit>();

    OccupancyHit hit;
    hit.distance = std::min(cells * cellSize, maxDistance);
    hit.point = origin + unit * hit.distance;
    // The field's rise along each axis.
    std::array<double, 3> rise{};
    const double p[3] = {caster.inCube.x, caster.inCube.y, caster.inCube.z};
    constexpr int kBit[3] = {1, 4, 2};
    for (int axis = 0; axis < 3; ++axis) {
        for (int i = 0; i < 8; ++i) {
            double weight = i & kBit[axis] ? 1 : -1;
            for (int other = 0; other < 3; ++other) {
                if (other != axis) weight *= i & kBit[other] ? p[other] : 1 - p[other];
            }
            rise[static_cast<std::size_t>(axis)] +=
                weight * caster.value(caster.cells[static_cast<std::size_t>(i)]);
        }
    }
    const Vec3d gradient{rise[0], rise[1], rise[2]};
    const double steepness = karst::length(gradient);
    hit.normal = steepness > 1e-9 ? gradient * (-1 / steepness) : unit * -1.0;
    const StrongestMaterial strongest =
        strongestMaterial(caster.cells, cubeWeights(caster.inCube), caster.wanted());
    hit.material = strongest.material;
    const int corner = std::max(strongest.corner, 0);
    hit.cell = {caster.cube.x + (corner & 1), caster.cube.y + (corner >> 2),
                caster.cube.z + (corner >> 1 & 1)};
    return std::optional<OccupancyHit>(hit);
}

}  // namespace karst::voxel
