#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "ground.h"

namespace karst::viewer {

enum class BodyForm : std::uint8_t { Ball, Box, Capsule };

struct BodyPose {
    BodyForm form = BodyForm::Ball;
    WorldPosition position;
    std::array<Vec3f, 3> axes;  ///< where the body's X, Y and Z point, length 1
    Vec3f halfSize;             ///< along its axes; a capsule stands along Y
    std::uint32_t number = 0;
    bool asleep = false;
    bool waiting = false;  ///< stands still, wherever it is, until there is ground
};

/// Who walks and what falls on the ground. With Bullet a capsule of 1.8 m walks as a kinematic character and
/// bodies fall; without, walking follows the colliders by rays, and nothing falls.
///
/// Threads: one at a time.
class PhysicsScene {
  public:
    static constexpr double kEyeHeight = 1.65;
    /// From the scene's zero floats are fine as far as this.
    static constexpr double kReach = 4000;

    virtual ~PhysicsScene() = default;

    virtual const GroundColliders& ground() const = 0;
    WorldPosition origin() const { return ground().shape()->definition().origin; }
    /// Can who walks, or a body, be there? Along X and Z.
    bool reaches(WorldPosition place) const;

    /// Goes on with other colliders, in most cases of another zero. Bodies stay where they are in the world;
    /// who walks stops.
    virtual void setGround(std::unique_ptr<GroundColliders> colliders) = 0;
    /// Takes in how the ground changed and moves everything on by `seconds`. The ground is solid in the
    /// places; bodies elsewhere stand still.
    virtual Result<void> step(double seconds, std::span<const SolidPlace> places) = 0;

    /// Height of the first solid ground at most `depth` below a place; nothing where there is none (yet).
    virtual std::optional<double> groundBelow(WorldPosition place, double depth) const = 0;

    virtual void startWalking(WorldPosition feet) = 0;
    virtual void stopWalking() = 0;
    /// For the next step: world units a second over level ground, and whether to jump.
    virtual void walk(Vec3d velocity, bool jump) = 0;
    virtual WorldPosition feet() const = 0;

    virtual bool canDrop() const = 0;
    /// Bodies of about this size fall from around a place.
    virtual void drop(WorldPosition from, double size, int count) = 0;
    virtual void clear() = 0;
    /// Valid until the next step.
    virtual std::span<const BodyPose> bodies() const = 0;
};

inline bool PhysicsScene::reaches(WorldPosition place) const {
    const Vec3d way = place - origin();
    return std::max(std::abs(way.x), std::abs(way.z)) <= std::min(kReach, ground().reach());
}

std::unique_ptr<PhysicsScene> makePhysicsScene(std::unique_ptr<GroundColliders> colliders);

}  // namespace karst::viewer
