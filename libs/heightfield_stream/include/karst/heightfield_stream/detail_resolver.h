#pragma once

#include <karst/heightfield/tile_detail.h>
#include <karst/heightfield_stream/tile_resolver.h>

#include <memory>
#include <optional>

namespace karst::heightfield {

/// The resolver of Karst's own craters and synthesised detail (spec rows H24 - H28). Without `detail` only
/// craters; the streamer's detailLevels must then be 0, else at most detail->levels. Refuses by name options
/// out of range.
Result<std::shared_ptr<const TileResolver>> makeDetailResolver(
    const TileLayout& layout, const std::optional<TileDetailOptions>& detail = {});

}  // namespace karst::heightfield
