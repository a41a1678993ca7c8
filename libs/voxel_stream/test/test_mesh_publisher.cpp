#include "mesh_publisher.h"
#include "stream_rig.h"

namespace karst::voxel_stream {
namespace {

/// Takes note and lets time go by.
class SlowSink final : public MeshSink {
  public:
    void show(ChunkCoord chunk, int level, const voxel_mesh::SurfaceMesh* solid,
              const voxel_mesh::WaterMesh* water) override {
        shown.push_back(chunk);
        lastLevel = level;
        hadSolid = solid != nullptr;
        hadWater = water != nullptr;
        vertices = solid != nullptr ? solid->vertices.data() : nullptr;
        vertexCount = solid != nullptr ? solid->vertices.size() : 0;
        clock->now += cost;
    }
    void drop(ChunkCoord chunk) override { dropped.push_back(chunk); }

    rig::FakeClock* clock = nullptr;
    std::uint64_t cost = 0;
    std::vector<ChunkCoord> shown, dropped;
    int lastLevel = -1;
    bool hadSolid = false, hadWater = false;
    const void* vertices = nullptr;
    std::size_t vertexCount = 0;
};

class MeshPublisherTest : public ::testing::Test {
  protected:
    MeshPublisherTest() { sink.clock = &clock; }

    /// A triangle, and a skirt of one more.
    MeshResult result(const MeshRequest& request, bool solid = true, bool water = false) const {
        MeshResult made;
        made.request = request;
        if (solid) {
            made.solid.level = request.level;
            made.solid.vertices.resize(5);
            made.solid.indices = {0, 1, 2, 2, 3, 4};
            made.solidVertices = 3;
            made.solidIndices = 3;
        }
        if (water) {
            made.water.vertices.resize(3);
            made.water.indices = {0, 1, 2};
        }
        return made;
    }
    MeshRequest requested(ChunkCoord chunk, int level = 1, bool solid = true, bool water = false) {
        queue.request(chunk, level, solid, water);
        return queue.takeBatches({}, {}, 1, 1)[0][0];
    }
    StreamUpdate publish(MeshPublisher& publisher) {
        StreamUpdate update;
        publisher.publish(workshop, queue, update);
        return update;
    }

    rig::FakeClock clock;
    SlowSink sink;
    MeshQueue queue;
    MeshWorkshop workshop{WorkshopOptions()};
};

TEST_F(MeshPublisherTest, V22_TakesAtMost32Results) {
    MeshPublisher publisher({}, sink, clock);
    for (int i = 0; i < 70; ++i)
        workshop.put(result(requested({i, 0, 0})));
    EXPECT_EQ(publish(publisher).published, 32u);
    EXPECT_EQ(workshop.waiting(), 38u);
    EXPECT_EQ(publish(publisher).published, 32u);
    EXPECT_EQ(publish(publisher).published, 6u);
    EXPECT_EQ(publish(publisher).published, 0u);
}

TEST_F(MeshPublisherTest, V22_StaleResultsCountAmongThe32) {
    MeshPublisher publisher({}, sink, clock);
    for (int i = 0; i < 40; ++i) {
        const MeshRequest request = requested({i, 0, 0});
        queue.cancel(request.chunk);
        workshop.put(result(request));
    }
    EXPECT_EQ(publish(publisher).stale, 32u);
    EXPECT_EQ(publish(publisher).stale, 8u);
    EXPECT_TRUE(sink.shown.empty());
}

TEST_F(MeshPublisherTest, V22_StopsOnce2MillisecondsHaveGone) {
    MeshPublisher publisher({}, sink, clock);
    for (int i = 0; i < 10; ++i)
        workshop.put(result(requested({i, 0, 0})));
    sink.cost = 500'000;
    EXPECT_EQ(publish(publisher).published, 4u) << "looked at between results";
    sink.cost = 1'999'999;
    EXPECT_EQ(publish(publisher).published, 2u);
    sink.cost = 50'000'000;
    EXPECT_EQ(publish(publisher).published, 1u) << "one is always handed on";
    sink.cost = 0;
    EXPECT_EQ(publish(publisher).published, 3u);
}

TEST_F(MeshPublisherTest, V21_AResultOfAnOldSerialIsDropped) {
    MeshPublisher publisher({}, sink, clock);
    const MeshRequest old = requested({0, 0, 0});
    const MeshRequest now = requested({0, 0, 0}, 2);
    workshop.put(result(now));
    workshop.put(result(old));
    const StreamUpdate update = publish(publisher);
    EXPECT_EQ(update.published, 1u);
    EXPECT_EQ(update.stale, 1u);
    EXPECT_EQ(sink.shown.size(), 1u);
    EXPECT_EQ(sink.lastLevel, 2);
    // Twice the same one.
    workshop.put(result(now));
    EXPECT_EQ(publish(publisher).stale, 1u);
}

TEST_F(MeshPublisherTest, V21_AnAbandonedRequestWaitsAgain) {
    MeshPublisher publisher({}, sink, clock);
    MeshResult abandoned;
    abandoned.request = requested({0, 0, 0});
    abandoned.abandoned = true;
    const MeshRequest request = abandoned.request;
    EXPECT_EQ(queue.waiting(), 0u);
    workshop.put(std::move(abandoned));
    EXPECT_EQ(publish(publisher).published, 0u);
    EXPECT_EQ(queue.waiting(), 1u);
    EXPECT_EQ(queue.takeBatches({}, {}, 1, 1)[0][0], request);
}

TEST_F(MeshPublisherTest, V23_EmptyResultsAreRememberedAndOnlyWhatWasShownIsDropped) {
    MeshPublisher publisher({}, sink, clock);
    workshop.put(result(requested({0, 0, 0}, 3), false));
    EXPECT_EQ(publish(publisher).published, 1u);
    EXPECT_TRUE(sink.shown.empty());
    StreamStats stats;
    publisher.addStats(stats);
    EXPECT_EQ(stats.empty, 1u);
    EXPECT_EQ(stats.shown, 0u);
    publisher.drop({0, 0, 0});
    EXPECT_TRUE(sink.dropped.empty());

    // Solid and water, then no solid, then nothing.
    workshop.put(result(requested({1, 0, 0}, 0, true, true), true, true));
    publish(publisher);
    EXPECT_TRUE(sink.hadSolid && sink.hadWater);
    workshop.put(result(requested({1, 0, 0}, 0, true, false), false));
    publish(publisher);
    EXPECT_TRUE(sink.hadSolid);
    EXPECT_FALSE(sink.hadWater) << "it stays";
    EXPECT_EQ(sink.vertexCount, 0u);
    EXPECT_TRUE(sink.dropped.empty());
    workshop.put(result(requested({1, 0, 0}, 0, false, true), false, false));
    publish(publisher);
    EXPECT_EQ(sink.dropped.size(), 1u);
    publisher.drop({1, 0, 0});
    EXPECT_EQ(sink.dropped.size(), 1u);
}

TEST_F(MeshPublisherTest, V20_GeometryIsKeptWithoutSkirtAndWithoutACopy) {
    PublishOptions options;
    options.keepGeometry = true;
    MeshPublisher publisher(options, sink, clock);
    workshop.put(result(requested({0, 0, 0}, 1, true, true), true, true));
    publish(publisher);
    EXPECT_EQ(sink.vertexCount, 5u) << "with its skirt";
    const DisplayedGeometry kept = publisher.displayed({0, 0, 0});
    ASSERT_NE(kept.solid, nullptr);
    EXPECT_EQ(kept.level, 1);
    EXPECT_EQ(kept.solid->vertices.size(), 3u);
    EXPECT_EQ(kept.solid->indices.size(), 3u);
    EXPECT_EQ(kept.solid->vertices.data(), sink.vertices) << "the very memory";
    ASSERT_NE(kept.water, nullptr);
    // A change of detail keeps the water.
    workshop.put(result(requested({0, 0, 0}, 2)));
    publish(publisher);
    EXPECT_EQ(publisher.displayed({0, 0, 0}).water, kept.water);
    EXPECT_EQ(publisher.displayed({0, 0, 0}).level, 2);
    publisher.drop({0, 0, 0});
    EXPECT_EQ(publisher.displayed({0, 0, 0}).solid, nullptr);
}

TEST_F(MeshPublisherTest, V20_WithoutTheOptionNothingIsKept) {
    MeshPublisher publisher({}, sink, clock);
    workshop.put(result(requested({0, 0, 0}, 1, true, true), true, true));
    publish(publisher);
    const DisplayedGeometry kept = publisher.displayed({0, 0, 0});
    EXPECT_EQ(kept.solid, nullptr);
    EXPECT_EQ(kept.water, nullptr);
    StreamStats stats;
    publisher.addStats(stats);
    EXPECT_EQ(stats.shown, 1u);
    EXPECT_EQ(stats.levels[1], 1u);
    EXPECT_EQ(stats.shownBytes, 5u * 32 + 6 * 4 + 3 * 28 + 3 * 4);
    EXPECT_EQ(stats.geometryBytes, 0u);
}

}  // namespace
}  // namespace karst::voxel_stream
