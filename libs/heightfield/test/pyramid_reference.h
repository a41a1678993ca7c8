#pragma once

#include <karst/heightfield/height_triangle.h>
#include <karst/heightfield/surface.h>
#include <karst_test/test_support.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <vector>

namespace karst::test {

/// Finest samples that are all there, and the tiles of a pyramid over them, made in the plainest way.
struct PyramidReference {
    heightfield::TileLayout layout;
    std::vector<float> samples;       // samplesX x samplesZ
    std::vector<std::uint8_t> holes;  // finest cells, (samplesX - 1) x (samplesZ - 1); empty: none
    std::map<heightfield::TileKey, heightfield::TilePtr> tiles;

    float sampleAt(std::int64_t i, std::int64_t j) const {
        i = std::clamp<std::int64_t>(i, 0, layout.samplesX - 1);
        j = std::clamp<std::int64_t>(j, 0, layout.samplesZ - 1);
        return samples[static_cast<std::size_t>(j) * layout.samplesX + static_cast<std::size_t>(i)];
    }
    bool holeAt(std::int64_t i, std::int64_t j) const {
        if (holes.empty()) return false;
        if (i >= layout.samplesX - 1 || j >= layout.samplesZ - 1) return true;
        return holes[static_cast<std::size_t>(j) * (layout.samplesX - 1) + static_cast<std::size_t>(i)] != 0;
    }

    /// Makes every stored tile: samples, holes, bounds, and an error table measured sample by sample.
    void build() {
        for (std::int32_t level = 0; level <= layout.rootLevel(); ++level) {
            for (std::uint32_t z = 0; z < layout.tilesZ(level); ++z) {
                for (std::uint32_t x = 0; x < layout.tilesX(level); ++x) {
                    const heightfield::TileKey key{level, x, z};
                    if (layout.contains(key)) tiles[key] = make(key);
                }
            }
        }
    }

    heightfield::TilePtr make(const heightfield::TileKey& key) const {
        auto tile = std::make_shared<heightfield::HeightTile>();
        const std::int64_t cells = layout.tileCells, stride = std::int64_t{1} << key.level;
        const std::int64_t x0 = key.x * cells * stride, z0 = key.z * cells * stride;
        tile->key = key;
        tile->side = layout.tileSide();
        for (std::int64_t j = -1; j <= cells + 1; ++j) {
            for (std::int64_t i = -1; i <= cells + 1; ++i)
                tile->samples.push_back(sampleAt(x0 + i * stride, z0 + j * stride));
        }
        if (!holes.empty()) {
            tile->holes.resize(static_cast<std::size_t>((cells * cells + 63) / 64));
            for (std::int64_t j = 0; j < cells; ++j) {
                for (std::int64_t i = 0; i < cells; ++i) {
                    if (!holeAt(x0 + i * stride + stride / 2, z0 + j * stride + stride / 2)) continue;
                    const auto bit = static_cast<std::size_t>(j * cells + i);
                    tile->holes[bit >> 6] |= std::uint64_t{1} << (bit & 63);
                }
            }
        }
        tile->bounds = {sampleAt(x0, z0), sampleAt(x0, z0)};
        tile->firstErrorLevel = key.level;
        tile->errors.assign(layout.tileLevels() + 1, 0.0);
        for (std::int64_t j = 0; j <= cells * stride; ++j) {
            for (std::int64_t i = 0; i <= cells * stride; ++i) {
                const float here = sampleAt(x0 + i, z0 + j);
                tile->bounds.min = std::min(tile->bounds.min, here);
                tile->bounds.max = std::max(tile->bounds.max, here);
                for (std::size_t e = 0; e < tile->errors.size(); ++e) {
                    const std::int64_t s = stride << e;
                    const std::int64_t a = std::min(i / s, cells * stride / s - 1) * s;
                    const std::int64_t b = std::min(j / s, cells * stride / s - 1) * s;
                    const double drawn = heightfield::cellHeight<double>(
                        sampleAt(x0 + a, z0 + b), sampleAt(x0 + a + s, z0 + b), sampleAt(x0 + a, z0 + b + s),
                        sampleAt(x0 + a + s, z0 + b + s), double(i - a) / double(s),
                        double(j - b) / double(s));
                    tile->errors[e] = std::max(tile->errors[e], std::abs(double{here} - drawn));
                }
            }
        }
        for (std::size_t e = 1; e < tile->errors.size(); ++e)
            tile->errors[e] = std::max(tile->errors[e], tile->errors[e - 1]);
        return tile;
    }

    std::vector<heightfield::TilePtr> all() const {
        std::vector<heightfield::TilePtr> out;
        for (const auto& [key, tile] : tiles)
            out.push_back(tile);
        return out;
    }
    const heightfield::HeightTile* find(const heightfield::TileKey& key) const {
        const auto found = tiles.find(key);
        return found == tiles.end() ? nullptr : found->second.get();
    }
};

/// Smooth hills with rough parts; sines are for tests, whose figures do not depend on their last bits.
inline PyramidReference randomPyramid(Random& random, std::uint32_t samplesX, std::uint32_t samplesZ,
                                      std::uint32_t tileCells, std::uint32_t levels, double relief,
                                      double holeShare = 0) {
    PyramidReference p;
    p.layout = *heightfield::makeTileLayout(samplesX, samplesZ, tileCells, levels, random.range(0.5, 20),
                                            random.range(0.5, 20), {-1000, 1000});
    p.layout.originX = random.range(-1000, 1000);
    p.layout.originZ = random.range(-1000, 1000);
    const double a = random.range(0.05, 0.9), b = random.range(0.05, 0.9);
    for (std::uint32_t j = 0; j < samplesZ; ++j) {
        for (std::uint32_t i = 0; i < samplesX; ++i) {
            const double rough = i > samplesX / 2 ? relief : relief * 0.1;
            p.samples.push_back(static_cast<float>(relief * std::sin(i * a) * std::cos(j * b) +
                                                   rough * random.range(-0.5, 0.5)));
        }
    }
    if (holeShare > 0) {
        for (std::uint32_t n = 0; n < (samplesX - 1) * (samplesZ - 1); ++n)
            p.holes.push_back(random.chance(holeShare) ? 1 : 0);
    }
    p.build();
    return p;
}

}  // namespace karst::test
