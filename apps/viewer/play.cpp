#include "play.h"

#include <algorithm>

namespace karst::viewer {

namespace {

constexpr int kBodiesADrop = 12;
constexpr double kWalkSpeed = 5;  // world units a second
// Of how far the physics reach, what one may go before they follow.
constexpr double kShare = 0.75;

}  // namespace

// One scene for as long as what happens is near its zero; then the same bodies around another.
Result<void> Play::ready(WorldPosition around) {
    m_radius = std::clamp(m_ground->spacing() * 24, 100.0, 20000.0);
    if (m_physics && m_physics->reaches(m_physics->origin() + (around - m_physics->origin()) * (1 / kShare)))
        return {};
    auto colliders = m_ground->makeColliders(around);
    if (!colliders) return colliders.error();
    if (m_physics) {
        m_physics->setGround(std::move(*colliders));
    } else {
        m_physics = makePhysicsScene(std::move(*colliders));
    }
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
    } else if (!m_physics->reaches(from)) {
        return makeError(ErrorCode::InvalidArgument, "that is too far from who walks to drop bodies onto");
    }
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

// In squares as wide as who walks has ground around.
void Play::takePlaces(WorldPosition around) {
    std::vector<GroundedBody> grounded;
    for (const BodyPose& body : bodies()) {
        // What stands still because it has no ground must not keep it from others that move.
        if (m_physics->reaches(body.position))
            grounded.push_back({body.position, double{length(body.halfSize)}, !body.asleep});
    }
    m_places = placesOfBodies(grounded, m_radius, kMostPlaces, around);
    if (m_starting) {
        m_places.push_back({m_start, m_radius});
    } else if (m_walking) {
        m_places.push_back({m_physics->feet(), m_radius});
    }
    for (const Falling& falling : m_waiting)
        m_places.push_back({falling.from, m_radius});
}

Result<void> Play::step(double seconds, const WalkWish& wish, CameraPose& camera) {
    if (!m_physics) return {};
    if (m_walking && !m_starting) {
        const WorldPosition feet = m_physics->feet();
        const Vec3d zero = m_physics->origin();
        if (auto made = ready(feet); !made) return made;
        if (m_physics->origin() != zero) {
            m_start = feet;
            m_starting = true;
        } else {
            m_physics->walk(wish.direction * (kWalkSpeed * (wish.fast ? 5 : 1)), wish.jump);
        }
    }
    takePlaces(camera.position);
    if (auto moved = m_physics->step(seconds, m_places); !moved) return moved;
    startWaiting();
    if (m_walking && !m_starting) camera.position = m_physics->feet() + Vec3d{0, PhysicsScene::kEyeHeight, 0};
    return {};
}

// What comes may be finer, and higher, than what was there to be seen.
void Play::startWaiting() {
    const GroundColliders& ground = m_physics->ground();
    if (m_starting && ground.solidAt(m_start, 1)) {
        if (const auto y = m_physics->groundBelow(m_start + Vec3d{0, rise(), 0}, 2 * rise())) m_start.y = *y;
        m_physics->startWalking(m_start);
        m_starting = false;
    }
    std::erase_if(m_waiting, [&](Falling& falling) {
        if (!ground.solidAt(falling.from, falling.size * 6)) return false;
        const double above = falling.size * 6;
        const auto y = m_physics->groundBelow(falling.from + Vec3d{0, rise(), 0}, above + 2 * rise());
        if (y) falling.from.y = std::max(falling.from.y, *y + above);
        m_physics->drop(falling.from, falling.size, kBodiesADrop);
        return true;
    });
}

}  // namespace karst::viewer
