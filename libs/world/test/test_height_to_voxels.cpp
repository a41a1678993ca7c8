#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <karst/base/hash.h>
#include <karst/base/thread_pool.h>
#include <karst/voxel_mesh/surface_vertex_writer.h>
#include <karst/world/height_to_voxels.h>
#include <karst_test/test_support.h>

#include <cmath>
#include <functional>

namespace karst::world {
namespace {

using heightfield::HeightRaster;
using karst::test::Random;
using namespace karst::voxel;
using ::testing::HasSubstr;

using HeightFunction = std::function<double(double x, double z)>;

HeightRaster makeRaster(int side, double spacing, const HeightFunction& height) {
    Vector<float> heights;
    for (int z = 0; z < side; ++z)
        for (int x = 0; x < side; ++x)
            heights.push_back(static_cast<float>(height(x * spacing, z * spacing)));
    heightfield::HeightRasterDesc desc;
    desc.columns = desc.rows = side;
    desc.rect = heightfield::rectOfSamples(0, 0, side, side, spacing, spacing);
    return HeightRaster::create(desc, std::move(heights)).value();
}

Grid makeGrid(const GridPlacement& placement = {}, const Externals& externals = {}) {
    GridDefinition definition;
    definition.placement = placement;
    return Grid::create(definition, externals).value();
}

// The surface that a chunk owns at full detail, in cells of the grid.
std::vector<Vec3d> surfaceOf(const GridSnapshot& grid, ChunkCoord chunk) {
    std::vector<std::uint8_t> samples(voxel_mesh::kMaxFieldSamples);
    voxel_mesh::FieldView field;
    field.samples = samples.data();
    const CellCoord first = firstCell(chunk);
    for (int y = -2; y < 34; ++y)
        for (int z = -2; z < 34; ++z)
            for (int x = -2; x < 34; ++x)
                samples[field.fieldIndex(x, y, z)] =
                    grid.materials().solidOccupancy(grid.cell({first.x + x, first.y + y, first.z + z}));
    voxel_mesh::SurfaceNetsWorkspace workspace;
    const auto raw = voxel_mesh::extractSurface(field, {}, workspace.buffers());
    EXPECT_TRUE(raw);
    std::vector<Vec3d> out;
    for (const Vec3f p : raw->positions)
        out.push_back(toDouble(p) + Vec3d{first.x + 0.5, first.y + 0.5, first.z + 0.5});
    return out;
}

// Calls `visit` for every vertex of the upper surface that lies at least `margin` cells inside of the window.
int forEachTop(const Grid& grid, const HeightRaster& raster, double margin,
               const std::function<void(Vec3d cells, WorldPosition world)>& visit) {
    const GridSnapshot snapshot = grid.snapshot();
    const GridPlacement& placement = grid.placement();
    int count = 0;
    snapshot.forEachChunk([&](ChunkCoord coord, const Chunk&) {
        for (const Vec3d p : surfaceOf(snapshot, coord)) {
            const WorldPosition world = placement.origin + p * placement.cellSize;
            const double m = margin * placement.cellSize;
            const Rect& r = raster.rect();
            if (world.x < r.minX + m || world.x > r.maxX - m || world.z < r.minZ + m ||
                world.z > r.maxZ - m) {
                continue;
            }
            const auto height = raster.heightAt(world.x, world.z);
            // The flat underside at the base is no part of it.
            if (!height || world.y < *height - 8 * placement.cellSize) continue;
            visit(p, world);
            ++count;
        }
    });
    return count;
}

TEST(HeightToVoxels, LevelGroundIsExactAtAnyHeight) {
    Random random(1);
    double worst = 0;
    for (int i = 0; i < 24; ++i) {
        const double height = i == 0 ? 0 : (i == 1 ? 2 : random.range(-150, 150));
        const HeightRaster raster = makeRaster(12, 8, [&](double, double) { return height; });
        Grid grid = makeGrid({4, {1, 2.5, -3}});
        HeightToVoxelsOptions options;
        options.depth = 40;
        ASSERT_TRUE(heightToVoxels(grid, raster, options));
        const int count = forEachTop(grid, raster, 3, [&](Vec3d, WorldPosition world) {
            worst = std::max(worst, std::abs(world.y - static_cast<float>(height)) / 4);
        });
        ASSERT_GT(count, 200);
    }
    EXPECT_LT(worst, 0.005);
}

TEST(HeightToVoxels, SlopesBelow45DegreesAreWithinATwentiethOfACell) {
    Random random(2);
    double worst = 0;
    for (int i = 0; i < 8; ++i) {
        // Bumps whose slopes add up to less than 1.
        const double a = random.range(0.2, 0.6), b = random.range(0.1, 0.39), wave = random.range(25, 60);
        const double phase = random.range(0, 6);
        const HeightRaster raster = makeRaster(48, 4, [&](double x, double z) {
            return 100 + wave * (a * std::sin(x / wave + phase) + b * std::cos(z / wave));
        });
        Grid grid = makeGrid({3, {0.5, -1, 0.25}});
        ASSERT_TRUE(heightToVoxels(grid, raster));
        const int count = forEachTop(grid, raster, 3, [&](Vec3d, WorldPosition world) {
            worst = std::max(worst, std::abs(world.y - *raster.heightAt(world.x, world.z)) / 3);
        });
        ASSERT_GT(count, 2000);
    }
    RecordProperty("worst", std::to_string(worst));
    EXPECT_LT(worst, 0.05);
    EXPECT_GT(worst, 0);
}

TEST(HeightToVoxels, MaterialsFollowSlopeHeightAndDepth) {
    // Level, then a rise of 60 degrees, then level high up.
    const HeightRaster raster = makeRaster(64, 1, [](double x, double) {
        return x < 20 ? 10.0 : (x < 40 ? 10 + (x - 20) * 1.732 : 10 + 20 * 1.732);
    });
    Grid grid = makeGrid({1, {}});
    HeightToVoxelsOptions options;
    options.materials.snowHeight = 30;
    options.materials.topDepth = 2;
    options.materials.groundDepth = 5;
    options.baseHeight = -20.0;
    ASSERT_TRUE(heightToVoxels(grid, raster, options));
    const GroundMaterials& m = options.materials;
    EXPECT_EQ(grid.cell({8, 9, 8}), (Cell{m.grass, 191}));
    EXPECT_EQ(grid.cell({8, 8, 8}).material, m.grass);
    EXPECT_EQ(grid.cell({8, 7, 8}).material, m.ground);
    EXPECT_EQ(grid.cell({8, 3, 8}).material, m.ground);
    EXPECT_EQ(grid.cell({8, 2, 8}), (Cell{m.deep, 255}));
    EXPECT_EQ(grid.cell({8, -20, 8}), (Cell{m.deep, 255}));
    EXPECT_TRUE(grid.cell({8, -21, 8}).empty());
    EXPECT_TRUE(grid.cell({8, 12, 8}).empty());
    EXPECT_EQ(grid.cell({30, 26, 8}).material, m.rock);
    EXPECT_EQ(grid.cell({55, 44, 8}).material, m.snow);
    EXPECT_EQ(grid.cell({55, 40, 8}).material, m.ground);
}

TEST(HeightToVoxels, DeepChunksAreUniform) {
    const HeightRaster raster =
        makeRaster(64, 4, [](double x, double z) { return 5 * std::sin(x / 20 + z / 9); });
    Grid grid = makeGrid({2, {}});
    HeightToVoxelsOptions options;
    options.window = Rect{0, 0, 127.9, 127.9};
    options.baseHeight = -64.0 * 8;
    const auto report = heightToVoxels(grid, raster, options);
    ASSERT_TRUE(report);
    EXPECT_EQ(report->columns, 64 * 64);
    int uniform = 0, mixed = 0;
    grid.snapshot().forEachChunk([&](ChunkCoord, const Chunk& chunk) {
        ++(chunk.uniform() ? uniform : mixed);
        if (chunk.uniform()) {
            EXPECT_EQ(chunk.uniformCell(), (Cell{options.materials.deep, 255}));
        }
    });
    EXPECT_EQ(uniform, 4 * 7);
    EXPECT_EQ(mixed, 4 * 2);
}

TEST(HeightToVoxels, HolesStayOpenAndVoidsToo) {
    HeightRaster raster = makeRaster(32, 4, [](double, double) { return 20; });
    raster.setHoles(GridRect{10, 10, 14, 16}, true);
    Grid grid = makeGrid({2, {}});
    const auto report = heightToVoxels(grid, raster);
    ASSERT_TRUE(report);
    EXPECT_EQ(report->openColumns, 8 * 12);
    EXPECT_EQ(report->columns, 64 * 64 - 8 * 12);
    for (int y = -20; y < 12; ++y) {
        EXPECT_TRUE(grid.cell({23, y, 24}).empty());
        EXPECT_EQ(grid.cell({19, y, 24}).empty(), y < -22 || y > 10);
    }
}

TEST(HeightToVoxels, OnlyAdds) {
    const HeightRaster raster = makeRaster(16, 4, [](double, double) { return 9; });
    Grid grid = makeGrid({2, {}});
    ASSERT_TRUE(grid.setCell({4, 4, 4}, {13, 255}));  // the surface's own cell: it would be half full
    ASSERT_TRUE(grid.setCell({5, 4, 4}, {1, 255}));   // water gives way
    ASSERT_TRUE(grid.setCell({6, 4, 4}, {13, 9}));
    ASSERT_TRUE(grid.setCell({4, 12, 4}, {13, 255}));
    ASSERT_TRUE(heightToVoxels(grid, raster));
    EXPECT_EQ(grid.cell({4, 4, 4}), (Cell{13, 255}));
    EXPECT_EQ(grid.cell({5, 4, 4}), (Cell{2, 128}));
    EXPECT_EQ(grid.cell({6, 4, 4}), (Cell{2, 128}));
    EXPECT_EQ(grid.cell({4, 12, 4}), (Cell{13, 255}));
    const Revision revision = grid.revision();
    const auto again = heightToVoxels(grid, raster);
    ASSERT_TRUE(again);
    EXPECT_EQ(again->edit.changedCells, 0);
    EXPECT_EQ(grid.revision(), revision);
}

TEST(HeightToVoxels, ScaleAndOffsetPlaceTheWindow) {
    const HeightRaster raster = makeRaster(32, 10, [](double x, double) { return x < 155 ? 10 : 30; });
    Grid grid = makeGrid({1, {}});
    HeightToVoxelsOptions options;
    options.window = Rect{100, 50, 199.9, 99.9};
    options.scale = 0.25;
    options.heightScale = 2;
    options.offset = {1000, 7, -500};
    const auto report = heightToVoxels(grid, raster, options);
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_EQ(report->columns, 25 * 13);
    EXPECT_DOUBLE_EQ(report->lowest, 10 * 2 * 0.25 + 7);
    EXPECT_DOUBLE_EQ(report->highest, 30 * 2 * 0.25 + 7);
    EXPECT_EQ(report->edit.bounds.min.x, 1025);
    EXPECT_EQ(report->edit.bounds.max.x, 1050);
    EXPECT_EQ(report->edit.bounds.min.z, -488);
}

std::uint64_t hashOf(const GridSnapshot& grid) {
    Hasher hash;
    std::vector<Cell> cells(kChunkCellCount);
    grid.forEachChunk([&](ChunkCoord c, const Chunk& chunk) {
        hash.u32(static_cast<std::uint32_t>(c.x)).u32(static_cast<std::uint32_t>(c.y));
        hash.u32(static_cast<std::uint32_t>(c.z));
        chunk.copyTo(cells);
        hash.bytes(cells.data(), cells.size() * sizeof(Cell));
    });
    return hash.value();
}

TEST(HeightToVoxels, IsTheSameForAnyNumberOfWorkers) {
    const HeightRaster raster = makeRaster(
        60, 4, [](double x, double z) { return 40 * std::sin(x / 31) * std::cos(z / 17) + 0.1 * x; });
    Grid alone = makeGrid({2, {}});
    ASSERT_TRUE(heightToVoxels(alone, raster));
    for (const std::uint32_t workers : {2u, 5u}) {
        ThreadPool pool(workers);
        Externals externals;
        externals.jobs = &pool;
        Grid grid = makeGrid({2, {}}, externals);
        ASSERT_TRUE(heightToVoxels(grid, raster));
        EXPECT_EQ(hashOf(grid.snapshot()), hashOf(alone.snapshot()));
    }
}

TEST(HeightToVoxels, BadOptionsAreRefusedByNameAndChangeNothing) {
    const HeightRaster raster = makeRaster(16, 4, [](double, double) { return 9; });
    Grid grid = makeGrid({2, {}});
    const auto errorOf = [&](auto change) {
        HeightToVoxelsOptions options;
        change(options);
        const auto report = heightToVoxels(grid, raster, options);
        return report ? std::string("no error") : report.error().message;
    };
    const double nan = std::nan("");
    EXPECT_THAT(errorOf([](auto& o) { o.scale = 0; }), HasSubstr("scale is 0"));
    EXPECT_THAT(errorOf([&](auto& o) { o.heightScale = nan; }), HasSubstr("heightScale"));
    EXPECT_THAT(errorOf([](auto& o) { o.depth = -1; }), HasSubstr("depth is -1"));
    EXPECT_THAT(errorOf([&](auto& o) { o.offset.z = nan; }), HasSubstr("offset"));
    EXPECT_THAT(errorOf([&](auto& o) { o.baseHeight = nan; }), HasSubstr("baseHeight"));
    EXPECT_THAT(errorOf([](auto& o) { o.materials.rock = 1; }), HasSubstr("rock is material 1"));
    EXPECT_THAT(errorOf([](auto& o) { o.materials.snow = 77; }), HasSubstr("snow is material 77"));
    EXPECT_THAT(errorOf([](auto& o) { o.window = Rect{500, 0, 600, 10}; }), HasSubstr("no cell's middle"));
    EXPECT_THAT(errorOf([](auto& o) { o.offset.x = 1e12; }), HasSubstr("leave"));
    EXPECT_THAT(errorOf([](auto& o) { o.baseHeight = -1e12; }), HasSubstr("leave"));
    EXPECT_THAT(errorOf([](auto& o) { o.maxChunks = 3; }), HasSubstr("the limit is 3"));
    EXPECT_THAT(errorOf([](auto& o) { o.depth = 1e6, o.maxChunks = 100; }), HasSubstr("the limit is 100"));
    EXPECT_EQ(grid.revision(), 0u);
    EXPECT_EQ(grid.chunkCount(), 0u);
}

}  // namespace
}  // namespace karst::world
