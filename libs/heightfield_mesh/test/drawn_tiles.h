#pragma once

#include <karst/heightfield_mesh/tile_layer.h>
#include <karst/heightfield_mesh/tile_record.h>
#include <karst/heightfield_mesh/tile_vertex.h>

#include <vector>

#include "../../heightfield_lod/test/random_pyramid.h"

namespace karst::heightfield {

/// A random selection of a random pyramid, with every drawn tile's layer and record.
struct DrawnTiles {
    RandomPyramid pyramid;
    Surface surface;
    std::vector<TileNode> nodes;
    TileAnchor anchor;
    TileLayerShape shape;
    std::vector<std::vector<float>> layers;
    std::vector<TileRecord> records;

    explicit DrawnTiles(test::Random& random, std::uint32_t leastCells = 2)
        : pyramid(randomShape(random, leastCells), random) {
        surface = random.chance(0.6) ? pyramid.surface : pyramid.some(random, 0.8);
        TileSelector selector;
        const TileView view = pyramid.randomView(random);
        const auto finest = static_cast<std::uint32_t>(-pyramid.finestLevel());
        TileSelection selection = selector.select(surface, view, finest);
        nodes.assign(selection.nodes.begin(), selection.nodes.end());
        if (random.chance(0.3)) {
            std::vector<float> coarsest;
            for (const TileNode& node : nodes)
                coarsest.push_back(node.detail + static_cast<float>(random.range(0, 2)));
            selection = selector.coarsen(coarsest);
            nodes.assign(selection.nodes.begin(), selection.nodes.end());
        }
        shape = tileLayerShape(pyramid.layout);
        anchor = tileAnchor(pyramid.layout, view.eye);
        CornerReconciler reconciler;
        const std::span<const NodeCorners> corners = reconciler.reconcile(pyramid.layout, nodes);
        for (std::size_t n = 0; n < nodes.size(); ++n) {
            const HeightTile& tile = tileOf(n);
            layers.emplace_back(shape.size());
            writeTileLayer(pyramid.layout, shape, tile, layerSources(surface, tile.key), layers.back());
            records.push_back(makeTileRecord(pyramid.layout, tile, nodes[n], corners[n], anchor,
                                             static_cast<std::uint32_t>(n)));
        }
    }

    const HeightTile& tileOf(std::size_t n) const { return *surface.find(nodes[n].key); }
    TileVertexStage stage(std::size_t n) const { return {shape, layers[n], records[n]}; }
};

}  // namespace karst::heightfield
