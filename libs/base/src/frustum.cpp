#include <karst/base/camera_view.h>
#include <karst/base/frustum.h>

#include <cmath>

namespace karst {

bool Frustum::mayTouch(const Bounds& box) const {
    for (int i = 0; i < count; ++i) {
        const Plane& plane = planes[static_cast<std::size_t>(i)];
        const Vec3d farthest{plane.normal.x >= 0 ? box.max.x : box.min.x,
                             plane.normal.y >= 0 ? box.max.y : box.min.y,
                             plane.normal.z >= 0 ? box.max.z : box.min.z};
        if (plane.distance(farthest) < 0) return false;
    }
    return true;
}

bool Frustum::contains(Vec3d point) const {
    for (int i = 0; i < count; ++i) {
        if (planes[static_cast<std::size_t>(i)].distance(point) < 0) return false;
    }
    return true;
}

Result<CameraView> CameraView::lookAt(WorldPosition eye, WorldPosition target, double verticalFov,
                                      double aspect, double nearPlane) {
    if (!isFinite(eye) || !isFinite(target)) {
        return makeError(ErrorCode::InvalidArgument,
                         "camera: eye (%g, %g, %g) and target (%g, %g, %g) must be finite", eye.x, eye.y,
                         eye.z, target.x, target.y, target.z);
    }
    if (!(verticalFov > 0 && verticalFov < 3.14159)) {
        return makeError(ErrorCode::InvalidArgument,
                         "camera: vertical field of view %g is not in (0, pi) radians", verticalFov);
    }
    if (!(aspect > 0 && std::isfinite(aspect))) {
        return makeError(ErrorCode::InvalidArgument, "camera: aspect %g is not above 0", aspect);
    }
    if (!(nearPlane > 0 && std::isfinite(nearPlane))) {
        return makeError(ErrorCode::InvalidArgument, "camera: near plane %g is not above 0", nearPlane);
    }
    const Vec3d toTarget = target - eye;
    const double distanceToTarget = length(toTarget);
    if (!std::isfinite(distanceToTarget)) {
        return makeError(ErrorCode::InvalidArgument,
                         "camera: eye (%g, %g, %g) and target (%g, %g, %g) are too far apart", eye.x, eye.y,
                         eye.z, target.x, target.y, target.z);
    }
    if (!(distanceToTarget > 0)) {
        return makeError(ErrorCode::InvalidArgument, "camera: eye and target are both (%g, %g, %g)", eye.x,
                         eye.y, eye.z);
    }
    CameraView view;
    view.position = eye;
    view.forward = toTarget * (1.0 / distanceToTarget);
    Vec3d side = cross(view.forward, Vec3d{0, 1, 0});
    if (length(side) < 1e-9) side = cross(view.forward, Vec3d{0, 0, -1});
    side = normalized(side);
    view.up = cross(side, view.forward);
    view.verticalFov = verticalFov;
    view.aspect = aspect;
    view.nearPlane = nearPlane;
    return view;
}

Mat4f CameraView::viewProjection(WorldPosition origin) const {
    const Vec3d side = right();
    const Vec3d eye = position - origin;
    const double focal = 1.0 / std::tan(verticalFov * 0.5);
    // Rows of the view matrix are the camera's axes; clip = (f/aspect * x, -f * y, near, -z) for view-space
    // z along -forward, so depth = near / distance: 1 at the near plane, 0 at infinity.
    const auto set = [](Mat4f& m, int row, Vec3d axis, double offset) {
        m.at(row, 0) = static_cast<float>(axis.x);
        m.at(row, 1) = static_cast<float>(axis.y);
        m.at(row, 2) = static_cast<float>(axis.z);
        m.at(row, 3) = static_cast<float>(offset);
    };
    Mat4f m;
    const Vec3d x = side * (focal / aspect);
    const Vec3d y = up * -focal;
    set(m, 0, x, -dot(x, eye));
    set(m, 1, y, -dot(y, eye));
    set(m, 2, {0, 0, 0}, nearPlane);
    set(m, 3, forward, -dot(forward, eye));
    return m;
}

Frustum CameraView::frustum() const {
    const double tanY = std::tan(verticalFov * 0.5);
    const double tanX = tanY * aspect;
    const Vec3d side = right();
    Frustum frustum;
    const auto add = [&](Vec3d normal, double offset) {
        normal = normalized(normal);
        frustum.planes[static_cast<std::size_t>(frustum.count++)] = {normal, -dot(normal, position) - offset};
    };
    add(forward, nearPlane);
    add(forward * tanX + side, 0);
    add(forward * tanX - side, 0);
    add(forward * tanY + up, 0);
    add(forward * tanY - up, 0);
    return frustum;
}

}  // namespace karst
