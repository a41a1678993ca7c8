#include "random_pyramid.h"

#include <gtest/gtest.h>
#include <karst_test/count_allocations.h>

namespace karst::heightfield {
namespace {

TEST(TileSelectionMemory, H11_AllocatesNothingWhenWarm) {
    test::Random random(12);
    PyramidShape shape;
    shape.levels = 4;
    shape.detailLevels = 1;
    const RandomPyramid pyramid(shape, random);
    const Surface some = pyramid.some(random, 0.8);
    std::vector<TileView> views;
    for (int i = 0; i < 50; ++i)
        views.push_back(pyramid.randomView(random));
    TileSelector selector;
    const std::vector<float> coarsest(pyramid.tiles.size(), 1.5f);
    std::size_t nodes = 0, before = 0;
    for (int round = 0; round < 2; ++round) {
        before = test::allocations;
        for (const TileView& view : views) {
            for (const Surface* surface : {&pyramid.surface, &some}) {
                const TileSelection selection = selector.select(*surface, view, 1);
                nodes += selection.nodes.size();
                nodes += selector.coarsen(std::span(coarsest).first(selection.nodes.size())).nodes.size();
            }
        }
        if (round == 0) {
            EXPECT_GT(test::allocations, before);  // the counter counts
        }
    }
    EXPECT_EQ(test::allocations, before);
    EXPECT_GT(nodes, 1000u);
}

}  // namespace
}  // namespace karst::heightfield
