// Detail tiles and craters through the resolver (spec rows H8, H28), and lineages (H10).
#include "scripted_source.h"

#include <karst/base/hash.h>
#include <karst/base/thread_pool.h>
#include <karst_test/test_support.h>

#include <cmath>

namespace karst::heightfield {
namespace {

using scripted::Answer;
using scripted::Rig;
using scripted::smallLayout;
using scripted::viewAt;

struct DetailRig : Rig {
    TileDetailOptions detail;
    explicit DetailRig(const TileLayout& layout, std::uint32_t detailLevels = 2) : Rig(layout) {
        detail.levels = detailLevels;
        options.detailLevels = detailLevels;
        options.resolver =
            detailLevels > 0 ? *makeDetailResolver(layout, detail) : *makeDetailResolver(layout);
    }
    float height(const TileKey& key) const {
        const Surface surface = streamer->surface();
        const HeightTile* tile = surface.find(key);
        return tile == nullptr ? NAN : tile->sample(1, 2);
    }
};

// Samples of a tile without its apron, which depends on what neighbours are there.
std::vector<float> inner(const HeightTile& tile) {
    std::vector<float> samples;
    const int cells = static_cast<int>(tile.side) - 3;
    for (int j = 0; j <= cells; ++j) {
        for (int i = 0; i <= cells; ++i)
            samples.push_back(tile.sample(i, j));
    }
    return samples;
}

TEST(StreamerDetail, H8_MissingDetailTilesAreSynthesisedUpToTheMaximum) {
    DetailRig rig(smallLayout(2));
    rig.options.maximumSynthesesPerUpdate = 3;
    rig.startWalking(2);
    std::uint32_t made = 0;
    for (int i = 0; i < 100; ++i) {
        const StreamingReport report = rig.update({viewAt(3, 3)});
        EXPECT_LE(report.synthesised, 3u);
        EXPECT_EQ(report.published, report.loaded + report.synthesised > 0);
        made += report.synthesised;
    }
    // All of both detail levels: 4 stored tiles of level 0.
    EXPECT_EQ(made, 16u + 64u);
    EXPECT_EQ(rig.walk->wanted.size(), 0u);
    EXPECT_EQ(rig.script->requests.size(), 5u) << "detail is never asked from the source";
    const auto detail = TileDetail::create(rig.script->layout, rig.detail);
    ASSERT_TRUE(detail.ok());
    const Surface surface = rig.streamer->surface();
    for (const TilePtr& tile : surface.tiles()) {
        const TileKey& key = tile->key;
        if (key.level >= 0) {
            // Spec row H26.
            EXPECT_EQ(tile->errors, addDetailError(scripted::plainTile(rig.script->layout, key), *detail));
        } else {
            const HeightTile ancestor = scripted::plainTile(rig.script->layout, TileDetail::ancestorOf(key));
            EXPECT_EQ(inner(*tile), inner(*detail->synthesise(key, ancestor)));
        }
    }
}

TEST(StreamerDetail, H24_DetailReadsTheNeighboursThatAreThere) {
    DetailRig rig(smallLayout(2), 1);
    rig.start();
    rig.lists->wanted = {{{0, 0, 0}}, {{0, 1, 0}}, {{0, 0, 1}}, {{0, 1, 1}}};
    rig.view();
    rig.view();
    rig.lists->wanted = {{{-1, 1, 0}}};
    rig.view();
    ASSERT_TRUE(rig.isResident({-1, 1, 0}));
    const TileLayout& layout = rig.script->layout;
    const auto detail = TileDetail::create(layout, rig.detail);
    std::map<TileKey, HeightTile> all;
    for (std::uint32_t i = 0; i < 4; ++i)
        all[TileKey{1, 0, 0}.child(i)] = scripted::plainTile(layout, TileKey{1, 0, 0}.child(i));
    const auto lookup = [&](const TileKey& key) -> const HeightTile* {
        const auto tile = all.find(key);
        return tile == all.end() ? nullptr : &tile->second;
    };
    EXPECT_EQ(rig.streamer->surface().find({-1, 1, 0})->samples,
              detail->synthesise({-1, 1, 0}, all.at({0, 0, 0}), {}, lookup)->samples);
}

TEST(StreamerDetail, H8_DetailIsNoFinerThanItsLevels) {
    DetailRig rig(smallLayout(2), 1);
    rig.start();
    rig.lists->wanted = {{{0, 0, 0}}};
    rig.view();
    rig.view();
    rig.lists->wanted = {{{-1, 0, 0}}};
    rig.view();
    EXPECT_TRUE(rig.isResident({-1, 0, 0}));
    rig.lists->wanted = {{{-2, 0, 0}}};
    EXPECT_EQ(rig.view().wanted, 0u);
    EXPECT_FALSE(rig.isResident({-2, 0, 0}));
}

TEST(StreamerDetail, H8_RegionsToStandOnReachDownToADetailLevel) {
    DetailRig rig(smallLayout(3));
    rig.options.collisionLevel = -2;
    rig.start();
    for (int i = 0; i < 10; ++i)
        rig.update({CollisionInterest{1.5, 1.5, 0}});
    EXPECT_EQ(rig.resident(), (std::set<TileKey>{{2, 0, 0}, {1, 0, 0}, {0, 0, 0}, {-1, 0, 0}, {-2, 1, 1}}));
    EXPECT_EQ(rig.streamer->surface().collisionLevel(), -2);
}

/// Makes detail as another does, but for one tile, which it fails to make or mistakes for another.
class FaultyResolver final : public TileResolver {
  public:
    FaultyResolver(std::shared_ptr<const TileResolver> good, const TileKey& bad)
        : m_good(std::move(good)), m_bad(bad) {}

    mutable int tries = 0;
    bool mistakes = false;

    Result<void> check(const Crater& crater) const override { return m_good->check(crater); }
    bool reaches(const Crater& crater, const TileLayout& layout, const TileKey& key) const override {
        return m_good->reaches(crater, layout, key);
    }
    TilePtr resolveStored(const TileLayout& layout, const TilePtr& stored, std::span<const Crater> craters,
                          std::uint64_t revision) const override {
        return m_good->resolveStored(layout, stored, craters, revision);
    }
    Result<TilePtr> synthesise(const TileLayout& layout, const TileKey& key, StoredTiles stored,
                               std::span<const Crater> craters, std::uint64_t revision) const override {
        if (!(key == m_bad)) return m_good->synthesise(layout, key, stored, craters, revision);
        ++tries;
        if (mistakes) return TilePtr{};
        return makeError(ErrorCode::Unsupported, "detail: scripted to fail");
    }

  private:
    std::shared_ptr<const TileResolver> m_good;
    TileKey m_bad;
};

TEST(StreamerDetail, H9_AFailedSynthesisIsNotTriedAgainFor120Updates) {
    for (const bool mistakes : {false, true}) {
        DetailRig rig(smallLayout(1), 1);
        const auto faulty = std::make_shared<FaultyResolver>(rig.options.resolver, TileKey{-1, 1, 0});
        faulty->mistakes = mistakes;
        rig.options.resolver = faulty;
        rig.startWalking();
        for (int i = 1; i <= 120; ++i)
            rig.update({viewAt(1, 1)});
        EXPECT_EQ(faulty->tries, 1);
        rig.update({viewAt(1, 1)});
        EXPECT_EQ(faulty->tries, 2);
        EXPECT_EQ(rig.resident().size(), 4u) << "the others came";
    }
}

TEST(StreamerDetail, H8_H28_CratersReachWhatIsResidentAtOnceAndWhatLoadsLater) {
    DetailRig rig(smallLayout(3));
    rig.startWalking();
    for (int i = 0; i < 20; ++i)
        rig.update({viewAt(0.5, 0.5)});
    const Surface before = rig.streamer->surface();
    const PagedVector<float> fine = before.find({-2, 0, 0})->samples;

    const Crater first{0.5, 0.5, 0.4, 3, 0.5};
    ASSERT_TRUE(rig.streamer->addCrater(first).ok());
    EXPECT_EQ(rig.streamer->surface().revision(), before.revision()) << "published by the next update";
    const StreamingReport report = rig.update({viewAt(0.5, 0.5)});
    EXPECT_TRUE(report.published);
    EXPECT_EQ(report.loaded + report.synthesised + report.released, 0u);
    const Surface after = rig.streamer->surface();
    EXPECT_LT(after.find({-2, 0, 0})->sample(2, 2), before.find({-2, 0, 0})->sample(2, 2));
    int changed = 0;
    for (const TilePtr& tile : before.tiles()) {
        const HeightTile* now = after.find(tile->key);
        ASSERT_NE(now, nullptr);
        const bool reached = reaches(first, after.layout(), tile->key);
        changed += reached;
        EXPECT_EQ(now->revision > tile->revision, reached) << tile->key;
        EXPECT_EQ(now == tile.get(), !reached) << "tiles out of reach are the same objects";
    }
    EXPECT_GT(changed, 4);
    EXPECT_LT(changed, int(before.tiles().size()));
    EXPECT_EQ(before.find({-2, 0, 0})->samples, fine) << "the old snapshot does not change";

    // A second one, also under what comes later.
    const Crater second{15, 15, 1, 2, 0.3};
    ASSERT_TRUE(rig.streamer->addCrater(second).ok());
    for (int i = 0; i < 20; ++i)
        rig.update({viewAt(15.5, 15.5)});
    const Surface last = rig.streamer->surface();
    const auto detail = TileDetail::create(last.layout(), rig.detail);
    const Crater both[] = {first, second};
    ASSERT_NE(last.find({-2, 15, 15}), nullptr);
    for (const TilePtr& tile : last.tiles()) {
        const TileKey& key = tile->key;
        if (key.level < 0) {
            const HeightTile ancestor = scripted::plainTile(last.layout(), TileDetail::ancestorOf(key));
            EXPECT_EQ(inner(*tile), inner(*detail->synthesise(key, ancestor, both))) << key;
        } else {
            const auto stored = std::make_shared<const HeightTile>(scripted::plainTile(last.layout(), key));
            const TilePtr expected = resolveStoredTile(stored, last.layout(), both, &*detail);
            EXPECT_EQ(tile->samples, expected->samples) << key;
            EXPECT_EQ(tile->errors, expected->errors) << key;
            EXPECT_EQ(tile->revision, expected->revision) << key;
        }
    }
    EXPECT_EQ(rig.streamer->craters().size(), 2u);
}

TEST(StreamerDetail, H28_ATileThatComesBackWithMoreCratersHasAHigherRevision) {
    DetailRig rig(smallLayout(3, 2, 1), 0);
    rig.options.maximumResidentTiles = 4;
    rig.start();
    const TileKey tile{1, 0, 0};
    const CollisionInterest here{1, 1, 0}, there{31, 15, 0};
    for (int i = 0; i < 5; ++i)
        rig.update({here});
    ASSERT_TRUE(rig.isResident(tile));
    EXPECT_EQ(rig.streamer->surface().find(tile)->revision, 0u);
    for (int i = 0; i < 8; ++i)
        rig.update({there});
    ASSERT_FALSE(rig.isResident(tile));
    ASSERT_TRUE(rig.streamer->addCrater({1, 1, 1, 5, 0}).ok());
    for (int i = 0; i < 8; ++i)
        rig.update({here});
    ASSERT_TRUE(rig.isResident(tile));
    EXPECT_GT(rig.streamer->surface().find(tile)->revision, 0u);
}

TEST(StreamerDetail, H28_CratersBeforeTheRootsAreThereAreNotLost) {
    DetailRig rig(smallLayout(2), 0);
    rig.start();
    ASSERT_TRUE(rig.streamer->addCrater({2, 4, 1, 5, 0}).ok());
    rig.update();
    EXPECT_EQ(rig.height({1, 0, 0}), -5);
}

TEST(StreamerDetail, H28_TheEditLogReplayedGivesTheSame) {
    test::Random random(77);
    DetailRig first(smallLayout(3)), second(smallLayout(3));
    first.startWalking();
    second.startWalking();
    for (int i = 0; i < 60; ++i) {
        if (i % 4 == 0) {
            const Crater crater{random.range(0, 16), random.range(0, 16), random.range(0.1, 3), random.unit(),
                                0};
            ASSERT_TRUE(first.streamer->addCrater(crater).ok());
        }
        first.update({viewAt(5, 5)});
    }
    for (const Crater& crater : first.streamer->craters())
        ASSERT_TRUE(second.streamer->addCrater(crater).ok());
    for (int i = 0; i < 60; ++i)
        second.update({viewAt(5, 5)});
    const Surface a = first.streamer->surface(), b = second.streamer->surface();
    ASSERT_EQ(a.tiles().size(), b.tiles().size());
    for (const TilePtr& tile : a.tiles()) {
        ASSERT_NE(b.find(tile->key), nullptr);
        EXPECT_EQ(inner(*tile), inner(*b.find(tile->key)));
        EXPECT_EQ(tile->revision, b.find(tile->key)->revision);
    }
}

TEST(StreamerDetail, CratersThatCannotBeAreRefused) {
    DetailRig rig(smallLayout(2));
    rig.start();
    rig.update();
    EXPECT_FALSE(rig.streamer->addCrater({1, 1, 0, 5, 0}).ok());
    EXPECT_TRUE(rig.streamer->craters().empty());
    EXPECT_FALSE(rig.update().published);
    Rig plain(smallLayout(2));
    plain.start();
    const Result<void> refused = plain.streamer->addCrater({1, 1, 1, 5, 0});
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().code, ErrorCode::Unsupported);
}

TEST(StreamerDetail, TheNumberOfWorkersDoesNotMatter) {
    std::vector<std::uint64_t> hashes;
    for (const std::uint32_t workers : {0u, 1u, 3u}) {
        ThreadPool pool(std::max(workers, 1u));
        DetailRig rig(smallLayout(4));
        if (workers > 0) rig.externals.jobs = &pool;
        rig.script->latency = 1;
        rig.options.maximumSynthesesPerUpdate = 7;
        rig.options.maximumResidentTiles = 90;
        rig.startWalking(1);
        Hasher hasher;
        for (int i = 0; i < 120; ++i) {
            if (i % 9 == 0) {
                ASSERT_TRUE(rig.streamer->addCrater({i * 0.3, 10, 2, 1, 0}).ok());
            }
            rig.update({viewAt(i * 0.25, 9)});
            for (const TilePtr& tile : rig.streamer->surface().tiles())
                hasher.u64(tile->key.packed())
                    .u64(tile->revision)
                    .f32(tile->sample(1, 1))
                    .f32(tile->sample(-1, 2));
        }
        hashes.push_back(hasher.value());
    }
    EXPECT_EQ(hashes[0], hashes[1]);
    EXPECT_EQ(hashes[0], hashes[2]);
}

TEST(StreamerLineage, H10_SnapshotsOfOneStreamerShareItAndANewStreamerStartsANewOne) {
    Rig first(smallLayout(3)), second(smallLayout(3));
    first.startWalking();
    second.startWalking();
    first.update({viewAt(1, 1)});
    second.update({viewAt(1, 1)});
    const Surface early = first.streamer->surface();
    for (int i = 0; i < 10; ++i)
        first.update({viewAt(1, 1)});
    const Surface late = first.streamer->surface();
    EXPECT_NE(early.lineage(), nullptr);
    EXPECT_EQ(early.lineage(), late.lineage());
    EXPECT_GT(late.revision(), early.revision());
    EXPECT_NE(early.lineage(), second.streamer->surface().lineage());
    // Also if the address of the old one were used again: the old snapshots hold theirs.
    first.streamer.reset();
    Rig third(smallLayout(3));
    third.start();
    third.update();
    EXPECT_NE(early.lineage(), third.streamer->surface().lineage());
}

TEST(StreamerLineage, H10_APublishedSnapshotKeepsItsTilesAfterTheStreamerIsGone) {
    Rig rig(smallLayout(4));
    rig.startWalking();
    for (int i = 0; i < 10; ++i)
        rig.update({viewAt(1, 1)});
    const Surface surface = rig.streamer->surface();
    const Surface copy = surface;
    EXPECT_EQ(surface.tiles().data(), copy.tiles().data()) << "a copy shares all";
    ASSERT_EQ(surface.tiles().size(), 13u);
    rig.streamer.reset();
    EXPECT_TRUE(rig.script->destroyed);
    for (const TilePtr& tile : copy.tiles())
        EXPECT_EQ(tile->samples, scripted::plainTile(copy.layout(), tile->key).samples);
}

TEST(StreamerLineage, H10_TilesThatLeftAreFreedWithTheLastSnapshotThatHoldsThem) {
    Rig rig(smallLayout(5, 2, 1));
    rig.options.maximumResidentTiles = 6;
    rig.start();
    for (int i = 0; i < 8; ++i)
        rig.update({CollisionInterest{1, 1, 0}});
    Surface held = rig.streamer->surface();
    const std::weak_ptr<const HeightTile> tile = held.share({0, 0, 0});
    ASSERT_FALSE(tile.expired());
    for (int i = 0; i < 20; ++i)
        rig.update({CollisionInterest{127, 63, 0}});
    EXPECT_FALSE(rig.isResident({0, 0, 0}));
    EXPECT_FALSE(tile.expired());
    held = {};
    EXPECT_TRUE(tile.expired());
}

TEST(StreamerLineage, H10_SurfacesFromTilesNeverChangeAndAreOfNoStreamer) {
    const TileLayout layout = smallLayout(2);
    std::vector<TilePtr> tiles;
    for (const TileKey& key : {TileKey{1, 0, 0}, TileKey{0, 1, 0}})
        tiles.push_back(std::make_shared<const HeightTile>(scripted::plainTile(layout, key)));
    auto made = Surface::fromTiles(layout, tiles);
    ASSERT_TRUE(made.ok());
    Rig rig(layout);
    rig.start();
    rig.update();
    EXPECT_NE(made->lineage(), rig.streamer->surface().lineage());
    const std::uint64_t revision = made->revision();
    tiles.clear();
    EXPECT_EQ(made->tiles().size(), 2u);
    EXPECT_EQ(made->revision(), revision);
}

}  // namespace
}  // namespace karst::heightfield
