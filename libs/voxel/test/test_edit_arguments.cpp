#include <gtest/gtest.h>
#include <karst/base/hash.h>
#include <karst/voxel/brushes.h>
#include <karst/voxel/fill_shapes.h>
#include <karst/voxel/grid_sampling.h>
#include <karst/voxel/occupancy_ray.h>
#include <karst/voxel/region_ops.h>
#include <karst/voxel/voxel_arrays.h>

#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "cell_model.h"

namespace karst::voxel {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr MaterialId kWater = 1, kRock = 4;

std::uint64_t hashOf(const Grid& grid) {
    Hasher hash;
    grid.snapshot().forEachChunk([&](ChunkCoord c, const Chunk& chunk) {
        hash.u32(static_cast<std::uint32_t>(c.x))
            .u32(static_cast<std::uint32_t>(c.y))
            .u32(static_cast<std::uint32_t>(c.z));
        for (std::int32_t i = 0; i < kChunkCellCount; ++i)
            hash.u32(static_cast<std::uint32_t>(chunk.cell(i).material * 256 + chunk.cell(i).occupancy));
    });
    return hash.value();
}

struct Refused {
    bool ok = true;
    Error error;
};
template <class T>
Refused refused(const Result<T>& result) {
    if (result.ok()) return {};
    return {false, result.error()};
}

struct Case {
    std::string operation;
    /// Parts of the message besides the operation's name: the argument, the value.
    std::vector<std::string> names;
    std::function<Refused(Grid&)> call;
};

struct Cases {
    std::vector<Case> list;
    void add(const char* operation, std::vector<std::string> names, std::function<Refused(Grid&)> call) {
        list.push_back({operation, std::move(names), std::move(call)});
    }
};

const CellBox kBox{{0, 0, 0}, {4, 4, 4}};
const Pose kPose{{8, 8, 8}, {}};

/// What every operation on a region refuses.
void addRegions(Cases& cases, const char* name, std::int64_t most,
                std::function<Refused(Grid&, CellBox)> call) {
    const auto add = [&](CellBox box, std::vector<std::string> names) {
        cases.add(name, std::move(names), [=](Grid& grid) { return call(grid, box); });
    };
    add({{0, 0, 0}, {4, 0, 4}}, {"region (0, 0, 0) .. (4, 0, 4)", "empty"});
    add({{0, 5, 0}, {4, 4, 4}}, {"region (0, 5, 0) .. (4, 4, 4)", "inverted"});
    add({{kCellLimit - 1, 0, 0}, {kCellLimit + 1, 4, 4}}, {"(268435457, 4, 4)", "limit"});
    add({{0, 0, -kCellLimit - 1}, {4, 4, -kCellLimit + 1}}, {"-268435457", "limit"});
    add({{INT32_MIN, 0, 0}, {INT32_MAX, 4, 4}}, {"-2147483648", "limit"});
    if (most > 0) {
        add({{-kCellLimit, -kCellLimit, -kCellLimit}, {kCellLimit, kCellLimit, kCellLimit}},
            {std::to_string(most)});
        const auto thin = static_cast<std::int32_t>(most / 16 + 1);
        add({{0, 0, 0}, {4, thin, 4}}, {std::to_string(std::int64_t{thin} * 16), std::to_string(most)});
    }
}

void addFills(Cases& cases) {
    using Mode = FillMode;
    struct Shape {
        const char* name;
        std::function<Refused(Grid&, const Pose&, Vec3d, MaterialId, Mode)> call;
        bool turns = true;
    };
    const Shape shapes[] = {
        {"fillBlock", [](Grid& g, const Pose& p, Vec3d s, MaterialId m,
                         Mode f) { return refused(fillBlock(g, p, s, m, f)); }},
        {"fillWedge", [](Grid& g, const Pose& p, Vec3d s, MaterialId m,
                         Mode f) { return refused(fillWedge(g, p, s, m, f)); }},
        {"fillCylinder", [](Grid& g, const Pose& p, Vec3d s, MaterialId m,
                            Mode f) { return refused(fillCylinder(g, p, s.x, s.y, m, f)); }},
        {"fillBall",
         [](Grid& g, const Pose& p, Vec3d s, MaterialId m, Mode f) {
             return refused(fillBall(g, p.center, s.x, m, f));
         },
         false},
    };
    for (const Shape& shape : shapes) {
        const auto add = [&](std::vector<std::string> names, Pose pose, Vec3d size, MaterialId m = kRock,
                             Mode mode = Mode::Combine) {
            cases.add(shape.name, std::move(names),
                      [=, call = shape.call](Grid& grid) { return call(grid, pose, size, m, mode); });
        };
        const Vec3d size{9, 9, 9};
        add({"center", "nan"}, {{kNan, 0, 0}, {}}, size);
        add({"center", "inf"}, {{0, 0, -kInf}, {}}, size);
        add({"nan", "above 0"}, kPose, {kNan, 9, 9});
        add({"inf", "above 0"}, kPose, {kInf, 9, 9});
        add({"is ", "0", "above 0"}, kPose, {0, 9, 9});
        add({"-3", "above 0"}, kPose, {-3, 9, 9});
        add({"material is 77", "14 materials"}, kPose, size, 77);
        add({"material 1 (water)", "painted"}, kPose, size, kWater, Mode::Paint);
        add({"material 0 (air)", "painted"}, kPose, size, kAir, Mode::Paint);
        add({"limit"}, {{4e9, 0, 0}, {}}, size);
        add({"limit"}, {{1e300, 0, 0}, {}}, size);
        add({"limit"}, {{4.0 * kCellLimit - 2, 0, 0}, {}}, size);
        add({"limit"}, kPose, {1e300, 9, 9});
        add({"67108864"}, kPose, {5000, 5000, 5000});
        if (!shape.turns) continue;
        add({"x axis", "length 1"}, {{}, {{1.01, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, size);
        add({"y axis", "not finite"}, {{}, {{1, 0, 0}, {0, kNan, 0}, {0, 0, 1}}}, size);
        add({"y axis", "right angle"}, {{}, {{1, 0, 0}, {0.6, 0.8, 0}, {0, 0, 1}}}, size);
        add({"z axis", "cross product"}, {{}, {{1, 0, 0}, {0, 1, 0}, {0, 0, -1}}}, size);
    }
    cases.add("fillCylinder", {"radius is 0"},
              [](Grid& g) { return refused(fillCylinder(g, kPose, 3, 0, kRock)); });
    cases.add("fillBlock", {"size", "-1"}, [](Grid& g) {
        return refused(fillBlock(g, kPose, {1, 1, -1}, kRock));
    });
    cases.add("fillRegion", {"material is 14"}, [](Grid& g) { return refused(fillRegion(g, kBox, 14)); });
    cases.add("fillRegion", {"air", "painted"},
              [](Grid& g) { return refused(fillRegion(g, kBox, kAir, Mode::Paint)); });
    addRegions(cases, "fillRegion", kMaxFillCells,
               [](Grid& g, CellBox b) { return refused(fillRegion(g, b, kRock)); });
    const auto flat = [](WorldPosition p) { return p.y; };
    cases.add("fillSignedDistance", {"material is 14"},
              [=](Grid& g) { return refused(fillSignedDistance(g, kBox, flat, 14)); });
    cases.add("fillSignedDistance", {"distance at", "nan"}, [](Grid& g) {
        return refused(fillSignedDistance(
            g, kBox, [](WorldPosition p) { return p.x > 9 ? kNan : p.x - 8; }, kRock));
    });
    cases.add("fillSignedDistance", {"distance at", "-inf"}, [](Grid& g) {
        return refused(fillSignedDistance(
            g, kBox, [](WorldPosition) { return -kInf; }, kRock));
    });
    addRegions(cases, "fillSignedDistance", kMaxFillCells,
               [=](Grid& g, CellBox b) { return refused(fillSignedDistance(g, b, flat, kRock)); });
}

void addRegionOps(Cases& cases) {
    cases.add("replaceMaterial", {"from is 200"},
              [](Grid& g) { return refused(replaceMaterial(g, kBox, 200, kRock)); });
    cases.add("replaceMaterial", {"to is 14"},
              [](Grid& g) { return refused(replaceMaterial(g, kBox, kAir, 14)); });
    addRegions(cases, "replaceMaterial", kMaxFillCells,
               [](Grid& g, CellBox b) { return refused(replaceMaterial(g, b, kAir, kRock)); });
    addRegions(cases, "clearRegion", kMaxFillCells,
               [](Grid& g, CellBox b) { return refused(clearRegion(g, b)); });
    addRegions(cases, "copyRegion", kMaxFillCells,
               [](Grid& g, CellBox b) { return refused(copyRegion(g, b)); });
    addRegions(cases, "countCells", 0,
               [](Grid& g, CellBox b) { return refused(countCells(g.snapshot(), b)); });
    const auto paste = [&](std::vector<std::string> names, CellCoord corner, CellRegion copy) {
        cases.add("pasteRegion", std::move(names),
                  [=](Grid& g) { return refused(pasteRegion(g, corner, copy, EmptyCells::Paste)); });
    };
    const std::vector<Cell> eight(8, Cell{kRock, 255});
    paste({"size is (0, 2, 2)"}, {}, {{0, 2, 2}, eight});
    paste({"size is (2, -2, -2)"}, {}, {{2, -2, -2}, eight});
    paste({"has 8 cells", "12"}, {}, {{2, 3, 2}, eight});
    paste({"corner is (268435456, 0, 0)"}, {kCellLimit, 0, 0}, {{2, 2, 2}, eight});
    paste({"(0, 268435455, 0)", "limit"}, {0, kCellLimit - 1, 0}, {{2, 2, 2}, eight});
    paste({"limit"}, {0, 0, 0}, {{2, 2, INT32_MAX}, eight});
    paste({"67108864"}, {}, {{1024, 1024, 1024}, eight});
    std::vector<Cell> unknown = eight;
    unknown[5].material = 99;
    paste({"cell 5", "99"}, {}, {{2, 2, 2}, unknown});
}

void addArrays(Cases& cases) {
    using Ids = std::vector<MaterialId>;
    using Occupancies = std::vector<std::uint8_t>;
    addRegions(cases, "readVoxels", kMaxArrayCells,
               [](Grid& g, CellBox b) { return refused(readVoxels(g, b)); });
    addRegions(cases, "readVoxelChannels", kMaxArrayCells,
               [](Grid& g, CellBox b) { return refused(readVoxelChannels(g, b)); });
    addRegions(cases, "writeVoxels", kMaxArrayCells, [](Grid& g, CellBox b) {
        return refused(writeVoxels(g, b, Ids(64, kRock), Occupancies(64, 255)));
    });
    addRegions(cases, "writeVoxelChannels", kMaxArrayCells, [](Grid& g, CellBox b) {
        VoxelChannels channels;
        channels.waterOccupancies.assign(64, 255);
        return refused(writeVoxelChannels(g, b, channels));
    });
    const auto write = [&](std::vector<std::string> names, Ids ids, Occupancies occupancies) {
        cases.add("writeVoxels", std::move(names),
                  [=](Grid& g) { return refused(writeVoxels(g, kBox, ids, occupancies)); });
    };
    write({"materials has 63 entries", "64"}, Ids(63, kRock), Occupancies(64, 255));
    write({"occupancies has 65 entries", "64"}, Ids(64, kRock), Occupancies(65, 255));
    write({"materials has 0 entries"}, {}, {});
    Ids unknown(64, kRock);
    unknown[6] = 14;
    write({"materials[6]", "cell (2, 0, 1)", "is 14"}, unknown, Occupancies(64, 255));
    const auto channels = [&](std::vector<std::string> names, VoxelChannels c) {
        cases.add("writeVoxelChannels", std::move(names),
                  [=](Grid& g) { return refused(writeVoxelChannels(g, kBox, c)); });
    };
    channels({"no channel"}, {});
    channels({"solidMaterials has 0"}, {{}, {}, Occupancies(64, 9), {}, {}});
    channels({"solidOccupancies has 7"}, {{}, Ids(64, kRock), Occupancies(7, 9), {}, {}});
    channels({"waterMaterials has 3"}, {{}, {}, {}, Ids(3, kWater), Occupancies(64, 9)});
    channels({"waterOccupancies has 0"}, {{}, {}, {}, Ids(64, kWater), {}});
    channels({"solidMaterials[0]", "is 1 (water)", "solid"},
             {{}, Ids(64, kWater), Occupancies(64, 9), {}, {}});
    channels({"waterMaterials[0]", "is 4 (rock)", "water"}, {{}, {}, {}, Ids(64, kRock), Occupancies(64, 9)});
    channels({"solidMaterials[0]", "is 255"}, {{}, Ids(64, 255), Occupancies(64, 9), {}, {}});
}

void addBrushes(Cases& cases) {
    const std::pair<const char*, std::function<Refused(Grid&, const Brush&, MaterialId)>> brushes[] = {
        {"brushSmooth", [](Grid& g, const Brush& b, MaterialId) { return refused(brushSmooth(g, b)); }},
        {"brushErode", [](Grid& g, const Brush& b, MaterialId) { return refused(brushErode(g, b)); }},
        {"brushGrow", [](Grid& g, const Brush& b, MaterialId m) { return refused(brushGrow(g, b, m)); }},
        {"brushFlatten",
         [](Grid& g, const Brush& b, MaterialId m) {
             return refused(brushFlatten(g, b, {b.center, {0, 1, 0}}, FlattenMode::FillAndDig, m));
         }},
    };
    for (const auto& [name, call] : brushes) {
        const auto add = [&, n = name, c = call](std::vector<std::string> names, Brush brush,
                                                 MaterialId m = kAir) {
            cases.add(n, std::move(names), [=](Grid& g) { return c(g, brush, m); });
        };
        add({"center", "nan"}, {{0, kNan, 0}, 5, 1});
        add({"radius is 0"}, {{}, 0, 1});
        add({"radius is inf"}, {{}, kInf, 1});
        add({"strength is 0"}, {{}, 5, 0});
        add({"strength is 1.5"}, {{}, 5, 1.5});
        add({"strength is nan"}, {{}, 5, kNan});
        add({"limit"}, {{0, 1e15, 0}, 5, 1});
        add({"4194304"}, {{}, 4 * 90, 1});
        if (std::string(name) == "brushSmooth" || std::string(name) == "brushErode") continue;
        add({"material is 20"}, {{}, 5, 1}, 20);
        add({"material 1 (water)", "not solid"}, {{}, 5, 1}, kWater);
    }
    cases.add("brushFlatten", {"plane.normal is (0, 0, 0)"}, [](Grid& g) {
        return refused(brushFlatten(g, {{}, 5, 1}, {{}, {}}));
    });
    cases.add("brushFlatten", {"plane.normal", "inf"}, [](Grid& g) {
        return refused(brushFlatten(g, {{}, 5, 1}, {{}, {0, kInf, 0}}));
    });
    cases.add("brushFlatten", {"plane.point", "nan"}, [](Grid& g) {
        return refused(brushFlatten(g, {{}, 5, 1}, {{kNan, 0, 0}, {0, 1, 0}}));
    });
}

void addQueries(Cases& cases) {
    const std::pair<const char*, std::function<Refused(Grid&, WorldPosition)>> queries[] = {
        {"solidFractionAt", [](Grid& g, WorldPosition p) { return refused(solidFractionAt(g, p)); }},
        {"waterFractionAt", [](Grid& g, WorldPosition p) { return refused(waterFractionAt(g, p)); }},
        {"solidMaterialAt", [](Grid& g, WorldPosition p) { return refused(solidMaterialAt(g, p)); }},
        {"sampleAt", [](Grid& g, WorldPosition p) { return refused(sampleAt(g, p)); }},
        {"worldToCell", [](Grid& g, WorldPosition p) { return refused(worldToCell(g.placement(), p)); }},
        {"worldToCellPreferEmpty",
         [](Grid& g, WorldPosition p) { return refused(worldToCellPreferEmpty(g, p)); }},
        {"worldToCellPreferSolid",
         [](Grid& g, WorldPosition p) { return refused(worldToCellPreferSolid(g, p)); }},
    };
    for (const auto& [name, call] : queries) {
        for (const auto& [p, value] : {std::pair<WorldPosition, const char*>{{kNan, 0, 0}, "nan"},
                                       {{0, -kInf, 0}, "-inf"},
                                       {{0, 0, 4.0 * kCellLimit}, "limit"},
                                       {{-1e300, 0, 0}, "-1e+300"}}) {
            cases.add(name, {"point", value}, [=, c = call, q = p](Grid& g) { return c(g, q); });
        }
    }
    const CellCoord beyond{0, -kCellLimit - 1, 0};
    cases.add("cellCenterToWorld", {"-268435457"},
              [=](Grid& g) { return refused(cellCenterToWorld(g.placement(), beyond)); });
    cases.add("cellCornerToWorld", {"-268435457"},
              [=](Grid& g) { return refused(cellCornerToWorld(g.placement(), beyond)); });
    const auto region = [&](std::vector<std::string> names, Bounds box) {
        cases.add("regionAround", std::move(names),
                  [=](Grid& g) { return refused(regionAround(g.placement(), box)); });
    };
    region({"box.min", "nan"}, {{kNan, 0, 0}, {1, 1, 1}});
    region({"box.max", "inf"}, {{0, 0, 0}, {1, kInf, 1}});
    region({"empty"}, {{0, 0, 0}, {1, 0, 1}});
    region({"inverted"}, {{0, 0, 5}, {1, 1, 1}});
    region({"limit"}, {{0, 0, 0}, {1, 1, 1e12}});
    const auto ray = [&](std::vector<std::string> names, WorldPosition origin, Vec3d direction,
                         double distance) {
        cases.add("castOccupancyRay", std::move(names),
                  [=](Grid& g) { return refused(castOccupancyRay(g, origin, direction, distance)); });
    };
    ray({"origin", "nan"}, {0, kNan, 0}, {0, -1, 0}, 10);
    ray({"origin", "limit"}, {0, 1e12, 0}, {0, -1, 0}, 10);
    ray({"direction is (0, 0, 0)"}, {}, {0, 0, 0}, 10);
    ray({"direction", "inf"}, {}, {kInf, 0, 0}, 10);
    ray({"maxDistance is 0"}, {}, {0, -1, 0}, 0);
    ray({"maxDistance is -4"}, {}, {0, -1, 0}, -4);
    ray({"maxDistance is nan"}, {}, {0, -1, 0}, kNan);
    ray({"maxDistance is inf"}, {}, {0, -1, 0}, kInf);
    ray({"maxDistance is 5e+06", "1048576"}, {}, {0, -1, 0}, 5e6);
    cases.add("Rotation::aboutAxis", {"(0, 0, 0)"},
              [](Grid&) { return refused(Rotation::aboutAxis({}, 1)); });
    cases.add("Rotation::aboutAxis", {"nan"}, [](Grid&) {
        return refused(Rotation::aboutAxis({0, 1, 0}, kNan));
    });
    cases.add("Rotation::fromQuaternion", {"(0, 0, 0, 0)"},
              [](Grid&) { return refused(Rotation::fromQuaternion(0, 0, 0, 0)); });
}

TEST(EditArguments, V32_BadOnesAreRefusedByNameAndChangeNothing) {
    Cases cases;
    addFills(cases);
    addRegionOps(cases);
    addArrays(cases);
    addBrushes(cases);
    addQueries(cases);
    Grid grid = Grid::create({}).value();
    fillAtRandom(grid, {{-6, -6, -6}, {6, 6, 6}}, 1);
    const Revision revision = grid.revision();
    const std::uint64_t hash = hashOf(grid);
    for (const Case& c : cases.list) {
        const Refused result = c.call(grid);
        ASSERT_FALSE(result.ok) << c.operation << ": took what it should refuse: " << c.names[0];
        EXPECT_TRUE(result.error.code == ErrorCode::InvalidArgument ||
                    result.error.code == ErrorCode::TooLarge);
        EXPECT_EQ(result.error.message.rfind(c.operation + ": ", 0), 0u) << result.error.message;
        for (const std::string& name : c.names)
            EXPECT_NE(result.error.message.find(name), std::string::npos)
                << result.error.message << "; no " << name;
        EXPECT_EQ(grid.revision(), revision) << result.error.message;
    }
    EXPECT_EQ(hashOf(grid), hash);
    EXPECT_GT(cases.list.size(), 190u);
}

TEST(EditArguments, V32_RotationsTurnCounterClockwise) {
    const auto near = [](Vec3d a, Vec3d b) { return length(a - b) < 1e-12; };
    const Rotation y = Rotation::aboutAxis({0, 7, 0}, 1.5707963267948966).value();
    EXPECT_TRUE(near(y.x, {0, 0, -1}) && near(y.y, {0, 1, 0}) && near(y.z, {1, 0, 0}));
    const Rotation x = Rotation::aboutAxis({1e-3, 0, 0}, 1.5707963267948966).value();
    EXPECT_TRUE(near(x.x, {1, 0, 0}) && near(x.y, {0, 0, 1}) && near(x.z, {0, -1, 0}));
    const Rotation q = Rotation::fromQuaternion(0, 0, 5, 5).value();
    EXPECT_TRUE(near(q.x, {0, 1, 0}) && near(q.y, {-1, 0, 0}) && near(q.z, {0, 0, 1}));
}

TEST(EditArguments, V32_ATableWithoutWaterHasNoneToTake) {
    const std::vector<Material> entries{{"air", MaterialKind::Air, {}}, {"rock", MaterialKind::Solid, {}}};
    GridDefinition definition;
    definition.materials = MaterialTable::create(entries).value();
    Grid grid = Grid::create(definition).value();
    VoxelChannels channels;
    channels.waterOccupancies.assign(64, 255);
    const auto result = writeVoxelChannels(grid, kBox, channels);
    ASSERT_FALSE(result.ok());
    EXPECT_NE(result.error().message.find("no water"), std::string::npos);
    EXPECT_EQ(grid.revision(), 0u);
}

TEST(EditArguments, V32_WhatIsJustWithinTheLimitsIsTaken) {
    Grid grid = Grid::create({}).value();
    EXPECT_TRUE(
        fillRegion(grid, {{kCellLimit - 2, -kCellLimit, 0}, {kCellLimit, -kCellLimit + 2, 2}}, kRock).ok());
    EXPECT_TRUE(fillRegion(grid, {{-1, 0, 0}, {0, 1, kMaxFillCells / 64}}, kAir).ok());
    EXPECT_TRUE(readVoxels(grid, {{0, 0, 0}, {128, 256, 128}}).ok());
    EXPECT_FALSE(readVoxels(grid, {{0, 0, 0}, {128, 257, 128}}).ok());
    const double far = 4.0 * kCellLimit;
    EXPECT_TRUE(fillBall(grid, {far - 8, 0, 0}, 8, kRock).ok());
    EXPECT_TRUE(pasteRegion(grid, {kCellLimit - 1, 0, 0}, {{1, 1, 1}, {{kRock, 3}}}).ok());
    EXPECT_EQ(grid.cell({kCellLimit - 1, 0, 0}), (Cell{kRock, 3}));
    EXPECT_TRUE(fillBall(grid, {0, 0, 0}, 1e-300, kRock).ok());
    EXPECT_TRUE(fillWedge(grid, {}, {1e-300, 1e-300, 1e-300}, kRock).ok());
    // A direction whose square is no number is one all the same.
    const auto hit = castOccupancyRay(grid, {far - 20, 0, 0}, {1e300, 0, 0}, 40);
    ASSERT_TRUE(hit.ok());
    EXPECT_TRUE(hit.value().has_value());
}

}  // namespace
}  // namespace karst::voxel
