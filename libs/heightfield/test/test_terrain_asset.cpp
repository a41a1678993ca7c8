#include "package_test_data.h"

#include <gmock/gmock.h>
#include <karst/heightfield/terrain_asset.h>

namespace karst::heightfield {
namespace {

using namespace test_data;
using testing::HasSubstr;
using testing::StartsWith;
namespace fs = std::filesystem;

TerrainAsset randomAsset(test::Random& random, TerrainSampleType type) {
    TerrainAsset asset;
    TerrainManifest& manifest = asset.manifest;
    manifest.patchCells = 2u << random.integer(0, 4);
    manifest.patchesX = static_cast<std::uint32_t>(random.integer(1, 4));
    manifest.patchesZ = static_cast<std::uint32_t>(random.integer(1, 4));
    manifest.originX = random.range(-1000, 1000);
    manifest.originZ = random.range(-1000, 1000);
    manifest.spacingX = random.range(0.1, 30);
    manifest.spacingZ = random.range(0.1, 30);
    manifest.sampleType = type;
    manifest.range = {static_cast<float>(random.range(-500, -400)),
                      static_cast<float>(random.range(400, 3000))};
    TileLayout quantised;
    quantised.quantisation = manifest.range;
    for (std::uint64_t i = 0; i < std::uint64_t{manifest.samplesX()} * manifest.samplesZ(); ++i) {
        asset.heights.push_back(
            type == TerrainSampleType::Float32
                ? static_cast<float>(random.range(-400, 400))
                : quantised.dequantise(static_cast<std::uint16_t>(random.integer(0, 65535))));
    }
    for (std::uint32_t z = 0; z < manifest.patchesZ; ++z) {
        for (std::uint32_t x = 0; x < manifest.patchesX; ++x) {
            TerrainPatch patch;
            patch.bounds = {1e30f, -1e30f};
            for (std::uint32_t j = 0; j <= manifest.patchCells; ++j) {
                for (std::uint32_t i = 0; i <= manifest.patchCells; ++i) {
                    const float height =
                        asset.height(x * manifest.patchCells + i, z * manifest.patchCells + j);
                    patch.bounds = {std::min(patch.bounds.min, height), std::max(patch.bounds.max, height)};
                }
            }
            double error = 0;
            for (std::uint32_t level = 0; level <= manifest.levels(); ++level) {
                patch.errors.push_back(error);
                error += random.range(0, 4);
            }
            manifest.patches.push_back(patch);
        }
    }
    return asset;
}

const TerrainSampleType kTypes[] = {TerrainSampleType::Float32, TerrainSampleType::Quantised16};

TEST(TerrainAsset, H1_AssetsReadBackAsTheyWereWritten) {
    test::Random random(121);
    const test::TempFolder folder;
    for (int round = 0; round < 40; ++round) {
        TerrainAsset asset = randomAsset(random, kTypes[round % 2]);
        asset.manifest.heightsFile = round % 3 == 0 ? "grids/a b.bin" : "heights.bin";
        const Result<TerrainFiles> files = writeTerrain(asset);
        ASSERT_TRUE(files.ok()) << files.error().message;
        ASSERT_EQ(files->heights.size(), asset.manifest.heightsBytes());
        const Result<TerrainManifest> manifest = parseTerrain(files->manifest);
        ASSERT_TRUE(manifest.ok()) << manifest.error().message;
        asset.manifest.checksum = xxh64(files->heights);
        ASSERT_EQ(*manifest, asset.manifest);
        const Result<TerrainAsset> decoded = decodeTerrain(*manifest, files->heights);
        ASSERT_TRUE(decoded.ok()) << decoded.error().message;
        ASSERT_EQ(decoded->heights, asset.heights);
        ASSERT_EQ(writeTerrain(*decoded)->manifest, files->manifest);

        writeText(folder.path() / "terrain.json", files->manifest);
        writeFile(folder.path() / asset.manifest.heightsFile, files->heights);
        const Result<TerrainAsset> loaded = loadTerrain(folder.path() / "terrain.json");
        ASSERT_TRUE(loaded.ok()) << loaded.error().message;
        ASSERT_EQ(loaded->heights, asset.heights);
        ASSERT_EQ(loaded->manifest, asset.manifest);
    }
}

TEST(TerrainAsset, H1_TheFilesAreAsDocumented) {
    TerrainAsset asset;
    asset.manifest.patchCells = 2;
    asset.manifest.patches = {{{1, 9}, {0, 0.5}}};
    asset.heights = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    const std::string text =
        R"({"version": 1, "patch_cells": 2, "grid": [1, 1], "origin": [0, 0], "spacing": [1, 1],
        "heights": {"file": "heights.bin", "type": "f32", "range": [0, 1], "xxh64": "0123456789abcdef"},
        "patches": [{"bounds": [1, 9], "errors": [0, 0.5]}]})";
    const Result<TerrainManifest> manifest = parseTerrain(text);
    ASSERT_TRUE(manifest.ok()) << manifest.error().message;
    EXPECT_EQ(manifest->checksum, 0x0123456789abcdefu);
    asset.manifest.checksum = manifest->checksum;
    EXPECT_EQ(*manifest, asset.manifest);
    const Result<TerrainFiles> files = writeTerrain(asset);
    ASSERT_TRUE(files.ok()) << files.error().message;
    ASSERT_EQ(files->heights.size(), 36u);
    for (std::size_t i = 0; i < 9; ++i)
        EXPECT_EQ(peek(files->heights, 4 * i, 4), bitCast<std::uint32_t>(asset.heights[i]));
    asset.manifest.sampleType = TerrainSampleType::Quantised16;
    asset.manifest.range = {1, 9};
    const Result<TerrainFiles> small = writeTerrain(asset);
    ASSERT_TRUE(small.ok()) << small.error().message;
    ASSERT_EQ(small->heights.size(), 18u);
    EXPECT_EQ(peek(small->heights, 0, 2), 0u);
    EXPECT_EQ(peek(small->heights, 16, 2), 65535u);
}

// The two triangles, by barycentric weights instead of the library's formula.
TEST(TerrainAsset, H1_SampleTerrainIsTheTwoTrianglesOfTheCell) {
    test::Random random(122);
    for (int round = 0; round < 20; ++round) {
        const TerrainAsset asset = randomAsset(random, TerrainSampleType::Float32);
        const TerrainManifest& manifest = asset.manifest;
        for (int i = 0; i < 200; ++i) {
            const double u = random.range(0, manifest.samplesX() - 1.0),
                         v = random.range(0, manifest.samplesZ() - 1.0);
            const auto cx = static_cast<std::uint32_t>(u), cz = static_cast<std::uint32_t>(v);
            const double fx = u - cx, fz = v - cz;
            const double h10 = double{asset.height(cx + 1, cz)}, h01 = double{asset.height(cx, cz + 1)};
            const double expected =
                fx + fz <= 1
                    ? double{asset.height(cx, cz)} * (1 - fx - fz) + h10 * fx + h01 * fz
                    : double{asset.height(cx + 1, cz + 1)} * (fx + fz - 1) + h01 * (1 - fx) + h10 * (1 - fz);
            const auto height = sampleTerrain(asset, manifest.originX + u * manifest.spacingX,
                                              manifest.originZ + v * manifest.spacingZ);
            ASSERT_TRUE(height.has_value());
            ASSERT_NEAR(*height, expected, 1e-6);
            ASSERT_NEAR(sampleHeightTriangle(double{asset.height(cx, cz)}, h10, h01,
                                             double{asset.height(cx + 1, cz + 1)}, fx, fz),
                        expected, 1e-9);
        }
        for (std::uint32_t j = 0; j < manifest.samplesZ(); ++j) {
            for (std::uint32_t i = 0; i < manifest.samplesX(); ++i) {
                // Just inside the last sample, where rounding may place the point outside.
                const auto height =
                    sampleTerrain(asset, manifest.originX + i * manifest.spacingX * (1 - 1e-15),
                                  manifest.originZ + j * manifest.spacingZ * (1 - 1e-15));
                if (height.has_value()) {
                    ASSERT_NEAR(*height, double{asset.height(i, j)}, 1e-6);
                }
            }
        }
        const double beyond = manifest.originX + manifest.samplesX() * manifest.spacingX;
        EXPECT_FALSE(sampleTerrain(asset, beyond, manifest.originZ).has_value());
        EXPECT_FALSE(sampleTerrain(asset, manifest.originX - 0.01, manifest.originZ).has_value());
        EXPECT_FALSE(sampleTerrain(asset, manifest.originX, NAN).has_value());
    }
    TerrainAsset unit;
    unit.manifest.patchCells = 2;
    unit.manifest.patches = {{{1, 9}, {0, 0}}};
    unit.heights = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    EXPECT_EQ(sampleTerrain(unit, 0, 0), 1);
    EXPECT_EQ(sampleTerrain(unit, 2, 2), 9);  // the last sample belongs to the ground
    EXPECT_EQ(sampleTerrain(unit, 2, 0), 3);
}

TEST(TerrainAsset, H1_TheSurfaceHoldsThePatchesAsTiles) {
    test::Random random(123);
    for (const TerrainSampleType type : kTypes) {
        const TerrainAsset asset = randomAsset(random, type);
        const TerrainManifest& manifest = asset.manifest;
        const Result<Surface> surface = surfaceFromAsset(asset);
        ASSERT_TRUE(surface.ok()) << surface.error().message;
        const TileLayout& layout = surface->layout();
        EXPECT_EQ(layout.storedLevels, 1u);
        if (type == TerrainSampleType::Quantised16) {
            EXPECT_EQ(layout.quantisation, manifest.range);
        }
        // Every height can be stored.
        for (const float height : asset.heights) {
            ASSERT_GE(height, layout.quantisation.min);
            ASSERT_LE(height, layout.quantisation.max);
        }
        EXPECT_EQ(surface->tiles().size(), manifest.patches.size());
        for (std::uint32_t z = 0; z < manifest.patchesZ; ++z) {
            for (std::uint32_t x = 0; x < manifest.patchesX; ++x) {
                const HeightTile* tile = surface->find({0, x, z});
                ASSERT_NE(tile, nullptr);
                EXPECT_EQ(tile->bounds, asset.patch(x, z).bounds);
                EXPECT_EQ(tile->errors, asset.patch(x, z).errors);
                const Rect rect = layout.footprint(tile->key);
                const Bounds bounds = asset.patchBounds(x, z);
                EXPECT_NEAR(bounds.min.x, rect.minX, 1e-9);
                EXPECT_NEAR(bounds.max.x, rect.maxX, 1e-9);
                EXPECT_NEAR(bounds.min.z, rect.minZ, 1e-9);
                EXPECT_NEAR(bounds.max.z, rect.maxZ, 1e-9);
                EXPECT_EQ(bounds.min.y, double{tile->bounds.min});
                EXPECT_EQ(bounds.max.y, double{tile->bounds.max});
                const int cells = static_cast<int>(manifest.patchCells);
                for (int j = -1; j <= cells + 1; ++j) {
                    for (int i = -1; i <= cells + 1; ++i) {
                        int column = static_cast<int>(x) * cells + i, row = static_cast<int>(z) * cells + j;
                        column = std::max(0, std::min(column, static_cast<int>(manifest.samplesX()) - 1));
                        row = std::max(0, std::min(row, static_cast<int>(manifest.samplesZ()) - 1));
                        ASSERT_EQ(tile->sample(i, j), asset.height(static_cast<std::uint32_t>(column),
                                                                   static_cast<std::uint32_t>(row)));
                    }
                }
            }
        }
    }
}

TEST(TerrainAsset, H1_WrongManifestsAreRefusedByTheirField) {
    test::Random random(124);
    TerrainAsset asset = randomAsset(random, TerrainSampleType::Quantised16);
    const std::string good = writeTerrain(asset)->manifest;
    const auto expectRefused = [&](const std::string& from, const std::string& to, const char* field) {
        std::string text = good;
        const std::size_t at = text.find(from);
        ASSERT_NE(at, std::string::npos) << from;
        text.replace(at, from.size(), to);
        const Result<TerrainManifest> manifest = parseTerrain(text);
        ASSERT_FALSE(manifest.ok()) << to;
        EXPECT_THAT(manifest.error().message, StartsWith("terrain manifest: "));
        EXPECT_THAT(manifest.error().message, HasSubstr(field)) << to;
    };
    const std::string cells = "\"patch_cells\": " + std::to_string(asset.manifest.patchCells);
    expectRefused("\"version\": 1", "\"version\": 2", "version 2");
    expectRefused("\"version\": 1", "\"v\": 1", "version is missing");
    expectRefused(cells, "\"patch_cells\": 3", "patch_cells 3");
    expectRefused(cells, "\"patch_cells\": 4294967296", "patch_cells");
    expectRefused("\"grid\": [", "\"grid\": [1e9, ", "grid has 3");
    expectRefused("\"grid\": [", "\"grid\": [1e9, 1], \"x\": [", "grid");
    expectRefused("\"grid\": [", "\"grid\": [65536, 65536], \"x\": [", "grid");
    expectRefused("\"grid\": [", "\"grid\": [0, 1], \"x\": [", "grid");
    expectRefused("\"grid\": [", "\"grid\": [1.5, 1], \"x\": [", "grid");
    expectRefused("\"grid\": [", "\"grid\": [100, 100], \"x\": [", "patches");
    expectRefused("\"spacing\": [", "\"spacing\": [-", "spacing");
    expectRefused("\"spacing\": [", "\"spacing\": [1e308, 1], \"x\": [", "spacing");
    expectRefused("\"u16\"", "\"u8\"", "type u8");
    expectRefused("\"range\": [", "\"range\": [5, 4], \"x\": [", "range");
    expectRefused("\"range\": [", "\"range\": [0, 1e39], \"x\": [", "range");
    expectRefused("\"xxh64\": \"", "\"xxh64\": \"0", "xxh64");
    expectRefused("\"xxh64\": \"", "\"xxh64\": \"G\", \"x\": \"", "xxh64");
    expectRefused("heights.bin", "../heights.bin", "leaves the folder");
    expectRefused("heights.bin", "/heights.bin", "absolute");
    expectRefused("heights.bin", "c:heights.bin", "colon");
    expectRefused("\"bounds\": [", "\"bounds\": [1], \"x\": [", "patches[0]: bounds has 1");
    expectRefused("\"bounds\": [", "\"bounds\": [2, 1], \"x\": [", "patches[0]: bounds");
    expectRefused("\"bounds\": [", "\"bounds\": [null, 1], \"x\": [", "patches[0]: bounds[0]");
    expectRefused("\"errors\": [", "\"errors\": [0, ", "patches[0]: errors");
    expectRefused("\"errors\": [0", "\"errors\": [1e300", "patches[0]: error table");
    expectRefused("\"errors\": [0", "\"errors\": [-1", "patches[0]: error table");
    for (std::size_t size = 0; size + 2 < good.size(); size += 3)
        ASSERT_FALSE(parseTerrain(good.substr(0, size)).ok());
}

TEST(TerrainAsset, H1_WrongHeightsAreRefused) {
    test::Random random(125);
    for (const TerrainSampleType type : kTypes) {
        const TerrainAsset asset = randomAsset(random, type);
        const TerrainFiles files = *writeTerrain(asset);
        const TerrainManifest manifest = *parseTerrain(files.manifest);
        std::vector<std::byte> bytes = files.heights;
        bytes.pop_back();
        EXPECT_THAT(decodeTerrain(manifest, bytes).error().message,
                    HasSubstr("bytes are not the manifest's"));
        bytes = files.heights;
        for (int i = 0; i < 50; ++i) {
            const std::size_t bit = random.next() % (bytes.size() * 8);
            bytes[bit / 8] ^= std::byte{1} << (bit % 8);
            const Result<TerrainAsset> decoded = decodeTerrain(manifest, bytes);
            ASSERT_FALSE(decoded.ok());
            EXPECT_THAT(decoded.error().message, HasSubstr("xxh64"));
            bytes[bit / 8] ^= std::byte{1} << (bit % 8);
        }
        TerrainManifest tight = manifest;
        tight.patches.back().bounds = {tight.patches.back().bounds.max, tight.patches.back().bounds.max};
        EXPECT_THAT(decodeTerrain(tight, files.heights).error().message, HasSubstr("bounds"));
    }
    TerrainAsset asset = randomAsset(random, TerrainSampleType::Float32);
    TerrainFiles files = *writeTerrain(asset);
    poke(files.heights, 4, std::numeric_limits<float>::quiet_NaN());
    TerrainManifest manifest = *parseTerrain(files.manifest);
    manifest.checksum = xxh64(files.heights);
    EXPECT_THAT(decodeTerrain(manifest, files.heights).error().message, HasSubstr("not finite"));
    asset.heights[1] = NAN;
    EXPECT_FALSE(writeTerrain(asset).ok());
}

TEST(TerrainAsset, H1_LoadRefusesHeightsOutsideTheFolder) {
    test::Random random(126);
    const test::TempFolder outer;
    const TerrainAsset asset = randomAsset(random, TerrainSampleType::Float32);
    const TerrainFiles files = *writeTerrain(asset);
    const fs::path root = outer.path() / "asset";
    writeText(root / "terrain.json", files.manifest);
    EXPECT_EQ(loadTerrain(root / "terrain.json").error().code, ErrorCode::NotFound);
    writeFile(outer.path() / "secret.bin", files.heights);
    fs::create_symlink("../secret.bin", root / "heights.bin");
    EXPECT_THAT(loadTerrain(root / "terrain.json").error().message, HasSubstr("symbolic link"));
    fs::remove(root / "heights.bin");
    writeFile(root / "heights.bin", files.heights);
    EXPECT_TRUE(loadTerrain(root / "terrain.json").ok());
    fs::resize_file(root / "heights.bin", std::uintmax_t{1} << 40);
    EXPECT_EQ(loadTerrain(root / "terrain.json").error().code, ErrorCode::TooLarge);
    EXPECT_EQ(loadTerrain(root / "nothing.json").error().code, ErrorCode::NotFound);
}

}  // namespace
}  // namespace karst::heightfield
