#pragma once

#include <karst/heightfield/height_tile.h>

#include <cstdint>
#include <optional>

namespace karst::heightfield {

/// Where a streamer's stored tiles come from: memory, a package over a byte source, or a test's script (spec
/// row H7).
///
/// Threads: one at a time (the streamer's). No call blocks on I/O.
class TileSource {
  public:
    struct Finished {
        TileKey key;
        Result<TilePtr> tile =
            TilePtr{};  ///< a validated tile, never null; NotFound where the package lacks it
    };

    virtual ~TileSource() = default;

    /// Begins to load a stored tile. Asking again for one under way changes nothing.
    virtual void request(const TileKey& key) = 0;

    /// The next finished load, in any order; nothing where none is.
    virtual std::optional<Finished> poll() = 0;

    /// Gives up a load under way; it does not come out of poll() afterwards.
    virtual void cancel(const TileKey& key) = 0;
};

}  // namespace karst::heightfield
