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
/// lies in it and up to one cell beyond its upper sides.
class ChunkWalk {
  public:
    ChunkWalk(const TerrainShape::State& state, const Ray& ray)
        : m_state(state), m_ray(ray.direction * (1 / state.definition.voxels.cellSize)) {
        m_origin = (ray.origin - state.voxelBase) * (1 / state.definition.voxels.cellSize);
        // Rounded so that taking away the corner of any chunk of the lattice is exact: then each sees the
        // same ray, and what two chunks share is met in the same place by both.
        const voxel::ChunkCoord &low = state.definition.minChunk, &high = state.definition.maxChunk;
        double most = 1;
        for (const std::int32_t c : {low.x, low.y, low.z, high.x, high.y, high.z})
            most = std::max(most, std::abs(static_cast<double>(c)) * kChunk);
        most += std::max({std::abs(m_origin.x), std::abs(m_origin.y), std::abs(m_origin.z)});
        const double quantum = std::ldexp(1.0, std::ilogb(most) - 51);
        const auto snap = [quantum](double value) { return std::nearbyint(value / quantum) * quantum; };
        m_origin = {snap(m_origin.x), snap(m_origin.y), snap(m_origin.z)};
    }

    std::optional<ChunkHit> run(double maxT) {
        const voxel::ChunkCoord &low = m_state.definition.minChunk, &high = m_state.definition.maxChunk;
        const std::array<double, 3> from{m_origin.x, m_origin.y, m_origin.z};
        const std::array<double, 3>& speed = m_ray.direction;
        const std::array<std::int64_t, 3> first{low.x, low.y, low.z};
        const std::array<std::int64_t, 3> last{high.x, high.y,
                                               high.z};  // one region more, for what reaches out
        double t = 0, end = maxT;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const double least = static_cast<double>(first[axis]) * kChunk - 0.5,
                         most = static_cast<double>(last[axis]) * kChunk + 0.5;
            if (speed[axis] == 0) {
                if (from[axis] < least || from[axis] > most) return std::nullopt;
                continue;
            }
            const double a = (least - from[axis]) / speed[axis], b = (most - from[axis]) / speed[axis];
            t = std::max(t, std::min(a, b));
            end = std::min(end, std::max(a, b));
        }
        if (!(t <= end)) return std::nullopt;

        std::array<std::int64_t, 3> region;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const double at = std::floor((from[axis] + t * speed[axis] + 0.5) / kChunk);
            region[axis] = std::clamp(static_cast<std::int64_t>(at), first[axis], last[axis]);
        }
        // Where it leaves the region along each axis.
        const auto leaves = [&](std::size_t axis) {
            if (speed[axis] == 0) return std::numeric_limits<double>::infinity();
            const double border =
                static_cast<double>(region[axis] + (speed[axis] > 0 ? 1 : 0)) * kChunk - 0.5;
            return (border - from[axis]) / speed[axis];
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
            std::array<std::int64_t, 3> least = region;
            for (std::size_t axis = 0; axis < 3; ++axis) {
                const double lowest = from[axis] + (speed[axis] < 0 ? exit : t) * speed[axis];
                if (lowest < static_cast<double>(region[axis]) * kChunk + 0.5 + 1e-3) --least[axis];
            }
            for (std::int64_t y = least[1]; y <= region[1]; ++y) {
                for (std::int64_t z = least[2]; z <= region[2]; ++z) {
                    for (std::int64_t x = least[0]; x <= region[0]; ++x) {
                        test({static_cast<std::int32_t>(x), static_cast<std::int32_t>(y),
                              static_cast<std::int32_t>(z)},
                             end, tested, best);
                    }
                }
            }
            if (best && best->t <= exit) return best;
            if (exitAxis == 3) return best;
            region[exitAxis] += speed[exitAxis] > 0 ? 1 : -1;
            if (region[exitAxis] < first[exitAxis] || region[exitAxis] > last[exitAxis]) return best;
            next[exitAxis] = leaves(exitAxis);
            t = exit;
        }
    }

  private:
    void test(voxel::ChunkCoord chunk, double end, Tested& tested, std::optional<ChunkHit>& best) const {
        if (!m_state.hasChunk(chunk)) return;
        const std::size_t slot = m_state.chunkSlot(chunk);
        const Vec3d corner =
            Vec3d{static_cast<double>(chunk.x), static_cast<double>(chunk.y), static_cast<double>(chunk.z)} *
            kChunk;
        const Vec3d from = m_origin - corner;
        SlotBounds::Box box;
        if (!m_state.chunkBounds.read(slot, box) || !meets(box, from, best ? best->t : end)) return;
        const voxel_mesh::CollisionSurface* surface = m_state.chunks.read(slot);
        if (surface == nullptr || !tested.add(slot)) return;
        voxel_mesh::CollisionSurface::Hit hit;
        if (!surface->castRay(m_ray, from, best ? best->t : end, hit)) return;
        if (!best || hit.t < best->t) best = ChunkHit{hit.t, slot, hit.triangle, surface};
    }

    bool meets(const SlotBounds::Box& box, Vec3d origin, double maxT) const {
        // Far above what rounding does near a chunk.
        constexpr double kSlack = 1e-3;
        const std::array<double, 3> from{origin.x, origin.y, origin.z};
        double begin = 0, end = maxT;
        for (const std::size_t axis : {1, 0, 2}) {
            const double least = box.min[axis] - kSlack - from[axis],
                         most = box.max[axis] + kSlack - from[axis];
            if (m_ray.direction[axis] == 0) {
                if (least > 0 || most < 0) return false;
                continue;
            }
            const double a = least * m_ray.inverse[axis], b = most * m_ray.inverse[axis];
            begin = std::max(begin, std::min(a, b));
            end = std::min(end, std::max(a, b));
        }
        return begin <= end;
    }

    const TerrainShape::State& m_state;
    voxel_mesh::CollisionRay m_ray;
    Vec3d m_origin;
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
