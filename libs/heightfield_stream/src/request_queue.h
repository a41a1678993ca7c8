#pragma once

#include "key_table.h"

#include <karst/base/externals.h>
#include <karst/heightfield/tile_source.h>

#include <deque>
#include <memory>

namespace karst::heightfield {

/// The loads of a streamer: which are under way, and which tiles are on hold. The only one that talks to the
/// tile source. Updates are numbered by the caller and never fall.
class RequestQueue {
  public:
    RequestQueue(std::unique_ptr<TileSource> source, std::uint32_t retryAfterUpdates, double timeoutSeconds,
                 const Externals& externals);

    std::uint32_t pending() const { return static_cast<std::uint32_t>(m_pending.size()); }
    bool isPending(const TileKey& key) const { return m_pendingTable.contains(key); }

    /// Begins a load of a tile that is neither under way nor on hold.
    void request(const TileKey& key, std::uint64_t update);
    /// Says that a load under way is still wanted; no effect on others.
    void want(const TileKey& key, std::uint64_t update);
    /// Gives up a load; false where it was not under way.
    bool cancel(const TileKey& key);
    /// Gives up loads that nobody wanted for `updates` updates, at most `count`; returns how many.
    std::uint32_t cancelUnwanted(std::uint64_t update, std::uint32_t updates, std::uint32_t count);

    /// A finished load, or one that took too long: as an error. What was not asked for, or given up, does not
    /// come out. Call until it gives nothing; each round of calls asks the source a bounded number of times.
    std::optional<TileSource::Finished> next();

    enum class HoldReason : std::uint32_t { Failed, LeftUnused };

    /// Puts a tile on hold, also one that is.
    void hold(const TileKey& key, HoldReason reason, std::uint64_t update);
    /// Why it is on hold, if it is.
    std::optional<HoldReason> held(const TileKey& key) const;
    /// Lets go of a tile before it is due.
    void letGo(const TileKey& key) { m_heldTable.erase(key); }
    /// Lets go of the tiles that are due again.
    void letGo(std::uint64_t update);

  private:
    struct Pending {
        TileKey key;
        std::uint64_t wantedUpdate = 0;
        std::uint64_t startedAt = 0;  // nanoseconds
    };
    struct Held {
        TileKey key;
        std::uint64_t dueUpdate = 0;
    };
    static std::uint32_t heldValue(std::uint64_t dueUpdate, HoldReason reason);
    void removePending(std::uint32_t index);
    std::optional<TileSource::Finished> nextTimedOut();

    std::unique_ptr<TileSource> m_source;
    std::uint32_t m_retryAfterUpdates;
    std::uint64_t m_timeout;  // nanoseconds, 0: none
    double m_timeoutSeconds;
    Externals m_externals;
    Vector<Pending> m_pending;
    KeyTable m_pendingTable;  // index into m_pending
    // Every tile is held for equally long, so the first that came in is the first due.
    std::deque<Held, StdAllocator<Held>> m_held;
    // Reason and the due update's low bits: those of m_held that differ were let go or held again since.
    KeyTable m_heldTable;
    std::uint32_t m_strays = 0;
};

}  // namespace karst::heightfield
