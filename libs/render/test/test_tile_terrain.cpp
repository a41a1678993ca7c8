#include <gmock/gmock.h>
#include <karst_test/test_support.h>

#include <limits>

#include "tile_ground.h"

namespace karst::render {

namespace {

using namespace heightfield;
using testing::HasSubstr;

class TileTerrainTest : public TileTest {};

SceneSettings withShadows(SceneSettings scene, bool light) {
    scene.sun.direction = sunDirection(4.9f, 0.5f);
    scene.cascades.count = 2;
    scene.cascades.distance = 900;
    if (light) {
        scene.lightCount = 1;
        scene.lights[0].position = scene.camera.position + scene.camera.forward * 60;
        scene.lights[0].radius = 200;
        scene.lights[0].color = {2000, 1500, 1000};
    }
    return scene;
}

TEST_F(TileTerrainTest, H17_CullingLosesNoVisibleTriangle) {
    test::TileSceneDesc desc;
    desc.prepass = true;
    desc.shadows = {.cascades = 2, .cascadeResolution = 256, .pointLights = 1, .pointResolution = 128};
    test::TileScene scene = makeScene(desc);
    test::Random random(5);
    std::uint32_t culled = 0;
    for (int round = 0; round < 6; ++round) {
        // One by one: compilers evaluate arguments in different orders.
        const double x = random.range(100, 900), z = random.range(100, 900), rise = random.range(2, 150);
        const double toX = random.range(0, 1000), toZ = random.range(0, 1000);
        const SceneSettings settings =
            withShadows(look(above(x, z, rise), above(toX, toZ, 0)), round % 2 == 0);
        TileTerrainSettings tiles;
        tiles.tolerance = random.range(1, 6);
        const test::TilePicture some = draw(scene, settings, tiles);
        tiles.cull = false;
        const test::TilePicture all = draw(scene, settings, tiles);
        ASSERT_EQ(some.depth, all.depth);
        ASSERT_EQ(some.image.rgba, all.image.rgba);
        ASSERT_EQ(some.stats.selected, all.stats.selected);
        ASSERT_EQ(all.stats.distinct, all.stats.selected);
        culled += all.drawn.tiles - some.drawn.tiles;
        ASSERT_LE(some.stats.shadowDraws, all.stats.shadowDraws);
        ASSERT_EQ(some.drawn.triangles, some.stats.cameraTriangles);
        ASSERT_EQ(some.shadows.triangles, some.stats.shadowTriangles);
        ASSERT_EQ(some.shadows.tiles, some.stats.shadowDraws);
    }
    EXPECT_GT(culled, 50u);
}

// A pixel much farther than all around it shows what is behind the ground. Tiles of several strides meet in
// these pictures; without seams some hundred thousand pixels hold one or two such.
TEST_F(TileTerrainTest, H13_NoCrackOpensBetweenTiles) {
    const Surface wide =
        test::makeGround({.samples = 513, .spacing = 4, .tileCells = 32}, [](double x, double z) {
            return 400 * test::hills(x / 1024 - 1, z / 1024 - 1) + 3 * std::sin(x / 9) * std::cos(z / 7);
        });
    constexpr int kSide = 384;
    test::TileScene scene = makeScene({.width = kSide, .height = kSide});
    test::Random random(9);
    std::size_t cracks = 0, pixels = 0;
    for (int round = 0; round < 8; ++round) {
        const double x = random.range(500, 1500), z = random.range(500, 1500), turn = random.range(0, 6.3);
        const double rise = random.range(30, 150), tolerance = random.range(1.5, 4);
        const double ground = 400 * test::hills(x / 1024 - 1, z / 1024 - 1);
        const test::TilePicture picture = draw(
            scene, look({x, ground + rise, z}, {x + 300 * std::sin(turn), ground, z + 300 * std::cos(turn)}),
            {.tolerance = tolerance}, wide);
        EXPECT_GT(picture.drawn.draws, 1u);
        for (int y = 1; y < kSide - 1; ++y) {
            for (int i = 1; i < kSide - 1; ++i) {
                const auto depth = [&](int dx, int dy) {
                    return picture.depth[static_cast<std::size_t>((y + dy) * kSide + i + dx)];
                };
                float least = 1;
                for (int n = 0; n < 9; ++n) {
                    if (n != 4) least = std::min(least, depth(n % 3 - 1, n / 3 - 1));
                }
                pixels += least > 0;
                cracks += least > 0 && depth(0, 0) < 0.97f * least;
            }
        }
    }
    EXPECT_EQ(cracks, 0u) << "of " << pixels;
    EXPECT_GT(pixels, 500000u);
}

TEST_F(TileTerrainTest, H17_TurningTheCameraChangesNoDetail) {
    test::TileScene& scene = shared();
    const WorldPosition eye = above(500, 400, 30);
    std::uint32_t selected = 0, least = ~0u, most = 0;
    for (int turn = 0; turn < 6; ++turn) {
        const double angle = turn * 1.05;
        const test::TilePicture picture =
            draw(scene, look(eye, eye + Vec3d{std::sin(angle), -0.2, std::cos(angle)}));
        if (turn == 0) selected = picture.stats.selected;
        EXPECT_EQ(picture.stats.selected, selected);
        least = std::min(least, picture.stats.drawn);
        most = std::max(most, picture.stats.drawn);
    }
    EXPECT_LT(least, most);
    EXPECT_LT(most, selected);
}

TEST_F(TileTerrainTest, H17_InACascadeOnlyUnseenTilesAreCoarse) {
    // A view of the sun over everything, and a camera that looks away from most of the ground.
    auto terrain = TileTerrain::create(device());
    ASSERT_TRUE(terrain);
    const SceneSettings settings = look(above(500, 500, 20), above(500, 900, 0));
    RenderView everything;
    everything.camera = false;
    everything.frustum.count = 0;
    const auto shadowTriangles = [&](double texel, const Frustum& seen) {
        everything.texelSize = texel;
        RenderView camera = cameraView(settings.camera);
        camera.frustum = seen;
        const std::array views = {camera, everything};
        const auto stats = terrain->prepare(ground(), settings.camera, 800, {}, views);
        EXPECT_TRUE(stats);
        EXPECT_EQ(stats->shadowDraws, stats->selected);
        return stats->shadowTriangles;
    };
    const Frustum narrow = settings.camera.frustum();
    const std::uint64_t finest = shadowTriangles(0, narrow);
    const std::uint64_t fine = shadowTriangles(1e-6, narrow);
    const std::uint64_t coarse = shadowTriangles(4, narrow);
    const std::uint64_t coarser = shadowTriangles(100, narrow);
    EXPECT_EQ(fine, finest);
    EXPECT_LT(coarse, finest / 2);
    EXPECT_LT(coarser, coarse);
    // What the camera sees keeps its detail.
    EXPECT_EQ(shadowTriangles(100, Frustum{}), finest);
}

TEST_F(TileTerrainTest, H18_OnlyTilesThatAreDrawnAreUploadedAndOnlyOnce) {
    test::TileScene& scene = shared();
    const SceneSettings settings = look(above(300, 300, 10), above(900, 900, 0));
    const test::TilePicture first = draw(scene, settings);
    EXPECT_LT(first.stats.distinct, first.stats.selected);
    EXPECT_EQ(first.stats.uploads, first.stats.distinct);
    EXPECT_EQ(first.stats.uploadBytes, first.stats.uploads * layerBytes());
    const test::TilePicture again = draw(scene, settings);
    EXPECT_EQ(again.stats.uploads, 0u);
    EXPECT_EQ(again.image.rgba, first.image.rgba);
}

TEST_F(TileTerrainTest, H18_ThePoolDoublesAndKeepsItsLayers) {
    test::TileScene& scene = shared();
    // From high above few tiles are drawn, then ever more.
    std::uint32_t layers = 0, grown = 0;
    test::TilePicture last;
    SceneSettings lastSettings;
    for (const double rise : {1500.0, 400.0, 100.0, 30.0, 4.0}) {
        const SceneSettings settings = look(above(300, 300, rise), above(700, 700, 0));
        const test::TilePicture picture = draw(scene, settings, {.tolerance = 0.7});
        const std::uint32_t now = picture.stats.layers;
        EXPECT_EQ(now & (now - 1), 0u) << "a power of two";
        EXPECT_GE(now, picture.stats.distinct);
        if (layers != 0 && now > layers) {
            ++grown;
            EXPECT_LT(picture.stats.uploads, picture.stats.distinct) << "kept what it had";
        }
        layers = now;
        last = picture;
        lastSettings = settings;
    }
    // The same picture as from a pool that never grew.
    const test::TilePicture expected = draw(shared(), lastSettings, {.tolerance = 0.7});
    EXPECT_EQ(expected.stats.uploads, expected.stats.distinct);
    EXPECT_EQ(last.image.rgba, expected.image.rgba);
    EXPECT_EQ(last.depth, expected.depth);
    EXPECT_GE(grown, 1u);
}

TEST_F(TileTerrainTest, H18_PastTheLimitTheToleranceGrows) {
    const SceneSettings settings = look(above(300, 300, 10), above(700, 700, 0));
    const test::TilePicture whole = draw(shared(), settings, {.tolerance = 0.5});
    ASSERT_GT(whole.stats.distinct, 24u);
    EXPECT_EQ(whole.stats.tolerance, 0.5);
    test::TileScene limited = makeScene({.terrain = {.layerLimit = 24}});
    const test::TilePicture coarse = draw(limited, settings, {.tolerance = 0.5});
    EXPECT_EQ(coarse.stats.layers, 24u);
    EXPECT_LE(coarse.stats.distinct, 24u);
    EXPECT_GT(coarse.stats.distinct, 6u) << "no coarser than need be";
    EXPECT_GT(coarse.stats.tolerance, 0.5);
    // All the ground is still there, and about where it was.
    int ground = 0, lost = 0;
    double off = 0;
    for (std::size_t i = 0; i < whole.depth.size(); ++i) {
        if (whole.depth[i] == 0) continue;
        ++ground;
        lost += coarse.depth[i] == 0;
        if (coarse.depth[i] != 0) off += std::abs(std::log(double{coarse.depth[i]} / double{whole.depth[i]}));
    }
    EXPECT_GT(ground, 5000);
    EXPECT_LT(lost, ground / 50);
    EXPECT_LT(off / ground, 0.05);
    // The next frame begins with the tolerance that is asked for.
    const test::TilePicture few = draw(limited, look({500, 4000, 500}, {500, 0, 500}));
    EXPECT_EQ(few.stats.tolerance, 1);
    // A limit below the roots is refused.
    const Surface rooted = test::makeGround({.samples = 65, .tileCells = 16, .levels = 1}, height);
    auto tiny = TileTerrain::create(device(), {.layerLimit = 4});
    ASSERT_TRUE(tiny);
    const CameraView above = look({32, 400, 32}, {32, 0, 32}).camera;
    const RenderView view = cameraView(above);
    const auto refused = tiny->prepare(rooted, above, 128, {}, {&view, 1});
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message, HasSubstr("limit of 4 layers"));
}

TEST_F(TileTerrainTest, H19_OneInstancedDrawALevel) {
    test::TileScene& scene = shared();
    for (const double tolerance : {0.3, 2.0, 20.0}) {
        const test::TilePicture picture =
            draw(scene, look(above(300, 300, 10), above(700, 700, 0)), {.tolerance = tolerance});
        EXPECT_GE(picture.drawn.draws, 1u);
        EXPECT_LE(picture.drawn.draws, ground().layout().tileLevels() + 1);
        EXPECT_EQ(picture.drawn.tiles, picture.stats.drawn);
        EXPECT_GT(picture.drawn.tiles, picture.drawn.draws);
    }
    // A small terrain whose single root is drawn at every stride.
    const Surface one =
        test::makeGround({.samples = 129, .spacing = 8, .tileCells = 128, .levels = 1}, height);
    std::uint64_t before = ~std::uint64_t{0};
    for (const double tolerance : {0.01, 1.0, 10.0, 100.0, 1e4}) {
        const test::TilePicture picture =
            draw(scene, look({500, 1500, 500}, {500, 0, 500}), {.tolerance = tolerance}, one);
        EXPECT_EQ(picture.drawn.draws, 1u);
        EXPECT_EQ(picture.drawn.tiles, 1u);
        EXPECT_LE(picture.drawn.triangles, before);
        before = picture.drawn.triangles;
    }
    EXPECT_LT(before, 128u * 128 / 2);
}

TEST_F(TileTerrainTest, H20_LayersHoldWhatTheCpuWrites) {
    test::TileScene& scene = shared();
    draw(scene, look(above(300, 300, 30), above(700, 700, 0)), {.tolerance = 0.5});
    int compared = 0;
    for (const TilePtr& tile : ground().tiles()) {
        const auto layer = scene.terrain().layerOf(tile->key);
        if (!layer || ++compared > 24) continue;
        ASSERT_EQ(readLayer(scene.terrain(), *layer), layerOf(ground(), *tile));
    }
    EXPECT_GT(compared, 20);
}

TEST_F(TileTerrainTest, H20_ATileIsUploadedAgainWhenItOrWhatItsRingsReadChanges) {
    test::TileScene& scene = shared();
    const SceneSettings settings = look(above(300, 300, 30), above(700, 700, 0));
    const SurfaceLineage lineage = Surface::newLineage();
    std::vector<TilePtr> tiles(ground().tiles().begin(), ground().tiles().end());
    Surface surface = Surface::publish(ground().layout(), tiles, 0, lineage, 1);
    const test::TilePicture before = draw(scene, settings, {}, surface);
    // One tile is raised by a metre.
    std::size_t which = 0;
    for (std::size_t i = 0; i < tiles.size(); ++i) {
        const TileKey key = tiles[i]->key;
        if (scene.terrain().layerOf(key) && key.x > 2 && key.z > 2) which = i;
    }
    auto raised = std::make_shared<HeightTile>(*tiles[which]);
    ++raised->revision;
    for (float& sample : raised->samples)
        sample += 1;
    raised->bounds.max += 1;
    const Surface old = surface;
    tiles[which] = raised;
    surface = Surface::publish(ground().layout(), tiles, 0, lineage, 2);
    std::uint32_t expected = 0;
    for (const TilePtr& tile : tiles) {
        if (!scene.terrain().layerOf(tile->key)) continue;
        expected += layerStamp(*tile, layerSources(surface, tile->key)) !=
                    layerStamp(*old.find(tile->key), layerSources(old, tile->key));
    }
    EXPECT_GE(expected, 2u);
    EXPECT_LE(expected, 5u);
    const test::TilePicture after = draw(scene, settings, {}, surface);
    EXPECT_EQ(after.stats.uploads, expected);
    EXPECT_EQ(after.stats.residentBytes,
              before.stats.residentBytes + raised->memoryBytes() - old.find(raised->key)->memoryBytes());
    EXPECT_NE(after.depth, before.depth);
    EXPECT_EQ(readLayer(scene.terrain(), *scene.terrain().layerOf(raised->key)), layerOf(surface, *raised));
}

TEST_F(TileTerrainTest, H22_StatsSayWhatIsDrawn) {
    test::TileScene scene = makeScene({.shadows = {.cascades = 2, .cascadeResolution = 256}});
    const test::TilePicture picture =
        draw(scene, withShadows(look(above(300, 300, 10), above(700, 700, 0)), false));
    const TerrainStats& stats = picture.stats;
    EXPECT_EQ(stats.drawn, picture.drawn.tiles);
    EXPECT_EQ(stats.cameraTriangles, picture.drawn.triangles);
    EXPECT_EQ(stats.shadowDraws, picture.shadows.tiles);
    EXPECT_EQ(stats.shadowTriangles, picture.shadows.triangles);
    EXPECT_GE(stats.distinct, stats.drawn);
    EXPECT_GE(stats.selected, stats.distinct);
    EXPECT_EQ(stats.finestLevel, 0);
    EXPECT_EQ(stats.residentTiles, ground().tiles().size());
    std::uint64_t bytes = 0;
    for (const TilePtr& tile : ground().tiles())
        bytes += tile->memoryBytes();
    EXPECT_EQ(stats.residentBytes, bytes);
    EXPECT_EQ(stats.layerBytes, stats.layers * layerBytes());
    EXPECT_GT(stats.prepareSeconds, 0);
}

TEST_F(TileTerrainTest, H22_InvalidSettingsFailBeforeAnythingIsRecorded) {
    test::TileScene& scene = shared();
    const SceneSettings settings = look(above(300, 300, 30), above(700, 700, 0));
    draw(scene, settings);
    const double nan = std::numeric_limits<double>::quiet_NaN(),
                 infinite = std::numeric_limits<double>::infinity();
    const auto refuses = [&](const char* what, const TileTerrainSettings& bad) {
        const auto picture = scene.draw(ground(), settings, bad);
        ASSERT_FALSE(picture) << what;
        EXPECT_EQ(picture.error().code, ErrorCode::InvalidArgument);
        EXPECT_THAT(picture.error().message, HasSubstr(what));
    };
    for (const double bad : {0.0, -1.0, nan, infinite})
        refuses("tolerance", {.tolerance = bad});
    for (const double bad : {-1.0, nan, infinite})
        refuses("target radius", {.targetRadius = bad});
    refuses("focus", {.focus = WorldPosition{0, nan, 0}});
    TileTerrainSettings bent;
    bent.transform.axisY.z = nan;
    refuses("Y axis", bent);
    bent = {};
    bent.transform.translation.x = infinite;
    refuses("translation", bent);

    auto terrain = TileTerrain::create(device());
    ASSERT_TRUE(terrain);
    const RenderView view = cameraView(settings.camera);
    EXPECT_FALSE(terrain->prepare(ground(), settings.camera, 0, {}, {&view, 1}));
    EXPECT_FALSE(TileTerrain::create(device(), {.framesInFlight = 0}));
    EXPECT_FALSE(TileTerrain::create(device(), {.framesInFlight = 9}));
    // After a failure the same object draws again.
    draw(scene, settings);
}

TEST_F(TileTerrainTest, H22_ACollapsedTransformPinsTheFinestGeometry) {
    auto terrain = TileTerrain::create(device());
    ASSERT_TRUE(terrain);
    const SceneSettings settings = look({500, 5000, 500}, {500, 0, 500});
    const RenderView view = cameraView(settings.camera);
    TileTerrainSettings tiles;
    tiles.tolerance = 50;
    tiles.cull = false;
    const auto prepare = [&] {
        return terrain->prepare(ground(), settings.camera, 128, tiles, {&view, 1}).value();
    };
    const std::uint64_t all = std::uint64_t{256} * 256 * 2;
    EXPECT_LT(prepare().cameraTriangles, all / 4);
    for (const TerrainTransform& collapsed :
         {TerrainTransform{.axisX = {}}, TerrainTransform{.axisY = {}}, TerrainTransform{.axisZ = {1, 0, 0}},
          TerrainTransform{{}, {}, {}, {}}}) {
        tiles.transform = collapsed;
        const TerrainStats stats = prepare();
        EXPECT_EQ(stats.cameraTriangles, all);
        EXPECT_EQ(stats.finestLevel, 0);
    }
    // It is drawn without harm.
    EXPECT_EQ(draw(shared(), settings, tiles).stats.finestLevel, 0);
}

TEST_F(TileTerrainTest, H23_ThePoolIsReleasedWhenHiddenOrOfAnotherLineage) {
    test::TileScene& scene = shared();
    const SceneSettings settings = look(above(300, 300, 30), above(700, 700, 0));
    const test::TilePicture first = draw(scene, settings);
    EXPECT_GT(first.stats.layers, 0u);
    EXPECT_NE(scene.terrain().poolImage(), VkImage{VK_NULL_HANDLE});

    const test::TilePicture hidden = draw(scene, settings, {.hidden = true});
    EXPECT_EQ(hidden.stats.layers, 0u);
    EXPECT_EQ(hidden.stats.selected, 0u);
    EXPECT_EQ(hidden.drawn.draws, 0u);
    EXPECT_EQ(scene.terrain().poolImage(), VkImage{VK_NULL_HANDLE});
    for (const float depth : hidden.depth)
        ASSERT_EQ(depth, 0);

    const test::TilePicture shown = draw(scene, settings);
    EXPECT_EQ(shown.stats.uploads, first.stats.uploads) << "all anew";
    EXPECT_EQ(shown.image.rgba, first.image.rgba);

    // A new snapshot of the same lineage keeps the layers, one of another does not.
    std::vector<TilePtr> tiles(ground().tiles().begin(), ground().tiles().end());
    EXPECT_EQ(draw(scene, settings, {}, Surface::publish(ground().layout(), tiles, 0, ground().lineage(), 7))
                  .stats.uploads,
              0u);
    const test::TilePicture other = draw(scene, settings, {}, *Surface::fromTiles(ground().layout(), tiles));
    EXPECT_EQ(other.stats.uploads, first.stats.uploads);
    EXPECT_EQ(other.image.rgba, first.image.rgba);

    // An empty surface draws nothing and holds nothing.
    EXPECT_EQ(draw(scene, settings, {}, Surface()).stats.layers, 0u);
    EXPECT_EQ(scene.terrain().poolImage(), VkImage{VK_NULL_HANDLE});
}

TEST_F(TileTerrainTest, APrepareThatIsNotRecordedLosesNothing) {
    test::TileScene& scene = shared();
    const SceneSettings wide = look(above(300, 300, 4), above(700, 700, 0));
    const RenderView view = cameraView(wide.camera);
    ASSERT_TRUE(scene.terrain().prepare(ground(), wide.camera, 128, {}, {&view, 1}));
    ASSERT_TRUE(scene.terrain().prepare(ground(), wide.camera, 2000, {}, {&view, 1}));
    const test::TilePicture picture = draw(scene, wide);
    EXPECT_EQ(draw(shared(), wide).image.rgba, picture.image.rgba);
}

}  // namespace

}  // namespace karst::render
