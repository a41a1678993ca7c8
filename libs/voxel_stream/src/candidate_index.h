#pragma once

#include "chunk_hash.h"

#include <karst/voxel/grid_changes.h>
#include <karst/voxel/grid_snapshot.h>

#include <array>
#include <cstdint>
#include <map>
#include <unordered_set>
#include <vector>

namespace karst::voxel_stream {

/// A chunk that may have something to show.
struct Candidate {
    voxel::ChunkCoord chunk;
    /// The level that its mesh has or was last asked for; -1 while it has none and none is wanted.
    std::int8_t level = -1;
    bool surface = false;      ///< voxel_mesh::mayOwnSurface
    bool water = false;        ///< voxel_mesh::mayDrawWater
    bool solidEdited = false;  ///< its mesh is out of date
    bool waterEdited = false;
};

/// The candidates of 8 x 8 x 8 chunks, and until when they need no look.
struct CandidateRegion {
    static constexpr std::uint16_t kNone = 0xffff;

    CandidateRegion() { slots.fill(kNone); }
    static std::size_t slotOf(voxel::ChunkCoord c) {
        return static_cast<std::size_t>((c.x & 7) + 8 * ((c.z & 7) + 8 * (c.y & 7)));
    }

    std::vector<Candidate> candidates;
    /// Places in `candidates`.
    std::array<std::uint16_t, 512> slots;
    /// Nothing about them changes while the camera is nearer than `margin` to this place; below 0: look.
    WorldPosition scannedAt{};
    double margin = -1;
};

/// The chunks of a grid that may own a surface (voxel_mesh::meshCandidates) or draw water, kept in step with
/// its edits, and what the edits have outdated.
class CandidateIndex {
  public:
    /// All anew. Candidates that were there before keep their level and count as edited. Adds those that had
    /// a level and are no candidates any more to `lost`.
    void rebuild(const voxel::GridSnapshot& grid, std::vector<voxel::ChunkCoord>& lost);
    /// Instead of rebuild() for an index that is empty: remembers the chunks, the nearest to `center` first,
    /// for advance(), which takes that many of them in as they then are. Until pending() is over the index
    /// lacks the others.
    void begin(const voxel::GridSnapshot& grid, voxel::ChunkCoord center);
    void advance(const voxel::GridSnapshot& grid, std::uint32_t chunks);
    bool pending() const { return m_pendingCount > 0; }
    /// The same for changes that are no full refresh; `grid` is as it is after them.
    void apply(const voxel::GridSnapshot& grid, const voxel::GridChanges& changes,
               std::vector<voxel::ChunkCoord>& lost);

    std::size_t size() const { return m_size; }
    /// Null where the chunk is no candidate.
    const Candidate* find(voxel::ChunkCoord chunk) const;
    std::map<voxel::ChunkCoord, CandidateRegion>& regions() { return m_regions; }
    /// Has every region looked at again.
    void touchAll();

  private:
    Candidate* edit(voxel::ChunkCoord chunk);
    Candidate& add(voxel::ChunkCoord chunk, bool surface, bool water);
    void take(const voxel::GridSnapshot& grid, voxel::ChunkCoord chunk);
    void set(voxel::ChunkCoord chunk, bool surface, bool water, std::vector<voxel::ChunkCoord>& lost);
    bool waterNear(voxel::ChunkCoord chunk) const;
    void markEdited(const std::vector<voxel::ChunkCoord>& reached, int level);
    void findWaterMaterials(const voxel::MaterialTable& materials);
    bool holdsWater(const voxel::Chunk& chunk) const;

    std::map<voxel::ChunkCoord, CandidateRegion> m_regions;
    std::size_t m_size = 0;
    /// Those that advance() has not taken in, by how many chunks they are from where begin() was told, the
    /// farthest first. Only the last is sorted.
    std::vector<std::vector<voxel::ChunkCoord>> m_rings;
    std::size_t m_pendingCount = 0;
    bool m_ringSorted = false;
    std::unordered_set<voxel::ChunkCoord, ChunkHash> m_waterChunks;
    std::vector<voxel::MaterialId> m_waterMaterials;
};

}  // namespace karst::voxel_stream
