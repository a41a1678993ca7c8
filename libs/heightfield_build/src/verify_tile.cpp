#include "verify_tile.h"

#include <karst/heightfield/package_format.h>
#include <karst/heightfield_build/tile_errors.h>

#include <algorithm>
#include <cstdarg>
#include <cstdio>

namespace karst::heightfield {
namespace {

[[gnu::format(printf, 2, 3)]] void find(SeenTile& tile, const char* format, ...) {
    char text[200];
    std::va_list args;
    va_start(args, format);
    std::vsnprintf(text, sizeof text, format, args);
    va_end(args);
    const TileKey& key = tile.tile.key;
    tile.findings.push_back("tile " + std::to_string(key.level) + "/" + std::to_string(key.x) + "-" +
                            std::to_string(key.z) + ": " + text);
}

// Samples that two tiles share, or that a tile repeats, along one side: the first that differs is a finding.
// `mine` and `other` give the samples of the shared band by (along, across).
template <class Mine, class Other>
void compareBand(const TileLayout& layout, SeenTile& tile, const char* side, int across, Mine mine,
                 Other other) {
    const int cells = static_cast<int>(layout.tileCells);
    for (int along = -kTileApron; along <= cells + kTileApron; ++along) {
        for (int k = 0; k < across; ++k) {
            const std::uint16_t a = mine(along, k), b = other(along, k);
            if (a == b) continue;
            find(tile, "samples: %s, at %d along it, %u is not the %u there", side, along, a, b);
            return;
        }
    }
}

// A parent's samples from (x0, z0) on are every second one of the child's.
void compareDecimated(const TileLayout& layout, SeenTile& seen, const SeenTile& child, int x0, int z0) {
    const int half = static_cast<int>(layout.tileCells) / 2;
    for (int j = 0; j <= half; ++j) {
        for (int i = 0; i <= half; ++i) {
            const std::uint16_t a = seen.at(layout, x0 + i, z0 + j), b = child.at(layout, 2 * i, 2 * j);
            if (a == b) continue;
            find(seen, "samples: %u at (%d, %d) is not the %u of child %u-%u", a, x0 + i, z0 + j, b,
                 child.tile.key.x, child.tile.key.z);
            return;
        }
    }
}

// From the last sample of the ground on, rows and columns go on level.
void checkPadding(const TileLayout& layout, SeenTile& seen) {
    const TileKey& key = seen.tile.key;
    const int end = static_cast<int>(layout.tileCells) + kTileApron;
    const auto level = [&](std::uint32_t tile, int i, std::uint32_t samples) {
        return i > 0 && ((std::uint64_t{tile} * layout.tileCells + static_cast<std::uint32_t>(i - 1))
                         << key.level) >= samples - std::uint64_t{1};
    };
    for (int j = -kTileApron; j <= end; ++j) {
        for (int i = -kTileApron; i <= end; ++i) {
            const bool alongX = level(key.x, i, layout.samplesX), alongZ = level(key.z, j, layout.samplesZ);
            const std::uint16_t a = seen.at(layout, i, j);
            if (alongX && a != seen.at(layout, i - 1, j)) {
                find(seen, "samples: past the ground's right edge, at (%d, %d), %u is not the %u before it",
                     i, j, a, seen.at(layout, i - 1, j));
                return;
            }
            if (alongZ && a != seen.at(layout, i, j - 1)) {
                find(seen, "samples: past the ground's lower edge, at (%d, %d), %u is not the %u above it", i,
                     j, a, seen.at(layout, i, j - 1));
                return;
            }
        }
    }
}

}  // namespace

void checkMeasures(const TileLayout& layout, SeenTile& seen) {
    const QuantisedTile& tile = seen.tile;
    const std::uint32_t side = layout.tileSide(), cells = layout.tileCells;
    const std::uint16_t* first = tile.samples.data() + side + 1;
    if (tile.key.level == 0) {
        std::uint16_t low = 65535, high = 0;
        for (std::uint32_t j = 0; j <= cells; ++j) {
            const auto [least, most] = std::minmax_element(first + j * side, first + j * side + cells + 1);
            low = std::min(low, *least);
            high = std::max(high, *most);
        }
        const HeightRange bounds{layout.dequantise(low), layout.dequantise(high)};
        if (!(tile.bounds == bounds)) {
            find(seen, "bounds: %.9g..%.9g are not its samples' %.9g..%.9g", double{tile.bounds.min},
                 double{tile.bounds.max}, double{bounds.min}, double{bounds.max});
        }
    }
    // Only what lies over finest tiles that are stored has been measured.
    if (((std::uint64_t{tile.key.x} + 1) << tile.key.level) > storedTilesX(layout, 0) ||
        ((std::uint64_t{tile.key.z} + 1) << tile.key.level) > storedTilesZ(layout, 0)) {
        return;
    }
    double errors[8] = {};
    BlockErrors blocks;
    measureStrideErrors(first, side, cells, errors, blocks);
    const double step = 2 * layout.quantisationError();
    for (std::size_t i = 0; i < tile.errors.size(); ++i) {
        if (tile.errors[i] >= (errors[i] - 1.001) * step) continue;
        find(seen, "error table: entry %zu, %g, is below the %g that its samples show", i, tile.errors[i],
             errors[i] * step);
        break;
    }
}

void checkApron(const TileLayout& layout, SeenTile& seen, SeenTile* right, SeenTile* above) {
    const int cells = static_cast<int>(layout.tileCells);
    const TileKey& key = seen.tile.key;
    const auto column = [&](const SeenTile& tile, int first) {
        return [&layout, &tile, first](int along, int k) { return tile.at(layout, first + k, along); };
    };
    const auto row = [&](const SeenTile& tile, int first) {
        return [&layout, &tile, first](int along, int k) { return tile.at(layout, along, first + k); };
    };
    if (key.x == 0)
        compareBand(layout, seen, "apron before the left edge", 1, column(seen, -1), column(seen, 0));
    if (key.z == 0) compareBand(layout, seen, "apron above the upper edge", 1, row(seen, -1), row(seen, 0));
    if (right != nullptr && right->there) {
        compareBand(layout, seen, "border and apron to the right neighbour", 3, column(seen, cells - 1),
                    column(*right, -1));
    }
    if (above != nullptr && above->there) {
        compareBand(layout, seen, "border and apron to the upper neighbour", 3, row(seen, -1),
                    row(*above, cells - 1));
    }
    checkPadding(layout, seen);
}

void checkChildren(const TileLayout& layout, SeenTile& seen, const SeenTile* const (&children)[4]) {
    const QuantisedTile& tile = seen.tile;
    const int half = static_cast<int>(layout.tileCells) / 2;
    const std::uint32_t levels = layout.tileLevels();
    bool whole = true, any = false;
    HeightRange bounds;
    double errors[8] = {};
    for (int c = 0; c < 4; ++c) {
        const SeenTile* child = children[c];
        if (child == nullptr) continue;
        if (!child->there) {
            whole = false;
            continue;
        }
        const HeightRange& own = child->tile.bounds;
        bounds = any ? HeightRange{std::min(bounds.min, own.min), std::max(bounds.max, own.max)} : own;
        any = true;
        for (std::uint32_t i = 0; i < levels; ++i)
            errors[i] = std::max(errors[i], child->tile.errors[i + 1]);
        const int x0 = (c & 1) * half, z0 = (c >> 1) * half;
        compareDecimated(layout, seen, *child, x0, z0);
    }
    if (!whole) return;
    if (!(tile.bounds == bounds)) {
        find(seen, "bounds: %.9g..%.9g are not its children's %.9g..%.9g", double{tile.bounds.min},
             double{tile.bounds.max}, double{bounds.min}, double{bounds.max});
    }
    for (std::uint32_t i = 0; i < levels; ++i) {
        if (tile.errors[i] == errors[i]) continue;
        find(seen, "error table: entry %u, %.17g, is not the largest of its children, %.17g", i,
             tile.errors[i], errors[i]);
        break;
    }
}

void checkHoles(const TileLayout& layout, SeenTile& seen, const ExpectedCell* cells, std::size_t pitch) {
    for (std::uint32_t j = 0; j < layout.tileCells; ++j) {
        for (std::uint32_t i = 0; i < layout.tileCells; ++i) {
            const ExpectedCell expected = cells[j * pitch + i];
            const bool hole = seen.isHole(layout, i, j);
            if (expected == ExpectedCell::Unknown || hole == (expected == ExpectedCell::Hole)) continue;
            find(seen, "hole mask: cell (%u, %u) is %s, the finest cell at its centre is %s", i, j,
                 hole ? "a hole" : "solid", hole ? "solid" : "a hole or past the ground");
            return;
        }
    }
}

}  // namespace karst::heightfield
