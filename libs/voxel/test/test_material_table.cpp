#include <gtest/gtest.h>
#include <karst/voxel/material_table.h>

#include <vector>

namespace karst::voxel {
namespace {

TEST(MaterialTable, V1_SolidAndWaterAreTwoReadsOfOneRecord) {
    const MaterialTable table;
    const Cell water{*table.find("water"), 200};
    const Cell rock{*table.find("rock"), 90};
    EXPECT_EQ(table.solidOccupancy(water), 0);
    EXPECT_EQ(table.waterOccupancy(water), 200);
    EXPECT_EQ(table.solidOccupancy(rock), 90);
    EXPECT_EQ(table.waterOccupancy(rock), 0);
    EXPECT_EQ(table.solidOccupancy(Cell{}), 0);
    EXPECT_EQ(table.waterOccupancy(Cell{}), 0);
}

TEST(MaterialTable, RefusesWrongEntriesByName) {
    const Material air{"air", MaterialKind::Air, {}};
    EXPECT_FALSE(MaterialTable::create({}).ok());
    const std::vector<Material> solidFirst{{"rock", MaterialKind::Solid, {}}};
    EXPECT_FALSE(MaterialTable::create(solidFirst).ok());
    const std::vector<Material> twice{
        air, {"rock", MaterialKind::Solid, {}}, {"rock", MaterialKind::Water, {}}};
    const auto result = MaterialTable::create(twice);
    ASSERT_FALSE(result.ok());
    EXPECT_NE(result.error().message.find("material 2"), std::string::npos) << result.error().message;
    EXPECT_NE(result.error().message.find("rock"), std::string::npos) << result.error().message;
    const std::vector<Material> tooMany(257, air);
    EXPECT_FALSE(MaterialTable::create(tooMany).ok());
    EXPECT_EQ(MaterialTable().kind(255), MaterialKind::Air);
}

}  // namespace
}  // namespace karst::voxel
