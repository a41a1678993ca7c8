#include <karst/voxel_stream/voxel_streamer.h>

#include "mesh_publisher.h"
#include "mesh_queue.h"
#include "mesh_workshop.h"
#include "residency_scan.h"

#include <cmath>
#include <utility>

namespace karst::voxel_stream {
namespace {

Result<void> check(const StreamOptions& options) {
    double before = options.levels.hysteresis;
    if (!std::isfinite(before) || before < 0) {
        return makeError(ErrorCode::InvalidArgument, "voxel streamer: hysteresis %g, expected 0 or more",
                         before);
    }
    for (const double threshold : options.levels.thresholds) {
        if (!std::isfinite(threshold) || threshold <= before) {
            return makeError(ErrorCode::InvalidArgument,
                             "voxel streamer: level threshold %g, expected one above %g", threshold, before);
        }
        before = threshold;
    }
    if (!(options.scanMovement >= 0)) {
        return makeError(ErrorCode::InvalidArgument, "voxel streamer: scan movement %g, expected 0 or more",
                         options.scanMovement);
    }
    if (!(options.preloadEdges >= 0) || !(options.keepEdges >= options.preloadEdges) ||
        !std::isfinite(options.keepEdges)) {
        return makeError(
            ErrorCode::InvalidArgument,
            "voxel streamer: preload of %g and keep of %g chunk edges, expected 0 <= preload <= keep",
            options.preloadEdges, options.keepEdges);
    }
    const std::pair<const char*, std::uint32_t> counts[] = {
        {"transitions a scan", options.transitionsPerScan},
        {"new chunks an update", options.newChunksPerUpdate},
        {"chunks a batch", options.chunksPerBatch},
        {"results an update", options.resultsPerUpdate},
        {"waiting results", options.maximumWaitingResults},
    };
    for (const auto& [what, count] : counts) {
        if (count == 0)
            return makeError(ErrorCode::InvalidArgument, "voxel streamer: 0 %s, expected at least 1", what);
    }
    return {};
}

}  // namespace

struct VoxelStreamer::State {
    State(const StreamOptions& o, MeshExecutor& e, MeshSink& sink, const Externals& externals)
        : options(o),
          executor(&e),
          scan({o.levels, o.transitionsPerScan, o.scanMovement, o.preloadEdges, o.keepEdges,
                o.newChunksPerUpdate}),
          workshop(std::make_shared<MeshWorkshop>(WorkshopOptions{o.surface, o.skirt, o.keepGeometry})),
          publisher({o.resultsPerUpdate, o.publishNanoseconds, o.keepGeometry}, sink, *externals.clock) {}
    ~State() { workshop->close(); }

    void startBatches(const voxel::Grid& grid, WorldPosition camera, StreamUpdate& update);

    StreamOptions options;
    MeshExecutor* executor;
    ResidencyScan scan;
    MeshQueue queue;
    std::shared_ptr<MeshWorkshop> workshop;
    MeshPublisher publisher;
};

VoxelStreamer::VoxelStreamer(std::unique_ptr<State> state) : m_state(std::move(state)) {}
VoxelStreamer::VoxelStreamer(VoxelStreamer&&) noexcept = default;
VoxelStreamer& VoxelStreamer::operator=(VoxelStreamer&&) noexcept = default;
VoxelStreamer::~VoxelStreamer() = default;

Result<VoxelStreamer> VoxelStreamer::create(const StreamOptions& options, MeshExecutor& executor,
                                            MeshSink& sink, const Externals& externals) {
    if (Result<void> checked = check(options); !checked.ok()) return checked.error();
    return VoxelStreamer(std::make_unique<State>(options, executor, sink, externals));
}

Result<StreamUpdate> VoxelStreamer::update(const voxel::Grid& grid, WorldPosition camera,
                                           double drawDistance) {
    if (!isFinite(camera)) {
        return makeError(ErrorCode::InvalidArgument, "voxel streamer: camera (%g, %g, %g) is not finite",
                         camera.x, camera.y, camera.z);
    }
    if (!std::isfinite(drawDistance) || drawDistance < 0) {
        return makeError(ErrorCode::InvalidArgument,
                         "voxel streamer: draw distance %g, expected a finite one of 0 or more",
                         drawDistance);
    }
    State& state = *m_state;
    StreamUpdate update;
    const ResidencyScan::Work& work = state.scan.update(grid, camera, drawDistance);
    update.scanned = work.scanned;
    update.transitions = work.transitions;
    update.dropped = static_cast<std::uint32_t>(work.drops.size());
    for (const voxel::ChunkCoord chunk : work.drops) {
        state.queue.cancel(chunk);
        state.publisher.drop(chunk);
    }
    for (const ScanRequest& request : work.requests)
        state.queue.request(request.chunk, request.level, request.solid, request.water);
    // Only now: the requests know of every edit, so no result that one has outdated matches any more.
    state.publisher.publish(*state.workshop, state.queue, update);
    state.startBatches(grid, camera, update);
    return update;
}

void VoxelStreamer::State::startBatches(const voxel::Grid& grid, WorldPosition camera, StreamUpdate& update) {
    if (queue.waiting() == 0 || workshop->waiting() >= options.maximumWaitingResults) return;
    const std::uint32_t slots = executor->freeSlots();
    for (std::vector<MeshRequest>& requests :
         queue.takeBatches(grid.placement(), camera, slots, options.chunksPerBatch)) {
        std::vector<voxel::ChunkCoord> chunks;
        chunks.reserve(requests.size());
        for (const MeshRequest& request : requests)
            chunks.push_back(request.chunk);
        executor->start(std::make_shared<MeshBatch>(workshop, grid.snapshot(chunks), std::move(requests)));
        ++update.started;
    }
}

bool VoxelStreamer::settled() const {
    return m_state->scan.settled() && m_state->queue.waiting() + m_state->queue.underWay() == 0;
}

StreamStats VoxelStreamer::stats() const {
    StreamStats stats;
    stats.candidates = m_state->scan.candidates().size();
    stats.queued = m_state->queue.waiting();
    stats.underWay = m_state->queue.underWay();
    stats.waitingResults = m_state->workshop->waiting();
    stats.settled = settled();
    m_state->publisher.addStats(stats);
    return stats;
}

DisplayedGeometry VoxelStreamer::displayed(voxel::ChunkCoord chunk) const {
    return m_state->publisher.displayed(chunk);
}

}  // namespace karst::voxel_stream
