#include "chunk_map.h"

#include <gtest/gtest.h>

#include <map>

#include "grid_test.h"

namespace karst::voxel::test {
namespace {

struct Known {
    ChunkRef chunk;
    Revision revision;
};
using KnownMap = std::map<ChunkCoord, Known>;

void expectSameRecords(const ChunkMap& map, const KnownMap& known, Revision since) {
    ASSERT_EQ(map.count(), known.size());
    for (const auto& [coord, entry] : known) {
        const ChunkRecord* record = map.find(coord);
        ASSERT_NE(record, nullptr);
        ASSERT_EQ(record->coord, coord);
        ASSERT_TRUE(record->chunk == entry.chunk);
        ASSERT_EQ(record->revision, entry.revision);
    }
    std::map<ChunkCoord, Revision> want, got;
    for (const auto& [coord, entry] : known) {
        if (entry.revision > since) want[coord] = entry.revision;
    }
    map.forEachNewer(since, [&](const ChunkRecord& record) {
        ASSERT_TRUE(got.emplace(record.coord, record.revision).second);
    });
    ASSERT_EQ(got, want);
}

TEST(ChunkMap, V2_RandomWritesAndRemovalsAgainstAPlainMap) {
    CountingAllocator counting;
    {
        Random random(3);
        ChunkMap map(counting);
        KnownMap known;
        // Coordinates of a few blocks, so that many records share a shard and runs grow long.
        const auto anywhere = [&] {
            return ChunkCoord{random.integer(-6, 5), random.integer(-3, 2), random.integer(-6, 5)};
        };
        std::vector<std::pair<std::unique_ptr<ChunkMap>, KnownMap>> copies;
        int removals = 0;
        for (Revision revision = 1; revision <= 6000; ++revision) {
            const ChunkCoord coord = anywhere();
            // The map swells and shrinks.
            if (random.chance(revision / 1000 % 2 ? 0.7 : 0.3)) {
                if (known.count(coord)) {
                    map.remove(coord);
                    known.erase(coord);
                    ++removals;
                }
                ASSERT_EQ(map.find(coord), nullptr);
            } else {
                ChunkRecord& record = map.write(coord, revision);
                ASSERT_EQ(bool(record.chunk), known.count(coord) == 1);
                record.chunk = Chunk::makeUniform(kRock, counting);
                record.revision = revision;
                known[coord] = {record.chunk, revision};
                ASSERT_EQ(map.findOwned(coord), &record);
            }
            if (random.chance(0.01)) {
                if (copies.size() > 4) copies.erase(copies.begin() + random.integer(0, 3));
                copies.emplace_back(std::make_unique<ChunkMap>(map), known);
            }
            if (revision % 50 == 0) {
                expectSameRecords(map, known, revision - static_cast<Revision>(random.integer(0, 50)));
                if (HasFatalFailure()) return;
                for (const auto& [copy, copied] : copies)
                    expectSameRecords(*copy, copied, 0);
                if (HasFatalFailure()) return;
            }
        }
        EXPECT_GT(removals, 1000);
    }
    EXPECT_EQ(counting.liveBytes, 0);
}

TEST(ChunkMap, V3_ACopySharesUntilAWrite) {
    CountingAllocator counting;
    ChunkMap map(counting);
    for (int x = -100; x < 100; ++x) {
        ChunkRecord& record = map.write({x, 0, 0}, 1);
        record.chunk = Chunk::makeUniform(kRock, counting);
        record.revision = 1;
    }
    const int before = counting.calls;
    {
        const ChunkMap copy(map);
        EXPECT_EQ(counting.calls, before);
        EXPECT_EQ(map.findOwned({5, 0, 0}), nullptr);
        EXPECT_EQ(map.find({5, 0, 0}), copy.find({5, 0, 0}));
        map.write({5, 0, 0}, 2);
        // The shard and its slots.
        EXPECT_EQ(counting.calls, before + 2);
        EXPECT_EQ(map.findOwned({5, 0, 0}), map.find({5, 0, 0}));
        EXPECT_NE(map.find({5, 0, 0}), copy.find({5, 0, 0}));
        EXPECT_TRUE(map.find({5, 0, 0})->chunk == copy.find({5, 0, 0})->chunk);
    }
    // Alone again.
    const int after = counting.calls;
    map.write({-100, 0, 0}, 3);
    EXPECT_EQ(counting.calls, after);
}

}  // namespace
}  // namespace karst::voxel::test
