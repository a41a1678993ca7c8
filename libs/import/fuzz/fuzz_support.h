#pragma once

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include "readers.h"

namespace karst::importer {

/// Reads all of a source window by window, and one window again, holding the promises of RasterSource.
inline void readAll(SourceResult opened) {
    if (!opened) {
        if (opened.error().message.empty()) std::abort();
        return;
    }
    RasterSource& source = **opened;
    const RasterInfo& info = source.info();
    const GridRect shape = source.preferredWindow();
    if (info.width < 1 || info.height < 1 || shape.empty() || shape.width() > info.width ||
        shape.depth() > info.height || !(info.spacingX > 0) || !(info.spacingZ > 0)) {
        std::abort();
    }
    // A file of a few kilobytes cannot hold more, so every such raster fits.
    if (static_cast<std::int64_t>(info.width) * info.height > (std::int64_t{1} << 26)) std::abort();
    std::vector<float> heights, again;
    for (int z = 0; z < info.height; z += shape.depth()) {
        for (int x = 0; x < info.width; x += shape.width()) {
            const GridRect window{x, z, std::min(x + shape.width(), info.width),
                                  std::min(z + shape.depth(), info.height)};
            heights.resize(static_cast<std::size_t>(window.width()) *
                           static_cast<std::size_t>(window.depth()));
            if (!source.readWindow(window, heights)) return;
            for (const float height : heights) {
                if (!std::isnan(height) && !std::isfinite(height)) std::abort();
            }
            again.resize(1);
            const GridRect last{window.maxX - 1, window.maxZ - 1, window.maxX, window.maxZ};
            if (!source.readWindow(last, again)) std::abort();
            if (!(again[0] == heights.back() || (std::isnan(again[0]) && std::isnan(heights.back()))))
                std::abort();
        }
    }
}

}  // namespace karst::importer
