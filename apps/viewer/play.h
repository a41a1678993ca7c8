#pragma once

#include "camera_controller.h"
#include "physics_scene.h"

namespace karst::viewer {

/// What who walks wants.
struct WalkWish {
    Vec3d direction;  ///< over level ground, length 0 .. 1
    bool fast = false, jump = false;
};

/// Walking and falling bodies: when there are physics, and where the ground must be solid for them. The
/// ground must outlive it.
///
/// Threads: one at a time.
class Play {
  public:
    /// Places, besides that of who walks or of what was dropped last, in which the ground is solid for
    /// bodies.
    static constexpr std::size_t kMostPlaces = 12;

    explicit Play(Ground& ground) : m_ground(&ground) {}

    bool walking() const { return m_walking; }
    /// From the camera straight down onto the ground, or off again.
    Result<void> setWalking(bool walking, const CameraPose& camera);
    /// Onto what the camera looks at.
    Result<void> drop(const CameraPose& camera);
    void clearBodies();
    std::span<const BodyPose> bodies() const;

    /// Where the ground must be solid; empty where nobody is. Valid until the next step.
    std::span<const SolidPlace> solid() const { return m_places; }

    /// Moves everything on, and the camera with who walks.
    Result<void> step(double seconds, const WalkWish& wish, CameraPose& camera);

  private:
    Result<void> ready(WorldPosition around);
    void takePlaces(WorldPosition around);
    void startWaiting();
    double rise() const { return m_ground->spacing() * 0.5 + 2; }

    Ground* m_ground;
    std::unique_ptr<PhysicsScene> m_physics;
    double m_radius = 0;  // of the ground around who walks, or around what is dropped
    std::vector<SolidPlace> m_places;
    bool m_walking = false;
    WorldPosition m_start;    // of who begins to walk,
    bool m_starting = false;  // once the ground is solid there
    struct Falling {
        WorldPosition from;
        double size;
    };
    std::vector<Falling> m_waiting;  // bodies for when the ground is solid
};

}  // namespace karst::viewer
