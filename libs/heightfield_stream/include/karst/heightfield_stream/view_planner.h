#pragma once

#include <karst/heightfield_lod/tile_selection.h>

#include <memory>

namespace karst::heightfield {

/// Says which tiles a view uses and which it wants. The streamer's own is TileSelector; a host may put its
/// policy before it (its own tolerance per view, tiles to hold back).
///
/// Threads: one at a time, from TileStreamer::update.
class ViewPlanner {
  public:
    virtual ~ViewPlanner() = default;

    /// As TileSelector::select. Of the result, `used` and `wanted` are read, before the next call. Tiles that
    /// are resident already, or whose parent is not, or that the layout lacks, are skipped in `wanted`.
    virtual TileSelection plan(const Surface& surface, const TileView& view, std::uint32_t detailLevels) = 0;
};

/// Plans with a TileSelector.
std::unique_ptr<ViewPlanner> makeSelectorPlanner(const Externals& externals = {});

}  // namespace karst::heightfield
