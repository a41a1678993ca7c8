#include <common/mesh_picture.h>
#include <gmock/gmock.h>

#include "pass_scene.h"

namespace karst::render {

namespace {

class MeshPassTest : public test::GpuTest {
  protected:
    static constexpr int kSide = 64;
    static constexpr std::size_t kCentre = kSide / 2 * kSide + kSide / 2;

    app::MeshPictureRenderer::Picture draw(const app::PictureMesh& mesh, const SceneSettings& scene) {
        auto renderer = app::MeshPictureRenderer::create(
            context(), {.width = kSide, .height = kSide, .samples = VK_SAMPLE_COUNT_1_BIT});
        auto picture = renderer ? renderer->draw(mesh, scene) : renderer.error();
        if (!picture) {
            ADD_FAILURE() << picture.error().message;
            return {};
        }
        return *picture;
    }

    // A level square plate, seen from above counter-clockwise.
    static void addPlate(app::PictureMesh& mesh, float y, float half, const MeshVertex& like) {
        const auto first = static_cast<std::uint32_t>(mesh.vertices.size());
        for (const auto& [x, z] : {std::pair{-1, -1}, {1, -1}, {1, 1}, {-1, 1}}) {
            MeshVertex vertex = like;
            vertex.position = {static_cast<float>(x) * half, y, static_cast<float>(z) * half};
            vertex.normal = {0, 1, 0};
            mesh.vertices.push_back(vertex);
        }
        for (const std::uint32_t i : {0u, 3u, 2u, 0u, 2u, 1u})
            mesh.indices.push_back(first + i);
    }
};

SceneSettings lampScene(WorldPosition eye) {
    SceneSettings scene = plainScene(eye, {eye.x, 0, eye.z});
    scene.materials.detailSize = 1e-5f;  // the broad noise too is finer than a pixel
    scene.sun.direction = {0.5f, 0.5f, 0};
    scene.sun.color = {2, 1.5f, 1};
    scene.sky.horizon = scene.sky.zenith = {0.4f, 0.5f, 0.8f};
    return scene;
}

constexpr std::uint16_t sixteen(double value) {
    return static_cast<std::uint16_t>(value * 65535 + 0.5);
}

TEST_F(MeshPassTest, AVertexHasTheColourOfItsLight) {
    MeshVertex like;
    like.color = {sixteen(0.2), sixteen(0.3), sixteen(0.1), 65535};
    like.light = {sixteen(0.5), sixteen(0.25)};
    app::PictureMesh mesh;
    addPlate(mesh, 0, 20, like);
    mesh.opaqueIndices = 6;
    const auto picture = draw(mesh, lampScene({0, 10, 0}));
    const auto pixel = picture.image.pixel(kSide / 2, kSide / 2);
    const float sun = 0.5f * std::sqrt(0.5f), sky = 0.25f * 0.9f;
    EXPECT_NEAR(pixel[0], encoded(0.2f * (2.0f * sun + sky * 0.4f)), 1);
    EXPECT_NEAR(pixel[1], encoded(0.3f * (1.5f * sun + sky * 0.5f)), 1);
    EXPECT_NEAR(pixel[2], encoded(0.1f * (1.0f * sun + sky * 0.8f)), 1);
    EXPECT_NEAR(picture.depth[kCentre], 0.5 / 10, 1e-6);
}

TEST_F(MeshPassTest, TheUndersideIsLitFromBelow) {
    MeshVertex like;
    like.color = {sixteen(0.2), sixteen(0.3), sixteen(0.1), 65535};
    app::PictureMesh mesh;
    addPlate(mesh, 0, 20, like);
    mesh.opaqueIndices = 6;
    const SceneSettings scene = lampScene({0, -10, 0});
    const auto pixel = draw(mesh, scene).image.pixel(kSide / 2, kSide / 2);
    EXPECT_NEAR(pixel[0], encoded(0.2f * scene.sky.ground.x), 1);
    EXPECT_NEAR(pixel[1], encoded(0.3f * scene.sky.ground.y), 1);
}

TEST_F(MeshPassTest, WaterBlendsOverTheGroundAndLeavesTheDepth) {
    MeshVertex ground, water;
    ground.color = {sixteen(0.4), sixteen(0.1), sixteen(0.1), 65535};
    water.color = {sixteen(0.02), sixteen(0.1), sixteen(0.3), sixteen(0.5)};
    app::PictureMesh dry;
    addPlate(dry, 0, 20, ground);
    dry.opaqueIndices = 6;
    app::PictureMesh wet = dry;
    addPlate(wet, 1, 20, water);
    const SceneSettings scene = lampScene({0, 10, 0});
    const auto before = draw(dry, scene), after = draw(wet, scene);
    EXPECT_EQ(before.depth, after.depth);
    const auto a = before.image.pixel(kSide / 2, kSide / 2), b = after.image.pixel(kSide / 2, kSide / 2);
    EXPECT_LT(b[0], a[0] - 10);
    EXPECT_GT(b[2], a[2] + 10);

    // Under the ground it is hidden.
    app::PictureMesh under = dry;
    addPlate(under, -1, 20, water);
    EXPECT_EQ(draw(under, scene).image.rgba, before.image.rgba);
}

TEST_F(MeshPassTest, TheOriginMovesTheMeshWithTheCamera) {
    MeshVertex like;
    like.color = {sixteen(0.2), sixteen(0.3), sixteen(0.1), 65535};
    app::PictureMesh mesh;
    addPlate(mesh, 0, 20, like);
    mesh.opaqueIndices = 6;
    const auto here = draw(mesh, lampScene({0, 10, 0}));
    mesh.origin = {3e6, 0, -5e6};
    const auto there = draw(mesh, lampScene({3e6, 10, -5e6}));
    EXPECT_EQ(here.image.rgba, there.image.rgba);
}

TEST_F(MeshPassTest, NothingIsAnEmptySky) {
    const auto picture = draw({}, lampScene({0, 10, 0}));
    for (const float depth : picture.depth)
        ASSERT_EQ(depth, 0);
}

TEST_F(MeshPassTest, RefusesFormatsByName) {
    auto scene = SceneUniforms::create(device());
    ASSERT_TRUE(scene);
    MeshPassDesc bad;
    bad.target.formats.color = VK_FORMAT_R16G16B16A16_SFLOAT;
    const auto pass = MeshPass::create(device(), *scene, bad);
    ASSERT_FALSE(pass);
    EXPECT_THAT(pass.error().message, testing::HasSubstr("colour format"));
}

}  // namespace

}  // namespace karst::render
