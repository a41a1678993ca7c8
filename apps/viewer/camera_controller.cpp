#include "camera_controller.h"

#include <algorithm>
#include <cmath>

namespace karst::viewer {

namespace {

constexpr double kRadiansPerPixel = 0.004;
constexpr double kSteepest = 1.55;  // short of straight up

double axis(const Input& input, Action plus, Action minus) {
    return (input.held(plus) ? 1.0 : 0.0) - (input.held(minus) ? 1.0 : 0.0);
}

}  // namespace

Vec3d CameraPose::forward() const {
    return {std::sin(yaw) * std::cos(pitch), std::sin(pitch), -std::cos(yaw) * std::cos(pitch)};
}

Vec3d CameraPose::right() const {
    return {std::cos(yaw), 0, std::sin(yaw)};
}

CameraView CameraPose::view(double verticalFov, double aspect, double nearPlane) const {
    CameraView out;
    out.position = position;
    out.forward = forward();
    out.up = cross(right(), out.forward);
    out.verticalFov = verticalFov;
    out.aspect = aspect;
    out.nearPlane = nearPlane;
    return out;
}

Vec3d CameraPose::rayThrough(Vec2f pixel, double width, double height, double verticalFov) const {
    const double tangent = std::tan(verticalFov / 2);
    const double x = (2 * (pixel.x + 0.5) / width - 1) * tangent * width / height;
    const double y = (1 - 2 * (pixel.y + 0.5) / height) * tangent;
    const Vec3d up = cross(right(), forward());
    return normalized(forward() + right() * x + up * y);
}

CameraPose CameraPose::lookAt(WorldPosition eye, WorldPosition target) {
    const Vec3d way = target - eye;
    const double level = std::hypot(way.x, way.z);
    CameraPose pose;
    pose.position = eye;
    if (level > 0) pose.yaw = std::atan2(way.x, -way.z);
    pose.pitch = std::clamp(std::atan2(way.y, level), -kSteepest, kSteepest);
    return pose;
}

void CameraController::look(const Input& input) {
    const Vec2f drag = input.lookDrag();
    pose.yaw = std::remainder(pose.yaw + drag.x * kRadiansPerPixel, 2 * 3.14159265358979323846);
    pose.pitch = std::clamp(pose.pitch - drag.y * kRadiansPerPixel, -kSteepest, kSteepest);
}

void CameraController::fly(const Input& input, double seconds, bool wheelSetsSpeed) {
    if (wheelSetsSpeed) speed = std::clamp(speed * std::pow(1.2, double{input.wheel()}), 0.1, 1e6);
    const double step = speed * (input.held(Action::Fast) ? 5 : 1) * seconds;
    pose.position = pose.position + pose.forward() * (axis(input, Action::Forward, Action::Back) * step) +
                    pose.right() * (axis(input, Action::Right, Action::Left) * step) +
                    Vec3d{0, axis(input, Action::Up, Action::Down) * step, 0};
}

Vec3d CameraController::walkWish(const Input& input) const {
    const Vec3d ahead{std::sin(pose.yaw), 0, -std::cos(pose.yaw)};
    const Vec3d wish = ahead * axis(input, Action::Forward, Action::Back) +
                       pose.right() * axis(input, Action::Right, Action::Left);
    const double size = length(wish);
    return size > 1 ? wish * (1 / size) : wish;
}

}  // namespace karst::viewer
