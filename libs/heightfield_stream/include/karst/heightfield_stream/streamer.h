#pragma once

#include <karst/base/externals.h>
#include <karst/heightfield/crater.h>
#include <karst/heightfield/surface.h>
#include <karst/heightfield/tile_source.h>
#include <karst/heightfield_stream/interest.h>
#include <karst/heightfield_stream/tile_resolver.h>
#include <karst/heightfield_stream/view_planner.h>

#include <cstdint>
#include <memory>
#include <span>

namespace karst::heightfield {

struct TileStreamerOptions {
    /// Resident tiles and loads under way together never exceed this. At least the number of roots.
    std::uint32_t maximumResidentTiles = 1024;
    /// Loads under way at once, at least 1. The roots are all asked for together, whatever this says.
    std::uint32_t maximumPendingLoads = 32;
    /// Detail tiles made in one update.
    std::uint32_t maximumSynthesesPerUpdate = 8;
    /// For how many updates a tile that failed, or left before any interest used it, is not asked for again.
    /// (Of the two, only failure keeps it from collision interests: they use a tile as soon as it is there.)
    std::uint32_t retryAfterUpdates = 120;
    /// A load that has not answered for this long on the clock of the externals is given up and counts as
    /// failed. 0: it may take for ever, and holds its place.
    double loadTimeoutSeconds = 60;
    /// A load that no interest wanted for this many updates is given up where others wait for its place.
    std::uint32_t cancelUnwantedAfterUpdates = 16;
    /// Levels below 0 that are synthesised, 0 .. 4; above 0 needs a resolver.
    std::uint32_t detailLevels = 0;
    /// Level of collision interests and Surface::heightAt, -detailLevels .. the root level.
    std::int32_t collisionLevel = 0;
    /// Craters and detail: makeDetailResolver(). Null: tiles are shown as they are stored, and craters are
    /// refused.
    std::shared_ptr<const TileResolver> resolver;
    /// Null: makeSelectorPlanner().
    std::unique_ptr<ViewPlanner> planner;
};

/// What one update did, and what is left.
struct StreamingReport {
    bool published = false;         ///< surface() is a new snapshot
    std::uint32_t requested = 0;    ///< loads begun
    std::uint32_t loaded = 0;       ///< stored tiles that became resident
    std::uint32_t failed = 0;       ///< loads and syntheses that failed or took too long
    std::uint32_t synthesised = 0;  ///< detail tiles that became resident
    std::uint32_t released = 0;     ///< tiles that left
    std::uint32_t dropped = 0;      ///< loads given up or thrown away: unwanted, or their parent left
    std::uint32_t resident = 0;     ///< tiles resident now
    std::uint32_t pending = 0;      ///< loads under way now
    std::uint32_t wanted = 0;       ///< tiles that interests need and are not resident (prefetch not counted)
    std::uint32_t waiting = 0;      ///< of those, neither under way nor on hold: no place or no room
    std::uint32_t onHold = 0;       ///< of those, not asked for again yet: they failed or left unused

    /// Nothing is under way and nothing changed: another update with the same interests does nothing either,
    /// until tiles on hold are due again.
    bool settled() const {
        return !published && requested + loaded + failed + synthesised + released + dropped + pending == 0;
    }
};

/// Keeps the tiles of a pyramid resident that interests need, and publishes snapshots of them (spec rows H8,
/// H9, H10).
///
/// The roots are asked for on creation; the first snapshot comes when they have all arrived. Then each update
/// takes in finished loads, marks what the interests use, asks for missing stored tiles (collision before
/// views, then coarsest first), synthesises missing detail tiles, releases least recently used tiles to make
/// room, and publishes a snapshot if anything changed. A tile becomes resident only under a resident parent,
/// and leaves only without resident children; roots and what an interest uses stay (but where a collision
/// interest finds no room at all, the finest tiles that views use give way to it). Nothing in here grows with
/// the size of the package.
///
/// Threads: update(), addCrater() and craters() from one thread at a time; surface() from any. The source and
/// the planner are called from the thread that updates, the resolver from the workers of Externals::jobs. No
/// lock is held while any of them runs.
class TileStreamer {
  public:
    /// Refuses by name an invalid layout, a null source, and options out of range.
    static Result<TileStreamer> create(const TileLayout& layout, std::unique_ptr<TileSource> source,
                                       TileStreamerOptions options = {}, const Externals& externals = {});
    ~TileStreamer();
    TileStreamer(TileStreamer&&) noexcept;
    TileStreamer& operator=(TileStreamer&&) noexcept;

    /// Once a frame, or as often as tiles should come. Never waits for I/O. Fails, and does nothing, where an
    /// interest is not valid.
    Result<StreamingReport> update(std::span<const Interest> interests);

    /// The last published snapshot; empty before the first.
    Surface surface() const;

    /// Digs into the ground (spec row H28). Resident tiles it reaches change at once, with a higher revision,
    /// and the next update publishes them; tiles that load later get it too. Fails, and changes nothing, for
    /// a crater that cannot be, or without a resolver.
    Result<void> addCrater(const Crater& crater);

    /// All craters in the order they were added: the edit log, to save (encodeCraters) and add again. Valid
    /// until the next is added.
    std::span<const Crater> craters() const;

    const TileLayout& layout() const;

  private:
    struct State;
    explicit TileStreamer(std::unique_ptr<State> state);
    std::unique_ptr<State> m_state;
};

}  // namespace karst::heightfield
