#pragma once

#include <karst/heightfield/height_triangle.h>
#include <karst/heightfield_lod/tile_selection.h>
#include <karst_test/test_support.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <vector>

// Small pyramids for the tests of selection: built from random ground by the definitions alone (decimation,
// errors measured at every finest sample), and what selections of them must be.

namespace karst::heightfield {

struct PyramidShape {
    std::uint32_t tileCells = 8, levels = 3, rootsX = 2, rootsZ = 1;
    std::uint32_t detailLevels = 0;  ///< levels below 0, of finer ground
    bool fills = true;               ///< does the ground fill the pyramid?
    double spacingX = 1, spacingZ = 1;
    double amplitude = 10;
};

class RandomPyramid {
  public:
    RandomPyramid(const PyramidShape& shape, test::Random& random) : m_shape(shape) {
        layout.tileCells = shape.tileCells;
        layout.storedLevels = shape.levels;
        layout.rootsX = shape.rootsX;
        layout.rootsZ = shape.rootsZ;
        layout.spacingX = shape.spacingX;
        layout.spacingZ = shape.spacingZ;
        layout.originX = std::floor(random.range(-50, 50));
        layout.originZ = std::floor(random.range(-50, 50));
        const int cellsX = static_cast<int>(layout.cellsX()), cellsZ = static_cast<int>(layout.cellsZ());
        layout.samplesX =
            static_cast<std::uint32_t>((shape.fills ? cellsX : random.integer(cellsX / 3 + 1, cellsX)) + 1);
        layout.samplesZ =
            static_cast<std::uint32_t>((shape.fills ? cellsZ : random.integer(cellsZ / 3 + 1, cellsZ)) + 1);
        m_columns = (cellsX << shape.detailLevels) + 1;
        m_rows = (cellsZ << shape.detailLevels) + 1;
        makeGround(random);
        for (std::int32_t level = finestLevel(); level <= layout.rootLevel(); ++level)
            makeLevel(level);
        surface = *Surface::fromTiles(layout, all());
    }

    std::int32_t finestLevel() const { return -static_cast<std::int32_t>(m_shape.detailLevels); }
    std::int32_t tileLevels() const { return static_cast<std::int32_t>(layout.tileLevels()); }
    bool isRoot(const TileKey& key) const { return key.level == layout.rootLevel(); }

    std::vector<TilePtr> all() const {
        std::vector<TilePtr> out;
        for (const auto& [key, tile] : tiles)
            out.push_back(tile);
        return out;
    }

    /// The roots and any subset of the other tiles.
    Surface some(test::Random& random, double probability) const {
        std::vector<TilePtr> out;
        for (const auto& [key, tile] : tiles) {
            if (isRoot(key) || random.chance(probability)) out.push_back(tile);
        }
        return *Surface::fromTiles(layout, std::move(out));
    }

    /// A sample of the finest ground, detail included; indices in its own samples.
    double fine(int x, int z) const {
        return double{m_ground[static_cast<std::size_t>(std::clamp(z, 0, m_rows - 1)) *
                                   static_cast<std::size_t>(m_columns) +
                               static_cast<std::size_t>(std::clamp(x, 0, m_columns - 1))]};
    }
    /// Finest samples (detail included) between two samples of level 0.
    double fineScale() const { return 1 << m_shape.detailLevels; }

    Bounds box(const TileKey& key) const {
        const Rect rect = layout.footprint(key);
        const HeightTile& tile = *tiles.at(key);
        return {{rect.minX, tile.bounds.min, rect.minZ}, {rect.maxX, tile.bounds.max, rect.maxZ}};
    }
    double largestError() const {
        double most = 0;
        for (const auto& [key, tile] : tiles)
            most = std::max(most, tile->errors.back());
        return most;
    }

    /// A view from somewhere around, near or far, with or without a target disk.
    TileView randomView(test::Random& random) const {
        const Rect rect = layout.groundRect();
        const double size = std::max(rect.width(), rect.depth());
        const double high = random.chance(0.5) ? 0.1 : 2.0;
        TileView view;
        view.eye = {random.range(rect.minX - size * 0.2, rect.maxX + size * 0.2),
                    random.range(-10, 20) + random.unit() * size * high,
                    random.range(rect.minZ - size * 0.2, rect.maxZ + size * 0.2)};
        view.projectionScale = std::exp2(random.range(3, 10));
        view.tolerance = std::exp2(random.range(-1, 5));
        if (random.chance(0.3)) {
            view.focusX = random.range(rect.minX, rect.maxX);
            view.focusZ = random.range(rect.minZ, rect.maxZ);
            view.targetRadius = random.range(0.5, size * 0.3);
        }
        return view;
    }

    TileLayout layout;
    std::map<TileKey, TilePtr> tiles;
    Surface surface;  ///< all tiles

  private:
    void makeGround(test::Random& random) {
        m_ground.resize(static_cast<std::size_t>(m_columns) * static_cast<std::size_t>(m_rows));
        const double wave = random.range(0.02, 0.5), rough = random.unit() * 0.3;
        const double flatX = random.range(0, m_columns), turn = random.range(0, 6);
        const int lastX = static_cast<int>((layout.samplesX - 1) << m_shape.detailLevels);
        const int lastZ = static_cast<int>((layout.samplesZ - 1) << m_shape.detailLevels);
        for (int z = 0; z < m_rows; ++z) {
            for (int x = 0; x < m_columns; ++x) {
                // Waves and noise that fade to level ground on one side, and a few spikes.
                const double strength = std::clamp((x - flatX * 0.3) / (m_columns * 0.4), 0.0, 1.0);
                double height = std::sin(x * wave + turn) * std::cos(z * wave * 0.8 + x * 0.03) +
                                rough * random.range(-1, 1);
                if (random.chance(0.002)) height += random.range(-3, 3);
                m_ground[static_cast<std::size_t>(z) * static_cast<std::size_t>(m_columns) +
                         static_cast<std::size_t>(x)] =
                    static_cast<float>(height * strength * m_shape.amplitude);
            }
        }
        // Beyond the ground its last samples repeat.
        const std::vector<float> ground = m_ground;
        for (int z = 0; z < m_rows; ++z) {
            for (int x = 0; x < m_columns; ++x) {
                m_ground[static_cast<std::size_t>(z) * static_cast<std::size_t>(m_columns) +
                         static_cast<std::size_t>(x)] = ground[static_cast<std::size_t>(std::min(z, lastZ)) *
                                                                   static_cast<std::size_t>(m_columns) +
                                                               static_cast<std::size_t>(std::min(x, lastX))];
            }
        }
    }

    int fineStride(std::int32_t level) const { return 1 << (level - finestLevel()); }

    double measure(const TileKey& key, std::int32_t level) const {
        const int stride = fineStride(level);
        const int span = fineStride(key.level) * static_cast<int>(layout.tileCells);
        const int x0 = static_cast<int>(key.x) * span, z0 = static_cast<int>(key.z) * span;
        double most = 0;
        for (int z = z0; z <= z0 + span; ++z) {
            for (int x = x0; x <= x0 + span; ++x) {
                const int i = std::min(x / stride * stride, x0 + span - stride);
                const int j = std::min(z / stride * stride, z0 + span - stride);
                const double drawn =
                    cellHeight(fine(i, j), fine(i + stride, j), fine(i, j + stride),
                               fine(i + stride, j + stride), double(x - i) / stride, double(z - j) / stride);
                most = std::max(most, std::abs(drawn - fine(x, z)));
            }
        }
        return most;
    }

    void makeLevel(std::int32_t level) {
        for (std::uint32_t z = 0; z < layout.tilesZ(level); ++z) {
            for (std::uint32_t x = 0; x < layout.tilesX(level); ++x) {
                const TileKey key{level, x, z};
                if (layout.contains(key)) tiles[key] = makeTile(key);
            }
        }
    }

    TilePtr makeTile(const TileKey& key) const {
        auto tile = std::make_shared<HeightTile>();
        tile->key = key;
        tile->side = layout.tileSide();
        const int cells = static_cast<int>(layout.tileCells), stride = fineStride(key.level);
        const int x0 = static_cast<int>(key.x) * cells * stride,
                  z0 = static_cast<int>(key.z) * cells * stride;
        for (int j = -1; j <= cells + 1; ++j) {
            for (int i = -1; i <= cells + 1; ++i)
                tile->samples.push_back(static_cast<float>(fine(x0 + i * stride, z0 + j * stride)));
        }
        tile->firstErrorLevel = key.level;
        tile->errors.assign(static_cast<std::size_t>(tileLevels()) + 1, 0.0);
        if (key.level == finestLevel()) {
            tile->bounds = {static_cast<float>(fine(x0, z0)), static_cast<float>(fine(x0, z0))};
            for (int z = z0; z <= z0 + cells; ++z) {
                for (int x = x0; x <= x0 + cells; ++x) {
                    tile->bounds.min = std::min(tile->bounds.min, static_cast<float>(fine(x, z)));
                    tile->bounds.max = std::max(tile->bounds.max, static_cast<float>(fine(x, z)));
                }
            }
            for (int i = 0; i <= tileLevels(); ++i)
                tile->errors[static_cast<std::size_t>(i)] = measure(key, key.level + i);
        } else {
            bool first = true;
            for (std::uint32_t c = 0; c < 4; ++c) {
                const auto found = tiles.find(key.child(c));
                if (found == tiles.end()) continue;
                const HeightTile& child = *found->second;
                tile->bounds = first ? child.bounds
                                     : HeightRange{std::min(tile->bounds.min, child.bounds.min),
                                                   std::max(tile->bounds.max, child.bounds.max)};
                first = false;
                for (int i = 0; i < tileLevels(); ++i) {
                    double& error = tile->errors[static_cast<std::size_t>(i)];
                    error = std::max(error, child.errors[static_cast<std::size_t>(i) + 1]);
                }
            }
            tile->errors.back() = measure(key, key.level + tileLevels());
        }
        for (std::size_t i = 1; i < tile->errors.size(); ++i)
            tile->errors[i] = std::max(tile->errors[i], tile->errors[i - 1]);
        return tile;
    }

    PyramidShape m_shape;
    int m_columns = 0, m_rows = 0;
    std::vector<float> m_ground;
};

inline PyramidShape randomShape(test::Random& random, std::uint32_t leastCells = 2) {
    PyramidShape shape;
    do {
        shape.tileCells = 1u << random.integer(1, 4);
        shape.levels = static_cast<std::uint32_t>(random.integer(1, 5));
        shape.rootsX = static_cast<std::uint32_t>(random.integer(1, 3));
        shape.rootsZ = static_cast<std::uint32_t>(random.integer(1, 2));
        shape.detailLevels = random.chance(0.3) ? static_cast<std::uint32_t>(random.integer(1, 2)) : 0;
    } while (shape.tileCells < leastCells ||
             (shape.rootsX * shape.tileCells) << (shape.levels - 1 + shape.detailLevels) > 160);
    shape.fills = random.chance(0.5);
    shape.spacingX = random.chance(0.5) ? 1 : 2.5;
    shape.spacingZ = random.chance(0.5) ? shape.spacingX : 0.75;
    return shape;
}

/// A selection kept: TileSelection's spans live until the next call only.
struct Kept {
    std::vector<TileNode> nodes;
    std::vector<WantedTile> wanted;
    std::vector<TileKey> used;

    Kept() = default;
    explicit Kept(const TileSelection& selection)
        : nodes(selection.nodes.begin(), selection.nodes.end()),
          wanted(selection.wanted.begin(), selection.wanted.end()),
          used(selection.used.begin(), selection.used.end()) {}
};

/// Finds what is drawn where. Places are in cells of level `finest`.
class DrawnGround {
  public:
    DrawnGround(const RandomPyramid& pyramid, std::span<const TileNode> nodes)
        : m_pyramid(pyramid), m_nodes(nodes) {
        const std::int32_t finest = pyramid.finestLevel();
        m_across = pyramid.layout.tilesX(finest);
        m_owner.assign(std::size_t{m_across} * pyramid.layout.tilesZ(finest), -1);
        for (std::size_t n = 0; n < nodes.size(); ++n) {
            const TileKey key = nodes[n].key;
            const std::uint32_t span = 1u << (key.level - finest);
            for (std::uint32_t z = key.z * span; z < (key.z + 1) * span; ++z) {
                for (std::uint32_t x = key.x * span; x < (key.x + 1) * span; ++x) {
                    int& owner = m_owner[std::size_t{z} * m_across + x];
                    if (owner >= 0) ++m_overlaps;
                    owner = static_cast<int>(n);
                }
            }
        }
    }

    int overlaps() const { return m_overlaps; }
    /// The node that covers the finest tile (x, z), or -1.
    int owner(std::int64_t x, std::int64_t z) const {
        if (x < 0 || z < 0 || x >= m_across || z >= static_cast<std::int64_t>(m_owner.size() / m_across))
            return -1;
        return m_owner[static_cast<std::size_t>(z) * m_across + static_cast<std::size_t>(x)];
    }

    /// What node `n` draws at a place on its footprint.
    double heightOf(int n, double x, double z) const {
        const TileNode& node = m_nodes[static_cast<std::size_t>(n)];
        const double cell = 1 << (node.key.level - m_pyramid.finestLevel());
        const double cells = m_pyramid.layout.tileCells;
        return sampleNodeHeight(*m_pyramid.tiles.at(node.key), m_pyramid.layout, node,
                                x / cell - node.key.x * cells, z / cell - node.key.z * cells);
    }

    double height(double x, double z) const {
        const double cells = m_pyramid.layout.tileCells;
        const int n = owner(static_cast<std::int64_t>(x / cells), static_cast<std::int64_t>(z / cells));
        return n < 0 ? 0 : heightOf(n, x, z);
    }

  private:
    const RandomPyramid& m_pyramid;
    std::span<const TileNode> m_nodes;
    std::uint32_t m_across = 0;
    std::vector<int> m_owner;
    int m_overlaps = 0;
};

}  // namespace karst::heightfield
