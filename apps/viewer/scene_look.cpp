#include "scene_look.h"

#include <algorithm>
#include <cmath>

namespace karst::viewer {

namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr double kHighest = 55 * kPi / 180;  // of the sun at noon

Vec3f mix(Vec3f a, Vec3f b, float share) {
    return a * (1 - share) + b * share;
}

// Light by the sun's height: full from 25 degrees up, red near the horizon, moonlight at night.
void applyDay(const DayTime& day, render::SceneSettings& scene) {
    const double turn = (day.hour - 6) / 24 * 2 * kPi;
    const double elevation = std::asin(std::sin(turn) * std::sin(kHighest));
    const auto azimuth = static_cast<float>(day.hour / 24 * 2 * kPi);
    const auto sunlight = static_cast<float>(std::clamp(elevation / 0.44 + 0.15, 0.0, 1.0));
    const auto daylight = static_cast<float>(std::clamp(elevation / 0.3 + 0.45, 0.03, 1.0));
    const bool night = elevation < -0.08;
    // The moon stands where the sun stood at noon.
    scene.sun.direction = night
                              ? render::sunDirection(static_cast<float>(kPi), 0.8f)
                              : render::sunDirection(azimuth, static_cast<float>(std::max(elevation, 0.02)));
    const Vec3f dusk{2.2f, 0.95f, 0.38f}, moon{0.10f, 0.13f, 0.19f};
    scene.sun.color = night ? moon : mix(dusk * sunlight, scene.sun.color, sunlight);
    scene.sky.zenith = scene.sky.zenith * daylight;
    scene.sky.horizon = mix(Vec3f{0.75f, 0.42f, 0.24f}, scene.sky.horizon, sunlight) * daylight;
    scene.sky.ground = scene.sky.ground * daylight;
    scene.exposure = day.exposure;
}

}  // namespace

render::SceneSettings sceneLook(const Bounds& ground, double spacing, const DayTime& day) {
    render::SceneSettings scene;
    const Vec3d size = ground.size();
    const double across = std::max(size.x, size.z);
    const double low = ground.min.y;
    scene.materials.lowHeight = static_cast<float>(low);
    scene.materials.highHeight = static_cast<float>(low + std::max(size.y, 1e-3));
    scene.materials.detailSize = static_cast<float>(spacing / 8);
    scene.sky.visibility = static_cast<float>(across * 4);
    scene.sky.hazeHeight = static_cast<float>(low);
    scene.sky.hazeThickness = static_cast<float>(std::max(size.y * 1.5, across * 0.02));
    applyDay(day, scene);
    return scene;
}

void addShadows(const Bounds& ground, double spacing, render::SceneSettings& scene) {
    const Vec3d size = ground.size();
    const double across = std::max(size.x, size.z);
    scene.cascades.count = kCascades;
    // From above one looks farther.
    const double above = std::max(0.0, scene.camera.position.y - ground.max.y);
    scene.cascades.distance =
        std::max(std::min(across, spacing * 200) + 2 * above, scene.camera.nearPlane * 4);
    scene.cascades.casterReach = std::max(across * 0.25, size.y * 4);
}

}  // namespace karst::viewer
