#pragma once

#include <karst/base/externals.h>
#include <karst/heightfield/package_tile_source.h>
#include <karst/heightfield_stream/streamer.h>

#include <cstdint>
#include <memory>
#include <string>

namespace karst::tool {

/// The tiles of a package, once its manifest is there.
Result<std::unique_ptr<heightfield::PackageTileSource>> openWhenReady(const std::string& package,
                                                                      double seconds,
                                                                      const Externals& externals);

/// Craters, and as many levels of detail below the samples, whose relief fits the spacing.
Result<std::shared_ptr<const heightfield::TileResolver>> groundResolver(const heightfield::TileLayout& layout,
                                                                        std::uint32_t detailLevels);

struct Settled {
    heightfield::Surface surface;
    std::uint64_t updates = 0;
    std::uint32_t missing = 0;  ///< tiles that failed
};

/// Updates until nothing more comes for these interests, or until the time is over and there is a surface.
/// Fails where an Interruption is wanted.
Result<Settled> settle(heightfield::TileStreamer& streamer, std::span<const heightfield::Interest> interests,
                       double seconds);

}  // namespace karst::tool
