#include <common/one_shot.h>
#include <common/voxel_pool_sink.h>
#include <gmock/gmock.h>
#include <golden/gpu_test.h>

namespace karst::app {
namespace {

class VoxelPoolSinkTest : public test::GpuTest {};

TEST_F(VoxelPoolSinkTest, ShowsDropsAndCountsWhatIsRefused) {
    auto pool = render::VoxelPool::create(device(), {.maxChunks = 1});
    ASSERT_TRUE(pool) << pool.error().message;
    VoxelPoolSink sink(*pool);
    voxel_mesh::SurfaceMesh mesh;
    mesh.vertices.resize(3);
    mesh.indices = {0, 1, 2};
    const auto frame = [&] {
        const auto done = submitAndWait(context(), [&](VkCommandBuffer commands) -> Result<void> {
            const auto uploads = pool->recordUploads(commands, {});
            return uploads ? Result<void>() : uploads.error();
        });
        EXPECT_TRUE(done);
    };
    sink.show({1, 2, 3}, 0, &mesh, nullptr);
    frame();
    EXPECT_EQ(pool->stats().shownSolid, 1u);
    EXPECT_EQ(sink.refused(), 0u);
    EXPECT_TRUE(sink.lastRefusal());
    sink.show({4, 2, 3}, 0, &mesh, nullptr);
    EXPECT_EQ(sink.refused(), 1u);
    EXPECT_THAT(sink.lastRefusal().error().message, testing::HasSubstr("chunk (4, 2, 3)"));
    sink.drop({1, 2, 3});
    frame();
    EXPECT_EQ(pool->stats().shownSolid, 0u);
}

}  // namespace
}  // namespace karst::app
