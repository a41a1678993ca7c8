#pragma once

#include <btBulletDynamicsCommon.h>

#include <memory>
#include <vector>

#include "physics_scene.h"

namespace karst::viewer {

/// Bodies that fall in a world of Bullet's. Those whose ground is not there stand still, out of that world,
/// until it is: none falls through ground that is still to come. The world must outlive them.
///
/// Threads: one at a time.
class FallingBodies {
  public:
    static constexpr std::size_t kMost = 400;

    explicit FallingBodies(btDynamicsWorld& world) : m_world(&world) {}
    ~FallingBodies() { clear(); }
    FallingBodies(const FallingBodies&) = delete;
    FallingBodies& operator=(const FallingBodies&) = delete;

    /// As PhysicsScene::drop.
    void drop(WorldPosition from, double size, int count);
    void clear();

    /// Before a step: `origin` is the world position of Bullet's zero.
    void takeGround(const GroundColliders& ground, WorldPosition origin);
    /// After a step: where they are now. Who fell out of the world is gone.
    void takePoses();
    /// All of them stand still, until takeGround() with another origin.
    void freeze();

    std::span<const BodyPose> poses() const { return m_poses; }

  private:
    struct Body {
        std::unique_ptr<btCollisionShape> shape;
        std::unique_ptr<btRigidBody> rigid;
        BodyPose pose;
        double from = 0;      // height that it fell from
        bool moving = false;  // in the world
    };
    void add(BodyForm form, WorldPosition at, double size, std::uint32_t number);
    void setMoving(Body& body, bool moving);

    btDynamicsWorld* m_world;
    WorldPosition m_origin;
    std::vector<Body> m_bodies;
    std::vector<BodyPose> m_poses;
    std::uint32_t m_dropped = 0;
};

}  // namespace karst::viewer
