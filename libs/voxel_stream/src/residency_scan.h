#pragma once

#include "candidate_index.h"

#include <karst/voxel/grid.h>
#include <karst/voxel_stream/level_policy.h>

#include <cstdint>
#include <vector>

namespace karst::voxel_stream {

struct ScanOptions {
    LevelPolicy levels;
    std::uint32_t transitionsPerScan = 48;
    double scanMovement = 8;
    double preloadEdges = 1, keepEdges = 2;
    std::uint32_t newChunksPerScan = 512;
};

/// What a chunk's mesh is wanted anew for.
struct ScanRequest {
    voxel::ChunkCoord chunk;
    int level = 0;
    bool solid = false, water = false;
};

/// Decides which chunks are to have a mesh at which level. Its answers depend on the grids, cameras and draw
/// distances that it was shown alone, not on how far the meshing is. Source: spec rows V16 to V18.
class ResidencyScan {
  public:
    explicit ResidencyScan(const ScanOptions& options) : m_options(options) {}

    struct Work {
        bool scanned = false;
        std::uint32_t transitions = 0;
        /// Meshes to let go; comes before `requests`.
        std::vector<voxel::ChunkCoord> drops;
        /// Meshes to make; a chunk may come twice, then both hold, at the later one's level.
        std::vector<ScanRequest> requests;
    };
    /// Valid until the next call.
    const Work& update(const voxel::Grid& grid, WorldPosition camera, double drawDistance);

    /// No level change waits for the next scan, nor does a chunk that is new.
    bool settled() const { return m_settled && !m_index.pending(); }
    const CandidateIndex& candidates() const { return m_index; }

  private:
    struct Ranges {
        voxel::GridPlacement placement;
        WorldPosition camera;
        double preload = 0, keep = 0;
    };
    struct Transition {
        double distance = 0;
        voxel::ChunkCoord chunk;
        Candidate* candidate = nullptr;
        int level = 0;
    };
    bool takeChanges(const voxel::Grid& grid, WorldPosition camera);
    void scanRegion(CandidateRegion& region, const Ranges& ranges);
    double scanCandidate(Candidate& candidate, const Ranges& ranges);
    void takeTransitions();

    ScanOptions m_options;
    CandidateIndex m_index;
    voxel::GridGeneration m_generation;
    voxel::Revision m_revision = 0;
    voxel::GridPlacement m_placement;
    voxel::MaterialTable m_materials;
    double m_drawDistance = -1;
    WorldPosition m_settledAt{};
    bool m_settled = false;
    Work m_work;
    std::vector<Transition> m_transitions;
};

}  // namespace karst::voxel_stream
