#pragma once

#include <karst/base/externals.h>
#include <karst/base/result.h>
#include <karst/voxel/grid.h>
#include <karst/voxel_mesh/chunk_surface.h>
#include <karst/voxel_mesh/skirt.h>
#include <karst/voxel_stream/level_policy.h>
#include <karst/voxel_stream/mesh_executor.h>
#include <karst/voxel_stream/mesh_sink.h>

#include <array>
#include <cstdint>
#include <memory>

namespace karst::voxel_stream {

struct StreamOptions {
    LevelPolicy levels;
    /// Level changes that one scan lets through, the nearest first.
    std::uint32_t transitionsPerScan = 48;
    /// How far the camera moves, in world units, before the chunks are looked at again.
    double scanMovement = 8;
    /// Chunk edges beyond the draw distance within which meshes are made, and kept.
    double preloadEdges = 1, keepEdges = 2;
    /// How many chunks of its first grid one update takes in, the nearest first, so that a large world is no
    /// halt. A grid that takes another's place comes in at once: what is shown of the other must go.
    std::uint32_t newChunksPerUpdate = 512;
    std::uint32_t chunksPerBatch = 32;
    /// What one update hands to the sink: so many results, and none more once this time has gone by.
    std::uint32_t resultsPerUpdate = 32;
    std::uint64_t publishNanoseconds = 2'000'000;
    /// While this many results wait to be published no further batch is started.
    std::uint32_t maximumWaitingResults = 256;
    /// Keep what is displayed on the CPU, without skirts, for picking: see displayed().
    bool keepGeometry = false;
    voxel_mesh::SurfaceOptions surface;
    voxel_mesh::SkirtOptions skirt;
};

/// What one update did.
struct StreamUpdate {
    bool scanned = false;
    std::uint32_t transitions = 0;  ///< level changes asked for
    std::uint32_t started = 0;      ///< batches
    std::uint32_t published = 0;    ///< results that were current, empty ones too
    std::uint32_t stale = 0;        ///< results that were not, and were let go
    std::uint32_t dropped = 0;      ///< chunks that have no mesh any more, by the scan
};

struct StreamStats {
    std::size_t candidates = 0;  ///< chunks of the grid that may have a surface or water
    std::size_t queued = 0;      ///< requests that wait for a batch
    std::size_t underWay = 0;    ///< requests in a batch that has not been published
    std::size_t waitingResults = 0;
    std::size_t shown = 0;                                      ///< chunks with a mesh in the sink
    std::array<std::size_t, voxel_mesh::kMeshLevels> levels{};  ///< of the shown ones
    std::size_t empty = 0;          ///< chunks that are known to have nothing to show
    std::size_t shownBytes = 0;     ///< vertices and indices in the sink, skirts included
    std::size_t geometryBytes = 0;  ///< kept on the CPU: 0 without keepGeometry
    /// Every chunk is known, no level change waits, and nothing is queued or under way.
    bool settled = false;
};

/// The geometry of a chunk as it is displayed, without its skirt; immutable. Null where there is none.
struct DisplayedGeometry {
    int level = 0;
    std::shared_ptr<const voxel_mesh::SurfaceMesh> solid;
    std::shared_ptr<const voxel_mesh::WaterMesh> water;
};

/// Keeps the meshes of a grid around a camera: decides which chunks are wanted at which level, has them
/// meshed in the background from snapshots, and hands them to the sink. What is shown once it has settled
/// depends on the grid and on the updates alone, not on the executor.
///
/// Nothing that an edit has outdated since its snapshot reaches the sink, provided that every update sees the
/// grid; until the new mesh is there the old one stays. A chunk that is edited faster than it can be meshed
/// keeps its old one until the edits pause.
///
/// Threads: one at a time. Executor, sink and the externals must outlive it; batches may outlive it. Source:
/// spec rows V16 to V18 and V20 to V23.
class VoxelStreamer {
  public:
    /// InvalidArgument: options that make no sense (thresholds that do not rise, a bound of 0, ...).
    static Result<VoxelStreamer> create(const StreamOptions& options, MeshExecutor& executor, MeshSink& sink,
                                        const Externals& externals = {});
    VoxelStreamer(VoxelStreamer&&) noexcept;
    VoxelStreamer& operator=(VoxelStreamer&&) noexcept;
    /// Calls nobody; the sink keeps what it has.
    ~VoxelStreamer();

    /// Call once a frame. Another grid than before replaces everything. InvalidArgument, and nothing is done:
    /// a camera or draw distance (world units) that is not finite, or a negative draw distance.
    Result<StreamUpdate> update(const voxel::Grid& grid, WorldPosition camera, double drawDistance);

    bool settled() const;
    /// Looks at every chunk that has a mesh: for a panel, not for each frame of a game.
    StreamStats stats() const;
    /// What the sink shows of the chunk; empty without StreamOptions::keepGeometry.
    DisplayedGeometry displayed(voxel::ChunkCoord chunk) const;

  private:
    struct State;
    explicit VoxelStreamer(std::unique_ptr<State> state);
    std::unique_ptr<State> m_state;
};

}  // namespace karst::voxel_stream
