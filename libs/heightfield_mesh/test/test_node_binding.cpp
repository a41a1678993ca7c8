#include <gtest/gtest.h>
#include <karst/heightfield_mesh/node_binding.h>

#include "drawn_mesh.h"

namespace karst::heightfield {
namespace {

class MemoryTarget final : public NodeMeshTarget {
  public:
    MemoryTarget(std::size_t words, std::size_t indices, int* alive, int* writes)
        : m_vertices(words), m_indices(indices), m_alive(alive), m_writes(writes) {
        ++*m_alive;
    }
    ~MemoryTarget() override { --*m_alive; }
    std::span<std::uint32_t> vertices() override { return m_vertices; }
    std::span<std::uint32_t> indices() override { return m_indices; }
    void written(const NodePool& pool, const NodePoolUpdate& update) override {
        ++*m_writes;
        EXPECT_EQ(update.nodeCount, pool.nodeCount());
    }

  private:
    std::vector<std::uint32_t> m_vertices, m_indices;
    int* m_alive;
    int* m_writes;
};

struct Fixture : ::testing::Test {
    NodeMesh mesh(const HeightRaster& raster) {
        return std::move(NodeMesh::create(raster, {}, VertexLayout::compact())).value();
    }
    std::unique_ptr<NodeMeshTarget> target(const NodeMesh& of) {
        return std::make_unique<MemoryTarget>(of.vertexWords(), of.pool().indexCapacity(), &alive, &writes);
    }
    int alive = 0, writes = 0;
    NodeBindings bindings;
};

using NodeBinding = Fixture;

TEST_F(NodeBinding, N17_BindFindFollowUnbind) {
    auto raster = std::make_shared<HeightRaster>(makeRaster(128, 128, 1, 3));
    std::weak_ptr<HeightRaster> pixels = raster;
    NodeMesh pool = mesh(*raster);
    auto memory = target(pool);
    EXPECT_FALSE(bindings.isBound(7));
    EXPECT_EQ(bindings.find(7), nullptr);
    ASSERT_TRUE(bindings.bind(7, std::move(raster), std::move(pool), std::move(memory)).ok());
    EXPECT_TRUE(bindings.isBound(7));
    ASSERT_NE(bindings.find(7), nullptr);
    EXPECT_EQ(bindings.find(7)->raster.get(), pixels.lock().get());

    ASSERT_TRUE(bindings.followCamera(7, {64, 120, 64})->changed);
    EXPECT_EQ(writes, 1);
    EXPECT_GT(bindings.find(7)->mesh.pool().nodeCount(), 0u);
    EXPECT_FALSE(bindings.followCamera(7, {64, 120, 64})->changed);
    EXPECT_EQ(writes, 1);
    ASSERT_TRUE(bindings.followCamera(7, {10, 120, 64})->changed);
    EXPECT_EQ(writes, 2);

    EXPECT_EQ(alive, 1);
    EXPECT_TRUE(bindings.unbind(7));
    // Mesh, pool and pixels go together.
    EXPECT_EQ(alive, 0);
    EXPECT_TRUE(pixels.expired());
    EXPECT_FALSE(bindings.isBound(7));
    EXPECT_FALSE(bindings.unbind(7));
    const Result<NodePoolUpdate> gone = bindings.followCamera(7, {});
    ASSERT_FALSE(gone.ok());
    EXPECT_NE(gone.error().message.find("entity 7"), std::string::npos);
}

TEST_F(NodeBinding, N17_BindingAgainReleasesTheOldAndARefusalReleasesNothing) {
    auto raster = std::make_shared<HeightRaster>(makeRaster(64, 64, 1, 3));
    NodeMesh first = mesh(*raster);
    auto memory = target(first);
    ASSERT_TRUE(bindings.bind(1, raster, std::move(first), std::move(memory)).ok());
    EXPECT_FALSE(bindings.bind(1, nullptr, mesh(*raster), target(mesh(*raster))).ok());
    EXPECT_FALSE(bindings.bind(1, raster, mesh(*raster), nullptr).ok());
    const Result<void> small =
        bindings.bind(1, raster, mesh(*raster), std::make_unique<MemoryTarget>(10, 10, &alive, &writes));
    ASSERT_FALSE(small.ok());
    EXPECT_NE(small.error().message.find("10 words"), std::string::npos);
    EXPECT_EQ(alive, 1);
    EXPECT_TRUE(bindings.isBound(1));
    NodeMesh second = mesh(*raster);
    auto other = target(second);
    const NodeMeshTarget* const replacing = other.get();
    ASSERT_TRUE(bindings.bind(1, raster, std::move(second), std::move(other)).ok());
    EXPECT_EQ(alive, 1);
    EXPECT_EQ(bindings.find(1)->target.get(), replacing);
    EXPECT_EQ(bindings.size(), 1u);
    EXPECT_EQ(raster.use_count(), 2);
}

}  // namespace
}  // namespace karst::heightfield
