#pragma once

#include <karst/heightfield/surface_query.h>

#include <optional>
#include <utility>

#include "pyramid_reference.h"

namespace karst::test {

/// A surface of random shape with any subset of its tiles resident, levels below 0 among them, and the
/// plainest answers about it.
struct ResidentWorld {
    heightfield::Surface surface;
    std::map<heightfield::TileKey, heightfield::TilePtr> tiles;

    /// Tiles of different levels do not even agree where they share points: gaps everywhere.
    static ResidentWorld make(Random& random, double gaps = 0.3) {
        using namespace heightfield;
        ResidentWorld world;
        const std::uint32_t cells = 1u << random.integer(1, 4);
        const auto samplesX = static_cast<std::uint32_t>(random.integer(2, 50));
        const auto samplesZ = static_cast<std::uint32_t>(random.integer(2, 50));
        auto p = randomPyramid(random, samplesX, samplesZ, cells, 0, random.range(0, 12),
                               random.chance(0.5) ? 0.0 : random.range(0, 0.4));
        for (const auto& [key, tile] : p.tiles) {
            if (key.level == p.layout.rootLevel() ? random.chance(0.95) : random.chance(0.6))
                world.tiles[key] = tile;
        }
        for (std::int32_t level = -1; level >= -2; --level) {
            for (std::uint32_t z = 0; z < p.layout.tilesZ(level); ++z) {
                for (std::uint32_t x = 0; x < p.layout.tilesX(level); ++x) {
                    const TileKey key{level, x, z};
                    if (!p.layout.contains(key) || !random.chance(0.2)) continue;
                    auto tile = std::make_shared<HeightTile>(*p.tiles.begin()->second);
                    tile->key = key;
                    for (float& sample : tile->samples)
                        sample = static_cast<float>(random.range(-5, 5));
                    for (std::uint64_t& word : tile->holes)
                        word = random.next() & random.next();
                    world.tiles[key] = tile;
                }
            }
        }
        if (random.chance(gaps)) {
            // Lift a few stored tiles, so that walls stand at their borders.
            for (auto& [key, tile] : world.tiles) {
                if (!random.chance(0.2)) continue;
                auto lifted = std::make_shared<HeightTile>(*tile);
                const auto by = static_cast<float>(random.range(-8, 8));
                for (float& sample : lifted->samples)
                    sample += by;
                tile = lifted;
            }
        }
        std::vector<TilePtr> all;
        std::int32_t finest = p.layout.rootLevel();
        for (const auto& [key, tile] : world.tiles) {
            all.push_back(tile);
            finest = std::min(finest, key.level);
        }
        world.surface = *Surface::fromTiles(p.layout, all, random.integer(finest, p.layout.rootLevel()));
        return world;
    }

    /// Larger, of tiles with more cells, mostly resident: where rays from above go from leaf to leaf.
    static ResidentWorld makeWide(Random& random) {
        using namespace heightfield;
        ResidentWorld world;
        const std::uint32_t cells = 1u << random.integer(3, 5);
        const auto samplesX = static_cast<std::uint32_t>(random.integer(20, 150));
        const auto samplesZ = static_cast<std::uint32_t>(random.integer(20, 150));
        auto p = randomPyramid(random, samplesX, samplesZ, cells, 0, random.range(0, 12),
                               random.chance(0.5) ? 0.0 : random.range(0, 0.2));
        const double roots = random.chance(0.7) ? 1.0 : 0.6, others = random.chance(0.4) ? 1.0 : 0.8;
        const double detail = random.chance(0.5) ? 0.03 : 0.0, lift = random.chance(0.5) ? 0.3 : 0.0;
        std::vector<TilePtr> all;
        const auto keep = [&](const TilePtr& tile) {
            world.tiles[tile->key] = tile;
            all.push_back(tile);
        };
        for (const auto& [key, tile] : p.tiles) {
            if (!random.chance(key.level == p.layout.rootLevel() ? roots : others)) continue;
            auto lifted = std::make_shared<HeightTile>(*tile);
            const auto by = static_cast<float>(random.chance(lift) ? random.range(-8, 8) : 0.0);
            for (float& sample : lifted->samples)
                sample += by;
            keep(lifted);
        }
        for (std::uint32_t z = 0; z < p.layout.tilesZ(-1); ++z) {
            for (std::uint32_t x = 0; x < p.layout.tilesX(-1); ++x) {
                const TileKey key{-1, x, z};
                if (!p.layout.contains(key) || !random.chance(detail)) continue;
                auto tile = std::make_shared<HeightTile>(*p.tiles.begin()->second);
                tile->key = key;
                for (float& sample : tile->samples)
                    sample = static_cast<float>(random.range(-5, 5));
                keep(tile);
            }
        }
        world.surface = *Surface::fromTiles(p.layout, all);
        return world;
    }

    struct Found {
        heightfield::TileKey key;
        const heightfield::HeightTile* tile;
        int cellX, cellZ;
        double fx, fz;
    };

    /// The tile and cell of one level at a point of the ground.
    std::optional<Found> cellAt(double x, double z, std::int32_t level) const {
        const heightfield::TileLayout& l = surface.layout();
        if (!l.groundRect().contains(x, z)) return std::nullopt;
        const auto along = [&](double at, double origin, double spacing, std::uint32_t samples,
                               std::uint32_t& tile, int& cell, double& fraction) {
            const double scale = std::ldexp(1.0, -level);
            const double place = std::clamp((at - origin) / spacing, 0.0, samples - 1.0) * scale;
            const double whole = std::min(std::floor(place), std::ceil((samples - 1.0) * scale) - 1);
            tile = static_cast<std::uint32_t>(whole / l.tileCells);
            cell = static_cast<int>(whole - tile * static_cast<double>(l.tileCells));
            fraction = place - whole;
        };
        Found f;
        f.key.level = level;
        along(x, l.originX, l.spacingX, l.samplesX, f.key.x, f.cellX, f.fx);
        along(z, l.originZ, l.spacingZ, l.samplesZ, f.key.z, f.cellZ, f.fz);
        const auto found = tiles.find(f.key);
        if (found == tiles.end()) return std::nullopt;
        f.tile = found->second.get();
        return f;
    }
    static std::optional<double> heightOf(const std::optional<Found>& f) {
        if (!f || f->tile->isHole(f->cellX, f->cellZ)) return std::nullopt;
        const auto s = [&](int i, int j) { return double{f->tile->sample(f->cellX + i, f->cellZ + j)}; };
        return heightfield::cellHeight(s(0, 0), s(1, 0), s(0, 1), s(1, 1), f->fx, f->fz);
    }
    std::optional<double> heightIn(double x, double z, std::int32_t level) const {
        return heightOf(cellAt(x, z, level));
    }

    std::optional<Found> finestAt(double x, double z) const {
        for (std::int32_t level = -4; level <= surface.layout().rootLevel(); ++level) {
            if (const auto found = cellAt(x, z, level)) return found;
        }
        return std::nullopt;
    }
    std::optional<double> finestHeight(double x, double z) const { return heightOf(finestAt(x, z)); }

    /// Anywhere about the ground, at times on samples, lines and borders.
    std::pair<double, double> randomPoint(Random& random) const {
        const heightfield::TileLayout& l = surface.layout();
        const auto along = [&](double origin, double spacing, std::uint32_t samples) {
            const double place = random.range(-1, samples);
            if (random.chance(0.3)) return origin + std::round(place) * spacing;
            if (random.chance(0.1)) return origin + std::round(place * 4) / 4 * spacing;
            return origin + place * spacing;
        };
        const double x = along(l.originX, l.spacingX, l.samplesX);
        return {x, along(l.originZ, l.spacingZ, l.samplesZ)};
    }

    /// Downwards from above or from among the heights, at any slope.
    Ray randomRayFromAbove(Random& random) const {
        const Rect g = surface.layout().groundRect();
        const double slant = std::exp(random.range(-3, 4));
        return {{random.range(g.minX - 10, g.maxX + 10), random.range(random.chance(0.2) ? -20 : 15, 60),
                 random.range(g.minZ - 10, g.maxZ + 10)},
                {slant * random.range(-1, 1), -random.range(0.2, 2), slant * random.range(-1, 1)}};
    }

    Ray randomRay(Random& random) const {
        const auto [x, z] = randomPoint(random);
        const auto [tx, tz] = randomPoint(random);
        const double y = random.range(-40, 40), ty = random.range(-20, 20);
        Ray ray{{x, y, z}, {tx - x, ty - y, tz - z}};
        const double kind = random.unit();
        if (kind < 0.1) ray.direction.x = 0;
        if (kind > 0.05 && kind < 0.15) ray.direction.z = 0;
        if (kind > 0.15 && kind < 0.25) ray.direction.y = 0;
        if (ray.direction == Vec3d{}) ray.direction.y = -1;
        return ray;
    }
};

}  // namespace karst::test
