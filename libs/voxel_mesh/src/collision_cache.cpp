#include <karst/voxel_mesh/collision_cache.h>

#include <karst/voxel_mesh/field_sampling.h>

#include <algorithm>
#include <utility>

namespace karst::voxel_mesh {

using voxel::ChunkCoord;

namespace {

/// The same ground to the bit.
bool same(const CollisionSurfacePtr& a, const CollisionSurfacePtr& b) {
    if (a == nullptr || b == nullptr) return a == b;
    const auto equal = [](auto x, auto y) { return std::equal(x.begin(), x.end(), y.begin(), y.end()); };
    return equal(a->vertices(), b->vertices()) && equal(a->triangles(), b->triangles());
}

}  // namespace

CollisionCache::CollisionCache(const CollisionOptions& options, const Externals& externals)
    : m_options(options), m_externals(externals) {}

CollisionCache::~CollisionCache() = default;

void CollisionCache::setRegion(std::optional<voxel::CellBox> cells) {
    if (m_region == cells) return;
    m_region = cells;
    m_regionChanged = true;
}

bool CollisionCache::wanted(ChunkCoord chunk) const {
    return !m_region || !intersect(*m_region, chunkBox(chunk)).empty();
}

CollisionUpdate CollisionCache::update(const voxel::Grid& grid) {
    CollisionUpdate result;
    const voxel::GridChanges changes = grid.changesSince(m_generation, m_revision);
    result.fullRefresh = changes.fullRefresh;
    const bool everything = changes.fullRefresh || m_regionChanged;
    if (!everything && changes.changed.empty() && changes.removed.empty()) {
        m_revision = changes.revision;
        return result;
    }

    std::vector<ChunkCoord> affected;
    voxel::GridSnapshot snapshot;
    if (everything) {
        snapshot = grid.snapshot();
        affected = meshCandidates(snapshot);
        // Those that lose their surface are looked at too.
        for (const auto& [chunk, surface] : m_surfaces)
            affected.push_back(chunk);
        std::sort(affected.begin(), affected.end());
        affected.erase(std::unique(affected.begin(), affected.end()), affected.end());
    } else {
        affected = voxel::invalidatedChunks(changes, 0);
    }
    std::erase_if(affected, [&](ChunkCoord chunk) {
        return !wanted(chunk) && m_surfaces.find(chunk) == m_surfaces.end();
    });
    if (!everything) snapshot = grid.snapshot(affected);

    const std::vector<CollisionSurfacePtr> built = buildAll(snapshot, affected);
    for (std::size_t i = 0; i < affected.size(); ++i) {
        const auto found = m_surfaces.find(affected[i]);
        const CollisionSurfacePtr old = found == m_surfaces.end() ? nullptr : found->second;
        if (same(old, built[i])) continue;
        result.replaced.push_back(affected[i]);
        if (built[i] == nullptr) {
            m_surfaces.erase(found);
        } else {
            m_surfaces[affected[i]] = built[i];
        }
    }
    result.built = static_cast<std::uint32_t>(affected.size());
    m_generation = changes.generation;
    m_revision = changes.revision;
    m_regionChanged = false;
    return result;
}

std::vector<CollisionSurfacePtr> CollisionCache::buildAll(const voxel::GridSnapshot& snapshot,
                                                          const std::vector<ChunkCoord>& chunks) {
    std::vector<CollisionSurfacePtr> out(chunks.size());
    const auto run = [&](std::size_t begin, std::size_t end) {
        std::unique_ptr<CollisionBuilder> builder = takeBuilder();
        for (std::size_t i = begin; i < end; ++i) {
            if (wanted(chunks[i])) out[i] = builder->build(snapshot, chunks[i]);
        }
        giveBuilder(std::move(builder));
    };
    if (chunks.size() >= kParallelFrom) {
        m_externals.jobs->parallelFor(chunks.size(), 4, run);
    } else if (!chunks.empty()) {
        run(0, chunks.size());
    }
    return out;
}

std::unique_ptr<CollisionBuilder> CollisionCache::takeBuilder() {
    {
        const std::lock_guard lock(m_buildersMutex);
        if (!m_builders.empty()) {
            std::unique_ptr<CollisionBuilder> builder = std::move(m_builders.back());
            m_builders.pop_back();
            return builder;
        }
    }
    return std::make_unique<CollisionBuilder>(m_options, *m_externals.allocator);
}

void CollisionCache::giveBuilder(std::unique_ptr<CollisionBuilder> builder) {
    const std::lock_guard lock(m_buildersMutex);
    m_builders.push_back(std::move(builder));
}

CollisionSurfacePtr CollisionCache::surface(ChunkCoord chunk) const {
    const auto found = m_surfaces.find(chunk);
    return found == m_surfaces.end() ? nullptr : found->second;
}

void CollisionCache::forEach(FunctionRef<void(const CollisionSurfacePtr&)> visit) const {
    for (const auto& [chunk, surface] : m_surfaces)
        visit(surface);
}

}  // namespace karst::voxel_mesh
