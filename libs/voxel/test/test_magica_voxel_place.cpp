#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <karst/voxel/magica_voxel_place.h>
#include <karst_test/test_support.h>

#include <map>
#include <tuple>

#include "vox_file.h"

namespace karst::voxel {
namespace {

using karst::test::Random;
using test::VoxFile;
using ::testing::HasSubstr;

// Two models of random cells, one of them placed twice and turned; overlaps are likely.
MagicaVoxelScene randomScene(std::uint64_t seed) {
    Random random(seed);
    VoxFile file;
    for (int m = 0; m < 2; ++m) {
        std::vector<MagicaVoxelCell> cells;
        for (int i = 0; i < 400; ++i)
            cells.push_back({static_cast<std::uint8_t>(random.integer(0, 39)),
                             static_cast<std::uint8_t>(random.integer(0, 19)),
                             static_cast<std::uint8_t>(random.integer(0, 49)),
                             static_cast<std::uint8_t>(random.integer(1, 5) * 50)});
        file.model({40, 20, 50}, cells);
    }
    file.group(0, {1, 2, 3});
    file.transform(1, 11, {{"_t", "7 -8 9"}}).shape(11, 0);
    file.transform(2, 12, {{"_t", "-3 2 40"}, {"_r", "33"}}).shape(12, 1);
    file.transform(3, 11, {{"_t", "20 0 0"}});
    return readMagicaVoxel(file.bytes()).value();
}

TEST(MagicaVoxelPlace, FillsEveryCellAndNoOther) {
    const MagicaVoxelScene scene = randomScene(4);
    const MagicaVoxelMaterials materials = materialsOf(scene);
    ASSERT_EQ(materials.table.size(), 6u);
    EXPECT_EQ(materials.table[materials.ids[100]].name, "color 100");
    EXPECT_EQ(materials.table[materials.ids[100]].color[1], scene.palette[100][1]);
    Grid grid = Grid::create({{}, materials.table}).value();
    ASSERT_TRUE(grid.setCell({-20, 3, 5}, {1, 10}));  // beside the scene
    const CellCoord at{-17, 30, -64};
    const auto edit = placeMagicaVoxel(grid, scene, at, materials.ids);
    ASSERT_TRUE(edit) << edit.error().message;
    EXPECT_EQ(grid.revision(), 2u);

    std::map<std::tuple<int, int, int>, MaterialId> expected;
    const CellCoord low = scene.bounds().min;
    for (const MagicaVoxelInstance& instance : scene.instances) {
        for (const MagicaVoxelCell& cell : scene.models[instance.model].cells) {
            const CellCoord c = scene.cellOf(instance, cell);
            expected[{c.x - low.x + at.x, c.y - low.y + at.y, c.z - low.z + at.z}] =
                materials.ids[cell.color];
        }
    }
    EXPECT_EQ(edit->changedCells, static_cast<std::int64_t>(expected.size()));
    std::int64_t filled = 0;
    grid.snapshot().forEachChunk([&](ChunkCoord chunk, const Chunk& cells) {
        const CellCoord first = firstCell(chunk);
        for (int i = 0; i < kChunkCellCount; ++i) {
            if (cells.cell(i).empty()) continue;
            ++filled;
            const std::tuple place{first.x + (i & 31), first.y + (i >> 10), first.z + (i >> 5 & 31)};
            if (place == std::tuple{-20, 3, 5}) continue;
            ASSERT_TRUE(expected.contains(place));
            EXPECT_EQ(cells.cell(i), (Cell{expected[place], 255}));
        }
    });
    EXPECT_EQ(filled, static_cast<std::int64_t>(expected.size()) + 1);
}

TEST(MagicaVoxelPlace, ColorsMayBecomeGivenMaterialsOrNothing) {
    const MagicaVoxelScene scene = randomScene(5);
    PaletteMaterials ids{};
    ids[50] = 4;
    ids[250] = 1;
    Grid grid = Grid::create({}).value();
    ASSERT_TRUE(placeMagicaVoxel(grid, scene, {}, ids));
    std::map<int, int> counts;
    grid.snapshot().forEachChunk([&](ChunkCoord, const Chunk& cells) {
        for (int i = 0; i < kChunkCellCount; ++i)
            ++counts[cells.cell(i).material];
    });
    EXPECT_EQ(counts.size(), 3u);
    EXPECT_GT(counts[4], 0);
    EXPECT_GT(counts[1], 0);
}

TEST(MagicaVoxelPlace, NearestMaterialsAreSolidAndNearest) {
    MagicaVoxelScene scene = randomScene(6);
    scene.palette[50] = {58, 110, 148, 255};    // water's own colour: ice or another solid is taken
    scene.palette[100] = {236, 240, 246, 255};  // snow
    const auto ids = nearestMaterials(scene, MaterialTable::standard());
    ASSERT_TRUE(ids);
    const MaterialTable table = MaterialTable::standard();
    EXPECT_TRUE(table.isSolid((*ids)[50]));
    EXPECT_EQ((*ids)[100], *table.find("snow"));
    EXPECT_EQ((*ids)[51], kAir) << "no cell has this colour";
    const Material none[] = {{"air", MaterialKind::Air, {}}, {"water", MaterialKind::Water, {}}};
    const auto refused = nearestMaterials(scene, MaterialTable::create(none).value());
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message, HasSubstr("no solid one for palette colour 50"));
}

TEST(MagicaVoxelPlace, ErrorsChangeNothing) {
    const MagicaVoxelScene scene = randomScene(7);
    Grid grid = Grid::create({}).value();
    PaletteMaterials ids{};
    ids[150] = 14;
    auto refused = placeMagicaVoxel(grid, scene, {}, ids);
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message, HasSubstr("colour 150: no material 14"));
    ids[150] = 4;
    refused = placeMagicaVoxel(grid, scene, {0, kCellLimit - 5, 0}, ids);
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message, HasSubstr("along y leave"));
    EXPECT_EQ(grid.revision(), 0u);
    const auto nothing = placeMagicaVoxel(grid, {}, {}, ids);
    ASSERT_TRUE(nothing);
    EXPECT_EQ(nothing->changedCells, 0);
}

}  // namespace
}  // namespace karst::voxel
