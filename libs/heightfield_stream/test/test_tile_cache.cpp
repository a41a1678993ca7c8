#include "tile_cache.h"

#include "scripted_source.h"

#include <karst_test/test_support.h>

namespace karst::heightfield {
namespace {

struct Cache {
    TileLayout layout = scripted::smallLayout(5, 2, 1);
    TileCache cache{layout, heapAllocator()};

    void insert(const TileKey& key, std::uint64_t update) {
        TileCache::Entry entry;
        entry.shown = std::make_shared<const HeightTile>(scripted::plainTile(layout, key));
        entry.stored = entry.shown;
        entry.bornUpdate = update;
        cache.insert(key, entry);
    }
    std::vector<TileKey> release(std::uint32_t count, const TileCache::Staleness& staleness) {
        Vector<TileCache::Left> left(heapAllocator());
        cache.release(count, staleness, left);
        std::vector<TileKey> keys;
        for (const TileCache::Left& tile : left)
            keys.push_back(tile.key);
        return keys;
    }
};

TEST(TileCache, AcceptsRootsAndChildrenOfWhatIsThere) {
    Cache c;
    EXPECT_TRUE(c.cache.accepts({4, 1, 0}));
    EXPECT_FALSE(c.cache.accepts({3, 2, 1}));
    c.insert({4, 1, 0}, 1);
    EXPECT_TRUE(c.cache.accepts({3, 2, 1}));
    EXPECT_FALSE(c.cache.accepts({3, 1, 1}));
}

TEST(TileCache, H8_LeastRecentlyUsedLeaveFirstAndOnlyWithoutChildren) {
    Cache c;
    c.insert({4, 0, 0}, 1);
    c.insert({4, 1, 0}, 1);
    for (std::uint32_t i = 0; i < 4; ++i)
        c.insert(TileKey{4, 0, 0}.child(i), 1);
    c.insert(TileKey{3, 0, 0}.child(2), 2);
    c.cache.use({3, 1, 0}, 5);
    c.cache.use({3, 0, 1}, 4);
    c.cache.use({3, 1, 1}, 6);
    // {3, 0, 0} is the oldest, but its child holds it; the child goes first, then it.
    EXPECT_EQ(c.release(3, {9, 1, true}), (std::vector<TileKey>{{2, 0, 1}, {3, 0, 0}, {3, 0, 1}}));
    EXPECT_EQ(c.cache.size(), 4u);
    // Those used now stay, and roots always.
    EXPECT_EQ(c.release(9, {6, 1, true}), (std::vector<TileKey>{{3, 1, 0}}));
    EXPECT_EQ(c.release(9, {20, 1, true}), (std::vector<TileKey>{{3, 1, 1}}));
    EXPECT_EQ(c.release(9, {1000, 1, false}), (std::vector<TileKey>{}));
    EXPECT_EQ(c.cache.size(), 2u);
}

TEST(TileCache, UseReachesTheAncestors) {
    Cache c;
    c.insert({4, 0, 0}, 1);
    c.insert({3, 1, 1}, 1);
    c.insert({2, 3, 2}, 1);
    c.cache.use({2, 3, 2}, 7);
    EXPECT_EQ(c.cache.find({3, 1, 1})->usedUpdate, 7u);
    EXPECT_EQ(c.cache.find({4, 0, 0})->usedUpdate, 7u);
    c.cache.use({2, 0, 0}, 8);  // not there
    EXPECT_EQ(c.cache.find({4, 0, 0})->usedUpdate, 7u);
}

TEST(TileCache, AwaitedTilesStayUnlessToldOtherwise) {
    Cache c;
    c.insert({4, 0, 0}, 1);
    c.insert({3, 0, 0}, 1);
    c.insert({3, 1, 0}, 1);
    c.cache.await({4, 0, 0}, 5);
    EXPECT_TRUE(c.release(9, {5, 1, true}).empty());
    EXPECT_EQ(c.release(1, {5, 1, false}).size(), 1u);
    EXPECT_EQ(c.release(9, {6, 1, true}).size(), 1u);
}

TEST(TileCache, AgeKeepsWhatWasUsedOrCameLately) {
    Cache c;
    c.insert({4, 0, 0}, 1);
    c.insert({3, 0, 0}, 90);
    c.insert({3, 1, 0}, 1);
    c.insert({3, 0, 1}, 1);
    c.cache.use({3, 1, 0}, 60);
    EXPECT_EQ(c.release(9, {100, 50, true}), (std::vector<TileKey>{{3, 0, 1}}));
    EXPECT_EQ(c.release(9, {139, 50, true}), (std::vector<TileKey>{{3, 1, 0}}));
}

TEST(TileCache, RandomInsertsAndReleasesKeepOrderAndParents) {
    test::Random random(3);
    Cache c;
    std::set<TileKey> reference;
    std::uint64_t update = 0;
    for (int step = 0; step < 3000; ++step) {
        ++update;
        const int level = random.integer(0, 4);
        const TileKey key{level, std::uint32_t(random.integer(0, int(c.layout.tilesX(level)) - 1)),
                          std::uint32_t(random.integer(0, int(c.layout.tilesZ(level)) - 1))};
        const bool accepted = key.level == 4 || reference.count(key.parent()) == 1;
        ASSERT_EQ(c.cache.accepts(key), accepted);
        if (accepted && !c.cache.contains(key)) {
            c.insert(key, update);
            reference.insert(key);
        }
        if (random.chance(0.3)) c.cache.use(key, update);
        if (random.chance(0.05)) {
            const auto count = std::uint32_t(random.integer(1, 6));
            for (const TileKey& left : c.release(count, {update, std::uint64_t(random.integer(1, 50)), true}))
                ASSERT_EQ(reference.erase(left), 1u);
        }
        for (const TileKey& there : reference)
            ASSERT_TRUE(there.level == 4 || reference.count(there.parent()) == 1) << there;
        if (random.chance(0.2)) {
            const std::vector<TilePtr> tiles = c.cache.sorted();
            ASSERT_EQ(tiles.size(), reference.size());
            std::size_t i = 0;
            for (const TileKey& there : reference)
                ASSERT_EQ(tiles[i++]->key, there);
        }
    }
    EXPECT_GT(reference.size(), 20u);
}

}  // namespace
}  // namespace karst::heightfield
