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

    /// Bytes of one tile's layer: heights and slopes.
    static std::size_t layerBytes() {
        const heightfield::TileLayerShape shape = heightfield::tileLayerShape(ground().layout());
        return shape.bytes() + heightfield::tileSlopeShape(shape).bytes();
    }

    /// A layer of the pool, as it must be.
    struct Layer {
        std::vector<float> heights;
        std::vector<std::uint32_t> slopes;
        friend bool operator==(const Layer&, const Layer&) = default;
    };
    static Layer layerOf(const heightfield::Surface& surface, const heightfield::HeightTile& tile) {
        const heightfield::TileLayerShape shape = heightfield::tileLayerShape(surface.layout());
        const heightfield::TileSlopeShape slopes = heightfield::tileSlopeShape(shape);
        Layer out{std::vector<float>(shape.size()), std::vector<std::uint32_t>(slopes.size())};
        writeTileLayer(surface.layout(), shape, tile, layerSources(surface, tile.key), out.heights);
        writeTileSlopes(slopes, shape, out.heights, tile.key.level, out.slopes);
        return out;
    }
    /// The same, read back from the GPU.
    Layer readLayer(const TileTerrain& terrain, std::uint32_t layer) {
        const heightfield::TileLayerShape shape = heightfield::tileLayerShape(ground().layout());
        const heightfield::TileSlopeShape slopes = heightfield::tileSlopeShape(shape);
        return {readWords<float>(terrain.poolImage(), {shape.width, shape.height, 1}, layer),
                readWords<std::uint32_t>(terrain.slopesImage(), {slopes.width, slopes.height, 1}, layer)};
    }

  private:
    template <class Word>
    std::vector<Word> readWords(VkImage image, VkExtent3D extent, std::uint32_t layer) {
        std::vector<Word> out(std::size_t{extent.width} * extent.height);
        const std::size_t bytes = out.size() * sizeof(Word);
        const DeviceFunctions fn = DeviceFunctions::load(device()).value();
        GpuBuffer buffer =
            createBuffer(fn, "read back", bytes, VK_BUFFER_USAGE_TRANSFER_DST_BIT, MemoryKind::HostVisible)
                .value();
        const auto done = app::submitAndWait(context(), [&](VkCommandBuffer commands) -> Result<void> {
            ImageBarrier barrier;
            barrier.image = image;
            barrier.firstLayer = layer;
            barrier.from = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL;
            barrier.to = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
            barrier.fromStage = barrier.toStage = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;
            barrier.fromAccess = VK_ACCESS_2_MEMORY_WRITE_BIT;
            barrier.toAccess = VK_ACCESS_2_TRANSFER_READ_BIT;
            recordBarrier(fn, commands, barrier);
            VkBufferImageCopy copy{};
            copy.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, layer, 1};
            copy.imageExtent = extent;
            vkCmdCopyImageToBuffer(commands, barrier.image, barrier.to, buffer.buffer, 1, &copy);
            std::swap(barrier.from, barrier.to);
            barrier.fromAccess = 0;
            barrier.toAccess = VK_ACCESS_2_MEMORY_READ_BIT;
            recordBarrier(fn, commands, barrier);
            return {};
        });
        EXPECT_TRUE(done);
        std::memcpy(out.data(), buffer.mapped, bytes);
        destroyBuffer(fn, buffer);
        return out;
    }
};

}  // namespace karst::render
