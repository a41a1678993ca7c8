#include "candidate_index.h"

#include <karst/base/assert.h>
#include <karst/voxel_mesh/field_sampling.h>
#include <karst/voxel_mesh/padded_field.h>
#include <karst/voxel_mesh/water_mesh.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <span>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace karst::voxel_stream {

using voxel::ChunkCoord;

namespace {

ChunkCoord regionOf(ChunkCoord c) {
    return {c.x >> 3, c.y >> 3, c.z >> 3};
}

/// The level of solid meshes that reads as far beyond its chunk as water meshes do.
constexpr int kWaterReachLevel = 2;
static_assert(voxel::meshReach(kWaterReachLevel) >= voxel_mesh::kWaterReach);

/// The chunks whose water, and whose surface, a chunk has a part in.
void appendReaders(ChunkCoord c, std::vector<ChunkCoord>& out) {
    for (int dz = -1; dz <= 1; ++dz) {
        for (int dx = -1; dx <= 1; ++dx)
            out.push_back({c.x + dx, c.y, c.z + dz});
    }
    out.push_back({c.x, c.y - 1, c.z});
}

// In blocks without an early way out, of 8 cells at a time.
bool holdsMaterial(std::span<const voxel::Cell> cells, voxel::MaterialId material) {
    constexpr std::size_t kBlock = 1024;
    static_assert(voxel::kChunkCellCount % kBlock == 0);
#if defined(__SSE2__)
    static_assert(sizeof(voxel::Cell) == 2 && offsetof(voxel::Cell, material) == 0);
    const __m128i wanted = _mm_set1_epi16(static_cast<short>(material << 8));
    for (std::size_t begin = 0; begin < cells.size(); begin += kBlock) {
        __m128i found = _mm_setzero_si128();
        for (std::size_t i = begin; i < begin + kBlock; i += 8) {
            const __m128i eight = _mm_loadu_si128(reinterpret_cast<const __m128i*>(&cells[i]));
            found = _mm_or_si128(found, _mm_cmpeq_epi16(_mm_slli_epi16(eight, 8), wanted));
        }
        if (_mm_movemask_epi8(found) != 0) return true;
    }
#else
    for (std::size_t begin = 0; begin < cells.size(); begin += kBlock) {
        unsigned found = 0;
        for (std::size_t i = begin; i < begin + kBlock; ++i)
            found |= cells[i].material == material ? 1u : 0u;
        if (found != 0) return true;
    }
#endif
    return false;
}

void sortUnique(std::vector<ChunkCoord>& chunks) {
    std::sort(chunks.begin(), chunks.end());
    chunks.erase(std::unique(chunks.begin(), chunks.end()), chunks.end());
}

}  // namespace

void CandidateIndex::findWaterMaterials(const voxel::MaterialTable& materials) {
    m_waterMaterials.clear();
    for (std::size_t id = 0; id < materials.size(); ++id) {
        if (materials.isWater(static_cast<voxel::MaterialId>(id)))
            m_waterMaterials.push_back(static_cast<voxel::MaterialId>(id));
    }
}

bool CandidateIndex::holdsWater(const voxel::Chunk& chunk) const {
    for (const voxel::MaterialId water : m_waterMaterials) {
        if (chunk.uniform() ? chunk.uniformCell().material == water : holdsMaterial(chunk.cells(), water))
            return true;
    }
    return false;
}

bool CandidateIndex::waterNear(ChunkCoord chunk) const {
    if (m_waterChunks.empty()) return false;
    for (int dz = -1; dz <= 1; ++dz) {
        for (int dx = -1; dx <= 1; ++dx) {
            if (m_waterChunks.count({chunk.x + dx, chunk.y, chunk.z + dz}) != 0) return true;
        }
    }
    return false;
}

const Candidate* CandidateIndex::find(ChunkCoord chunk) const {
    const auto region = m_regions.find(regionOf(chunk));
    if (region == m_regions.end()) return nullptr;
    const std::uint16_t slot = region->second.slots[CandidateRegion::slotOf(chunk)];
    return slot == CandidateRegion::kNone ? nullptr : &region->second.candidates[slot];
}

Candidate* CandidateIndex::edit(ChunkCoord chunk) {
    const auto region = m_regions.find(regionOf(chunk));
    if (region == m_regions.end()) return nullptr;
    const std::uint16_t slot = region->second.slots[CandidateRegion::slotOf(chunk)];
    if (slot == CandidateRegion::kNone) return nullptr;
    region->second.margin = -1;
    return &region->second.candidates[slot];
}

void CandidateIndex::touchAll() {
    for (auto& [coord, region] : m_regions)
        region.margin = -1;
}

void CandidateIndex::set(ChunkCoord chunk, bool surface, bool water, std::vector<ChunkCoord>& lost) {
    if (Candidate* found = edit(chunk); found != nullptr && (surface || water)) {
        found->surface = surface;
        found->water = water;
    } else if (found != nullptr) {
        if (found->level >= 0) lost.push_back(chunk);
        const auto region = m_regions.find(regionOf(chunk));
        std::vector<Candidate>& candidates = region->second.candidates;
        std::uint16_t& slot = region->second.slots[CandidateRegion::slotOf(chunk)];
        const std::uint16_t place = slot;
        candidates[place] = candidates.back();
        region->second.slots[CandidateRegion::slotOf(candidates[place].chunk)] = place;
        slot = CandidateRegion::kNone;
        candidates.pop_back();
        if (candidates.empty()) m_regions.erase(region);
        --m_size;
    } else if (surface || water) {
        add(chunk, surface, water);
    }
}

Candidate& CandidateIndex::add(ChunkCoord chunk, bool surface, bool water) {
    CandidateRegion& region = m_regions[regionOf(chunk)];
    region.slots[CandidateRegion::slotOf(chunk)] = static_cast<std::uint16_t>(region.candidates.size());
    region.margin = -1;
    ++m_size;
    return region.candidates.emplace_back(Candidate{chunk, -1, surface, water, false, false});
}

void CandidateIndex::begin(const voxel::GridSnapshot& grid, ChunkCoord center) {
    KARST_ASSERT(m_size == 0);
    constexpr std::int32_t kRings = 1024;  // the last one holds all that are farther
    m_regions.clear();
    m_waterChunks.clear();
    findWaterMaterials(grid.materials());
    m_rings.assign(kRings, {});
    m_pendingCount = 0;
    m_ringSorted = false;
    grid.forEachChunkUnordered([&](ChunkCoord c, const voxel::Chunk&) {
        const std::int32_t away =
            std::max({std::abs(c.x - center.x), std::abs(c.y - center.y), std::abs(c.z - center.z)});
        m_rings[static_cast<std::size_t>(kRings - 1 - std::min(away, kRings - 1))].push_back(c);
        ++m_pendingCount;
    });
}

void CandidateIndex::advance(const voxel::GridSnapshot& grid, std::uint32_t chunks) {
    for (; chunks > 0 && m_pendingCount > 0; --chunks) {
        while (m_rings.back().empty()) {
            m_rings.pop_back();
            m_ringSorted = false;
        }
        std::vector<ChunkCoord>& ring = m_rings.back();
        // What is taken in first must not depend on the order in which the grid was written.
        if (!m_ringSorted) std::sort(ring.begin(), ring.end());
        m_ringSorted = true;
        take(grid, ring.back());
        ring.pop_back();
        --m_pendingCount;
    }
    if (m_pendingCount == 0) m_rings = {};
}

/// Adds what a chunk makes of itself and of others. Its part in those others may have come in before, by them
/// or by an edit.
void CandidateIndex::take(const voxel::GridSnapshot& grid, ChunkCoord chunk) {
    const voxel::Chunk* cells = grid.chunk(chunk);
    if (cells == nullptr) return;
    for (const ChunkCoord owner :
         {chunk, ChunkCoord{chunk.x - 1, chunk.y, chunk.z}, ChunkCoord{chunk.x, chunk.y - 1, chunk.z},
          ChunkCoord{chunk.x, chunk.y, chunk.z - 1}}) {
        const Candidate* known = find(owner);
        if ((known != nullptr && known->surface) || !voxel_mesh::mayOwnSurface(grid, owner)) continue;
        if (known == nullptr) {
            add(owner, true, false);
            continue;
        }
        Candidate* found = edit(owner);
        found->surface = true;
        found->solidEdited = found->level >= 0;
    }
    if (!holdsWater(*cells)) return;
    m_waterChunks.insert(chunk);
    for (int dz = -1; dz <= 1; ++dz) {
        for (int dx = -1; dx <= 1; ++dx) {
            const ChunkCoord near{chunk.x + dx, chunk.y, chunk.z + dz};
            Candidate* found = edit(near);
            if (found == nullptr) {
                add(near, false, true);
            } else if (!found->water) {
                found->water = true;
                found->waterEdited = found->level >= 0;
            }
        }
    }
}

void CandidateIndex::rebuild(const voxel::GridSnapshot& grid, std::vector<ChunkCoord>& lost) {
    std::vector<Candidate> before;
    for (const auto& [coord, region] : m_regions) {
        for (const Candidate& candidate : region.candidates) {
            if (candidate.level >= 0) before.push_back(candidate);
        }
    }
    m_regions.clear();
    m_waterChunks.clear();
    m_size = m_pendingCount = 0;
    m_rings = {};

    findWaterMaterials(grid.materials());
    std::vector<ChunkCoord> watery;
    grid.forEachChunk([&](ChunkCoord coord, const voxel::Chunk& chunk) {
        if (!holdsWater(chunk)) return;
        m_waterChunks.insert(coord);
        for (int dz = -1; dz <= 1; ++dz) {
            for (int dx = -1; dx <= 1; ++dx)
                watery.push_back({coord.x + dx, coord.y, coord.z + dz});
        }
    });
    sortUnique(watery);
    for (const ChunkCoord chunk : voxel_mesh::meshCandidates(grid))
        set(chunk, true, std::binary_search(watery.begin(), watery.end(), chunk), lost);
    for (const ChunkCoord chunk : watery) {
        if (find(chunk) == nullptr) set(chunk, false, true, lost);
    }
    for (const Candidate& old : before) {
        Candidate* now = edit(old.chunk);
        if (now == nullptr) {
            lost.push_back(old.chunk);
            continue;
        }
        now->level = old.level;
        now->solidEdited = old.surface || now->surface;
        now->waterEdited = old.water || now->water;
    }
}

void CandidateIndex::markEdited(const std::vector<ChunkCoord>& reached, int level) {
    for (const ChunkCoord chunk : reached) {
        Candidate* candidate = edit(chunk);
        if (candidate == nullptr || candidate->level < 0) continue;
        if (candidate->level == level) candidate->solidEdited |= candidate->surface;
        if (level == kWaterReachLevel) candidate->waterEdited |= candidate->water;
    }
}

void CandidateIndex::apply(const voxel::GridSnapshot& grid, const voxel::GridChanges& changes,
                           std::vector<ChunkCoord>& lost) {
    std::array<std::vector<ChunkCoord>, voxel_mesh::kMeshLevels> reached;
    // Before and after the kinds of chunks are known anew: what had something to show, and what has now, is
    // out of date.
    for (int level = 0; level < voxel_mesh::kMeshLevels; ++level) {
        auto& chunks = reached[static_cast<std::size_t>(level)];
        chunks = voxel::invalidatedChunks(changes, level);
        markEdited(chunks, level);
    }

    std::vector<ChunkCoord> readers;
    const auto look = [&](ChunkCoord coord) {
        const voxel::Chunk* chunk = grid.chunk(coord);
        if (chunk != nullptr && holdsWater(*chunk)) {
            m_waterChunks.insert(coord);
        } else {
            m_waterChunks.erase(coord);
        }
        appendReaders(coord, readers);
    };
    for (const voxel::ChunkChange& change : changes.changed)
        look(change.chunk);
    for (const ChunkCoord coord : changes.removed)
        look(coord);
    sortUnique(readers);
    for (const ChunkCoord chunk : readers)
        set(chunk, voxel_mesh::mayOwnSurface(grid, chunk), waterNear(chunk), lost);

    for (int level = 0; level < voxel_mesh::kMeshLevels; ++level)
        markEdited(reached[static_cast<std::size_t>(level)], level);
}

}  // namespace karst::voxel_stream
