#include "request_queue.h"

#include "scripted_source.h"

#include <karst_test/test_support.h>

namespace karst::heightfield {
namespace {

struct Queue {
    scripted::FakeClock clock;
    std::shared_ptr<scripted::Script> script = std::make_shared<scripted::Script>();
    Externals externals;
    std::optional<RequestQueue> queue;

    explicit Queue(double timeout = 0, std::uint32_t retry = 120) {
        externals.clock = &clock;
        script->layout = scripted::smallLayout(8);
        queue.emplace(std::make_unique<scripted::ScriptedSource>(script), retry, timeout, externals);
    }
};

TEST(RequestQueue, GivesWhatFinishesOnce) {
    Queue q;
    q.queue->request({2, 1, 1}, 1);
    EXPECT_TRUE(q.queue->isPending({2, 1, 1}));
    EXPECT_EQ(q.queue->pending(), 1u);
    auto finished = q.queue->next();
    ASSERT_TRUE(finished.has_value());
    EXPECT_EQ(finished->key, (TileKey{2, 1, 1}));
    EXPECT_TRUE(finished->tile.ok());
    EXPECT_FALSE(q.queue->next().has_value());
    EXPECT_EQ(q.queue->pending(), 0u);
}

TEST(RequestQueue, WhatNobodyAskedForDoesNotComeOutAndDoesNotHoldUp) {
    Queue q;
    for (std::uint32_t i = 0; i < 1000; ++i) {
        q.script->extra.push_back({{0, i, 0}, makeError(ErrorCode::Io, "stray")});
    }
    q.queue->request({2, 1, 1}, 1);
    EXPECT_FALSE(q.queue->next().has_value());
    EXPECT_LT(q.script->polls, 100u);
    // Rounds go on where the last one stopped.
    for (int round = 0; round < 20 && q.queue->pending() > 0; ++round)
        q.queue->next();
    EXPECT_EQ(q.queue->pending(), 0u);
}

TEST(RequestQueue, CancelledLoadsDoNotComeOutEvenIfTheSourceDelivers) {
    Queue q;
    q.script->ignoreCancel = true;
    q.queue->request({2, 1, 1}, 1);
    EXPECT_TRUE(q.queue->cancel({2, 1, 1}));
    EXPECT_FALSE(q.queue->cancel({2, 1, 1}));
    EXPECT_FALSE(q.queue->next().has_value());
    EXPECT_EQ(q.script->cancels.size(), 1u);
}

TEST(RequestQueue, H9_ALoadWithoutAnswerIsGivenUpByTheClock) {
    Queue q(5);
    q.script->answer = [](const TileKey&) { return scripted::Answer::Never; };
    q.queue->request({2, 0, 0}, 1);
    q.clock.advance(3);
    q.queue->request({2, 1, 0}, 1);
    q.clock.advance(1.9);
    EXPECT_FALSE(q.queue->next().has_value());
    q.clock.advance(0.2);
    auto late = q.queue->next();
    ASSERT_TRUE(late.has_value());
    EXPECT_EQ(late->key, (TileKey{2, 0, 0}));
    ASSERT_FALSE(late->tile.ok());
    EXPECT_NE(late->tile.error().message.find("2/0-0"), std::string::npos) << late->tile.error().message;
    EXPECT_FALSE(q.queue->next().has_value());
    EXPECT_EQ(q.script->cancels, (std::vector<TileKey>{{2, 0, 0}}));
    q.clock.advance(3);
    EXPECT_TRUE(q.queue->next().has_value());
    EXPECT_EQ(q.queue->pending(), 0u);
}

TEST(RequestQueue, UnwantedLoadsGiveUpTheirPlace) {
    Queue q;
    for (std::uint32_t i = 0; i < 6; ++i)
        q.queue->request({0, i, 0}, 1);
    for (std::uint64_t update = 2; update <= 8; ++update) {
        q.queue->want({0, 1, 0}, update);
        q.queue->want({0, 4, 0}, update);
        q.queue->want({0, 9, 9}, update);  // not under way
    }
    EXPECT_EQ(q.queue->cancelUnwanted(8, 8, 10), 0u);
    EXPECT_EQ(q.queue->cancelUnwanted(9, 8, 3), 3u);
    EXPECT_EQ(q.queue->cancelUnwanted(9, 8, 3), 1u);
    EXPECT_EQ(q.queue->cancelUnwanted(10, 8, 3), 0u);
    EXPECT_TRUE(q.queue->isPending({0, 1, 0}));
    EXPECT_TRUE(q.queue->isPending({0, 4, 0}));
    EXPECT_EQ(q.queue->pending(), 2u);
}

TEST(RequestQueue, HeldTilesAreDueAfterTheirUpdates) {
    using Reason = RequestQueue::HoldReason;
    Queue q(0, 7);
    const TileKey a{0, 1, 0}, b{0, 2, 0}, c{0, 3, 0};
    q.queue->hold(a, Reason::Failed, 10);
    q.queue->hold(b, Reason::LeftUnused, 12);
    q.queue->hold(c, Reason::LeftUnused, 12);
    EXPECT_EQ(q.queue->held(a), Reason::Failed);
    EXPECT_EQ(q.queue->held(b), Reason::LeftUnused);
    EXPECT_EQ(q.queue->held({1, 1, 1}), std::nullopt);
    q.queue->letGo(16);
    EXPECT_TRUE(q.queue->held(a).has_value());
    q.queue->letGo(17);
    EXPECT_FALSE(q.queue->held(a).has_value());
    // Let go early, and held again: then the later time counts.
    q.queue->letGo(b);
    EXPECT_FALSE(q.queue->held(b).has_value());
    q.queue->hold(b, Reason::Failed, 18);
    q.queue->hold(c, Reason::Failed, 18);
    q.queue->letGo(24);
    EXPECT_EQ(q.queue->held(b), Reason::Failed);
    EXPECT_EQ(q.queue->held(c), Reason::Failed);
    q.queue->letGo(25);
    EXPECT_FALSE(q.queue->held(b).has_value());
    EXPECT_FALSE(q.queue->held(c).has_value());
}

TEST(RequestQueue, RandomOperationsKeepItsBooks) {
    test::Random random(5);
    Queue q;
    q.script->answer = [](const TileKey& key) {
        return key.x % 3 == 0 ? scripted::Answer::Never : scripted::Answer::Tile;
    };
    q.script->latency = 2;
    std::set<TileKey> reference;
    for (std::uint64_t update = 1; update < 4000; ++update) {
        const TileKey key{random.integer(0, 3), std::uint32_t(random.integer(0, 7)),
                          std::uint32_t(random.integer(0, 7))};
        const int what = random.integer(0, 3);
        if (what <= 1 && !q.queue->isPending(key)) {
            q.queue->request(key, update);
            reference.insert(key);
        } else if (what == 2) {
            ASSERT_EQ(q.queue->cancel(key), reference.erase(key) == 1);
        } else if (what == 3) {
            q.script->tick();
            while (auto finished = q.queue->next())
                ASSERT_EQ(reference.erase(finished->key), 1u);
        }
        ASSERT_EQ(q.queue->pending(), reference.size());
        ASSERT_EQ(q.queue->isPending(key), reference.count(key) == 1);
        ASSERT_EQ(q.script->underWay.size(), reference.size());
    }
}

}  // namespace
}  // namespace karst::heightfield
