#include <gtest/gtest.h>
#include <karst/heightfield_mesh/node_mesh.h>
#include <karst_test/test_support.h>

#include <cstdint>
#include <fstream>
#include <vector>

#include "golden/golden.h"
#include "golden/gpu_test.h"
#include "golden/grid_mesh.h"
#include "golden/mesh_buffers.h"

namespace karst::test {

namespace {

using heightfield::HeightRaster;
using heightfield::HeightRasterDesc;
using heightfield::NodeMesh;
using heightfield::NodePool;
using heightfield::VertexLayout;

/// A node mesh with its words on the CPU and its buffers on the GPU.
struct DrawnNodes {
    NodeMesh mesh;
    std::vector<std::uint32_t> vertices, indices;
    render::NodeMeshBuffers buffers;

    static Result<DrawnNodes> create(app::VulkanContext& context, const HeightRaster& raster) {
        auto mesh = NodeMesh::create(raster, {}, VertexLayout::compact());
        if (!mesh) return mesh.error();
        std::vector<std::uint32_t> vertices(mesh->vertexWords()), indices(mesh->pool().indexCapacity());
        auto buffers = render::NodeMeshBuffers::create(
            context.description(), {.vertexBytes = vertices.size() * 4, .indexBytes = indices.size() * 4});
        if (!buffers) return buffers.error();
        return DrawnNodes{std::move(*mesh), std::move(vertices), std::move(indices), std::move(*buffers)};
    }

    // Follows the camera and uploads the slots and runs that changed, no more.
    Result<void> update(const HeightRaster& raster, const WorldPosition& camera) {
        auto changes = mesh.update(raster, camera, vertices, indices);
        if (!changes) return changes.error();
        const NodePool& pool = mesh.pool();
        const auto upload = [](std::span<const std::uint32_t> parts, std::size_t words,
                               auto&& put) -> Result<void> {
            for (const std::uint32_t part : parts) {
                if (auto done = put(part * words, words); !done) return done;
            }
            return {};
        };
        auto done =
            upload(changes->remeshedSlots, pool.verticesPerSlot() * std::size_t{mesh.layout().strideWords},
                   [&](std::size_t first, std::size_t count) {
                       return buffers.uploadVertices(
                           first * 4, std::as_bytes(std::span(vertices).subspan(first, count)));
                   });
        if (!done) return done;
        return upload(changes->rewrittenRuns, pool.indicesPerRun(),
                      [&](std::size_t first, std::size_t count) {
                          return buffers.uploadIndices(
                              first * 4, std::as_bytes(std::span(indices).subspan(first, count)));
                      });
    }
};

class NodeMeshPictures : public GpuTest {
  protected:
    void SetUp() override {
        GpuTest::SetUp();
        if (IsSkipped() || HasFatalFailure()) return;
        auto made = app::PictureRenderer::create(
            context(), {.width = 320, .height = 200, .layout = VertexLayout::compact()});
        ASSERT_TRUE(made) << made.error().message;
        renderer.emplace(std::move(*made));
    }
    void TearDown() override {
        renderer.reset();
        GpuTest::TearDown();
    }
    std::optional<app::PictureRenderer> renderer;
};

HeightRaster hillRaster(int side, double size, double top) {
    Vector<float> heights;
    for (int j = 0; j < side; ++j) {
        for (int i = 0; i < side; ++i) {
            const double x = 2.0 * i / (side - 1) - 1, z = 2.0 * j / (side - 1) - 1;
            heights.push_back(static_cast<float>(top * hills(x, z)));
        }
    }
    HeightRasterDesc desc;
    desc.columns = desc.rows = side;
    desc.rect = {-size / 2, -size / 2, size / 2, size / 2};
    return HeightRaster::create(desc, std::move(heights)).value();
}

TEST_F(NodeMeshPictures, N2_UploadingOnlyChangesDrawsTheSameAsUploadingAll) {
    HeightRaster raster = hillRaster(513, 4000, 1100);
    auto nodes = DrawnNodes::create(context(), raster);
    ASSERT_TRUE(nodes) << nodes.error().message;
    const std::uint64_t total = nodes->buffers.vertexBytes() + nodes->buffers.indexBytes();
    for (int step = 0; step < 5; ++step) {
        render::SceneSettings scene;
        scene.camera = CameraView::lookAt({700.0 - 40 * step, 900, 1500.0 - 130 * step},
                                          {-100, 1100 * hills(-0.05, 0), 0}, 0.8, 1.6, 1)
                           .value();
        if (step == 3) raster.setHoles(Rect{-200, -100, 0, 100}, true);
        const auto updated = nodes->update(raster, scene.camera.position);
        ASSERT_TRUE(updated) << updated.error().message;
        const std::uint32_t count = nodes->mesh.pool().indexCount();
        const auto some = renderer->draw(nodes->buffers, count, scene);
        auto fresh = buffersOf(context(), std::as_bytes(std::span(nodes->vertices)),
                               std::as_bytes(std::span(nodes->indices)));
        ASSERT_TRUE(some && fresh);
        const auto all = renderer->draw(*fresh, count, scene);
        ASSERT_TRUE(all);
        EXPECT_EQ(some->image.rgba, all->image.rgba) << "step " << step;
        EXPECT_EQ(some->depth, all->depth) << "step " << step;
        EXPECT_EQ(some->terrain.draws, 1u);
        EXPECT_EQ(some->terrain.triangles, count / 3);
        EXPECT_LT(some->uploads.bytes, total);
        // The picture's middle looks at the hole's middle.
        const float middle = some->depth[100 * 320 + 160];
        EXPECT_EQ(middle == 0, step >= 3) << middle;
    }
}

// The high Pyrenees: SRTM, 1201 x 1201 samples three arc seconds apart, with voids.
TEST_F(NodeMeshPictures, ARealRaster) {
    KARST_REAL_DATA_OR_SKIP(path, "N42E001.hgt");
    constexpr int kSide = 1201;
    std::ifstream file(path, std::ios::binary);
    std::vector<unsigned char> bytes(std::size_t{kSide} * kSide * 2);
    ASSERT_TRUE(file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size())));
    Vector<float> heights;
    std::vector<std::uint8_t> voids;
    for (std::size_t i = 0; i < bytes.size(); i += 2) {
        const auto value = static_cast<std::int16_t>(bytes[i] << 8 | bytes[i + 1]);
        heights.push_back(value);
        voids.push_back(value == -32768 ? 1 : 0);
    }
    HeightRasterDesc desc;
    desc.columns = desc.rows = kSide;
    desc.rect = heightfield::rectOfSamples(0, 0, kSide, kSide, 68.0, 92.6);
    const auto raster = HeightRaster::create(desc, std::move(heights), voids);
    ASSERT_TRUE(raster) << raster.error().message;
    auto nodes = DrawnNodes::create(context(), *raster);
    ASSERT_TRUE(nodes) << nodes.error().message;

    render::SceneSettings scene;
    scene.camera = CameraView::lookAt({28600, 4300, 46700}, {34300, 1800, 38000}, 0.72, 1.6, 1).value();
    scene.sun.direction = render::sunDirection(4.9f, 0.4f);
    scene.sky.visibility = 120000;
    scene.materials.lowHeight = raster->heightRange().min;
    scene.materials.highHeight = raster->heightRange().max;
    scene.materials.forestTop = 0.58f;
    scene.materials.snowLine = 0.82f;
    const auto updated = nodes->update(*raster, scene.camera.position);
    ASSERT_TRUE(updated) << updated.error().message;
    const auto picture = renderer->draw(nodes->buffers, nodes->mesh.pool().indexCount(), scene);
    ASSERT_TRUE(picture) << picture.error().message;
    EXPECT_EQ(picture->terrain.draws, 1u);
    EXPECT_TRUE(matchesGolden(picture->image, "node_mesh_andorra"));
}

}  // namespace

}  // namespace karst::test
