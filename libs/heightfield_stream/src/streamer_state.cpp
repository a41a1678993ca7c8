#include "streamer_state.h"

#include <algorithm>
#include <string>

namespace karst::heightfield {

TileStreamer::State::State(const TileLayout& streamedLayout, std::unique_ptr<TileSource> source,
                           TileStreamerOptions streamerOptions, const Externals& streamerExternals)
    : layout(streamedLayout),
      options(std::move(streamerOptions)),
      externals(streamerExternals),
      queue(std::move(source), options.retryAfterUpdates, options.loadTimeoutSeconds, externals),
      cache(layout, *externals.allocator),
      wanted(layout, options.detailLevels, *externals.allocator),
      craters(*externals.allocator),
      roots(*externals.allocator),
      work(*externals.allocator),
      toSynthesise(*externals.allocator),
      left(*externals.allocator) {
    const std::int32_t level = layout.rootLevel();
    for (std::uint32_t z = 0; z < layout.rootsZ && layout.contains({level, 0, z}); ++z) {
        for (std::uint32_t x = 0; x < layout.rootsX && layout.contains({level, x, z}); ++x)
            roots.push_back({level, x, z});
    }
    for (const TileKey& root : roots)
        queue.request(root, updateNumber);
}

StreamingReport TileStreamer::State::update(std::span<const Interest> interests) {
    StreamingReport report;
    ++updateNumber;
    queue.letGo(updateNumber);
    takeIn(report);
    requestRoots(report);
    if (report.wanted == 0) {
        // Views are planned on what is there now, this update's arrivals included.
        if (changed) rebuildSnapshot();
        mark(interests);
        startWork(report);
        synthesise(report);
        makeRoom(report);
        publish(report);
    }
    report.resident = cache.size();
    report.pending = queue.pending();
    return report;
}

std::uint32_t TileStreamer::State::room() const {
    const std::size_t taken = std::size_t{cache.size()} + queue.pending() + toSynthesise.size();
    return static_cast<std::uint32_t>(options.maximumResidentTiles - taken);
}

void TileStreamer::State::fail(const TileKey& key, const Error& error, StreamingReport& report) {
    ++report.failed;
    queue.hold(key, RequestQueue::HoldReason::Failed, updateNumber);
    externals.log->write(LogLevel::Warning, "streamer: " + error.message);
}

Result<TilePtr> TileStreamer::State::resolve(const Work& item) const {
    const TileKey& key = item.key;
    // Those that are resident were checked when they came.
    if (item.stored != nullptr && !cache.contains(key)) {
        if (Result<void> valid = validate(*item.stored, layout); !valid) return valid.error();
    }
    if (options.resolver == nullptr) return item.stored;
    Vector<Crater> reaching(*externals.allocator);
    for (const Crater& crater : craters) {
        if (options.resolver->reaches(crater, layout, key)) reaching.push_back(crater);
    }
    // The number of craters tells a tile's states apart, also after it left and came back.
    const std::uint64_t revision = reaching.size();
    Result<TilePtr> shown = TilePtr{};
    if (item.stored != nullptr) {
        shown = options.resolver->resolveStored(layout, item.stored, reaching, revision);
    } else {
        const auto stored = [this](const TileKey& other) -> const HeightTile* {
            const TileCache::Entry* entry = cache.find(other);
            return entry == nullptr ? nullptr : entry->stored.get();
        };
        shown = options.resolver->synthesise(layout, key, stored, reaching, revision);
    }
    if (shown.ok() && (*shown == nullptr || (*shown)->key != key)) {
        return makeError(ErrorCode::InvalidArgument, "tile %d/%u-%u: the resolver gave another tile or none",
                         key.level, key.x, key.z);
    }
    return shown;
}

void TileStreamer::State::resolveAll() {
    externals.jobs->parallelFor(work.size(), 1, [this](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            Result<TilePtr> shown = resolve(work[i]);
            if (shown) {
                work[i].shown = std::move(*shown);
            } else {
                work[i].error = shown.error();
            }
        }
    });
}

void TileStreamer::State::takeIn(StreamingReport& report) {
    work.clear();
    while (std::optional<TileSource::Finished> finished = queue.next()) {
        const TileKey& key = finished->key;
        if (!finished->tile) {
            fail(key, finished->tile.error(), report);
        } else if (*finished->tile == nullptr || (*finished->tile)->key != key) {
            fail(key,
                 makeError(ErrorCode::CorruptData, "tile %d/%u-%u: the source gave another tile or none",
                           key.level, key.x, key.z),
                 report);
        } else if (!cache.accepts(key)) {
            ++report.dropped;
        } else {
            work.push_back({key, *finished->tile, nullptr, {}});
        }
    }
    resolveAll();
    for (Work& item : work) {
        if (item.shown == nullptr) {
            fail(item.key, item.error, report);
            continue;
        }
        TileCache::Entry entry;
        entry.stored = std::move(item.stored);
        entry.shown = std::move(item.shown);
        entry.bornUpdate = updateNumber;
        cache.insert(item.key, std::move(entry));
        ++report.loaded;
        changed = true;
    }
    work.clear();
}

// Roots that failed are asked for again when they are due. Until all are there nothing else is.
void TileStreamer::State::requestRoots(StreamingReport& report) {
    if (!snapshot.empty()) return;
    for (const TileKey& root : roots) {
        if (cache.contains(root)) continue;
        ++report.wanted;
        if (queue.isPending(root)) continue;
        if (queue.held(root)) {
            ++report.onHold;
            continue;
        }
        queue.request(root, updateNumber);
        ++report.requested;
    }
}

void TileStreamer::State::mark(std::span<const Interest> interests) {
    wanted.clear();
    for (const Interest& interest : interests) {
        if (const auto* region = std::get_if<CollisionInterest>(&interest))
            wanted.addCollision(*region, options.collisionLevel, cache, updateNumber);
    }
    for (const Interest& interest : interests) {
        if (const auto* view = std::get_if<TileView>(&interest))
            wanted.addView(options.planner->plan(snapshot, *view, options.detailLevels), cache, updateNumber);
    }
}

void TileStreamer::State::startWork(StreamingReport& report) {
    roomForCollision = roomForViews = roomForPrefetch = 0;
    std::uint32_t waitingForPlace = 0;
    // How many more could begin if there were room.
    std::uint32_t places =
        options.maximumPendingLoads - std::min(options.maximumPendingLoads, queue.pending());
    std::uint32_t syntheses = options.maximumSynthesesPerUpdate;
    std::optional<TileKey> awaited;
    for (const WantedList::Item& item : wanted.sorted()) {
        const bool prefetch = item.reason == WantedFor::Prefetch;
        if (!prefetch) ++report.wanted;
        if (const auto held = queue.held(item.key)) {
            if (item.reason == WantedFor::Collision && *held == RequestQueue::HoldReason::LeftUnused) {
                // A view that wanted more than there was room for must not take the ground from under a body.
                // This cannot go round in circles: the region uses the tile as soon as it is there.
                queue.letGo(item.key);
            } else {
                if (!prefetch) ++report.onHold;
                continue;
            }
        }
        // A tile is drawn with all its children or none, so those that came first must wait, not leave.
        if (item.reason == WantedFor::View && awaited != item.key.parent()) {
            awaited = item.key.parent();  // siblings mostly follow each other
            cache.await(*awaited, updateNumber);
        }
        if (queue.isPending(item.key)) {
            queue.want(item.key, updateNumber);
            continue;
        }
        const bool isDetail = item.key.level < 0;
        std::uint32_t& open = isDetail ? syntheses : places;
        if (open > 0) {
            --open;
            if (room() > 0) {
                if (isDetail) {
                    toSynthesise.push_back(item.key);
                } else {
                    queue.request(item.key, updateNumber);
                    ++report.requested;
                }
                continue;
            }
            ++(prefetch ? roomForPrefetch : item.reason == WantedFor::View ? roomForViews : roomForCollision);
        } else if (!isDetail && !prefetch) {
            ++waitingForPlace;
        }
        if (!prefetch) ++report.waiting;
    }
    if (waitingForPlace > 0) {
        report.dropped +=
            queue.cancelUnwanted(updateNumber, options.cancelUnwantedAfterUpdates, waitingForPlace);
    }
}

void TileStreamer::State::synthesise(StreamingReport& report) {
    if (toSynthesise.empty()) return;
    for (const TileKey& key : toSynthesise)
        work.push_back({key, nullptr, nullptr, {}});
    toSynthesise.clear();
    resolveAll();
    for (Work& item : work) {
        if (item.shown == nullptr) {
            fail(item.key, item.error, report);
            continue;
        }
        TileCache::Entry entry;
        entry.shown = std::move(item.shown);
        entry.bornUpdate = updateNumber;
        cache.insert(item.key, std::move(entry));
        ++report.synthesised;
        changed = true;
    }
    work.clear();
}

void TileStreamer::State::makeRoom(StreamingReport& report) {
    // What waits for a region to stand on takes the place of anything unused, and where there is nothing, of
    // the finest that views use: nothing they see is worth a fall. A view's wants do not break up half-loaded
    // children; prefetch takes only what nobody looked at for long.
    const auto lacking = [this](std::uint32_t count) { return count - std::min(count, room()); };
    std::uint32_t needed = roomForCollision;
    release(lacking(needed), {updateNumber, 1, false}, report);
    release(lacking(needed), {updateNumber, 0, false}, report);
    needed += roomForViews;
    release(lacking(needed), {updateNumber, 1, true}, report);
    if (roomForPrefetch == 0) return;
    needed += roomForPrefetch;
    release(lacking(needed), {updateNumber, options.retryAfterUpdates, true}, report);
}

void TileStreamer::State::release(std::uint32_t count, const TileCache::Staleness& staleness,
                                  StreamingReport& report) {
    left.clear();
    cache.release(count, staleness, left);
    for (const TileCache::Left& tile : left) {
        ++report.released;
        changed = true;
        if (!tile.wasUsed) queue.hold(tile.key, RequestQueue::HoldReason::LeftUnused, updateNumber);
        // A child on its way could not become resident any more.
        for (std::uint32_t child = 0; child < 4; ++child) {
            if (queue.cancel(tile.key.child(child))) ++report.dropped;
        }
    }
}

void TileStreamer::State::rebuildSnapshot() {
    snapshot = Surface::publish(layout, cache.sorted(), options.collisionLevel, lineage, ++surfaceRevision);
    changed = false;
    unpublished = true;
}

void TileStreamer::State::publish(StreamingReport& report) {
    if (changed) rebuildSnapshot();
    if (!unpublished) return;
    unpublished = false;
    report.published = true;
    // The old snapshot, and tiles that only it held, are freed after the lock.
    Surface old = snapshot;
    const std::lock_guard lock(mutex);
    std::swap(publicSurface, old);
}

Surface TileStreamer::State::published() const {
    const std::lock_guard lock(mutex);
    return publicSurface;
}

void TileStreamer::State::addCrater(const Crater& crater) {
    craters.push_back(crater);
    work.clear();
    for (const TilePtr& tile : cache.sorted()) {
        if (!options.resolver->reaches(crater, layout, tile->key)) continue;
        work.push_back({tile->key, cache.find(tile->key)->stored, nullptr, {}});
    }
    resolveAll();
    for (Work& item : work) {
        if (item.shown != nullptr) {
            cache.show(item.key, std::move(item.shown));
            changed = true;
        } else {
            externals.log->write(LogLevel::Error, "streamer: crater: " + item.error.message);
        }
    }
    work.clear();
}

}  // namespace karst::heightfield
