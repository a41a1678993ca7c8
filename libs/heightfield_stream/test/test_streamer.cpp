// Spec rows H8 and H9, sentence by sentence, on a scripted source.
#include "scripted_source.h"

#include <karst_test/test_support.h>

namespace karst::heightfield {
namespace {

using scripted::Answer;
using scripted::Rig;
using scripted::smallLayout;
using scripted::viewAt;

TEST(Streamer, RefusesOptionsByName) {
    const auto error = [](auto change) {
        TileStreamerOptions options;
        TileLayout layout = smallLayout(4, 3, 2);
        std::unique_ptr<TileSource> source =
            std::make_unique<scripted::ScriptedSource>(std::make_shared<scripted::Script>());
        change(options, layout, source);
        auto made = TileStreamer::create(layout, std::move(source), std::move(options));
        return made.ok() ? std::string("no error") : made.error().message;
    };
    const auto expect = [](const std::string& message, const char* word) {
        EXPECT_NE(message.find(word), std::string::npos) << message;
    };
    expect(error([](auto&, auto&, auto&) {}), "no error");
    expect(error([](auto&, auto& layout, auto&) { layout.tileCells = 5; }), "tile_cells");
    expect(error([](auto&, auto&, auto& source) { source.reset(); }), "source");
    expect(error([](auto& o, auto&, auto&) { o.maximumResidentTiles = 5; }), "maximumResidentTiles 5");
    expect(error([](auto& o, auto&, auto&) { o.maximumResidentTiles = 6; }), "no error");
    expect(error([](auto& o, auto&, auto&) { o.maximumPendingLoads = 0; }), "maximumPendingLoads");
    expect(error([](auto& o, auto&, auto&) { o.retryAfterUpdates = 0; }), "retryAfterUpdates");
    expect(error([](auto& o, auto&, auto&) { o.cancelUnwantedAfterUpdates = 0; }),
           "cancelUnwantedAfterUpdates");
    expect(error([](auto& o, auto&, auto&) { o.loadTimeoutSeconds = -1; }), "loadTimeoutSeconds");
    expect(error([](auto& o, auto&, auto&) { o.detailLevels = 5; }), "detailLevels");
    expect(error([](auto& o, auto&, auto&) { o.detailLevels = 1; }), "resolver");
    expect(error([](auto& o, auto& layout, auto&) {
               o.detailLevels = 2;
               o.resolver = *makeDetailResolver(layout, TileDetailOptions{});
               o.maximumSynthesesPerUpdate = 0;
           }),
           "maximumSynthesesPerUpdate");
    expect(error([](auto& o, auto&, auto&) { o.collisionLevel = 4; }), "collisionLevel 4");
    expect(error([](auto& o, auto&, auto&) { o.collisionLevel = -1; }), "collisionLevel -1");
}

TEST(Streamer, RefusesInvalidInterestsAndDoesNothing) {
    Rig rig(smallLayout(4));
    rig.start();
    const Interest bad[] = {CollisionInterest{0, 0, 1}, CollisionInterest{0, 0, -1}};
    EXPECT_FALSE(rig.streamer->update(bad).ok());
    EXPECT_EQ(rig.script->polls, 0u);
    EXPECT_TRUE(rig.streamer->surface().empty());
}

TEST(Streamer, H8_RootsAreRequestedAtOnce) {
    Rig rig(smallLayout(3, 3, 2));
    rig.options.maximumPendingLoads = 2;
    rig.start();
    EXPECT_EQ(rig.script->requests,
              (std::vector<TileKey>{{2, 0, 0}, {2, 1, 0}, {2, 2, 0}, {2, 0, 1}, {2, 1, 1}, {2, 2, 1}}));
}

TEST(Streamer, H8_RootsWithoutGroundAreNotAskedFor) {
    TileLayout layout = smallLayout(3, 3, 2);
    layout.samplesX = 18;  // one cell into the second root
    layout.samplesZ = 17;
    Rig rig(layout);
    rig.options.maximumResidentTiles = 2;
    rig.start();
    EXPECT_EQ(rig.script->requests, (std::vector<TileKey>{{2, 0, 0}, {2, 1, 0}}));
    EXPECT_TRUE(rig.update().published);
}

TEST(Streamer, H8_TheFirstSnapshotComesWhenAllRootsHaveArrived) {
    Rig rig(smallLayout(3, 2, 1));
    bool second = false;
    rig.script->answer = [&](const TileKey& key) {
        return key.x == 1 && !second ? Answer::Never : Answer::Tile;
    };
    rig.start();
    for (int i = 0; i < 5; ++i) {
        const StreamingReport report = rig.view();
        EXPECT_FALSE(report.published);
        EXPECT_EQ(report.resident, 1u);
        EXPECT_EQ(report.wanted, 1u);
        EXPECT_TRUE(rig.streamer->surface().empty());
    }
    second = true;
    EXPECT_TRUE(rig.update().published);
    EXPECT_EQ(rig.resident(), (std::set<TileKey>{{2, 0, 0}, {2, 1, 0}}));
    EXPECT_EQ(rig.script->requests.size(), 2u) << "nothing but roots was asked for before";
}

TEST(Streamer, H8_MissingTilesAreRequestedCoarsestFirst) {
    Rig rig(smallLayout(5));
    rig.options.maximumPendingLoads = 3;
    rig.start();
    rig.lists->wanted = {{{3, 0, 0}}, {{3, 1, 0}}};
    rig.view();
    rig.view();
    ASSERT_TRUE(rig.isResident({3, 1, 0}));
    rig.script->requests.clear();
    rig.lists->wanted = {{{2, 0, 0}}, {{2, 3, 0}}, {{3, 1, 1}}, {{2, 1, 0}}, {{3, 0, 1}}};
    rig.view();
    EXPECT_EQ(rig.script->requests, (std::vector<TileKey>{{3, 1, 1}, {3, 0, 1}, {2, 0, 0}}));
    rig.view();
    EXPECT_EQ(rig.script->requests.back(), (TileKey{2, 1, 0}));
}

TEST(Streamer, H8_NoMoreLoadsAreUnderWayThanMaximumPendingLoads) {
    Rig rig(smallLayout(6));
    rig.options.maximumPendingLoads = 5;
    rig.script->latency = 3;
    rig.startWalking(2);
    for (int i = 0; i < 200; ++i) {
        const StreamingReport report = rig.update({viewAt(60, 60)});
        EXPECT_LE(report.pending, 5u);
        EXPECT_EQ(report.pending, rig.script->underWay.size());
    }
    EXPECT_EQ(rig.walk->wanted.size(), 0u);
}

TEST(Streamer, H8_WhatCannotBeIsNotRequested) {
    TileLayout layout = smallLayout(4);
    layout.samplesX = 17;  // half of the pyramid holds ground
    Rig rig(layout);
    rig.start();
    rig.view();
    rig.script->requests.clear();
    rig.lists->wanted = {{{3, 0, 0}}, {{2, 1, 0}}, {{1, 0, 0}}, {{-1, 0, 0}}, {{2, 0, 7}}, {{4, 0, 0}}};
    const StreamingReport report = rig.view();
    EXPECT_TRUE(rig.script->requests.empty());
    EXPECT_EQ(report.wanted, 0u);
    EXPECT_TRUE(report.settled());
}

TEST(Streamer, H8_PublishesWhenSomethingChangedOnly) {
    Rig rig(smallLayout(4));
    rig.script->latency = 2;
    rig.startWalking();
    std::uint64_t revision = 0;
    int published = 0;
    for (int i = 0; i < 60; ++i) {
        const StreamingReport report = rig.update({viewAt(3, 3)});
        const Surface surface = rig.streamer->surface();
        EXPECT_EQ(report.published, surface.revision() > revision);
        EXPECT_EQ(report.published, report.loaded + report.released > 0);
        published += report.published;
        revision = surface.revision();
    }
    EXPECT_EQ(published, 4) << "once a level";
    EXPECT_EQ(rig.resident().size(), 1u + 3 * 4);
}

TEST(Streamer, H8_ViewsArePlannedOnThisUpdatesArrivals) {
    Rig rig(smallLayout(4));
    rig.startWalking();
    rig.update({viewAt(3, 3)});
    EXPECT_EQ(rig.walk->used.size(), 1u);
    EXPECT_EQ(rig.script->requests.size(), 5u) << "the root came and its children are under way";
}

TEST(Streamer, H8_CollisionComesBeforeViews) {
    Rig rig(smallLayout(6));
    rig.options.maximumPendingLoads = 2;
    rig.start();
    rig.lists->wanted = {{{4, 0, 0}}, {{4, 1, 0}}};
    const CollisionInterest region{127, 127, 0.5};
    rig.update({TileView{}, region});
    EXPECT_EQ(rig.script->requests, (std::vector<TileKey>{{5, 0, 0}, {4, 1, 1}, {4, 0, 0}}));
    rig.update({TileView{}, region});
    // A finer tile for the region is before the view's coarser one.
    EXPECT_EQ(rig.script->requests[3], (TileKey{3, 3, 3}));
    EXPECT_EQ(rig.script->requests[4], (TileKey{4, 1, 0}));
}

TEST(Streamer, H8_ACollisionInterestGetsItsTilesAndTheirAncestorsOnly) {
    test::Random random(21);
    for (int round = 0; round < 40; ++round) {
        TileLayout layout =
            smallLayout(std::uint32_t(random.integer(1, 5)), std::uint32_t(random.integer(1, 3)),
                        std::uint32_t(random.integer(1, 3)));
        layout.originX = random.range(-100, 100);
        layout.originZ = random.range(-100, 100);
        layout.spacingX = random.range(0.3, 4);
        layout.spacingZ = random.range(0.3, 4);
        layout.samplesX -= std::uint32_t(random.integer(0, 3));
        Rig rig(layout);
        rig.options.collisionLevel = random.integer(0, layout.rootLevel());
        const std::int32_t level = rig.options.collisionLevel;
        rig.start();
        const Rect ground = layout.groundRect();
        const CollisionInterest region{random.range(ground.minX - 20, ground.maxX + 20),
                                       random.range(ground.minZ - 20, ground.maxZ + 20),
                                       random.chance(0.2) ? 0 : random.range(0, 60)};
        for (int i = 0; i < 60; ++i)
            rig.update({region});
        std::set<TileKey> expected;
        for (std::int32_t l = level; l <= layout.rootLevel(); ++l) {
            for (std::uint32_t z = 0; z < layout.tilesZ(l); ++z) {
                for (std::uint32_t x = 0; x < layout.tilesX(l); ++x) {
                    const TileKey key{l, x, z};
                    if (!layout.contains(key)) continue;
                    if (l == layout.rootLevel() || reaches(region, layout.footprint(key)))
                        expected.insert(key);
                }
            }
        }
        ASSERT_EQ(rig.resident(), expected);
        EXPECT_EQ(rig.streamer->surface().collisionLevel(), level);
    }
}

TEST(Streamer, H8_AHugeRadiusCostsNoMoreThanWhatIsResident) {
    TileLayout layout = smallLayout(20);  // 2^38 tiles on the finest level
    Rig rig(layout);
    rig.options.maximumResidentTiles = 50;
    rig.start();
    for (int i = 0; i < 300; ++i) {
        const StreamingReport report = rig.update({CollisionInterest{0, 0, 1e9}});
        ASSERT_LE(report.resident + report.pending, 50u);
        ASSERT_LE(report.wanted, 4 * 50u);
    }
    EXPECT_EQ(rig.resident().size(), 50u);
}

TEST(Streamer, H8_StaleTilesLeaveLeastRecentlyUsedFirst) {
    Rig rig(smallLayout(4));
    rig.options.maximumResidentTiles = 6;
    rig.start();
    rig.lists->wanted = {{{2, 0, 0}}, {{2, 1, 0}}, {{2, 0, 1}}, {{2, 1, 1}}};
    rig.view();
    rig.lists->wanted = {};
    for (const TileKey& used : {TileKey{2, 1, 1}, TileKey{2, 0, 0}, TileKey{2, 0, 1}, TileKey{2, 1, 0}}) {
        rig.lists->used = {used};
        EXPECT_EQ(rig.view().released, 0u) << "nothing waits, so nothing leaves";
    }
    // Room for one: two more make one of the four leave, then the next.
    rig.lists->used = {{2, 1, 0}};
    rig.lists->wanted = {{{1, 2, 0}}, {{1, 3, 0}}};
    EXPECT_EQ(rig.view().released, 1u);
    EXPECT_FALSE(rig.isResident({2, 1, 1}));
    rig.view();
    rig.view();
    rig.lists->used = {{1, 2, 0}, {1, 3, 0}};
    EXPECT_EQ(rig.resident(),
              (std::set<TileKey>{{3, 0, 0}, {2, 0, 0}, {2, 1, 0}, {2, 0, 1}, {1, 2, 0}, {1, 3, 0}}));
    rig.lists->wanted = {{{1, 2, 1}}};
    rig.view();
    EXPECT_FALSE(rig.isResident({2, 0, 0}));
    EXPECT_TRUE(rig.isResident({2, 0, 1}));
}

TEST(Streamer, H8_RootsAndTilesInUseStay) {
    Rig rig(smallLayout(4, 2, 1));
    rig.options.maximumResidentTiles = 4;
    rig.start();
    rig.lists->wanted = {{{2, 0, 0}}, {{2, 1, 0}}};
    rig.view();
    rig.lists->used = {{2, 0, 0}, {2, 1, 0}};
    rig.lists->wanted = {{{2, 0, 1}}, {{2, 1, 1}}, {{2, 2, 0}}};
    for (int i = 0; i < 300; ++i) {
        const StreamingReport report = rig.view();
        EXPECT_EQ(report.released, 0u);
        EXPECT_EQ(report.requested, 0u);
        EXPECT_EQ(report.waiting, 3u);
    }
    EXPECT_EQ(rig.resident(), (std::set<TileKey>{{3, 0, 0}, {3, 1, 0}, {2, 0, 0}, {2, 1, 0}}));
}

TEST(Streamer, H9_AtTheLimitNewWorkWaitsWhileStaleTilesLeave) {
    Rig rig(smallLayout(6));
    rig.options.maximumResidentTiles = 30;
    rig.startWalking();
    for (int i = 0; i < 40; ++i)
        rig.update({viewAt(2, 2)});
    EXPECT_EQ(rig.walk->wanted.size(), 0u);
    const std::set<TileKey> before = rig.resident();
    // The far corner: as many tiles as fit beside those that stay come, never more.
    bool waited = false;
    for (int i = 0; i < 60; ++i) {
        const StreamingReport report = rig.update({viewAt(126, 126)});
        EXPECT_LE(report.resident + report.pending, 30u);
        if (report.waiting > 0) {
            waited = true;
            EXPECT_GT(report.released, 0u);
        }
    }
    EXPECT_TRUE(waited);
    EXPECT_EQ(rig.walk->wanted.size(), 0u);
    EXPECT_EQ(rig.walk->drawn.size(), 16u);
    EXPECT_NE(rig.resident(), before);
}

TEST(Streamer, H9_LoadsNeverBlock) {
    Rig rig(smallLayout(5));
    rig.script->answer = [](const TileKey& key) { return key.level < 3 ? Answer::Never : Answer::Tile; };
    rig.options.loadTimeoutSeconds = 0;
    rig.startWalking();
    for (int i = 0; i < 500; ++i)
        rig.update({viewAt(2, 2)});
    // What is resident is drawn, and the loads are still under way, each asked for once.
    EXPECT_EQ(rig.walk->drawn.size(), 4u);
    EXPECT_EQ(rig.script->requests.size(), 9u);
    EXPECT_EQ(rig.script->underWay.size(), 4u);
}

TEST(Streamer, H9_ASourceThatNeverAnswersLosesItsLoadsToTheClock) {
    Rig rig(smallLayout(5));
    rig.script->answer = [](const TileKey& key) {
        return key == TileKey{3, 1, 1} ? Answer::Never : Answer::Tile;
    };
    rig.options.loadTimeoutSeconds = 10;
    rig.startWalking();
    StreamingReport report;
    for (int i = 0; i < 10; ++i)
        report = rig.update({viewAt(2, 2)});
    EXPECT_EQ(report.pending, 1u);
    rig.clock.advance(11);
    report = rig.update({viewAt(2, 2)});
    EXPECT_EQ(report.failed, 1u);
    EXPECT_EQ(report.pending, 0u);
    EXPECT_EQ(report.onHold, 1u);
    EXPECT_EQ(rig.script->cancels, (std::vector<TileKey>{{3, 1, 1}}));
    // It is asked for again, and then it comes.
    rig.script->answer = [](const TileKey&) { return Answer::Tile; };
    for (int i = 0; i < 130; ++i)
        rig.update({viewAt(2, 2)});
    EXPECT_EQ(rig.script->count({3, 1, 1}), 2u);
    EXPECT_EQ(rig.walk->wanted.size(), 0u);
}

TEST(Streamer, H9_AFailedTileIsNotAskedForAgainFor120Updates) {
    for (const Answer wrong : {Answer::Error, Answer::WrongKey, Answer::Null, Answer::NotFinite}) {
        Rig rig(smallLayout(4));
        const TileKey bad{2, 1, 1};
        rig.script->answer = [&](const TileKey& key) { return key == bad ? wrong : Answer::Tile; };
        rig.startWalking();
        std::vector<int> asked, failed;
        for (int i = 1; i <= 400; ++i) {
            const std::size_t before = rig.script->count(bad);
            const StreamingReport report = rig.update({viewAt(3, 3)});
            if (rig.script->count(bad) > before) asked.push_back(i);
            if (report.failed > 0) failed.push_back(i);
            EXPECT_EQ(report.onHold > 0, i > 1 && asked.back() != i);
        }
        EXPECT_EQ(asked, (std::vector<int>{1, 122, 243, 364}));
        EXPECT_EQ(failed, (std::vector<int>{2, 123, 244, 365}));
        // What can load did.
        EXPECT_EQ(rig.resident(), (std::set<TileKey>{{3, 0, 0}, {2, 0, 0}, {2, 1, 0}, {2, 0, 1}}));
    }
}

TEST(Streamer, H9_AFailedRootIsAskedForAgainAfter120Updates) {
    Rig rig(smallLayout(3, 2, 1));
    bool works = false;
    rig.script->answer = [&](const TileKey& key) {
        return works || key.x == 0 ? Answer::Tile : Answer::Error;
    };
    rig.start();
    EXPECT_EQ(rig.view().failed, 1u);
    works = true;
    for (int i = 0; i < 119; ++i) {
        const StreamingReport report = rig.view();
        EXPECT_EQ(report.requested, 0u);
        EXPECT_EQ(report.onHold, 1u);
    }
    EXPECT_EQ(rig.view().requested, 1u);
    EXPECT_TRUE(rig.view().published);
}

TEST(Streamer, H9_ATileThatLeavesUnusedIsNotAskedForAgainFor120Updates) {
    Rig rig(smallLayout(4, 3, 1));
    rig.options.maximumResidentTiles = 4;
    rig.start();
    // It comes, nobody uses it, and a region to stand on wants its room.
    const TileKey unused{2, 0, 0}, ground{2, 2, 0}, other{2, 4, 0};
    rig.lists->wanted = {{unused}};
    rig.view();
    rig.view();
    EXPECT_TRUE(rig.isResident(unused));
    rig.lists->wanted = {};
    for (int i = 0; i < 3; ++i)
        rig.update({CollisionInterest{40, 8, 0}});
    EXPECT_FALSE(rig.isResident(unused));
    EXPECT_TRUE(rig.isResident(ground));
    // It left in update 3, so 123 is the first in which it may be asked for.
    int update = 5;
    const auto view = [&] {
        ++update;
        return rig.view();
    };
    rig.lists->wanted = {{unused}, {other}};
    StreamingReport report = view();
    EXPECT_EQ(report.onHold, 1u);
    EXPECT_EQ(report.released, 1u);
    EXPECT_FALSE(rig.isResident(ground));
    view();
    EXPECT_EQ(rig.script->requests.back(), other);
    // What was used and left may come back at once.
    rig.lists->wanted = {{unused}, {ground}};
    for (int i = 0; i < 4; ++i)
        view();
    EXPECT_TRUE(rig.isResident(ground));
    rig.lists->used = {ground};
    rig.lists->wanted = {{unused}};
    while (update < 122) {
        report = view();
        EXPECT_EQ(report.onHold, 1u) << update;
    }
    EXPECT_EQ(rig.script->count(unused), 1u);
    report = view();
    EXPECT_EQ(report.onHold, 0u);
}

TEST(Streamer, H9_GroundToStandOnDoesNotWaitForWhatLeftUnusedButForWhatFailed) {
    Rig rig(smallLayout(4, 3, 1));
    rig.options.maximumResidentTiles = 5;
    rig.options.collisionLevel = 2;
    rig.start();
    const TileKey unused{2, 0, 0};
    rig.lists->wanted = {{unused}};
    rig.view();
    rig.view();
    rig.lists->wanted = {};
    for (int i = 0; i < 3; ++i)
        rig.update({CollisionInterest{40, 8, 0}, CollisionInterest{72, 8, 0}});
    ASSERT_FALSE(rig.isResident(unused));
    rig.lists->wanted = {{unused}};
    EXPECT_EQ(rig.view().onHold, 1u);
    bool works = false;
    rig.script->answer = [&](const TileKey&) { return works ? Answer::Tile : Answer::Error; };
    const CollisionInterest region{8, 8, 0};
    rig.update({region});
    rig.update({region});
    EXPECT_EQ(rig.script->requests.back(), unused);
    EXPECT_EQ(rig.update({region}).failed, 1u);
    works = true;
    for (int i = 0; i < 119; ++i)
        EXPECT_EQ(rig.update({region}).onHold, 1u);
    rig.update({region});
    rig.update({region});
    EXPECT_TRUE(rig.isResident(unused));
}

TEST(Streamer, H8_ViewsGiveWayWhereARegionToStandOnFindsNoRoom) {
    Rig rig(smallLayout(6));
    rig.options.maximumResidentTiles = 60;
    rig.startWalking(3);
    const auto at = [](double x) {
        return std::vector<Interest>{viewAt(64, 64), CollisionInterest{x, 4, 2}};
    };
    for (int i = 0; i < 100; ++i)
        rig.update(at(2));
    EXPECT_GT(rig.walk->wanted.size(), 0u) << "the view has to be short of room";
    // Far away from there, with a view that does not move.
    StreamingReport report;
    for (int i = 0; i < 12; ++i)
        report = rig.update(at(122));
    EXPECT_TRUE(rig.isResident({0, 30, 1}));
    EXPECT_LE(report.resident + report.pending, 60u);
    // And that settles: the view does not take it back, and the region needs no more.
    for (int i = 0; i < 300; ++i) {
        report = rig.update(at(122));
        EXPECT_TRUE(rig.isResident({0, 30, 1}));
    }
    EXPECT_EQ(report.released + report.requested, 0u);
}

TEST(Streamer, H9_HalfLoadedChildrenWaitForTheRestAtTheLimit) {
    Rig rig(smallLayout(6));
    rig.options.maximumResidentTiles = 1 + 4 + 4 + 2;
    rig.startWalking();
    for (int i = 0; i < 1000; ++i)
        rig.update({viewAt(2, 2)});
    // Two of the next four fit. They are not fetched and released in turns.
    EXPECT_EQ(rig.script->requests.size(), 11u);
    EXPECT_EQ(rig.streamer->surface().tiles().size(), 11u);
}

TEST(Streamer, H9_HalfLoadedChildrenAreKeptForOneUnderWay) {
    Rig rig(smallLayout(5, 2, 1));
    rig.options.maximumResidentTiles = 6;
    rig.options.loadTimeoutSeconds = 0;
    rig.script->answer = [](const TileKey& key) {
        return key == TileKey{3, 1, 1} ? Answer::Never : Answer::Tile;
    };
    rig.start();
    rig.lists->wanted = {{{3, 0, 0}}, {{3, 1, 0}}, {{3, 0, 1}}, {{3, 1, 1}}};
    rig.view();
    rig.view();
    rig.lists->wanted = {{{3, 1, 1}}, {{3, 2, 0}}};
    for (int i = 0; i < 10; ++i)
        EXPECT_EQ(rig.view().released, 0u);
    EXPECT_TRUE(rig.isResident({3, 0, 1}));
}

TEST(Streamer, H9_ATileBecomesResidentOnlyUnderAResidentParent) {
    Rig rig(smallLayout(5));
    rig.options.maximumResidentTiles = 4;
    rig.script->ignoreCancel = true;
    rig.start();
    rig.lists->wanted = {{{3, 0, 0}}};
    rig.view();
    rig.view();
    const TileKey child{2, 0, 0};
    rig.script->answer = [&](const TileKey& key) { return key == child ? Answer::Never : Answer::Tile; };
    rig.lists->wanted = {{child}};
    rig.lists->used = {{3, 0, 0}};
    rig.view();
    EXPECT_TRUE(rig.script->isUnderWay(child));
    // Its parent has to make room for a region to stand on.
    rig.lists->used = {};
    rig.lists->wanted = {};
    StreamingReport sum;
    for (int i = 0; i < 6; ++i) {
        const StreamingReport report = rig.update({CollisionInterest{63, 63, 0}});
        sum.dropped += report.dropped;
    }
    EXPECT_FALSE(rig.isResident({3, 0, 0}));
    EXPECT_EQ(sum.dropped, 1u);
    EXPECT_EQ(rig.script->cancels, (std::vector<TileKey>{child}));
    // The source delivers it nevertheless.
    rig.script->answer = [](const TileKey&) { return Answer::Tile; };
    rig.update({CollisionInterest{63, 63, 0}});
    EXPECT_EQ(rig.script->underWay.size(), 0u);
    EXPECT_FALSE(rig.isResident(child));
}

TEST(Streamer, H9_UnwantedLoadsMakePlaceForWantedOnes) {
    Rig rig(smallLayout(6));
    rig.options.maximumPendingLoads = 4;
    rig.options.cancelUnwantedAfterUpdates = 10;
    rig.options.loadTimeoutSeconds = 0;
    rig.script->answer = [](const TileKey& key) {
        return key.level == 4 && key.x == 0 ? Answer::Never : Answer::Tile;
    };
    rig.start();
    rig.lists->wanted = {{{4, 0, 0}}, {{4, 0, 1}}, {{4, 1, 0}}};
    rig.view();
    rig.view();
    EXPECT_EQ(rig.script->underWay.size(), 2u);
    // Unwanted, but nobody lacks their places.
    rig.lists->wanted = {};
    for (int i = 0; i < 50; ++i)
        EXPECT_EQ(rig.view().dropped, 0u);
    rig.lists->wanted = {{{3, 2, 0}}, {{3, 3, 0}}, {{3, 2, 1}}, {{3, 3, 1}}};
    EXPECT_EQ(rig.view().dropped, 2u);
    rig.view();
    rig.view();
    EXPECT_TRUE(rig.isResident({3, 3, 1}));
}

TEST(Streamer, PrefetchUsesFreeRoomAndWhatNobodyLookedAtForLong) {
    Rig rig(smallLayout(5));
    rig.options.maximumResidentTiles = 4;
    rig.start();
    rig.lists->wanted = {{{3, 0, 0}}, {{3, 1, 0}}};
    rig.view();
    rig.lists->used = {{3, 0, 0}, {3, 1, 0}};
    rig.lists->wanted = {{{3, 0, 1}, true}, {{3, 1, 1}, true}};
    StreamingReport report = rig.view();
    EXPECT_EQ(report.wanted, 0u);
    EXPECT_EQ(report.requested, 1u) << "into the free room";
    rig.view();
    EXPECT_TRUE(rig.isResident({3, 0, 1}));
    for (int i = 0; i < 119; ++i)
        EXPECT_EQ(rig.view().released, 0u);
    rig.view();
    rig.view();
    rig.view();
    EXPECT_TRUE(rig.isResident({3, 1, 1})) << "in the place of a tile that came long ago and was not used";
    EXPECT_FALSE(rig.isResident({3, 0, 1}));
    // What a view needs does not wait for that.
    rig.lists->wanted = {{{2, 0, 0}}};
    rig.view();
    rig.view();
    rig.view();
    EXPECT_TRUE(rig.isResident({2, 0, 0}));
}

}  // namespace
}  // namespace karst::heightfield
