#pragma once

#include <common/one_shot.h>
#include <golden/gpu_test.h>
#include <golden/grid_mesh.h>
#include <golden/tile_scene.h>
#include <vulkan/vulkan.h>

#include <cmath>

#include "gpu_buffer.h"
#include "tile_pool.h"

namespace karst::render {

/// Hills of 1 km by 1 km in tiles of 16 cells, and what tests ask of them.
class TileTest : public test::GpuTest {
  protected:
    static void TearDownTestSuite() { sharedScene().reset(); }

    static std::optional<test::TileScene>& sharedScene() {
        static std::optional<test::TileScene> scene;
        return scene;
    }

    /// A scene of 128 x 128 pixels for several tests, as pipelines cost time to make; its pool is empty.
    test::TileScene& shared() {
        std::optional<test::TileScene>& scene = sharedScene();
        if (!scene) scene.emplace(makeScene());
        draw(*scene, look({0, 10, 0}, {1, 0, 1}), {}, heightfield::Surface());
        return *scene;
    }

    static double height(double x, double z) {
        return 200 * test::hills(x / 500 - 1, z / 500 - 1) + 3 * std::sin(x / 9) * std::cos(z / 7);
    }

    static const heightfield::Surface& ground() {
        static const heightfield::Surface surface =
            test::makeGround({.samples = 257, .spacing = 1000.0 / 256}, height);
        return surface;
    }

    static SceneSettings look(WorldPosition eye, WorldPosition target) {
        SceneSettings scene;
        scene.camera = CameraView::lookAt(eye, target, 0.9, 1, 0.5).value();
        scene.materials.highHeight = 200;
        scene.sun.cloudShade = 0;
        return scene;
    }

    static WorldPosition above(double x, double z, double rise) { return {x, height(x, z) + rise, z}; }

    test::TileScene makeScene(const test::TileSceneDesc& desc = {}) {
        auto scene = test::TileScene::create(context(), desc);
        if (!scene) ADD_FAILURE() << scene.error().message;
        return std::move(scene).value();
    }

    test::TilePicture draw(test::TileScene& scene, const SceneSettings& settings,
                           const TileTerrainSettings& tiles = {},
                           const heightfield::Surface& surface = ground()) {
        auto picture = scene.draw(surface, settings, tiles);
        if (!picture) {
            ADD_FAILURE() << picture.error().message;
            return {};
        }
        return *picture;
    }

    /// A layer of the pool, read back from the GPU.
    std::vector<float> readLayer(const TileTerrain& terrain, const heightfield::TileLayerShape& shape,
                                 std::uint32_t layer) {
        const DeviceFunctions fn = DeviceFunctions::load(device()).value();
        GpuBuffer buffer = createBuffer(fn, "read back", shape.bytes(), VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                                        MemoryKind::HostVisible)
                               .value();
        const auto done = app::submitAndWait(context(), [&](VkCommandBuffer commands) -> Result<void> {
            ImageBarrier barrier;
            barrier.image = terrain.poolImage();
            barrier.firstLayer = layer;
            barrier.from = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL;
            barrier.to = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
            barrier.fromStage = barrier.toStage = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;
            barrier.fromAccess = VK_ACCESS_2_MEMORY_WRITE_BIT;
            barrier.toAccess = VK_ACCESS_2_TRANSFER_READ_BIT;
            recordBarrier(fn, commands, barrier);
            VkBufferImageCopy copy{};
            copy.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, layer, 1};
            copy.imageExtent = {shape.width, shape.height, 1};
            vkCmdCopyImageToBuffer(commands, barrier.image, barrier.to, buffer.buffer, 1, &copy);
            std::swap(barrier.from, barrier.to);
            barrier.fromAccess = 0;
            barrier.toAccess = VK_ACCESS_2_MEMORY_READ_BIT;
            recordBarrier(fn, commands, barrier);
            return {};
        });
        EXPECT_TRUE(done);
        std::vector<float> out(shape.size());
        std::memcpy(out.data(), buffer.mapped, shape.bytes());
        destroyBuffer(fn, buffer);
        return out;
    }
};

}  // namespace karst::render
