#include <common/one_shot.h>
#include <gmock/gmock.h>
#include <golden/gpu_test.h>
#include <gpu_buffer.h>
#include <karst/render/node_mesh_buffers.h>
#include <karst_test/test_support.h>

#include <cstring>
#include <vector>

namespace karst::render {

namespace {

using Bytes = std::vector<std::byte>;

class NodeMeshBuffersTest : public test::GpuTest {
  protected:
    // Records the uploads and copies the whole vertex and index buffers back.
    UploadStats runAndRead(NodeMeshBuffers& buffers, Bytes& vertices, Bytes& indices) {
        const DeviceFunctions fn = DeviceFunctions::load(device()).value();
        const std::uint64_t total = buffers.vertexBytes() + buffers.indexBytes();
        auto readback =
            createBuffer(fn, "readback", total, VK_BUFFER_USAGE_TRANSFER_DST_BIT, MemoryKind::HostVisible);
        EXPECT_TRUE(readback);
        UploadStats stats;
        const auto done = app::submitAndWait(context(), [&](VkCommandBuffer commands) -> Result<void> {
            stats = buffers.recordUploads(commands);
            // recordUploads orders its writes before vertex and index reads; these reads are copies.
            recordBarrier(fn, commands, VK_PIPELINE_STAGE_2_COPY_BIT, VK_ACCESS_2_TRANSFER_WRITE_BIT,
                          VK_PIPELINE_STAGE_2_COPY_BIT, VK_ACCESS_2_TRANSFER_READ_BIT);
            VkBufferCopy copy{0, 0, buffers.vertexBytes()};
            vkCmdCopyBuffer(commands, buffers.vertexBuffer(), readback->buffer, 1, &copy);
            copy = {0, buffers.vertexBytes(), buffers.indexBytes()};
            vkCmdCopyBuffer(commands, buffers.indexBuffer(), readback->buffer, 1, &copy);
            return {};
        });
        EXPECT_TRUE(done);
        vertices.assign(readback->mapped, readback->mapped + buffers.vertexBytes());
        indices.assign(readback->mapped + buffers.vertexBytes(), readback->mapped + total);
        destroyBuffer(fn, *readback);
        return stats;
    }
};

Bytes randomBytes(test::Random& random, std::size_t count) {
    Bytes bytes(count);
    for (std::byte& b : bytes)
        b = static_cast<std::byte>(random.integer(0, 255));
    return bytes;
}

TEST_F(NodeMeshBuffersTest, N2_OnlyChangedRangesChangeInTheSameBuffers) {
    test::Random random(21);
    auto buffers = NodeMeshBuffers::create(device(), {.vertexBytes = 4096, .indexBytes = 2048});
    ASSERT_TRUE(buffers) << buffers.error().message;
    const VkBuffer vertexBuffer = buffers->vertexBuffer(), indexBuffer = buffers->indexBuffer();
    Bytes vertices = randomBytes(random, 4096), indices = randomBytes(random, 2048);
    ASSERT_TRUE(buffers->uploadVertices(0, vertices));
    ASSERT_TRUE(buffers->uploadIndices(0, indices));
    Bytes vertexRead, indexRead;
    const UploadStats whole = runAndRead(*buffers, vertexRead, indexRead);
    EXPECT_EQ(whole.bytes, 4096u + 2048u);
    EXPECT_EQ(whole.ranges, 2u);
    EXPECT_EQ(vertexRead, vertices);
    EXPECT_EQ(indexRead, indices);

    for (int round = 0; round < 12; ++round) {
        // Overlapping writes too: the later wins.
        for (int write = random.integer(0, 4); write > 0; --write) {
            const bool toVertices = random.chance(0.6);
            Bytes& expected = toVertices ? vertices : indices;
            const auto words = static_cast<int>(expected.size() / 4);
            const int begin = random.integer(0, words - 1),
                      count = random.integer(1, std::min(64, words - begin));
            const Bytes bytes = randomBytes(random, static_cast<std::size_t>(count) * 4);
            const auto offset = static_cast<std::size_t>(begin) * 4;
            ASSERT_TRUE(toVertices ? buffers->uploadVertices(offset, bytes)
                                   : buffers->uploadIndices(offset, bytes));
            std::memcpy(expected.data() + offset, bytes.data(), bytes.size());
        }
        runAndRead(*buffers, vertexRead, indexRead);
        ASSERT_EQ(vertexRead, vertices) << "round " << round;
        ASSERT_EQ(indexRead, indices) << "round " << round;
        ASSERT_EQ(buffers->vertexBuffer(), vertexBuffer);
        ASSERT_EQ(buffers->indexBuffer(), indexBuffer);
    }
}

TEST_F(NodeMeshBuffersTest, CopiesNoMoreThanWasUploaded) {
    auto buffers = NodeMeshBuffers::create(device(), {.vertexBytes = 4096, .indexBytes = 2048});
    ASSERT_TRUE(buffers);
    ASSERT_TRUE(buffers->uploadVertices(0, Bytes(4096)));
    ASSERT_TRUE(buffers->uploadIndices(0, Bytes(2048)));
    Bytes vertices, indices;
    runAndRead(*buffers, vertices, indices);

    ASSERT_TRUE(buffers->uploadVertices(400, Bytes(40)));
    ASSERT_TRUE(buffers->uploadVertices(440, Bytes(60)));  // touches the first
    ASSERT_TRUE(buffers->uploadVertices(1000, Bytes(4)));
    const UploadStats some = runAndRead(*buffers, vertices, indices);
    EXPECT_EQ(some.bytes, 104u);
    EXPECT_EQ(some.ranges, 2u);
    const UploadStats none = runAndRead(*buffers, vertices, indices);
    EXPECT_EQ(none.bytes, 0u);
    EXPECT_EQ(none.ranges, 0u);
}

TEST_F(NodeMeshBuffersTest, RefusesRangesThatLeaveTheBuffer) {
    auto buffers = NodeMeshBuffers::create(device(), {.vertexBytes = 64, .indexBytes = 32});
    ASSERT_TRUE(buffers);
    EXPECT_TRUE(buffers->uploadVertices(60, Bytes(4)));
    EXPECT_TRUE(buffers->uploadVertices(64, Bytes()));
    for (const auto& [offset, size] : {std::pair{64u, 4u}, {0u, 68u}, {62u, 4u}, {0u, 3u}, {~0u - 3, 8u}}) {
        const auto result = buffers->uploadVertices(offset, Bytes(size));
        ASSERT_FALSE(result) << offset << " " << size;
        EXPECT_EQ(result.error().code, ErrorCode::InvalidArgument);
    }
    const auto result = buffers->uploadIndices(32, Bytes(4));
    ASSERT_FALSE(result);
    EXPECT_THAT(result.error().message,
                testing::AllOf(testing::HasSubstr("indices"), testing::HasSubstr("32")));
}

TEST_F(NodeMeshBuffersTest, RefusesSizesOutOfRange) {
    EXPECT_FALSE(NodeMeshBuffers::create(device(), {.vertexBytes = 0, .indexBytes = 32}));
    EXPECT_FALSE(NodeMeshBuffers::create(device(), {.vertexBytes = 64, .indexBytes = 33}));
    EXPECT_FALSE(
        NodeMeshBuffers::create(device(), {.vertexBytes = 64, .indexBytes = 32, .framesInFlight = 0}));
    EXPECT_FALSE(
        NodeMeshBuffers::create(device(), {.vertexBytes = 64, .indexBytes = 32, .framesInFlight = 9}));
}

}  // namespace

}  // namespace karst::render
