#include "play.h"

#include <algorithm>

namespace karst::viewer {

namespace {

constexpr int kBodiesADrop = 12;
constexpr double kWalkSpeed = 5;  // world units a second
// Steps after which one walks, and bodies fall, whether the ground has become solid or not.
constexpr std::uint32_t kMostWaiting = 600;

}  // namespace

// One scene for as long as everything stays near its zero.
Result<void> Play::ready(WorldPosition around) {
    const Vec3d way = m_physics ? around - m_physics->origin() : Vec3d{};
    m_center = around;
    m_radius = std::clamp(m_ground->spacing() * 24, 100.0, 20000.0);
    if (m_physics && std::max({way.x, -way.x, way.z, -way.z}) < PhysicsScene::kReach) return {};
    auto colliders = m_ground->makeColliders(around);
    if (!colliders) return colliders.error();
    m_physics = makePhysicsScene(std::move(*colliders));
    m_steps = 0;
    return {};
}

Result<void> Play::setWalking(bool walking, const CameraPose& camera) {
    m_starting = false;
    if (!walking) {
        if (m_physics) m_physics->stopWalking();
        m_walking = false;
        return {};
    }
    const Vec3d size = m_ground->bounds().size();
    const auto hit =
        m_ground->castRay({camera.position, {0, -1, 0}},
                          std::max(0.0, camera.position.y - m_ground->bounds().min.y) + size.y + 1);
    if (!hit) {
        return makeError(ErrorCode::NotFound, "there is no ground below the camera to walk on");
    }
    if (auto made = ready(hit->position); !made) return made;
    m_start = hit->position;
    m_starting = m_walking = true;
    m_steps = 0;
    return {};
}

Result<void> Play::drop(const CameraPose& camera) {
    const auto hit =
        m_ground->castRay({camera.position, camera.forward()}, length(m_ground->bounds().size()) * 4);
    if (!hit) return makeError(ErrorCode::NotFound, "look at the ground to drop bodies onto it");
    // Large enough to be seen from here.
    const double size = std::max(0.5, hit->distance * 0.02);
    const WorldPosition from = hit->position + Vec3d{0, size * 6, 0};
    if (!m_walking) {
        if (auto made = ready(from); !made) return made;
    } else if (length(from - m_center) > m_radius) {
        return makeError(ErrorCode::InvalidArgument, "bodies fall at most %g from who walks", m_radius);
    }
    m_steps = 0;
    if (!m_physics->canDrop())
        return makeError(ErrorCode::Unsupported, "this viewer was built without Bullet, so nothing falls");
    m_waiting.push_back({from, size});
    return {};
}

void Play::clearBodies() {
    if (m_physics) m_physics->clear();
    m_waiting.clear();
}

std::span<const BodyPose> Play::bodies() const {
    return m_physics ? m_physics->bodies() : std::span<const BodyPose>();
}

Result<void> Play::step(double seconds, const Input& input, CameraController& camera) {
    if (!m_physics) return {};
    if (m_walking && !m_starting) {
        m_center = m_physics->feet();
        const Vec3d way = m_center - m_physics->origin();
        if (std::max({way.x, -way.x, way.z, -way.z}) > PhysicsScene::kReach) {
            // Goes on from the same place in a scene around it; bodies stay behind.
            m_start = m_center;
            if (auto made = ready(m_center); !made) return made;
            m_starting = true;
        }
        m_physics->walk(camera.walkWish(input) * (kWalkSpeed * (input.held(Action::Fast) ? 5 : 1)),
                        input.pressed(Action::Up));
    }
    if (auto moved = m_physics->step(seconds, m_center, m_radius); !moved) return moved;
    startWaiting();
    if (m_walking && !m_starting)
        camera.pose.position = m_physics->feet() + Vec3d{0, PhysicsScene::kEyeHeight, 0};
    return {};
}

// The ground's colliders are asked for where somebody is to stand; what comes may be finer, and higher, than
// what was there to be seen.
void Play::startWaiting() {
    ++m_steps;
    const bool late = m_steps > kMostWaiting;
    const double rise = m_ground->spacing() * 0.5 + 2;
    if (m_starting) {
        const auto ground = m_physics->groundBelow(m_start + Vec3d{0, rise, 0}, 2 * rise);
        if (ground || late) {
            if (ground) m_start.y = *ground;
            m_physics->startWalking(m_start);
            m_starting = false;
        }
    }
    std::erase_if(m_waiting, [&](const Falling& falling) {
        if (!late && !m_physics->groundBelow(falling.from, falling.size * 6 + rise)) return false;
        m_physics->drop(falling.from, falling.size, kBodiesADrop);
        return true;
    });
}

}  // namespace karst::viewer
