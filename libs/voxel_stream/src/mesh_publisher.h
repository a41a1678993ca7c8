#pragma once

#include "chunk_hash.h"
#include "mesh_queue.h"
#include "mesh_workshop.h"

#include <karst/base/clock.h>
#include <karst/voxel_stream/voxel_streamer.h>

#include <cstdint>
#include <unordered_map>

namespace karst::voxel_stream {

struct PublishOptions {
    std::uint32_t resultsPerStep = 32;
    std::uint64_t nanoseconds = 2'000'000;
    bool keepGeometry = false;
};

/// Hands results to the sink and knows what it shows. Source: spec rows V20 to V23.
class MeshPublisher {
  public:
    MeshPublisher(const PublishOptions& options, MeshSink& sink, const Clock& clock)
        : m_options(options), m_sink(&sink), m_clock(&clock) {}

    /// Takes results until a bound is reached; at least one where there is one. Adds to `update`.
    void publish(MeshWorkshop& workshop, MeshQueue& queue, StreamUpdate& update);
    void drop(voxel::ChunkCoord chunk);

    /// Adds what is shown.
    void addStats(StreamStats& stats) const;
    DisplayedGeometry displayed(voxel::ChunkCoord chunk) const;

  private:
    /// Of a chunk whose mesh has come, also an empty one.
    struct Record {
        int level = 0;
        std::size_t solidBytes = 0, waterBytes = 0;
        DisplayedGeometry geometry;
        bool shown() const { return solidBytes + waterBytes > 0; }
    };
    void show(MeshResult& result);
    void keep(MeshResult& result, Record& record) const;

    PublishOptions m_options;
    MeshSink* m_sink;
    const Clock* m_clock;
    std::unordered_map<voxel::ChunkCoord, Record, ChunkHash> m_records;
};

}  // namespace karst::voxel_stream
