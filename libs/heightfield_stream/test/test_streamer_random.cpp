// What must hold after every update, over random layouts, limits, views and failures (spec rows H8, H9).
#include "scripted_source.h"

#include <karst_test/test_support.h>

namespace karst::heightfield {
namespace {

using scripted::Answer;
using scripted::Rig;

Answer answerOf(std::uint64_t seed, const TileKey& key, std::int32_t rootLevel, double failing) {
    if (key.level == rootLevel) return Answer::Tile;
    test::Random random(seed ^ key.packed());
    if (!random.chance(failing)) return Answer::Tile;
    return static_cast<Answer>(random.integer(1, 5));
}

struct Flight {
    Rig rig;
    std::uint64_t seed;
    std::uint32_t maximumResident, maximumPending, roots;
    std::map<TileKey, int> failedIn;
    std::size_t seenRequests = 0, seenFailures = 0;
    int update = 0;

    static TileLayout layoutOf(test::Random& random) {
        TileLayout layout =
            scripted::smallLayout(std::uint32_t(random.integer(3, 7)), std::uint32_t(random.integer(1, 2)),
                                  std::uint32_t(random.integer(1, 2)));
        layout.samplesX -= std::uint32_t(random.integer(0, int(layout.samplesX / 3)));
        return layout;
    }

    Flight(std::uint64_t runSeed, test::Random& random) : rig(layoutOf(random)), seed(runSeed) {
        const TileLayout& layout = rig.script->layout;
        roots = layout.rootsX * layout.rootsZ;
        maximumResident = roots + std::uint32_t(random.integer(0, 120));
        maximumPending = std::uint32_t(random.integer(1, 20));
        rig.options.maximumResidentTiles = maximumResident;
        rig.options.maximumPendingLoads = maximumPending;
        rig.options.loadTimeoutSeconds = random.chance(0.5) ? 0.5 : 0;
        rig.options.cancelUnwantedAfterUpdates = std::uint32_t(random.integer(1, 20));
        rig.script->latency = random.integer(0, 5);
        const double failing = random.chance(0.3) ? 0 : random.range(0, 0.3);
        rig.script->answer = [this, failing](const TileKey& key) {
            return answerOf(seed, key, rig.script->layout.rootLevel(), failing);
        };
        rig.startWalking(random.range(0.3, 2));
        seenRequests = rig.script->requests.size();
    }

    StreamingReport step(const std::vector<Interest>& interests) {
        ++update;
        rig.clock.advance(0.05);
        const std::uint64_t revision = rig.streamer->surface().revision();
        const StreamingReport report = rig.update(interests);
        const Surface surface = rig.streamer->surface();

        EXPECT_LE(report.resident + report.pending, maximumResident);
        EXPECT_LE(report.pending, std::max(maximumPending, roots));
        EXPECT_EQ(report.published, surface.revision() > revision);
        EXPECT_LE(report.waiting + report.onHold, report.wanted);
        if (!surface.empty()) {
            EXPECT_EQ(report.resident, surface.tiles().size());
            for (const TilePtr& tile : surface.tiles()) {
                if (tile->key.level == surface.layout().rootLevel()) continue;
                EXPECT_NE(surface.find(tile->key.parent()), nullptr) << tile->key << " without its parent";
            }
            // What the view of this update used is still there, unless a region to stand on needed the room.
            if (interests.size() == 1) {
                for (const TileKey& used : rig.walk->used)
                    EXPECT_NE(surface.find(used), nullptr) << used << " was in use";
            }
        }
        for (; seenFailures < rig.script->failures.size(); ++seenFailures)
            failedIn[rig.script->failures[seenFailures]] = update;
        for (; seenRequests < rig.script->requests.size(); ++seenRequests) {
            const TileKey key = rig.script->requests[seenRequests];
            EXPECT_EQ(surface.find(key), nullptr) << key << " was resident";
            const auto failed = failedIn.find(key);
            if (failed != failedIn.end()) {
                EXPECT_GE(update, failed->second + 120) << key;
            }
        }
        return report;
    }
};

TEST(StreamerRandom, H8_H9_LimitsAndParentsHoldAndFailuresAreLeftAlone) {
    test::Random random(4242);
    for (std::uint64_t round = 0; round < 60 && !::testing::Test::HasFailure(); ++round) {
        Flight run(round * 7919, random);
        const Rect ground = run.rig.script->layout.groundRect();
        double x = random.range(ground.minX, ground.maxX), z = random.range(ground.minZ, ground.maxZ);
        for (int i = 0; i < 200; ++i) {
            if (random.chance(0.05)) {
                x = random.range(ground.minX, ground.maxX);
                z = random.range(ground.minZ, ground.maxZ);
            }
            std::vector<Interest> interests{scripted::viewAt(x, z)};
            if (random.chance(0.5)) interests.push_back(CollisionInterest{x, z, random.range(0, 20)});
            run.step(interests);
        }
    }
}

// A still camera: what can load is there, or the limit is reached; and then nothing moves but a retry of
// each tile on hold every 120 updates.
TEST(StreamerRandom, H9_ASaturatedStreamSettles) {
    test::Random random(99);
    int saturated = 0;
    for (std::uint64_t round = 0; round < 60 && !::testing::Test::HasFailure(); ++round) {
        Flight run(round * 104729, random);
        const Rect ground = run.rig.script->layout.groundRect();
        const double x = random.range(ground.minX, ground.maxX), z = random.range(ground.minZ, ground.maxZ);
        std::vector<Interest> interests{scripted::viewAt(x, z)};
        if (random.chance(0.5)) interests.push_back(CollisionInterest{x, z, random.range(0, 10)});
        for (int i = 0; i < 400; ++i)
            run.step(interests);
        run.rig.script->requests.clear();
        run.seenRequests = 0;
        const std::uint64_t revision = run.rig.streamer->surface().revision();
        std::uint32_t released = 0;
        StreamingReport report;
        for (int i = 0; i < 360; ++i) {
            report = run.step(interests);
            released += report.released;
        }
        std::map<TileKey, int> counts;
        for (const TileKey& key : run.rig.script->requests)
            EXPECT_LE(++counts[key], 3) << key << " more than once in 120 updates";
        saturated += report.waiting > 0;
        if (report.waiting == 0 && report.onHold == 0 && report.pending == 0) {
            EXPECT_TRUE(run.rig.walk->wanted.empty());
            EXPECT_EQ(run.rig.streamer->surface().revision(), revision);
            EXPECT_EQ(released, 0u);
        }
    }
    EXPECT_GT(saturated, 5) << "the test has to meet the limit";
}

TEST(StreamerRandom, H8_TheSameScriptGivesTheSameRequests) {
    std::vector<std::vector<TileKey>> requests;
    for (int repeat = 0; repeat < 2; ++repeat) {
        test::Random random(31);
        Flight run(5, random);
        for (int i = 0; i < 300; ++i)
            run.step({scripted::viewAt(i * 0.3, i * 0.2), CollisionInterest{i * 0.3, 3, 2}});
        requests.push_back(run.rig.script->requests);
    }
    EXPECT_GT(requests[0].size(), 10u);
    EXPECT_EQ(requests[0], requests[1]);
}

}  // namespace
}  // namespace karst::heightfield
