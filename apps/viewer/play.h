#pragma once

#include "camera_controller.h"
#include "physics_scene.h"

namespace karst::viewer {

/// Walking and falling bodies: when there are physics, and where the ground must be solid for them. The
/// ground must outlive it.
///
/// Threads: one at a time.
class Play {
  public:
    explicit Play(Ground& ground) : m_ground(&ground) {}

    bool walking() const { return m_walking; }
    /// From the camera straight down onto the ground, or off again.
    Result<void> setWalking(bool walking, const CameraPose& camera);
    /// Onto what the camera looks at.
    Result<void> drop(const CameraPose& camera);
    void clearBodies();
    std::span<const BodyPose> bodies() const;

    /// Where the ground must be solid; radius 0 where nobody is.
    WorldPosition solidCenter() const { return m_center; }
    double solidRadius() const { return m_physics ? m_radius : 0; }

    /// Moves everything on, and the camera with who walks.
    Result<void> step(double seconds, const Input& input, CameraController& camera);

  private:
    Result<void> ready(WorldPosition around);
    void startWaiting();

    Ground* m_ground;
    std::unique_ptr<PhysicsScene> m_physics;
    WorldPosition m_center;
    double m_radius = 0;
    bool m_walking = false;
    WorldPosition m_start;    // of who begins to walk,
    bool m_starting = false;  // once the ground is solid there
    struct Falling {
        WorldPosition from;
        double size;
    };
    std::vector<Falling> m_waiting;  // bodies for when the ground is solid
    std::uint32_t m_steps = 0;
};

}  // namespace karst::viewer
