// In place of physics_scene_bullet.cpp where Bullet is not there.
#include <algorithm>

#include "physics_scene.h"

namespace karst::viewer {

namespace {

// Ground that rises by more than this at a step is a wall.
constexpr double kStepHeight = 0.6;

class RayScene final : public PhysicsScene {
  public:
    explicit RayScene(std::unique_ptr<GroundColliders> colliders)
        : m_colliders(std::move(colliders)), m_origin(origin()) {}

    const GroundColliders& ground() const override { return *m_colliders; }

    void setGround(std::unique_ptr<GroundColliders> colliders) override {
        m_walking = false;
        m_colliders = std::move(colliders);
        m_origin = origin();
    }

    Result<void> step(double seconds, std::span<const SolidPlace> places) override {
        const auto changed = m_colliders->update(places);
        if (!changed) return changed.error();
        // Who ran ahead of the ground waits for it.
        if (!m_walking || !m_colliders->solidAt(m_feet, 0.35)) return {};
        WorldPosition next = m_feet + m_wish * seconds;
        m_fall = std::min(m_fall + 9.81 * seconds, 60.0);
        next.y -= m_fall * seconds;
        const WorldPosition above{next.x, std::max(next.y, m_feet.y) + kStepHeight, next.z};
        const auto hit = m_colliders->shape()->castRay({above - m_origin, {0, -1, 0}}, above.y - next.y);
        if (hit) {
            next.y = above.y - hit->t;
            m_fall = 0;
        }
        m_feet = next;
        return {};
    }

    std::optional<double> groundBelow(WorldPosition place, double depth) const override {
        const auto hit = m_colliders->shape()->castRay({place - m_origin, {0, -1, 0}}, depth);
        if (!hit) return std::nullopt;
        return place.y - hit->t;
    }

    void startWalking(WorldPosition feet) override {
        m_feet = feet;
        m_fall = 0;
        m_walking = true;
    }
    void stopWalking() override { m_walking = false; }
    void walk(Vec3d velocity, bool jump) override {
        m_wish = velocity;
        if (jump && m_fall == 0) m_fall = -5.5;
    }
    WorldPosition feet() const override { return m_feet; }
    bool canDrop() const override { return false; }
    void drop(WorldPosition, double, int) override {}
    void clear() override {}
    std::span<const BodyPose> bodies() const override { return {}; }

  private:
    std::unique_ptr<GroundColliders> m_colliders;
    WorldPosition m_origin, m_feet;
    Vec3d m_wish;
    double m_fall = 0;  // downwards, world units a second
    bool m_walking = false;
};

}  // namespace

std::unique_ptr<PhysicsScene> makePhysicsScene(std::unique_ptr<GroundColliders> colliders) {
    return std::make_unique<RayScene>(std::move(colliders));
}

}  // namespace karst::viewer
