#include "random_pyramid.h"

#include <gtest/gtest.h>
#include <karst/base/hash.h>
#include <karst/heightfield_lod/selection_v1.h>

#include <cstdio>
#include <limits>

namespace karst::heightfield {
namespace {

// The patches and heights of a pyramid of one level.
struct TerrainV1 {
    TerrainPatchesV1 terrain;
    TerrainHeightsV1 heights;
    std::vector<TerrainPatchV1> patches;
    std::vector<float> samples;

    explicit TerrainV1(const RandomPyramid& pyramid) {
        const TileLayout& layout = pyramid.layout;
        for (std::uint32_t z = 0; z < layout.rootsZ; ++z) {
            for (std::uint32_t x = 0; x < layout.rootsX; ++x) {
                const TileKey key{0, x, z};
                patches.push_back({pyramid.box(key), pyramid.tiles.at(key)->errors});
            }
        }
        for (int z = 0; z <= static_cast<int>(layout.cellsZ()); ++z) {
            for (int x = 0; x <= static_cast<int>(layout.cellsX()); ++x)
                samples.push_back(static_cast<float>(pyramid.fine(x, z)));
        }
        terrain = {layout.tileCells, layout.rootsX, layout.rootsZ, layout.spacingX, layout.spacingZ, patches};
        heights = {layout.originX, layout.originZ, samples};
    }
};

PyramidShape oneLevel(test::Random& random) {
    PyramidShape shape;
    shape.tileCells = 1u << random.integer(1, 5);
    shape.levels = 1;
    shape.rootsX = static_cast<std::uint32_t>(random.integer(1, 5));
    shape.rootsZ = static_cast<std::uint32_t>(random.integer(1, 5));
    shape.spacingX = random.chance(0.5) ? 1 : 3;
    shape.spacingZ = random.chance(0.5) ? 1 : 2;
    return shape;
}

TEST(SelectionV1, H14_PyramidsOfOneLevelSelectExactlyTheSame) {
    test::Random random(1);
    TileSelector selector;
    std::size_t patches = 0;
    std::set<float> details;
    for (int i = 0; i < 100; ++i) {
        const RandomPyramid pyramid(oneLevel(random), random);
        const TerrainV1 v1(pyramid);
        ASSERT_TRUE(validate(v1.terrain).ok());
        std::vector<TerrainPatchLodV1> lods(v1.patches.size());
        for (int k = 0; k < 10; ++k) {
            const TileView view = pyramid.randomView(random);
            selectTerrain(v1.terrain, view, lods);
            const TileSelection selection = selector.select(pyramid.surface, view);
            ASSERT_EQ(selection.nodes.size(), lods.size());
            ASSERT_TRUE(selection.wanted.empty());
            for (std::size_t n = 0; n < lods.size(); ++n) {
                const TileNode& node = selection.nodes[n];
                ASSERT_EQ(node.key.z * pyramid.layout.rootsX + node.key.x, n);
                ASSERT_EQ(node.detail, lods[n].detail);
                for (int side = 0; side < 4; ++side)
                    ASSERT_EQ(node.edges[side], lods[n].edges[side]);
                details.insert(node.detail);
                ++patches;
                const double u = random.range(0, pyramid.layout.tileCells);
                const double v = random.range(0, pyramid.layout.tileCells);
                ASSERT_EQ(sampleNodeHeight(*pyramid.tiles.at(node.key), pyramid.layout, node, u, v),
                          sampleMorphedHeight(v1.terrain, v1.heights, lods[n], node.key.x, node.key.z, u, v));
            }
        }
    }
    EXPECT_GT(patches, 5000u);
    EXPECT_GT(details.size(), 1000u);
}

TEST(SelectionV1, H2_ReconciledEdgesAreTheCoarserDetailOfTheTwoSides) {
    test::Random random(2);
    for (int i = 0; i < 100; ++i) {
        const int width = random.integer(1, 6), depth = random.integer(1, 6);
        std::vector<TerrainPatchLodV1> lods(static_cast<std::size_t>(width * depth));
        for (TerrainPatchLodV1& lod : lods)
            lod.detail = static_cast<float>(random.range(0, 6));
        reconcileTerrainEdges(static_cast<std::uint32_t>(width), static_cast<std::uint32_t>(depth), lods);
        const auto at = [&](int x, int z) -> const TerrainPatchLodV1& {
            return lods[static_cast<std::size_t>(z * width + x)];
        };
        for (int z = 0; z < depth; ++z) {
            for (int x = 0; x < width; ++x) {
                const auto edge = [&](int bx, int bz) {
                    const bool inside = bx >= 0 && bz >= 0 && bx < width && bz < depth;
                    return inside ? std::max(at(x, z).detail, at(bx, bz).detail) : at(x, z).detail;
                };
                EXPECT_EQ(at(x, z).edges[kSideLowX], edge(x - 1, z));
                EXPECT_EQ(at(x, z).edges[kSideHighX], edge(x + 1, z));
                EXPECT_EQ(at(x, z).edges[kSideLowZ], edge(x, z - 1));
                EXPECT_EQ(at(x, z).edges[kSideHighZ], edge(x, z + 1));
            }
        }
    }
}

TEST(SelectionV1, H2_MorphedHeightsOfNeighboursAreTheSameToTheBit) {
    test::Random random(3);
    std::size_t compared = 0;
    for (int i = 0; i < 40; ++i) {
        const RandomPyramid pyramid(oneLevel(random), random);
        const TerrainV1 v1(pyramid);
        std::vector<TerrainPatchLodV1> lods(v1.patches.size());
        selectTerrain(v1.terrain, pyramid.randomView(random), lods);
        const std::uint32_t across = v1.terrain.patchesX;
        const double cells = v1.terrain.patchCells;
        const auto height = [&](std::uint32_t x, std::uint32_t z, double u, double v) {
            return sampleMorphedHeight(v1.terrain, v1.heights, lods[z * across + x], x, z, u, v);
        };
        for (std::uint32_t z = 0; z < v1.terrain.patchesZ; ++z) {
            for (std::uint32_t x = 0; x < across; ++x) {
                for (int k = 0; k < 20; ++k) {
                    const double place = k < 10 ? random.range(0, cells)
                                                : random.integer(0, static_cast<int>(v1.terrain.patchCells));
                    if (x + 1 < across) {
                        ASSERT_EQ(height(x, z, cells, place), height(x + 1, z, 0, place));
                    }
                    if (z + 1 < v1.terrain.patchesZ) {
                        ASSERT_EQ(height(x, z, place, cells), height(x, z + 1, place, 0));
                    }
                    ++compared;
                }
            }
        }
    }
    EXPECT_GT(compared, 3000u);
}

TEST(SelectionV1, H2_RefusesByName) {
    TileView view;
    EXPECT_TRUE(validateTerrainView(view).ok());
    view.tolerance = 0;
    ASSERT_FALSE(validateTerrainView(view).ok());
    EXPECT_NE(validateTerrainView(view).error().message.find("tolerance"), std::string::npos);

    const std::vector<double> errors{0, 1, 2};
    const auto refused = [&](auto change, const char* name) {
        std::vector<TerrainPatchV1> patches(2, {{{0, 0, 0}, {4, 1, 4}}, errors});
        TerrainPatchesV1 terrain{4, 2, 1, 1, 1, patches};
        ASSERT_TRUE(validate(terrain).ok());
        change(terrain, patches);
        const Result<void> result = validate(terrain);
        ASSERT_FALSE(result.ok()) << name;
        EXPECT_NE(result.error().message.find(name), std::string::npos) << result.error().message;
    };
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const std::vector<double> few{0, 1}, falling{0, 2, 1}, negative{-1, 0, 1}, wild{0, 1, nan};
    for (const std::uint32_t bad : {0u, 1u, 3u, 256u})
        refused([&](auto& terrain, auto&) { terrain.patchCells = bad; }, "patch cells");
    refused([&](auto& terrain, auto&) { terrain.spacingX = 0; }, "spacing");
    refused([&](auto& terrain, auto&) { terrain.spacingZ = nan; }, "spacing");
    refused([&](auto& terrain, auto&) { terrain.patchesX = 3; }, "not 3 x 1");
    refused([&](auto& terrain, auto&) { terrain.patchesX = terrain.patchesZ = 0; }, "not 0 x 0");
    refused([&](auto&, auto& patches) { patches[1].bounds = {}; }, "patch 1 has no finite bounds");
    refused([&](auto&, auto& patches) { patches[0].bounds.max.y = nan; }, "patch 0 has no finite bounds");
    refused([&](auto&, auto& patches) { patches[1].errors = few; }, "2 errors, not 3");
    for (const auto* bad : {&falling, &negative, &wild})
        refused([&](auto&, auto& patches) { patches[1].errors = *bad; }, "not monotone");
}

// A terrain of 4 x 3 patches from whole-number arithmetic, so that it is the same everywhere.
struct Reference {
    static constexpr int kCells = 8, kPatchesX = 4, kPatchesZ = 3;
    std::vector<float> samples;
    std::vector<std::vector<double>> errors;
    std::vector<TerrainPatchV1> patches;
    TerrainPatchesV1 terrain;
    TerrainHeightsV1 heights;

    Reference() {
        const int columns = kCells * kPatchesX + 1, rows = kCells * kPatchesZ + 1;
        for (int z = 0; z < rows; ++z) {
            for (int x = 0; x < columns; ++x) {
                const int bowl = (x - 16) * (x - 16) / 8 + (z - 12) * (z - 12) / 4;
                const int rough = x > 12 ? (x * 7 + z * 13 + x * z * 5) % 11 - 5 : 0;
                samples.push_back(static_cast<float>(bowl + rough * (x - 12) / 16));
            }
        }
        const auto sample = [&](int x, int z) {
            return double{samples[static_cast<std::size_t>(z * columns + x)]};
        };
        for (int pz = 0; pz < kPatchesZ; ++pz) {
            for (int px = 0; px < kPatchesX; ++px) {
                std::vector<double> table;
                double low = 1e9, high = -1e9, most = 0;
                for (int level = 0; level <= 3; ++level) {
                    const int step = 1 << level;
                    for (int z = 0; z <= kCells; ++z) {
                        for (int x = 0; x <= kCells; ++x) {
                            const int i = px * kCells + std::min(x / step * step, kCells - step);
                            const int j = pz * kCells + std::min(z / step * step, kCells - step);
                            const int gx = px * kCells + x, gz = pz * kCells + z;
                            low = std::min(low, sample(gx, gz));
                            high = std::max(high, sample(gx, gz));
                            const double drawn = cellHeight(sample(i, j), sample(i + step, j),
                                                            sample(i, j + step), sample(i + step, j + step),
                                                            double(gx - i) / step, double(gz - j) / step);
                            most = std::max(most, std::abs(drawn - sample(gx, gz)));
                        }
                    }
                    table.push_back(most);
                }
                errors.push_back(table);
                patches.push_back(
                    {{{px * 16.0, low, pz * 16.0}, {px * 16.0 + 16, high, pz * 16.0 + 16}}, {}});
            }
        }
        for (std::size_t i = 0; i < patches.size(); ++i)
            patches[i].errors = errors[i];
        terrain = {kCells, kPatchesX, kPatchesZ, 2, 2, patches};
        heights = {0, 0, samples};
    }
};

struct ReferenceView {
    TileView view;
    float details[12];
    std::uint64_t hash;  // of details, edges and drawn heights
};

// Recorded from this code; a change of any of them changes what is drawn.
const ReferenceView kReferenceViews[] = {
    {{{32, 30, 24}, 100, 4, 0, 0, 0},
     {1.13189697f, 0.207046509f, 0.0778808594f, 0.09425354f, 1.08206177f, 0.472320557f, 0.157730103f,
      0.0971374512f, 1.13189697f, 0.279998779f, 0.0889892578f, 0.09425354f},
     0xe2e32c5937ea8d4bu},
    {{{0, 5, 0}, 120, 16, 0, 0, 0},
     {0, 1.06666565f, 1.13066101f, 0.848587036f, 1.08525085f, 1.50848389f, 2.18435669f, 1.06578064f,
      2.09188843f, 2.19256592f, 2.36865234f, 1.05831909f},
     0x269ac29be867d57cu},
    {{{64, 12, 48}, 200, 32, 0, 0, 0},
     {2.15376282f, 1.81018066f, 1.43107605f, 0.668746948f, 2.01191711f, 1.43107605f, 0.810180664f,
      0.279998779f, 1.91999817f, 1.27999878f, 0.279998779f, 0},
     0x9d58074e647fe2d4u},
    {{{-100, 80, 20}, 300, 8, 0, 0, 0},
     {2.15394592f, 2.26548767f, 0.906845093f, 0.525253296f, 2.20944214f, 2.24432373f, 0.976150513f,
      0.625045776f, 2.15809631f, 2.29344177f, 1.15924072f, 0.525344849f},
     0x1dc2c7cf9cd82a3eu},
    {{{32, 2000, 24}, 1000, 1, 0, 0, 0},
     {1.94963074f, 1.89720154f, 0.488525391f, 0.257415771f, 1.97090149f, 1.48220825f, 0.495758057f,
      0.301147461f, 1.94963074f, 1.96554565f, 0.557693481f, 0.256607056f},
     0xad4c2b5e0a42c1dfu},
    {{{32, 2000, 24}, 1000, 4, 10, 10, 12},
     {0, 0, 2.5f, 1.81582642f, 0, 0, 2.7008667f, 1.47895813f, 2.5f, 2.7008667f, 2.8031311f, 1.05116272f},
     0xeb21b98258bb4329u},
    {{{40, 3, 30}, 100, 32, 50, 40, 4.5},
     {2.16824341f, 1.29243469f, 1.11999512f, 0.719726562f, 1.96121216f, 0.279998779f, 0, 0.367034912f,
      2.02839661f, 0.329055786f, 0, 0},
     0x5054fb8bc66f7fa1u},
    {{{300, 50, -200}, 500, 6, 64, 0, 30},
     {1.79998779f, 0.199996948f, 0, 0, 2.05963135f, 0.577697754f, 0, 0, 2.581604f, 1.52548218f, 0.577697754f,
      0.199996948f},
     0x8e9854598a7041d6u},
};

TEST(SelectionV1, H2_RecordedReferenceViews) {
    const Reference reference;
    ASSERT_TRUE(validate(reference.terrain).ok());
    std::vector<TerrainPatchLodV1> lods(12);
    for (const ReferenceView& recorded : kReferenceViews) {
        const std::size_t number = static_cast<std::size_t>(&recorded - kReferenceViews);
        selectTerrain(reference.terrain, recorded.view, lods);
        std::string details;
        for (std::size_t i = 0; i < lods.size(); ++i) {
            char text[32];
            std::snprintf(text, sizeof text, "%.9gf, ", double{lods[i].detail});
            details += text;
            EXPECT_EQ(lods[i].detail, recorded.details[i]) << "view " << number << ", patch " << i;
        }
        std::vector<double> drawn;
        for (std::uint32_t i = 0; i < 12; ++i) {
            for (const double u : {0.0, 1.25, 3.5, 8.0}) {
                for (const double v : {0.0, 2.75, 5.0, 8.0}) {
                    drawn.push_back(sampleMorphedHeight(reference.terrain, reference.heights, lods[i], i % 4,
                                                        i / 4, u, v));
                }
            }
        }
        Hasher hasher;
        for (const TerrainPatchLodV1& lod : lods) {
            hasher.f32(lod.detail);
            for (const float edge : lod.edges)
                hasher.f32(edge);
        }
        for (const double height : drawn)
            hasher.f64(height);
        const std::uint64_t hash = hasher.value();
        EXPECT_EQ(hash, recorded.hash)
            << "view " << number << std::hex << ": {" << details << "}, 0x" << hash;
    }
}

}  // namespace
}  // namespace karst::heightfield
