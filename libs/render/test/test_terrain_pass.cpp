#include <gmock/gmock.h>

#include <cstring>
#include <set>
#include <string>

#include "pass_scene.h"

namespace karst::render {

namespace {

using heightfield::VertexLayout;
using test::GridMesh;

class TerrainPassTest : public PassTest {
  protected:
    static GridMesh hillMesh(const VertexLayout& layout, double minX = -64, double minZ = -64) {
        return test::makeGridMesh(
            {.layout = layout, .columns = 129, .rows = 129, .minX = minX, .minZ = minZ, .spacing = 1},
            [&](double x, double z) { return 40 * test::hills((x - minX) / 64 - 1, (z - minZ) / 64 - 1); });
    }
};

// Wraps the device's functions to see what is asked for and how often is drawn.
std::set<std::string>* askedFor = nullptr;
int indexedDraws = 0;
PFN_vkCmdDrawIndexed realDrawIndexed = nullptr;

VKAPI_ATTR void VKAPI_CALL countDrawIndexed(VkCommandBuffer commands, std::uint32_t indexCount,
                                            std::uint32_t instances, std::uint32_t firstIndex,
                                            std::int32_t vertexOffset, std::uint32_t firstInstance) {
    ++indexedDraws;
    realDrawIndexed(commands, indexCount, instances, firstIndex, vertexOffset, firstInstance);
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL watchingGetDeviceProcAddr(VkDevice device, const char* name) {
    askedFor->insert(name);
    const PFN_vkVoidFunction function = vkGetDeviceProcAddr(device, name);
    if (std::strcmp(name, "vkCmdDrawIndexed") != 0) return function;
    realDrawIndexed = reinterpret_cast<PFN_vkCmdDrawIndexed>(function);
    return reinterpret_cast<PFN_vkVoidFunction>(countDrawIndexed);
}

TEST_F(TerrainPassTest, N2_TheWholePoolIsOneIndexedDraw) {
    std::set<std::string> asked;
    askedFor = &asked;
    indexedDraws = 0;
    VulkanDevice watched = device();
    watched.getDeviceProcAddr = watchingGetDeviceProcAddr;
    const GridMesh mesh = hillMesh(VertexLayout::compact());
    auto target = app::OffscreenTarget::create(context(), {.width = 64, .height = 64});
    ASSERT_TRUE(target);
    auto scene = SceneUniforms::create(watched);
    ASSERT_TRUE(scene) << scene.error().message;
    auto pass = TerrainPass::create(watched, *scene,
                                    {.target = {PassKind::Lit, target->formats()}, .layout = mesh.layout});
    ASSERT_TRUE(pass) << pass.error().message;
    auto buffers = NodeMeshBuffers::create(
        watched, {.vertexBytes = mesh.vertexBytes().size(), .indexBytes = mesh.indexBytes().size()});
    ASSERT_TRUE(buffers);
    ASSERT_TRUE(buffers->uploadVertices(0, mesh.vertexBytes()));
    ASSERT_TRUE(buffers->uploadIndices(0, mesh.indexBytes()));
    TerrainDrawStats stats, nothing;
    const auto drawn = app::submitAndWait(context(), [&](VkCommandBuffer commands) -> Result<void> {
        buffers->recordUploads(commands);
        if (auto updated = scene->recordUpdate(commands, plainScene({0, 100, 90}, {0, 0, 0})); !updated)
            return updated;
        target->beginRendering(commands);
        stats = pass->record(commands, *scene, scene->camera(), *buffers, mesh.indexCount(), target->area());
        nothing = pass->record(commands, *scene, scene->camera(), *buffers, 0, target->area());
        target->endRendering(commands);
        return {};
    });
    ASSERT_TRUE(drawn) << drawn.error().message;
    EXPECT_EQ(indexedDraws, 1);
    EXPECT_EQ(stats.draws, 1u);
    EXPECT_EQ(stats.indices, 128u * 128 * 6);
    EXPECT_EQ(stats.triangles, 128u * 128 * 2);
    EXPECT_EQ(nothing.draws, 0u);
    for (const std::string& name : asked) {
        EXPECT_THAT(name, testing::Not(testing::AnyOf(testing::HasSubstr("Queue"), testing::HasSubstr("Wait"),
                                                      testing::HasSubstr("Present"),
                                                      testing::HasSubstr("CommandPool"))))
            << "the part only records";
    }
}

TEST_F(TerrainPassTest, OctahedralNormalsGiveTheSamePictureAsFloats) {
    const SceneSettings scene = plainScene({30, 60, 90}, {0, 5, 0});
    const Picture floats = draw(hillMesh(VertexLayout::positionNormal()), scene);
    const Picture packed = draw(hillMesh(VertexLayout::compact()), scene);
    EXPECT_EQ(floats.depth, packed.depth);
    const auto difference = app::compareImages(floats.image, packed.image, 1);
    ASSERT_TRUE(difference);
    EXPECT_EQ(difference->pixelsOver, 0u);
    // The attributes may stand anywhere in the vertex.
    VertexLayout wide;
    wide.strideWords = 11;
    wide.normal = 1;
    wide.position = 7;
    EXPECT_EQ(draw(hillMesh(wide), scene).image.rgba, floats.image.rgba);
}

TEST_F(TerrainPassTest, LevelGroundHasTheColourOfItsLight) {
    SceneSettings scene = plainScene({0, 10, 0}, {0, 0, 0});
    scene.materials.shore = scene.materials.meadow = scene.materials.turf = {0.2f, 0.3f, 0.1f};
    scene.sun.direction = {0.5f, 0.5f, 0};
    scene.sun.color = {2, 1.5f, 1};
    scene.sky.horizon = scene.sky.zenith = {0.4f, 0.5f, 0.8f};
    const auto pixel = draw(plate(0, 20), scene).image.pixel(kSide / 2, kSide / 2);
    const float sun = std::sqrt(0.5f);
    EXPECT_NEAR(pixel[0], encoded(0.2f * (2.0f * sun + 0.9f * 0.4f)), 1);
    EXPECT_NEAR(pixel[1], encoded(0.3f * (1.5f * sun + 0.9f * 0.5f)), 1);
    EXPECT_NEAR(pixel[2], encoded(0.1f * (1.0f * sun + 0.9f * 0.8f)), 1);
    EXPECT_EQ(pixel[3], 255);
}

TEST_F(TerrainPassTest, TheUndersideIsDrawnInTheColourOfEarth) {
    SceneSettings scene = plainScene({0, -10, 0}, {0, 0, 0});
    const Picture picture = draw(plate(0, 20), scene);
    const auto pixel = picture.image.pixel(kSide / 2, kSide / 2);
    EXPECT_NEAR(pixel[0], encoded(scene.materials.earth.x * scene.sky.ground.x), 1);
    EXPECT_NEAR(pixel[1], encoded(scene.materials.earth.y * scene.sky.ground.y), 1);
    EXPECT_NEAR(pixel[2], encoded(scene.materials.earth.z * scene.sky.ground.z), 1);
    EXPECT_NEAR(picture.depth[kCentre], 0.5 / 10, 1e-6);
}

TEST_F(TerrainPassTest, DepthIsNearPlaneOverDistance) {
    for (const double distance : {0.6, 1.0, 7.0, 100.0, 2500.0, 60000.0, 2e6}) {
        const Picture picture = draw(plate(0, distance), plainScene({0, distance, 0}, {0, 0, 0}));
        for (const std::size_t at : {std::size_t{0}, kCentre, picture.depth.size() - 1})
            EXPECT_NEAR(picture.depth[at] * distance / 0.5, 1, 1e-5) << distance;
    }
    // In front of the near plane nothing is drawn.
    EXPECT_EQ(draw(plate(0, 2), plainScene({0, 0.4, 0}, {0, 0, 0})).depth[kCentre], 0);
}

TEST_F(TerrainPassTest, NearerGroundHidesFartherWhateverTheOrder) {
    GridMesh mesh = hillMesh(VertexLayout::positionNormal());
    const SceneSettings scene = plainScene({-10, 12, 60}, {0, 10, 0});
    const Picture forward = draw(mesh, scene);
    std::reverse(mesh.indices.begin(), mesh.indices.end());
    for (std::size_t i = 0; i < mesh.indices.size(); i += 3)  // keeps the winding
        std::swap(mesh.indices[i], mesh.indices[i + 2]);
    const Picture backward = draw(mesh, scene);
    EXPECT_EQ(forward.depth, backward.depth);
    EXPECT_EQ(forward.image.rgba, backward.image.rgba);
    // Each pixel's depth is the first ground along its ray, by marching the height function.
    const CameraView& camera = scene.camera;
    int tested = 0, right = 0;
    for (int y = 2; y < kSide; y += 5) {
        for (int x = 2; x < kSide; x += 5) {
            const double tan = std::tan(0.4);
            const Vec3d ray = camera.forward + camera.right() * ((2 * (x + 0.5) / kSide - 1) * tan) -
                              camera.up * ((2 * (y + 0.5) / kSide - 1) * tan);
            double t = 1;
            bool hit = false;
            for (; t < 190 && !hit; t += 0.02) {
                const Vec3d p = camera.position + ray * t;
                if (std::abs(p.x) > 63 || std::abs(p.z) > 63) continue;
                hit = p.y < 40 * test::hills(p.x / 64, p.z / 64);
            }
            if (!hit) continue;
            ++tested;
            const float depth = forward.depth[static_cast<std::size_t>(y * kSide + x)];
            // A ray that only grazes a ridge may pass the drawn triangles.
            if (std::abs(0.5 / t - static_cast<double>(depth)) < 0.03 * 0.5 / t) ++right;
        }
    }
    EXPECT_GT(tested, 80);
    EXPECT_GE(right, tested - 3);
}

TEST_F(TerrainPassTest, N8_AHoleOfDegenerateQuadsShowsWhatIsBehind) {
    // A plate with a hole above a second plate, which the same draw holds.
    GridMesh mesh = plate(0, 20, 20);
    const GridMesh below = plate(-30, 200, 2);
    const auto first = static_cast<std::uint32_t>(mesh.vertices.size() / 6);
    mesh.vertices.insert(mesh.vertices.end(), below.vertices.begin(), below.vertices.end());
    const std::size_t upperIndices = mesh.indices.size();
    for (const std::uint32_t index : below.indices)
        mesh.indices.push_back(index + first);
    const SceneSettings scene = plainScene({0, 10, 0}, {0, 0, 0});
    const Picture whole = draw(mesh, scene);
    EXPECT_NEAR(whole.depth[kCentre], 0.5 / 10, 1e-6);

    mesh.cutHole(8, 8, 12, 12);  // x and z in -4 .. 4
    const Picture cut = draw(mesh, scene);
    EXPECT_NEAR(cut.depth[kCentre], 0.5 / 40, 1e-6);
    EXPECT_EQ(cut.terrain.indices, whole.terrain.indices) << "a hole keeps the index run's length";
    int changed = 0;
    for (std::size_t i = 0; i < cut.depth.size(); ++i) {
        if (cut.depth[i] == whole.depth[i]) continue;
        ++changed;
        EXPECT_NEAR(cut.depth[i], 0.5 / 40, 1e-6);
    }
    const double seen = 2 * 10 * std::tan(0.4);  // units across the picture
    EXPECT_NEAR(changed, std::pow(kSide * 8 / seen, 2), 130);

    mesh.indices.resize(upperIndices);
    const Picture through = draw(mesh, scene);
    EXPECT_EQ(through.depth[kCentre], 0) << "nothing below: the sky";
}

TEST_F(TerrainPassTest, FarFromTheWorldOriginThePictureIsTheSame) {
    // A multiple of the noise's period, so that the surface noise is the same too.
    const double away = 61.0 * 16384;
    const Vec3d eye{20.013, 40.007, 70.0021};
    const auto settings = [&](double offset, Vec3d nudge) {
        SceneSettings scene = plainScene(eye + nudge + Vec3d{offset, 0, -offset}, Vec3d{offset, 5, -offset});
        scene.camera.forward = normalized(Vec3d{0, 5, 0} - eye);
        scene.camera.up = normalized(cross(scene.camera.right(), scene.camera.forward));
        scene.materials.detailSize = 1;
        scene.materials.normalDetail = 0.5f;
        scene.materials.highHeight = 40;
        return scene;
    };
    const Picture near = draw(hillMesh(VertexLayout::positionNormal()), settings(0, {}));
    const GridMesh farMesh = hillMesh(VertexLayout::positionNormal(), -64 + away, -64 - away);
    const Picture far = draw(farMesh, settings(away, {}));
    const auto difference = app::compareImages(near.image, far.image, 6);
    ASSERT_TRUE(difference);
    EXPECT_LT(difference->fractionOver, 0.005);
    EXPECT_LT(difference->meanDifference, 0.2);
    // A step of a centimetre, far below f32's resolution out there, moves the ground under the camera.
    const Picture stepped = draw(farMesh, settings(away, {0, 0, 0.01}));
    double moved = 0;
    int ground = 0;
    for (std::size_t i = 0; i < far.depth.size(); ++i) {
        if (far.depth[i] == 0 || stepped.depth[i] == 0) continue;
        moved +=
            std::abs(0.5 / static_cast<double>(far.depth[i]) - 0.5 / static_cast<double>(stepped.depth[i]));
        ++ground;
    }
    ASSERT_GT(ground, 1000);
    EXPECT_GT(moved / ground, 0.002);
    EXPECT_LT(moved / ground, 0.05);
}

TEST_F(TerrainPassTest, UnormTargetsGetTheSameEncodedColours) {
    const GridMesh mesh = hillMesh(VertexLayout::positionNormal());
    const SceneSettings scene = plainScene({30, 60, 90}, {0, 5, 0});
    app::PictureDesc unorm = small();
    unorm.colorFormat = VK_FORMAT_R8G8B8A8_UNORM;
    const auto difference = app::compareImages(draw(mesh, scene).image, draw(mesh, scene, unorm).image, 1);
    ASSERT_TRUE(difference);
    EXPECT_EQ(difference->pixelsOver, 0u);
}

TEST_F(TerrainPassTest, MultisamplingSmoothsEdgesOnly) {
    const GridMesh mesh = hillMesh(VertexLayout::positionNormal());
    const SceneSettings scene = plainScene({30, 60, 90}, {0, 5, 0});
    app::PictureDesc four = small();
    four.samples = VK_SAMPLE_COUNT_4_BIT;
    const auto difference = app::compareImages(draw(mesh, scene).image, draw(mesh, scene, four).image, 12);
    ASSERT_TRUE(difference);
    EXPECT_LT(difference->fractionOver, 0.1);
    EXPECT_GT(difference->maxDifference, 12);
}

TEST_F(TerrainPassTest, RefusesLayoutsAndFormatsByName) {
    auto scene = SceneUniforms::create(device());
    ASSERT_TRUE(scene);
    const auto refuses = [&](const char* what, const TerrainPassDesc& desc) {
        const auto pass = TerrainPass::create(device(), *scene, desc);
        ASSERT_FALSE(pass) << what;
        EXPECT_EQ(pass.error().code, ErrorCode::InvalidArgument);
        EXPECT_THAT(pass.error().message, testing::HasSubstr(what));
    };
    TerrainPassDesc good{.target = {}, .layout = VertexLayout::positionNormal()};
    TerrainPassDesc bad = good;
    bad.layout.normal = VertexLayout::kAbsent;
    refuses("no normal", bad);
    bad = good;
    bad.layout.position = VertexLayout::kAbsent;
    refuses("no position", bad);
    bad = good;
    bad.layout.normal = 4;
    refuses("normal at word 4", bad);
    bad = good;
    bad.target.formats.color = VK_FORMAT_R16G16B16A16_SFLOAT;
    refuses("colour format", bad);
    bad = good;
    bad.target.formats.depth = VK_FORMAT_D16_UNORM;
    refuses("depth format", bad);
}

}  // namespace

}  // namespace karst::render
