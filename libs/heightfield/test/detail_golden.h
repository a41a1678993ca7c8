#pragma once

#include <karst/base/hash.h>
#include <karst/base/job_system.h>
#include <karst/heightfield/tile_detail.h>

#include "pyramid_reference.h"

namespace karst::test {

using namespace karst::heightfield;

/// Every tile of the levels below 0.
inline std::vector<TileKey> detailKeys(const TileLayout& layout, std::uint32_t levels) {
    std::vector<TileKey> keys;
    for (std::int32_t level = -1; level >= -static_cast<std::int32_t>(levels); --level) {
        for (std::uint32_t z = 0; z < layout.tilesZ(level); ++z) {
            for (std::uint32_t x = 0; x < layout.tilesX(level); ++x) {
                if (layout.contains({level, x, z})) keys.push_back({level, x, z});
            }
        }
    }
    return keys;
}

/// Whole numbers only, so that the input is the same everywhere.
inline PyramidReference goldenPyramid() {
    PyramidReference p;
    p.layout = *makeTileLayout(33, 29, 8, 0, 2.5, 1.75, {-100, 400});
    p.layout.originX = 1000.5;
    p.layout.originZ = -333.25;
    for (std::uint32_t n = 0; n < 33 * 29; ++n) {
        const std::uint32_t i = n % 33, j = n / 33;
        p.samples.push_back(static_cast<float>(i * i + 3 * j) * 0.25f +
                            static_cast<float>(mix64(n) % 4096) / 512.0f);
    }
    for (std::uint32_t n = 0; n < 32 * 28; ++n)
        p.holes.push_back(mix64(n) % 11 == 0 ? 1 : 0);
    p.build();
    return p;
}

inline std::uint64_t hashOf(const std::vector<TilePtr>& tiles) {
    Hasher hash;
    for (const TilePtr& tile : tiles) {
        hash.u32(static_cast<std::uint32_t>(tile->key.level)).u32(tile->key.x).u32(tile->key.z);
        for (const float sample : tile->samples)
            hash.f32(sample);
        hash.f32(tile->bounds.min).f32(tile->bounds.max).u64(tile->revision);
        for (const double error : tile->errors)
            hash.f64(error);
        for (const std::uint64_t word : tile->holes)
            hash.u64(word);
    }
    return hash.value();
}

/// Of all tiles of a small pyramid with detail, holes and craters: samples, bounds, errors.
inline std::uint64_t goldenDetailHash(JobSystem& jobs) {
    const PyramidReference p = goldenPyramid();
    TileDetailOptions options;
    options.levels = 4;
    options.seed = 42;
    options.baseWavelengthSamples = 2.7;
    options.octaves = 4;
    options.rules.materials = 3;
    options.rules.covers[1].height = MaterialRamp{120, 160};
    options.materials = {DetailMaterial{0.25, 0.1}, DetailMaterial{1.5, 0.8}, DetailMaterial{0.75, 0.4}, {}};
    const TileDetail detail = *TileDetail::create(p.layout, options);
    const std::vector<Crater> craters{
        {1030, -310, 12, 6, 1.5}, {1041.5, -300, 7.25, 3, 0.75}, {1001, -330, 9, 4, 1}};
    std::vector<TileKey> keys = detailKeys(p.layout, 4);
    const std::size_t below = keys.size();
    for (const auto& [key, tile] : p.tiles)
        keys.push_back(key);

    std::vector<TilePtr> tiles(keys.size());
    jobs.parallelFor(keys.size(), 3, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            tiles[i] = i < below ? detail.synthesise(keys[i], *p.find(TileDetail::ancestorOf(keys[i])),
                                                     craters, [&](const TileKey& k) { return p.find(k); })
                                 : resolveStoredTile(p.tiles.at(keys[i]), p.layout, craters, &detail);
        }
    });
    return hashOf(tiles);
}

inline constexpr std::uint64_t kGoldenDetail = 0x251ce129e779a2e1u;

}  // namespace karst::test
