#pragma once

#include "request_queue.h"
#include "tile_cache.h"
#include "wanted_list.h"

#include <karst/heightfield_stream/streamer.h>

#include <mutex>

namespace karst::heightfield {

/// The steps of an update, in their order.
struct TileStreamer::State {
    State(const TileLayout& layout, std::unique_ptr<TileSource> source, TileStreamerOptions options,
          const Externals& externals);

    StreamingReport update(std::span<const Interest> interests);
    void addCrater(const Crater& crater);
    Surface published() const;

    void requestRoots(StreamingReport& report);
    void takeIn(StreamingReport& report);
    void mark(std::span<const Interest> interests);
    void startWork(StreamingReport& report);
    void synthesise(StreamingReport& report);
    void makeRoom(StreamingReport& report);
    void release(std::uint32_t count, const TileCache::Staleness& staleness, StreamingReport& report);
    void publish(StreamingReport& report);
    void rebuildSnapshot();

    /// A tile to resolve or synthesise, and what came of it.
    struct Work {
        TileKey key;
        TilePtr stored;
        TilePtr shown;  ///< null: it failed
        Error error;
    };
    /// Does the work on all workers; every tile gets all its craters.
    void resolveAll();
    Result<TilePtr> resolve(const Work& item) const;

    /// Tiles that may still become resident.
    std::uint32_t room() const;
    void fail(const TileKey& key, const Error& error, StreamingReport& report);

    TileLayout layout;
    TileStreamerOptions options;
    Externals externals;
    RequestQueue queue;
    TileCache cache;
    WantedList wanted;
    Vector<Crater> craters;
    Vector<TileKey> roots;
    SurfaceLineage lineage = Surface::newLineage();
    std::uint64_t updateNumber = 0;
    std::uint64_t surfaceRevision = 0;
    /// Tiles changed since `snapshot` was made.
    bool changed = false;
    /// The tiles as they are: what views are planned on, and published at the end of an update.
    Surface snapshot;
    bool unpublished = false;

    // What the steps of one update hand to the next; kept for their memory.
    Vector<Work> work;
    Vector<TileKey> toSynthesise;
    std::uint32_t roomForCollision = 0, roomForViews = 0, roomForPrefetch = 0;
    Vector<TileCache::Left> left;

    mutable std::mutex mutex;  // guards only the next; nothing else runs under it
    Surface publicSurface;
};

}  // namespace karst::heightfield
