#include "material_kernels.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "naive_surface.h"

namespace karst::voxel_mesh {
namespace {

using namespace test;

TEST(MaterialKernels, AllWidthsGiveTheSameBits) {
    if (widestLanes() == Lanes::Four) GTEST_SKIP() << "this processor has one width only";
    karst::test::Random random(3);
    for (int round = 0; round < 20; ++round) {
        const int materials = 1 + round % 9;
        const OwnedField field(
            round % 2 ? 16 : 4, 1 + round % 2, {}, randomSamples(round % kKinds, 8),
            [&](Place) { return static_cast<std::uint8_t>(17 * random.integer(0, materials - 1)); });
        std::vector<std::uint8_t> planes[2];
        bool fits[2];
        WeightBlock blocks[2];
        std::memset(&blocks[0], 0, sizeof(blocks[0]));
        for (std::size_t i = 0; i < WeightBlock::kSize; ++i) {
            for (int half = 0; half < 2; ++half) {
                blocks[0].samples[half][i] = static_cast<std::uint32_t>(random.next());
                blocks[0].materials[half][i] = static_cast<std::uint32_t>(random.next() & 0x03030303u);
            }
            blocks[0].sets[i] = 0x03020100u >> (8 * random.integer(0, 2));
        }
        blocks[1] = blocks[0];
        for (const Lanes lanes : {Lanes::Four, Lanes::Eight}) {
            const bool wide = lanes == Lanes::Eight;
            Palette palette;
            planes[wide].resize(field.view.sampleCount());
            fits[wide] = paintPlane(lanes, field.view, 0, field.samples.size(), palette, planes[wide].data());
            for (std::size_t i = 0; fits[wide] && i < planes[wide].size(); ++i) {
                std::uint8_t mark = 0;
                for (int k = 0; k < palette.count; ++k) {
                    if (field.samples[i] != 0 && palette.ids[k] == field.materials[i])
                        mark = static_cast<std::uint8_t>(1 << k);
                }
                ASSERT_EQ(planes[wide][i], mark);
            }
            computeWeights(lanes, blocks[wide], WeightBlock::kSize);
        }
        EXPECT_EQ(fits[0], fits[1]);
        if (fits[0]) {
            EXPECT_EQ(planes[0], planes[1]);
        }
        EXPECT_EQ(std::memcmp(&blocks[0], &blocks[1], sizeof(blocks[0])), 0);
    }
}

}  // namespace
}  // namespace karst::voxel_mesh
