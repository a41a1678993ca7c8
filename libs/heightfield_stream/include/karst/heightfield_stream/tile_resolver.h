#pragma once

#include <karst/base/function_ref.h>
#include <karst/heightfield/crater.h>
#include <karst/heightfield/height_tile.h>

#include <span>

namespace karst::heightfield {

/// Makes the tiles that are shown out of those that are stored: craters, the error tables that detail needs,
/// and the detail tiles themselves.
///
/// Threads: all calls are const and may come from several threads at once; the streamer holds no lock.
class TileResolver {
  public:
    /// The stored tile of a key as the source gave it, null where it is not resident.
    using StoredTiles = FunctionRef<const HeightTile*(const TileKey&)>;

    virtual ~TileResolver() = default;

    /// Refuses by name a crater that cannot be dug.
    virtual Result<void> check(const Crater& crater) const = 0;

    /// Does the crater change samples of the tile, its apron included, or its bounds?
    virtual bool reaches(const Crater& crater, const TileLayout& layout, const TileKey& key) const = 0;

    /// A stored tile as it is shown, with `craters` (those that reach it, in the order they were added) and
    /// the given revision; never null. Without craters it may be the stored tile itself.
    virtual TilePtr resolveStored(const TileLayout& layout, const TilePtr& stored,
                                  std::span<const Crater> craters, std::uint64_t revision) const = 0;

    /// A detail tile (level below 0); its ancestors are resident.
    virtual Result<TilePtr> synthesise(const TileLayout& layout, const TileKey& key, StoredTiles stored,
                                       std::span<const Crater> craters, std::uint64_t revision) const = 0;
};

}  // namespace karst::heightfield
