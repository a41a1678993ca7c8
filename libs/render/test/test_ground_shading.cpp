#include <gmock/gmock.h>
#include <karst/render/mesh_pass.h>
#include <karst/render/terrain_pass.h>

#include "shaded_ground.h"
#include "tile_ground.h"

namespace karst::render {
namespace {

using heightfield::Surface;
using testing::HasSubstr;

class GroundShadingTest : public TileTest {
  protected:
    static constexpr int kSide = 128;

    static void TearDownTestSuite() {
        sharedShaded().reset();
        TileTest::TearDownTestSuite();
    }
    static std::optional<ShadedGround>& sharedShaded() {
        static std::optional<ShadedGround> shaded;
        return shaded;
    }

    void expectAlike(const Surface& surface, const SceneSettings& settings, const TileTerrainSettings& tiles,
                     const ShadowMapsDesc& shadows = {}, Difference allowed = {.mean = 1, .far = 0.02}) {
        // Pipelines cost time to make.
        std::optional<test::TileScene> own;
        if (shadows.cascades > 0) own.emplace(makeScene({.shadows = shadows}));
        test::TileScene& scene = own ? *own : shared();
        std::optional<ShadedGround>& shaded = sharedShaded();
        if (!shaded || shadows.cascades > 0) shaded.emplace(context(), kSide, kSide, shadows);
        const auto lit = draw(scene, settings, tiles, surface);
        const auto pixels = shaded->draw(surface, settings, tiles);
        const Difference d = compare(lit.image, lit.depth, pixels);
        EXPECT_GT(d.shaded, kSide * kSide / 4);
        EXPECT_EQ(d.missing, 0);
        EXPECT_EQ(d.outside, 0);
        EXPECT_LT(d.mean, allowed.mean);
        EXPECT_LT(d.far, allowed.far);
    }
};

TEST_F(GroundShadingTest, H21_LightsAsTheLitPassDoes) {
    expectAlike(ground(), look(above(300, 300, 30), above(700, 700, 0)), {.tolerance = 1});
    expectAlike(ground(), look(above(450, 420, 4), above(600, 700, 0)), {.tolerance = 0.5});
}

TEST_F(GroundShadingTest, H17_ShadowsFallOnWhatIsShaded) {
    SceneSettings settings = look(above(300, 300, 60), above(700, 700, 0));
    settings.sun.direction = sunDirection(4.9f, 0.3f);
    settings.cascades.count = 2;
    settings.cascades.distance = 1500;
    expectAlike(ground(), settings, {.tolerance = 1}, {.cascades = 2, .cascadeResolution = 512});
}

TEST_F(GroundShadingTest, H22_ShowsTheDiagnosticModes) {
    for (const Diagnostic mode : {Diagnostic::Levels, Diagnostic::Normals, Diagnostic::Error,
                                  Diagnostic::Materials, Diagnostic::Borders}) {
        SceneSettings settings = look(above(300, 300, 30), above(700, 700, 0));
        settings.diagnostic = mode;
        // Borders of colours are a pixel wide, and so are their differences. Lines are as wide as a pixel is
        // on the ground, which Lit asks of the triangle and this of the slope.
        const bool lines = mode == Diagnostic::Borders;
        expectAlike(ground(), settings, {.tolerance = 4}, {},
                    {.mean = lines ? 8.0 : 1, .far = lines ? 0.35 : 0.05});
    }
}

TEST_F(GroundShadingTest, HX3_AnyTransformFarFromTheOrigin) {
    TileTerrainSettings tiles{.tolerance = 1};
    // Turned by 30 degrees, scaled, mirrored, and a thousand kilometres away.
    const double c = 0.8660254037844386, s = 0.5;
    tiles.transform.axisX = {-1.5 * c, 0, 1.5 * s};
    tiles.transform.axisY = {0, 1.2, 0};
    tiles.transform.axisZ = {1.5 * s, 0, 1.5 * c};
    tiles.transform.translation = {1e6, 40, -1e6};
    const auto world = [&](double x, double z, double rise) {
        const double y = height(x, z) + rise;
        return tiles.transform.translation + tiles.transform.axisX * x + tiles.transform.axisY * y +
               tiles.transform.axisZ * z;
    };
    expectAlike(ground(), look(world(300, 300, 30), world(700, 700, 0)), tiles);
}

TEST_F(GroundShadingTest, HX2_HolesAreLeftAsTheyWere) {
    const Surface holed = test::makeGround(
        {.samples = 257, .spacing = 1000.0 / 256, .holeX0 = 100, .holeZ0 = 100, .holeX1 = 140, .holeZ1 = 140},
        height);
    const SceneSettings settings = look(above(300, 300, 60), above(520, 520, 0));
    expectAlike(holed, settings, {.tolerance = 1});
}

TEST_F(GroundShadingTest, RefusesWhatItCannotDo) {
    auto scene = SceneUniforms::create(device());
    ASSERT_TRUE(scene);
    for (const std::uint32_t targets : {0u, 65u}) {
        const auto shading = GroundShading::create(device(), *scene, targets);
        ASSERT_FALSE(shading);
        EXPECT_THAT(shading.error().message, HasSubstr("targets " + std::to_string(targets)));
    }
    ShadedGround shaded(context(), 16, 16);
    const auto beyond = shaded.shading().bind(1, {});
    ASSERT_FALSE(beyond);
    EXPECT_THAT(beyond.error().message, HasSubstr("target 1"));
    const auto null = shaded.shading().bind(0, {});
    ASSERT_FALSE(null);
    EXPECT_THAT(null.error().message, HasSubstr("visibility is null"));

    AttachmentFormats formats{VK_FORMAT_UNDEFINED, VK_FORMAT_D32_SFLOAT, VK_SAMPLE_COUNT_4_BIT};
    const auto samples = TilePass::create(device(), *scene, {{PassKind::Visibility, formats}});
    ASSERT_FALSE(samples);
    EXPECT_THAT(samples.error().message, HasSubstr("one sample a pixel, not 4"));
    formats.samples = VK_SAMPLE_COUNT_1_BIT;
    const auto mesh = MeshPass::create(device(), *scene, {.target = {PassKind::Visibility, formats}});
    ASSERT_FALSE(mesh);
    EXPECT_THAT(mesh.error().message,
                HasSubstr("mesh pass: PassKind::Visibility is for height tiles and voxel ground"));
}

TEST_F(GroundShadingTest, HX1_MoreRecordsTakeANewBuffer) {
    // The same objects draw few tiles, then many: sets and records follow.
    ShadedGround shaded(context(), kSide, kSide);
    const SceneSettings settings = look(above(300, 300, 30), above(700, 700, 0));
    test::TileScene& scene = shared();
    for (const double tolerance : {200.0, 0.2, 5.0}) {
        const TileTerrainSettings tiles{.tolerance = tolerance};
        const auto lit = draw(scene, settings, tiles, ground());
        const Difference d = compare(lit.image, lit.depth, shaded.draw(ground(), settings, tiles));
        EXPECT_EQ(d.missing + d.outside, 0) << tolerance;
        EXPECT_LT(d.mean, 1.0) << tolerance;
    }
}

}  // namespace
}  // namespace karst::render
