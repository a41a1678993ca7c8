#include <gmock/gmock.h>
#include <golden/gpu_test.h>
#include <gpu_buffer.h>
#include <karst/heightfield_mesh/node_mesh.h>
#include <karst/render/node_mesh_writer.h>
#include <karst_test/test_support.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "common/one_shot.h"

namespace karst::render {
namespace {

using namespace heightfield;

HeightRaster hills(test::Random& random, int columns, int rows) {
    HeightRasterDesc desc;
    desc.columns = columns;
    desc.rows = rows;
    const double x = random.range(-1000, 1000), z = random.range(-1000, 1000), spacing = random.range(0.5, 4);
    desc.rect = {x, z, x + columns * spacing, z + rows * spacing * random.range(0.5, 1.5)};
    desc.heightRange = HeightRange{-100, 100};
    Vector<float> heights;
    for (int j = 0; j < rows; ++j) {
        for (int i = 0; i < columns; ++i) {
            heights.push_back(
                static_cast<float>(40 * std::sin(i * 0.2) * std::cos(j * 0.17) + random.range(-5, 5)));
        }
    }
    return HeightRaster::create(desc, std::move(heights)).value();
}

// The pool's mesh written by the CPU and by the GPU.
struct TwoMeshes {
    NodeMesh mesh;
    std::vector<std::uint32_t> vertices, indices;
    NodeMeshBuffers buffers;
    NodeMeshWriter writer;
    NodeWriteStats stats;
};

class NodeMeshWriterTest : public test::GpuTest {
  protected:
    TwoMeshes make(const HeightRaster& raster, const NodeCutOptions& options, const VertexLayout& layout) {
        auto mesh = NodeMesh::create(raster, options, layout);
        EXPECT_TRUE(mesh) << mesh.error().message;
        const std::size_t words = mesh->vertexWords(), indices = mesh->pool().indexCapacity();
        auto buffers =
            NodeMeshBuffers::create(device(), {.vertexBytes = words * 4, .indexBytes = indices * 4});
        EXPECT_TRUE(buffers);
        auto writer = NodeMeshWriter::create(device(), *buffers, mesh->pool(), raster, layout);
        EXPECT_TRUE(writer) << writer.error().message;
        return {std::move(*mesh),
                std::vector<std::uint32_t>(words),
                std::vector<std::uint32_t>(indices),
                std::move(*buffers),
                std::move(*writer),
                {}};
    }

    void update(TwoMeshes& two, const HeightRaster& raster, const WorldPosition& camera) {
        const auto update = two.mesh.update(raster, camera, two.vertices, two.indices);
        ASSERT_TRUE(update) << update.error().message;
        const auto done = app::submitAndWait(context(), [&](VkCommandBuffer commands) -> Result<void> {
            auto stats = two.writer.record(commands, two.mesh.pool(), raster, *update);
            if (!stats) return stats.error();
            two.stats = *stats;
            return {};
        });
        ASSERT_TRUE(done) << done.error().message;
    }

    std::vector<std::uint32_t> read(VkBuffer from, std::uint64_t bytes) {
        const DeviceFunctions fn = DeviceFunctions::load(device()).value();
        GpuBuffer back =
            createBuffer(fn, "read back", bytes, VK_BUFFER_USAGE_TRANSFER_DST_BIT, MemoryKind::HostVisible)
                .value();
        const auto done = app::submitAndWait(context(), [&](VkCommandBuffer commands) -> Result<void> {
            const VkBufferCopy copy{0, 0, bytes};
            fn.CmdCopyBuffer(commands, from, back.buffer, 1, &copy);
            recordBarrier(fn, commands, VK_PIPELINE_STAGE_2_COPY_BIT, VK_ACCESS_2_TRANSFER_WRITE_BIT,
                          VK_PIPELINE_STAGE_2_HOST_BIT, VK_ACCESS_2_HOST_READ_BIT);
            return {};
        });
        EXPECT_TRUE(done);
        std::vector<std::uint32_t> words(bytes / 4);
        std::memcpy(words.data(), back.mapped, bytes);
        destroyBuffer(fn, back);
        return words;
    }

    // Compares all that is drawn. `exact`: positions must be the same bits; else heights within 1 ulp of the
    // tallest height around.
    void expectSame(const TwoMeshes& two, bool exact) {
        const NodePool& pool = two.mesh.pool();
        const VertexLayout& layout = two.mesh.layout();
        const auto gpuIndices = read(two.buffers.indexBuffer(), two.indices.size() * 4);
        for (std::uint32_t i = 0; i < pool.indexCount(); ++i)
            ASSERT_EQ(gpuIndices[i], two.indices[i]) << "index " << i;
        const auto gpu = read(two.buffers.vertexBuffer(), two.vertices.size() * 4);
        std::uint32_t differ = 0;
        for (const std::uint32_t slot : pool.slotOrder()) {
            for (std::uint32_t v = 0; v < pool.verticesPerSlot(); ++v) {
                const std::size_t at = (std::size_t{slot} * pool.verticesPerSlot() + v) * layout.strideWords;
                const std::uint32_t* a = two.vertices.data() + at;
                const std::uint32_t* b = gpu.data() + at;
                if (std::equal(a, a + layout.strideWords, b)) continue;
                for (std::uint32_t w = 0; w < layout.strideWords; ++w) {
                    if (a[w] == b[w]) continue;
                    ++differ;
                    const bool position = w >= layout.position && w < layout.position + 3;
                    ASSERT_TRUE(!exact || !position) << "slot " << slot << " vertex " << v << " word " << w;
                    if (w == layout.normal && layout.normalFormat == NormalFormat::Octahedral16) {
                        for (int shift : {0, 16}) {
                            const int x = static_cast<std::int16_t>(a[w] >> shift),
                                      y = static_cast<std::int16_t>(b[w] >> shift);
                            ASSERT_LE(std::abs(x - y), 1);
                        }
                    } else {
                        const auto x = bitCast<float>(a[w]), y = bitCast<float>(b[w]);
                        ASSERT_NEAR(x, y, position ? 1e-5f : 3e-7f * std::max(1.0f, std::abs(x)));
                    }
                }
            }
        }
        // Only last bits of normals, where a device divides less exactly than the CPU.
        EXPECT_LE(differ, two.vertices.size() / 4);
    }
};

TEST_F(NodeMeshWriterTest, N3_OneThreadAVertexWritesTheCpusBytesInAnyLayout) {
    test::Random random(5);
    int round = 0;
    for (const VertexLayout& layout :
         {VertexLayout::compact(), VertexLayout::positionNormal(), VertexLayout::engine23()}) {
        HeightRaster raster = hills(random, random.integer(60, 300), random.integer(60, 300));
        NodeCutOptions options;
        options.maxNodes = 96;
        options.nodeVerts = round % 2 ? 17 : 33;
        TwoMeshes two = make(raster, options, layout);
        const Rect r = raster.rect();
        for (int view = 0; view < 3; ++view) {
            SCOPED_TRACE(view);
            const WorldPosition camera{random.range(r.minX, r.maxX), random.range(0, 60),
                                       random.range(r.minZ, r.maxZ)};
            ASSERT_NO_FATAL_FAILURE(update(two, raster, camera));
            EXPECT_GT(two.stats.nodes, 0u);
            ASSERT_NO_FATAL_FAILURE(expectSame(two, true));
        }
        ++round;
    }
}

TEST_F(NodeMeshWriterTest, N3_RectsThatCutThroughCellsAgreeToTheLastBit) {
    test::Random random(6);
    for (int round = 0; round < 3; ++round) {
        const HeightRaster raster = hills(random, 90, 120);
        const Rect r = raster.rect();
        NodeCutOptions options;
        options.maxNodes = 64;
        options.rect = Rect{r.minX + 0.13 * r.width(), r.minZ + 0.21 * r.depth(), r.minX + 0.77 * r.width(),
                            r.minZ + 0.69 * r.depth()};
        TwoMeshes two = make(raster, options, VertexLayout::positionNormal());
        ASSERT_NO_FATAL_FAILURE(update(two, raster, {r.minX + 30, 20, r.minZ + 40}));
        ASSERT_NO_FATAL_FAILURE(expectSame(two, false));
    }
}

TEST_F(NodeMeshWriterTest, N3_HolesAndEditsReachTheGpu) {
    test::Random random(7);
    HeightRaster raster = hills(random, 200, 150);
    NodeCutOptions options;
    options.maxNodes = 96;
    TwoMeshes two = make(raster, options, VertexLayout::compact());
    const Rect r = raster.rect();
    const WorldPosition camera{r.minX + 50, 10, r.minZ + 50};
    ASSERT_NO_FATAL_FAILURE(update(two, raster, camera));
    for (int edit = 0; edit < 12; ++edit) {
        SCOPED_TRACE(edit);
        const int x = random.integer(0, 180), z = random.integer(0, 130);
        const int w = random.integer(1, 19), d = random.integer(1, 19);
        if (edit % 3 != 1) {
            const std::vector<float> heights(static_cast<std::size_t>(w * d),
                                             static_cast<float>(random.range(-90, 90)));
            ASSERT_TRUE(raster.setHeights({x, z, x + w, z + d}, heights));
        }
        if (edit % 3 != 0) raster.setHoles(GridRect{x - 1, z - 1, x + w, z + d}, edit % 4 != 3);
        ASSERT_NO_FATAL_FAILURE(update(two, raster, camera));
        EXPECT_LT(two.stats.uploadBytes, std::uint64_t{200 * 150 * 4}) << "not the whole raster again";
        ASSERT_NO_FATAL_FAILURE(expectSame(two, true));
    }
    // Nothing new records nothing.
    ASSERT_NO_FATAL_FAILURE(update(two, raster, camera));
    EXPECT_EQ(two.stats.nodes + two.stats.runs, 0u);
    EXPECT_EQ(two.stats.writtenBytes + two.stats.uploadBytes, 0u);
}

TEST_F(NodeMeshWriterTest, RefusesBuffersThatAreTooSmall) {
    test::Random random(8);
    const HeightRaster raster = hills(random, 50, 50);
    auto pool = NodePool::create(raster, {});
    ASSERT_TRUE(pool);
    auto buffers = NodeMeshBuffers::create(device(), {.vertexBytes = 1024, .indexBytes = 1024});
    ASSERT_TRUE(buffers);
    const auto writer = NodeMeshWriter::create(device(), *buffers, *pool, raster, VertexLayout::compact());
    ASSERT_FALSE(writer);
    EXPECT_THAT(writer.error().message, testing::HasSubstr("buffers of 1024 and 1024 bytes"));
}

}  // namespace
}  // namespace karst::render
