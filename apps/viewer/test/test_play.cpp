#include "play.h"

#include <gtest/gtest.h>
#include <karst_test/test_support.h>

#include <algorithm>
#include <cmath>

#include "hills.h"
#include "open_ground.h"

namespace karst::viewer {
namespace {

/// Hills, and what walks and falls there, without a window.
class PlayOnHeights : public testing::Test {
  protected:
    void open(double spacing, std::uint32_t detailLevels = 0) {
        OpenRequest request;
        request.file = test::buildHills(m_folder.path() / "hills.karst", 16, spacing);
        request.detailLevels = detailLevels;
        m_ground = test::openGround(request);
        ASSERT_TRUE(m_ground);
        m_side = spacing * (test::kHillsSide - 1);
        m_play.emplace(*m_ground);
        look(m_side / 2, m_side / 2);
        ASSERT_TRUE(test::settle(*m_ground, viewpoint()));
    }
    void TearDown() override { m_play.reset(); }

    Play& play() { return *m_play; }
    CameraPose& camera() { return m_camera; }
    double side() const { return m_side; }
    /// From above, nearly straight down.
    void look(double x, double z) { m_camera = {{x, 170, z}, 0, -1.55}; }
    Viewpoint viewpoint() const {
        Viewpoint view;
        view.eye = m_camera.position;
        view.solid = m_play->solid();
        return view;
    }
    /// False where this viewer lets nothing fall.
    bool drop(double x, double z) {
        look(x, z);
        const auto dropped = m_play->drop(m_camera);
        EXPECT_TRUE(dropped.ok() || dropped.error().code == ErrorCode::Unsupported)
            << dropped.error().message;
        return dropped.ok();
    }
    void run(double seconds, const WalkWish& wish = {}) {
        for (int i = 0; i < seconds * 30; ++i) {
            ASSERT_TRUE(m_play->step(1.0 / 30, wish, m_camera).ok());
            ASSERT_TRUE(m_ground->update(viewpoint()).ok());
            m_mostPlaces = std::max(m_mostPlaces, m_play->solid().size());
            const auto bodies = m_play->bodies();
            m_everWaiting = m_everWaiting || std::any_of(bodies.begin(), bodies.end(),
                                                         [](const BodyPose& b) { return b.waiting; });
        }
    }
    double groundAt(double x, double z) {
        const auto hit = m_ground->castRay({{x, 1000, z}, {0, -1, 0}}, 2000);
        return hit ? hit->position.y : -1e9;
    }
    /// Bodies that lie on the ground, or on each other.
    std::size_t resting() {
        std::size_t count = 0;
        for (const BodyPose& body : m_play->bodies()) {
            const double above = body.position.y - groundAt(body.position.x, body.position.z);
            const double size = 2 * double{length(body.halfSize)};
            // On a slope the nearest ground is not the one below.
            if (above > 0 && above < 3 * size) ++count;
        }
        return count;
    }
    std::size_t waiting() const {
        const auto bodies = m_play->bodies();
        return static_cast<std::size_t>(
            std::count_if(bodies.begin(), bodies.end(), [](const BodyPose& b) { return b.waiting; }));
    }

    std::size_t m_mostPlaces = 0;
    bool m_everWaiting = false;

  private:
    test::TempFolder m_folder;
    std::unique_ptr<Ground> m_ground;
    std::optional<Play> m_play;
    CameraPose m_camera;
    double m_side = 0;
};

TEST_F(PlayOnHeights, H29_BodiesFarFromEachOtherAllHaveGround) {
    open(10);
    const double spots[][2] = {{100, 100}, {1180, 100}, {640, 640}, {100, 1180}, {1180, 1180}};
    std::size_t dropped = 0;
    for (const auto& [x, z] : spots) {
        if (!drop(x, z)) GTEST_SKIP() << "nothing falls without Bullet";
        dropped += 12;
        run(0.3);
    }
    run(8);
    EXPECT_EQ(play().bodies().size(), dropped);
    EXPECT_EQ(resting(), dropped);
    EXPECT_LE(m_mostPlaces, Play::kMostPlaces + 1);
}

// More places than there may be: those beyond the limit stand still until there is one for them.
TEST_F(PlayOnHeights, H29_BeyondTheLimitBodiesWaitAndNoneIsLost) {
    open(10);
    std::size_t dropped = 0;
    for (int i = 0; i < 16; ++i) {
        if (!drop(130 + 300 * (i % 4), 130 + 300 * (i / 4))) GTEST_SKIP() << "nothing falls without Bullet";
        dropped += 12;
        run(0.1);
    }
    run(12);
    EXPECT_EQ(play().bodies().size(), dropped);
    EXPECT_EQ(resting(), dropped);
    EXPECT_LE(m_mostPlaces, Play::kMostPlaces + 2);
    EXPECT_TRUE(m_everWaiting);
    EXPECT_LE(waiting(), dropped / 4 + 24) << "as many as have no place, at most";
    play().clearBodies();
    run(0.1);
    EXPECT_TRUE(play().bodies().empty());
    EXPECT_TRUE(play().solid().empty());
}

// Farther apart than one scene reaches: the old ones stay as they are, and go on when it comes back to them.
TEST_F(PlayOnHeights, BodiesOutOfReachStandStill) {
    open(100);
    if (!drop(1500, 1500)) GTEST_SKIP() << "nothing falls without Bullet";
    run(8);
    const std::vector<BodyPose> before(play().bodies().begin(), play().bodies().end());
    ASSERT_EQ(before.size(), 12u);
    EXPECT_EQ(resting(), 12u);
    ASSERT_TRUE(drop(11000, 11000));
    run(8);
    ASSERT_EQ(play().bodies().size(), 24u);
    EXPECT_EQ(resting(), 24u);
    EXPECT_EQ(waiting(), 12u);
    for (std::size_t i = 0; i < before.size(); ++i)
        EXPECT_EQ(play().bodies()[i].position, before[i].position);

    ASSERT_TRUE(drop(1540, 1500));
    run(8);
    ASSERT_EQ(play().bodies().size(), 36u);
    EXPECT_EQ(resting(), 36u);
    EXPECT_EQ(waiting(), 12u);
    for (std::size_t i = 0; i < before.size(); ++i)
        EXPECT_FALSE(play().bodies()[i].waiting);
}

// One walks out of the ground that a scene has room for (945 m, with tiles of 20 m) into the next.
TEST_F(PlayOnHeights, WalksOnBeyondTheReachOfAScene) {
    open(10, 3);
    const auto stands = [&] {
        const Vec3d at = camera().position;
        return std::abs(at.y - groundAt(at.x, at.z) - PhysicsScene::kEyeHeight) < 1.5;
    };
    look(100, 640);
    ASSERT_TRUE(play().setWalking(true, camera()).ok());
    run(0.5);
    EXPECT_TRUE(stands());
    ASSERT_TRUE(play().setWalking(false, camera()).ok());
    run(0.1);
    EXPECT_TRUE(play().solid().empty());
    look(1030, 640);
    ASSERT_TRUE(play().setWalking(true, camera()).ok());
    for (int part = 0; part < 8; ++part) {
        run(0.5, {{1, 0, 0}, true, false});
        EXPECT_TRUE(stands()) << part;
    }
    EXPECT_GT(camera().position.x, 1060);
}

}  // namespace
}  // namespace karst::viewer
