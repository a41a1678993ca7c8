#include <karst/physics/terrain_shape.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "height_lattice_ray.h"
#include "terrain_shape_state.h"

namespace karst::physics {
namespace {

constexpr double kChunk = voxel::kChunkSize;

/// The chunks that a ray was tested against last. A chunk's surface reaches out of its region, so it comes up
/// several times.
class Tested {
  public:
    bool add(std::size_t slot) {
        for (const std::size_t each : m_slots) {
            if (each == slot) return false;
        }
        m_slots[m_next++ % m_slots.size()] = slot;
        return true;
    }

  private:
    std::array<std::size_t, 12> m_slots = {
        ~std::size_t{0}, ~std::size_t{0}, ~std::size_t{0}, ~std::size_t{0}, ~std::size_t{0}, ~std::size_t{0},
        ~std::size_t{0}, ~std::size_t{0}, ~std::size_t{0}, ~std::size_t{0}, ~std::size_t{0}, ~std::size_t{0}};
    std::size_t m_next = 0;
};

struct ChunkHit {
    double t;
    std::size_t slot;
    std::uint32_t triangle;
    const voxel_mesh::CollisionSurface* surface;
};

/// Walks the regions of the chunks: region r spans 32 r - 0.5 to 32 r + 31.5 cells. The surface of chunk r
/// lies in it and up to one cell beyond its upper sides. Counted from the lattice's first chunk; there is one
/// region more on each axis, for what reaches out.
class ChunkWalk {
  public:
    ChunkWalk(const TerrainShape::State& state, const Ray& ray)
        : m_state(state),
          m_ray(ray.direction * (1 / state.definition.voxels.cellSize)),
          m_count{state.chunksX(), state.chunksY(), state.chunksZ()} {
        const Vec3d origin = (ray.origin - state.voxelBase) * (1 / state.definition.voxels.cellSize);
        // Rounded so that taking away the corner of any chunk of the lattice is exact: then each sees the
        // same ray, and what two chunks share is met in the same place by both.
        const voxel::ChunkCoord &low = state.definition.minChunk, &high = state.definition.maxChunk;
        double most = 1;
        for (const std::int32_t c : {low.x, low.y, low.z, high.x, high.y, high.z})
            most = std::max(most, std::abs(static_cast<double>(c)) * kChunk);
        most += std::max({std::abs(origin.x), std::abs(origin.y), std::abs(origin.z)});
        const double quantum = std::ldexp(1.0, std::ilogb(most) - 51);
        const auto snap = [quantum](double value) { return std::nearbyint(value / quantum) * quantum; };
        m_origin = {snap(origin.x), snap(origin.y), snap(origin.z)};
        m_base = {low.x * kChunk, low.y * kChunk, low.z * kChunk};
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const double d = m_ray.direction[axis];
            m_inverse[axis] = d == 0 ? kHuge : std::clamp(m_ray.inverse[axis], -kHuge, kHuge);
            m_nearSide[axis] = d < 0 ? SlotBounds::highSide(axis) : SlotBounds::lowSide(axis);
            m_farSide[axis] = d < 0 ? SlotBounds::lowSide(axis) : SlotBounds::highSide(axis);
            m_slack[axis] = d < 0 ? -kSlack : kSlack;
        }
    }

    std::optional<ChunkHit> run(double maxT) {
        const std::array<double, 3>&from = m_origin, &speed = m_ray.direction;
        double t = 0, end = maxT;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const double least = m_base[axis] - 0.5,
                         most = m_base[axis] + static_cast<double>(m_count[axis]) * kChunk + 0.5;
            if (speed[axis] == 0) {
                if (from[axis] < least || from[axis] > most) return std::nullopt;
                continue;
            }
            const double a = (least - from[axis]) / speed[axis], b = (most - from[axis]) / speed[axis];
            t = std::max(t, std::min(a, b));
            end = std::min(end, std::max(a, b));
        }
        if (!(t <= end)) return std::nullopt;

        Index region;
        std::array<double, 3> corner;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const double at = std::floor((from[axis] + t * speed[axis] + 0.5 - m_base[axis]) / kChunk);
            region[axis] = static_cast<std::int64_t>(std::clamp(at, 0.0, static_cast<double>(m_count[axis])));
            corner[axis] = m_base[axis] + static_cast<double>(region[axis]) * kChunk;
        }
        // Where it leaves the region along each axis.
        const auto leaves = [&](std::size_t axis) {
            if (speed[axis] == 0) return std::numeric_limits<double>::infinity();
            return (corner[axis] + (speed[axis] > 0 ? kChunk : 0) - 0.5 - from[axis]) / speed[axis];
        };
        std::array<double, 3> next{leaves(0), leaves(1), leaves(2)};
        std::optional<ChunkHit> best;
        Tested tested;
        for (;;) {
            double exit = end;
            std::size_t exitAxis = 3;
            for (std::size_t axis = 0; axis < 3; ++axis) {
                if (next[axis] < exit) {
                    exit = next[axis];
                    exitAxis = axis;
                }
            }
            exit = std::max(exit, t);
            // The lower neighbours whose surface may reach into what the ray sees of this region.
            Index least = region, most = region;
            for (std::size_t axis = 0; axis < 3; ++axis) {
                const double lowest = from[axis] + (speed[axis] < 0 ? exit : t) * speed[axis];
                if (lowest < corner[axis] + 0.5 + kSlack && least[axis] > 0) --least[axis];
                most[axis] = std::min(most[axis], m_count[axis] - 1);
            }
            Index chunk;
            for (chunk[1] = least[1]; chunk[1] <= most[1]; ++chunk[1]) {
                for (chunk[2] = least[2]; chunk[2] <= most[2]; ++chunk[2]) {
                    for (chunk[0] = least[0]; chunk[0] <= most[0]; ++chunk[0])
                        test(chunk, end, tested, best);
                }
            }
            if (best && best->t <= exit) return best;
            if (exitAxis == 3) return best;
            const bool up = speed[exitAxis] > 0;
            region[exitAxis] += up ? 1 : -1;
            if (region[exitAxis] < 0 || region[exitAxis] > m_count[exitAxis]) return best;
            corner[exitAxis] += up ? kChunk : -kChunk;
            next[exitAxis] = leaves(exitAxis);
            t = exit;
        }
    }

  private:
    using Index = std::array<std::int64_t, 3>;
    /// Far above what rounding does near a chunk.
    static constexpr double kSlack = 1e-3;
    static constexpr double kHuge = 1e300;

    void test(const Index& chunk, double end, Tested& tested, std::optional<ChunkHit>& best) const {
        const auto slot =
            static_cast<std::size_t>(chunk[0] + m_count[0] * (chunk[2] + m_count[2] * chunk[1]));
        const std::uint64_t box = m_state.chunkBounds.read(slot);
        if (box == 0) return;
        if (best) end = best->t;
        std::array<double, 3> from;
        double entered = 0, left = end;
        for (const std::size_t axis : {1, 0, 2}) {
            from[axis] = m_origin[axis] - (m_base[axis] + static_cast<double>(chunk[axis]) * kChunk);
            const double near = SlotBounds::sideOf(box, m_nearSide[axis]) - m_slack[axis],
                         far = SlotBounds::sideOf(box, m_farSide[axis]) + m_slack[axis];
            entered = std::max(entered, (near - from[axis]) * m_inverse[axis]);
            left = std::min(left, (far - from[axis]) * m_inverse[axis]);
            if (entered > left) return;
        }
        const voxel_mesh::CollisionSurface* surface = m_state.chunks.read(slot);
        if (surface == nullptr || !tested.add(slot)) return;
        voxel_mesh::CollisionSurface::Hit hit;
        if (!surface->castRay(m_ray, {from[0], from[1], from[2]}, end, hit)) return;
        if (!best || hit.t < best->t) best = ChunkHit{hit.t, slot, hit.triangle, surface};
    }

    const TerrainShape::State& m_state;
    voxel_mesh::CollisionRay m_ray;
    Index m_count;
    std::array<double, 3> m_origin, m_base;
    // Of the ray, for the boxes of slots: along an axis on which it stands still, all that holds it is wide.
    std::array<double, 3> m_inverse, m_slack;
    std::array<unsigned, 3> m_nearSide, m_farSide;
};

Vec3f normalOf(const TerrainTriangle& triangle) {
    const Vec3d a = toDouble(triangle.vertices[0]), b = toDouble(triangle.vertices[1]),
                c = toDouble(triangle.vertices[2]);
    const Vec3d n = cross(b - a, c - a);
    const double size = length(n);
    return size > 0 ? toFloat(n * (1 / size)) : Vec3f{0, 1, 0};
}

}  // namespace

std::optional<TerrainRayHit> TerrainShape::castRay(const Ray& ray, double maxT) const {
    const State& s = *m_state;
    if (!isFinite(ray.origin) || !isFinite(ray.direction) || ray.direction == Vec3d{} || !(maxT >= 0))
        return std::nullopt;
    const Epochs::Reader reader(s.epochs);
    std::optional<TerrainRayHit> best;
    if (s.chunks.size() > 0) {
        if (const auto hit = ChunkWalk(s, ray).run(maxT)) {
            // The surface that was met, also where the slot has another by now.
            const TerrainTriangle triangle = s.chunkTriangle(*hit->surface, hit->slot, hit->triangle);
            best = TerrainRayHit{hit->t, normalOf(triangle), triangle.id};
        }
    }
    if (s.tiles.size() > 0) {
        const auto hit = castRayOnTiles(s, ray, best ? best->t : maxT);
        if (hit && (!best || hit->t < best->t)) best = TerrainRayHit{hit->t, hit->normal, hit->id};
    }
    return best;
}

}  // namespace karst::physics
