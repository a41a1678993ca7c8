#include <karst/base/assert.h>
#include <karst/physics/terrain_shape.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>

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
        m_reach = most;
        // The power of two at or below.
        const double size = bitCast<double>(bitCast<std::uint64_t>(most) & 0x7ff0000000000000u);
        const double rounding = size * 2;  // a sum with it has no finer steps than size * 2^-51
        const auto snap = [rounding](double value) {
            const double shift = std::copysign(rounding, value);
            return (value + shift) - shift;
        };
        m_origin = {snap(origin.x), snap(origin.y), snap(origin.z)};
        m_base = {low.x * kChunk, low.y * kChunk, low.z * kChunk};
        const std::array<std::int64_t, 3> strides{1, m_count[0] * m_count[2], m_count[0]};
        for (std::size_t back = 0; back < 8; ++back) {
            m_back[back] = 0;
            for (std::size_t axis = 0; axis < 3; ++axis)
                m_back[back] += (back >> axis & 1) != 0 ? strides[axis] : 0;
        }
        m_inverse = {m_ray.cellInverse[0], m_ray.cellInverse[1], m_ray.cellInverse[2], 0};
    }

    std::optional<ChunkHit> run(double maxT) {
        const std::array<double, 3>&from = m_origin, &speed = m_ray.direction;
        double t = 0, end = maxT;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const double least = m_base[axis] + m_state.chunkBounds.least(axis) - kSlack,
                         most = m_base[axis] + m_state.chunkBounds.most(axis) + kSlack;
            if (speed[axis] == 0) {
                if (from[axis] < least || from[axis] > most) return std::nullopt;
                continue;
            }
            const double a = (least - from[axis]) * m_ray.inverse[axis],
                         b = (most - from[axis]) * m_ray.inverse[axis];
            t = std::max(t, std::min(a, b));
            end = std::min(end, std::max(a, b));
        }
        if (!(t <= end) || !(t < kHuge) || !(m_reach < kHuge)) return std::nullopt;

        Index region;
        std::int64_t at = 0;  // the region's slot, were there one
        std::array<double, 3> corner;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const double place = (from[axis] + t * speed[axis] + 0.5 - m_base[axis]) * (1 / kChunk);
            region[axis] =
                static_cast<std::int64_t>(std::clamp(place, 0.0, static_cast<double>(m_count[axis])));
            corner[axis] = m_base[axis] + static_cast<double>(region[axis]) * kChunk;
            at += region[axis] * m_back[std::size_t{1} << axis];
        }
        // Where it leaves the region along each axis.
        const auto leaves = [&](std::size_t axis) {
            if (speed[axis] == 0) return std::numeric_limits<double>::infinity();
            return (corner[axis] + (speed[axis] > 0 ? kChunk : 0) - 0.5 - from[axis]) * m_ray.inverse[axis];
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
            // The lower neighbours whose surface may reach into what the ray sees of this region: a bit for
            // each axis along which there is one, and for one along which there is nothing else.
            unsigned lower = 0, only = 0;
            std::array<float, 4> near{};
            for (std::size_t axis = 0; axis < 3; ++axis) {
                const double entered = from[axis] + t * speed[axis], left = from[axis] + exit * speed[axis];
                near[axis] = static_cast<float>(entered - corner[axis]);
                const bool reached =
                    std::min(entered, left) < corner[axis] + 0.5 + kSlack && region[axis] > 0;
                const bool isLast = region[axis] == m_count[axis];
                lower |= (reached || isLast ? 1u : 0u) << axis;
                only |= (isLast ? 1u : 0u) << axis;
            }
            const float begun = asCells(-t);
            const unsigned either = lower & ~only;
            for (unsigned some = 0;; some = (some - either) & either) {
                const unsigned back = some | only;
                const auto slot = static_cast<std::size_t>(at - m_back[back]);
                if (const std::uint64_t box = m_state.chunkBounds.read(slot); box != 0) {
                    std::array<float, 4> own = near;
                    for (std::size_t axis = 0; axis < 3; ++axis)
                        own[axis] += kBackCells[back][axis];
                    const double until = best ? best->t : end;
                    if (SlotBounds::meets(box, own, m_inverse, begun, asCells(until - t),
                                          static_cast<float>(kSlack)))
                        test(corner, back, slot, until, tested, best);
                }
                if (some == either) break;
            }
            if (best && best->t <= exit) return best;
            if (exitAxis == 3) return best;
            const bool up = speed[exitAxis] > 0;
            region[exitAxis] += up ? 1 : -1;
            if (region[exitAxis] < 0 || region[exitAxis] > m_count[exitAxis]) return best;
            at += up ? m_back[std::size_t{1} << exitAxis] : -m_back[std::size_t{1} << exitAxis];
            corner[exitAxis] += up ? kChunk : -kChunk;
            next[exitAxis] = leaves(exitAxis);
            t = exit;
        }
    }

  private:
    using Index = std::array<std::int64_t, 3>;
    /// Far above what rounding does near a chunk.
    static constexpr double kSlack = 1e-3;
    static constexpr double kHuge = 1e300, kFar = 1e30;

    static constexpr std::array<std::array<float, 4>, 8> kBackCells = [] {
        std::array<std::array<float, 4>, 8> cells{};
        for (std::size_t back = 0; back < 8; ++back) {
            for (std::size_t axis = 0; axis < 3; ++axis)
                cells[back][axis] = (back >> axis & 1) != 0 ? static_cast<float>(kChunk) : 0.0f;
        }
        return cells;
    }();

    /// A span of the ray, in cells along its fastest axis.
    float asCells(double t) const { return static_cast<float>(std::clamp(t * m_ray.fastest, -kFar, kFar)); }

    void test(const std::array<double, 3>& corner, unsigned back, std::size_t slot, double end,
              Tested& tested, std::optional<ChunkHit>& best) const {
        const voxel_mesh::CollisionSurface* surface = m_state.chunks.read(slot);
        if (surface == nullptr || !tested.add(slot)) return;
        std::array<double, 3> from;
        for (std::size_t axis = 0; axis < 3; ++axis)
            from[axis] = m_origin[axis] - (corner[axis] - double{kBackCells[back][axis]});
        voxel_mesh::CollisionSurface::Hit hit;
        if (!surface->castRay(m_ray, {from[0], from[1], from[2]}, end, hit)) return;
        if (!best || hit.t < best->t) best = ChunkHit{hit.t, slot, hit.triangle, surface};
    }

    const TerrainShape::State& m_state;
    voxel_mesh::CollisionRay m_ray;
    Index m_count;
    std::array<double, 3> m_origin, m_base;
    std::array<float, 4> m_inverse;
    std::array<std::int64_t, 8> m_back;  ///< slots to the lower neighbour along each axis of a bit
    double m_reach;                      ///< the largest number in a place
};

Vec3f normalOf(const TerrainTriangle& triangle) {
    const Vec3d a = toDouble(triangle.vertices[0]), b = toDouble(triangle.vertices[1]),
                c = toDouble(triangle.vertices[2]);
    const Vec3d n = cross(b - a, c - a);
    const double size = length(n);
    return size > 0 ? toFloat(n * (1 / size)) : Vec3f{0, 1, 0};
}

/// Under a reader of the state's epochs.
std::optional<TerrainRayHit> castRayIn(const TerrainShape::State& s, const Ray& ray, double maxT) {
    if (!isFinite(ray.origin) || !isFinite(ray.direction) || ray.direction == Vec3d{} || !(maxT >= 0))
        return std::nullopt;
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

/// Of places near each other in the ground, mostly near each other: where a ray comes to the heights between
/// which there are surfaces, by chunks and then by parts of them.
class EntryOrder {
  public:
    explicit EntryOrder(const TerrainShape::State& state)
        : m_scale(1 / state.definition.voxels.cellSize),
          m_corner(state.voxelBase * m_scale + Vec3d{state.definition.minChunk.x * kChunk,
                                                     state.definition.minChunk.y * kChunk,
                                                     state.definition.minChunk.z * kChunk}),
          m_low(state.chunkBounds.least(1)),
          m_high(state.chunkBounds.most(1)) {}

    std::uint32_t of(const Ray& ray) const {
        const Vec3d from = ray.origin * m_scale - m_corner, way = ray.direction * m_scale;
        double t = 0;
        if (way.y < 0 && from.y > m_high) t = (m_high - from.y) / way.y;
        if (way.y > 0 && from.y < m_low) t = (m_low - from.y) / way.y;
        const auto part = [](double cells) {
            return static_cast<std::uint32_t>(std::max(0.0, std::min(cells / kPart, 65535.0)));
        };
        const std::uint32_t x = part(from.x + t * way.x), z = part(from.z + t * way.z);
        constexpr auto parts = static_cast<std::uint32_t>(kChunk / kPart);
        return (z / parts % 256) << 24 | (x / parts % 256) << 16 | (z % parts) << 8 | x % parts;
    }

  private:
    static constexpr double kPart = 4;
    double m_scale;
    Vec3d m_corner;
    double m_low, m_high;
};

}  // namespace

std::optional<TerrainRayHit> TerrainShape::castRay(const Ray& ray, double maxT) const {
    const Epochs::Reader reader(m_state->epochs);
    return castRayIn(*m_state, ray, maxT);
}

void TerrainShape::castRays(std::span<const Ray> rays, std::span<std::optional<TerrainRayHit>> hits,
                            double maxT) const {
    KARST_ASSERT(hits.size() == rays.size());
    constexpr std::size_t kAtOnce = 4096;
    const auto order = std::make_unique_for_overwrite<std::uint64_t[]>(std::min(rays.size(), kAtOnce));
    for (std::size_t done = 0; done < rays.size(); done += kAtOnce) {
        const std::size_t count = std::min(rays.size() - done, kAtOnce);
        // Readers of a short time, so that replaced surfaces are freed.
        const Epochs::Reader reader(m_state->epochs);
        const EntryOrder entries(*m_state);
        for (std::size_t i = 0; i < count; ++i)
            order[i] = std::uint64_t{entries.of(rays[done + i])} << 32 | i;
        std::sort(order.get(), order.get() + count);
        for (std::size_t i = 0; i < count; ++i) {
            const std::size_t ray = done + (order[i] & 0xffffffffu);
            hits[ray] = castRayIn(*m_state, rays[ray], maxT);
        }
    }
}

}  // namespace karst::physics
