#include <karst/voxel_mesh/surface_ray.h>

#include "indexed_surface.h"
#include "mesher_pool.h"

#include <karst/base/hash.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <deque>
#include <utility>

namespace karst::voxel_mesh {
namespace {

using voxel::ChunkCoord;
using voxel::GridSnapshot;
using voxel::kChunkSize;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::uint64_t hashOf(ChunkCoord c) {
    const auto wide = [](std::int32_t v) { return std::uint64_t{static_cast<std::uint32_t>(v)}; };
    return mix64(wide(c.x) ^ mix64(wide(c.y) | wide(c.z) << 32));
}

/// A chunk that may own a surface. The surface is made by whoever needs it first.
struct Entry {
    explicit Entry(ChunkCoord c) : coord(c) {}
    ~Entry() { delete surface.load(std::memory_order_relaxed); }
    Entry(const Entry&) = delete;
    Entry& operator=(const Entry&) = delete;

    const ChunkCoord coord;
    std::atomic<const IndexedSurface*> surface{nullptr};
};

}  // namespace

struct SurfaceRayCaster::State {
    State(GridSnapshot snapshot, const SurfaceOptions& options, Allocator& allocator)
        : grid(std::move(snapshot)), meshers(options, allocator) {
        fill();
    }

    void fill() {
        entries.clear();
        slots.clear();
        min = {};
        max = {-1, -1, -1};
        for (const ChunkCoord coord : meshCandidates(grid))
            add(coord);
    }

    Entry* find(ChunkCoord coord) const {
        if (slots.empty()) return nullptr;
        const std::size_t mask = slots.size() - 1;
        for (std::size_t i = hashOf(coord) & mask; slots[i]; i = (i + 1) & mask) {
            if (slots[i]->coord == coord) return slots[i];
        }
        return nullptr;
    }

    // The coordinate must be a new one.
    void add(ChunkCoord coord) {
        if (entries.empty()) {
            min = max = coord;
        } else {
            min = {std::min(min.x, coord.x), std::min(min.y, coord.y), std::min(min.z, coord.z)};
            max = {std::max(max.x, coord.x), std::max(max.y, coord.y), std::max(max.z, coord.z)};
        }
        entries.emplace_back(coord);
        if (entries.size() * 2 > slots.size()) {
            slots.assign(std::max<std::size_t>(64, slots.size() * 2), nullptr);
            for (Entry& entry : entries)
                insert(&entry);
        } else {
            insert(&entries.back());
        }
    }
    void insert(Entry* entry) {
        const std::size_t mask = slots.size() - 1;
        std::size_t i = hashOf(entry->coord) & mask;
        while (slots[i])
            i = (i + 1) & mask;
        slots[i] = entry;
    }

    const IndexedSurface& surfaceOf(Entry& entry) {
        if (const IndexedSurface* made = entry.surface.load(std::memory_order_acquire)) return *made;
        std::unique_ptr<ChunkMesher> mesher = meshers.take();
        SurfaceMesh mesh;
        mesher->build(grid, entry.coord, 0, mesh);
        meshers.giveBack(std::move(mesher));
        auto surface = std::make_unique<const IndexedSurface>(std::move(mesh), entry.coord);
        // Another thread may have been first: all make the same, so either will do.
        const IndexedSurface* made = nullptr;
        if (entry.surface.compare_exchange_strong(made, surface.get(), std::memory_order_acq_rel))
            return *surface.release();
        return *made;
    }

    GridSnapshot grid;
    MesherPool meshers;
    std::deque<Entry> entries;
    std::vector<Entry*> slots;  // open addressing; a power of two, or none
    ChunkCoord min, max;        // of the entries
};

SurfaceRayCaster::SurfaceRayCaster(GridSnapshot grid, const SurfaceOptions& options, Allocator& allocator)
    : m_state(std::make_unique<State>(std::move(grid), options, allocator)) {}
SurfaceRayCaster::SurfaceRayCaster(SurfaceRayCaster&&) noexcept = default;
SurfaceRayCaster& SurfaceRayCaster::operator=(SurfaceRayCaster&&) noexcept = default;
SurfaceRayCaster::~SurfaceRayCaster() = default;

const GridSnapshot& SurfaceRayCaster::grid() const {
    return m_state->grid;
}

const SurfaceMesh& SurfaceRayCaster::surface(ChunkCoord chunk) const {
    static const SurfaceMesh kNone;
    Entry* entry = m_state->find(chunk);
    return entry ? m_state->surfaceOf(*entry).mesh() : kNone;
}

void SurfaceRayCaster::build(JobSystem& jobs) const {
    constexpr std::size_t kGrain = 4;
    jobs.parallelFor(m_state->entries.size(), kGrain, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
            m_state->surfaceOf(m_state->entries[i]);
    });
}

void SurfaceRayCaster::update(GridSnapshot grid, const voxel::GridChanges& changes) {
    m_state->grid = std::move(grid);
    if (changes.fullRefresh) {
        m_state->fill();
        return;
    }
    // A chunk outside of what is invalidated keeps its surface, also if that is none.
    for (const ChunkCoord coord : voxel::invalidatedChunks(changes, 0)) {
        if (Entry* entry = m_state->find(coord)) {
            delete entry->surface.exchange(nullptr, std::memory_order_relaxed);
        } else if (mayOwnSurface(m_state->grid, coord)) {
            m_state->add(coord);
        }
    }
}

namespace {

/// The chunk surfaces that a ray was tried with last: it may come by a chunk from several blocks.
class RecentlyTried {
  public:
    bool seen(const void* entry) {
        for (const void* tried : m_entries) {
            if (tried == entry) return true;
        }
        m_entries[m_next++ % 16] = entry;
        return false;
    }

  private:
    const void* m_entries[16] = {};
    unsigned m_next = 0;
};

voxel::MaterialId strongestMaterial(const SurfaceMesh& mesh, std::uint32_t triangle, const TriangleHit& hit) {
    const SurfaceVertex* vertices[3];
    for (std::size_t i = 0; i < 3; ++i)
        vertices[i] = &mesh.vertices[mesh.indices[triangle * std::size_t{3} + i]];
    std::size_t best = 0;
    double bestWeight = -1;
    for (std::size_t slot = 0; slot < 4; ++slot) {
        double weight = 0;
        for (std::size_t i = 0; i < 3; ++i)
            weight += hit.weights[i] * vertices[i]->weights[slot];
        if (weight > bestWeight) {
            best = slot;
            bestWeight = weight;
        }
    }
    return vertices[0]->materials[best];
}

}  // namespace

SurfaceRayHit SurfaceRayCaster::cast(const Ray& ray, const SurfaceRayOptions& options) const {
    State& state = *m_state;
    SurfaceRayHit out;
    if (!isFinite(ray.origin) || !isFinite(ray.direction) || !(options.maxT >= 0) ||
        ray.direction == Vec3d{}) {
        out.status = SurfaceRayStatus::InvalidRay;
        return out;
    }
    if (state.entries.empty()) return out;

    // Into cells, with the direction scaled by a power of two so that its largest part is 1 to 2.
    const voxel::GridPlacement& placement = state.grid.placement();
    const double cellSize = placement.cellSize;
    const auto largest = [](Vec3d v) { return std::max({std::abs(v.x), std::abs(v.y), std::abs(v.z)}); };
    const auto scaled = [](Vec3d v, int exponent) {
        return Vec3d{std::ldexp(v.x, exponent), std::ldexp(v.y, exponent), std::ldexp(v.z, exponent)};
    };
    const int worldExponent = std::ilogb(largest(ray.direction));
    Vec3d direction = scaled(ray.direction, -worldExponent);
    direction = {direction.x / cellSize, direction.y / cellSize, direction.z / cellSize};
    const int cellExponent = std::ilogb(largest(direction));
    direction = scaled(direction, -cellExponent);
    // t of the caller = t in here * 2^-exponent
    const int exponent = worldExponent + cellExponent;
    Vec3d origin = ray.origin - placement.origin;
    origin = {origin.x / cellSize, origin.y / cellSize, origin.z / cellSize};
    if (!isFinite(origin)) return out;

    // Cubes begin at half cells, and block b holds the cubes 32 b .. 32 b + 31 on each axis. The surface of
    // chunk c lies in block c and reaches one cube into the blocks before it.
    const std::array<int, 3> firstBlock{state.min.x - 1, state.min.y - 1, state.min.z - 1};
    const std::array<int, 3> lastBlock{state.max.x, state.max.y, state.max.z};
    std::array<double, 3> boxMin, boxMax;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        boxMin[axis] = double{kChunkSize} * firstBlock[axis];
        boxMax[axis] = double{kChunkSize} * (lastBlock[axis] + 1) + 1;
    }
    double low = 0, high = std::ldexp(options.maxT, exponent), base = 0;
    CellRay local(origin, direction);
    if (!local.clip(boxMin, boxMax, low, high)) return out;
    // From very far the ray goes on at the box, so that its points there are exact enough to walk by.
    constexpr double kFar = 65536;
    if (low > kFar) {
        base = low;
        local = CellRay(origin + direction * base, direction);
        high -= base;
        low = 0;
    }

    std::array<int, 3> block, step;
    std::array<double, 3> next;
    const auto boundary = [&](std::size_t axis) {
        if (local.inverse[axis] == 0) return kInfinity;
        return (double{kChunkSize} * (block[axis] + (step[axis] > 0 ? 1 : 0)) + 0.5 - local.origin[axis]) *
               local.inverse[axis];
    };
    const auto positionAt = [&](std::size_t axis, double t) {
        return local.inverse[axis] == 0 ? local.origin[axis] : local.origin[axis] + local.direction[axis] * t;
    };
    for (std::size_t axis = 0; axis < 3; ++axis) {
        step[axis] = local.inverse[axis] < 0 ? -1 : 1;
        const double at = std::floor((positionAt(axis, low) - 0.5) / kChunkSize);
        block[axis] = static_cast<int>(
            std::clamp(at, static_cast<double>(firstBlock[axis]), static_cast<double>(lastBlock[axis])));
        next[axis] = boundary(axis);
    }

    TriangleHit best;
    best.t = high;
    const IndexedSurface* surface = nullptr;
    std::uint32_t triangle = 0;
    RecentlyTried tried;
    double t = low;
    for (;;) {
        const std::size_t axis =
            next[0] <= next[1] ? (next[0] <= next[2] ? 0u : 2u) : (next[1] <= next[2] ? 1u : 2u);
        const double end = std::min(next[axis], high);
        // Along which axes the ray comes into the block's last cubes, where the next chunk's surface begins.
        unsigned reach = 0;
        for (std::size_t a = 0; a < 3; ++a) {
            const double farthest = std::max(positionAt(a, t), positionAt(a, end)) - 0.5;
            if (farthest > double{kChunkSize} * block[a] + (kChunkSize - 1 - 1e-3)) reach |= 1u << a;
        }
        for (unsigned offset = 0; offset < 8; ++offset) {
            if ((offset & ~reach) != 0) continue;
            Entry* entry = state.find({block[0] + static_cast<int>(offset & 1),
                                       block[1] + static_cast<int>(offset >> 1 & 1),
                                       block[2] + static_cast<int>(offset >> 2)});
            if (!entry || tried.seen(entry)) continue;
            const IndexedSurface& candidate = state.surfaceOf(*entry);
            if (!candidate.mesh().empty() && candidate.cast(local, options.backFaces, best, triangle))
                surface = &candidate;
        }
        if ((surface && best.t < next[axis]) || next[axis] > high) break;
        t = next[axis];
        block[axis] += step[axis];
        if (block[axis] < firstBlock[axis] || block[axis] > lastBlock[axis]) break;
        next[axis] = boundary(axis);
    }
    if (!surface) return out;

    const std::array<Vec3d, 3> corners = surface->corners(triangle);
    out.status = SurfaceRayStatus::Hit;
    out.backFace = best.back;
    out.chunk = surface->chunk();
    out.triangle = triangle;
    out.t = std::min(std::ldexp(best.t + base, -exponent), options.maxT);
    out.position = ray.at(out.t);
    out.normal = toFloat(normalized(cross(corners[1] - corners[0], corners[2] - corners[0])));
    out.material = strongestMaterial(surface->mesh(), triangle, best);
    return out;
}

}  // namespace karst::voxel_mesh
