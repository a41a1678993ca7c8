#include <karst/render/shadow_views.h>

#include <algorithm>
#include <cmath>

namespace karst::render {

namespace {

struct Basis {
    Vec3d right, up, toLight;
};

// Any basis whose third axis is `direction`; the same for the same direction.
Basis basisAround(Vec3d direction) {
    const Vec3d toLight = normalized(direction);
    const Vec3d aside = std::abs(toLight.y) < 0.99 ? Vec3d{0, 1, 0} : Vec3d{0, 0, 1};
    const Vec3d right = normalized(cross(aside, toLight));
    return {right, cross(toLight, right), toLight};
}

// Rows of an affine or projective matrix in f64, rounded to f32 at the end.
struct Rows {
    Vec3d axis[4];
    double offset[4] = {};

    Mat4f matrix() const {
        Mat4f out;
        for (int row = 0; row < 4; ++row) {
            out.at(row, 0) = static_cast<float>(axis[row].x);
            out.at(row, 1) = static_cast<float>(axis[row].y);
            out.at(row, 2) = static_cast<float>(axis[row].z);
            out.at(row, 3) = static_cast<float>(offset[row]);
        }
        return out;
    }
};

// The sphere around the part of the view between two distances along its axis.
struct Sphere {
    double along = 0;  // of the centre, from the eye
    double radius = 0;
};

Sphere sliceSphere(const CameraView& camera, double nearDistance, double farDistance) {
    const double tanY = std::tan(camera.verticalFov * 0.5);
    const double spread = tanY * tanY * (1 + camera.aspect * camera.aspect);  // squared, at distance 1
    // The centre is as far from the near corners as from the far ones, but no farther than the far plane.
    const double along = std::min(farDistance, 0.5 * (farDistance + nearDistance) * (1 + spread));
    const double toFar = farDistance - along;
    return {along, std::sqrt(toFar * toFar + spread * farDistance * farDistance)};
}

RenderView cascadeView(const CameraView& camera, const Basis& light, const Sphere& slice, double casterReach,
                       std::uint32_t resolution) {
    // One texel of room for the snap and one for filtering, on either side.
    const double texel = 2 * slice.radius / (static_cast<double>(resolution) - 4);
    const double half = texel * static_cast<double>(resolution) * 0.5;
    const Vec3d centre = camera.position + camera.forward * slice.along;
    const double x = std::floor(dot(centre, light.right) / texel) * texel;
    const double y = std::floor(dot(centre, light.up) / texel) * texel;
    const double z = dot(centre, light.toLight);
    const double nearest = z + slice.radius + casterReach, farthest = z - slice.radius;

    const Vec3d origin = sceneOrigin(camera);
    Rows rows;
    rows.axis[0] = light.right * (1 / half);
    rows.offset[0] = (dot(origin, light.right) - x) / half;
    rows.axis[1] = light.up * (-1 / half);
    rows.offset[1] = (y - dot(origin, light.up)) / half;
    rows.axis[2] = light.toLight * (1 / (nearest - farthest));
    rows.offset[2] = (dot(origin, light.toLight) - farthest) / (nearest - farthest);
    rows.offset[3] = 1;

    RenderView view;
    view.viewProjection = rows.matrix();
    view.texelSize = texel;
    view.camera = false;
    view.frustum.count = 6;
    view.frustum.planes = {Plane{light.right, half - x},    Plane{light.right * -1.0, half + x},
                           Plane{light.up, half - y},       Plane{light.up * -1.0, half + y},
                           Plane{light.toLight, -farthest}, Plane{light.toLight * -1.0, nearest}};
    return view;
}

}  // namespace

CascadeViews fitCascades(const CameraView& camera, Vec3f toSun, const CascadeSettings& settings,
                         std::uint32_t resolution) {
    CascadeViews out;
    out.count = std::clamp(settings.count, 0, kMaxCascades);
    const Basis light = basisAround({toSun.x, toSun.y, toSun.z});
    const double begin = camera.nearPlane, end = std::max(settings.distance, camera.nearPlane * 1.001);
    double from = begin;
    for (int i = 0; i < out.count; ++i) {
        const double share = (i + 1.0) / out.count;
        const double even = begin + (end - begin) * share;
        // The near plane may be centimetres: slices of equal ratio begin at a hundredth of the distance.
        const double first = std::max(begin, end * 0.01);
        const double ratio = first * std::pow(end / first, share);
        const double to = even + (ratio - even) * settings.split;
        out.views[static_cast<std::size_t>(i)] =
            cascadeView(camera, light, sliceSphere(camera, from, to), settings.casterReach, resolution);
        from = to;
    }
    return out;
}

std::array<RenderView, kCubeFaces> pointLightFaces(const PointLight& light, WorldPosition origin,
                                                   std::uint32_t resolution) {
    struct Face {
        Vec3d right, up, forward;
    };
    static constexpr Face kFaces[kCubeFaces] = {
        {{0, 0, -1}, {0, 1, 0}, {1, 0, 0}}, {{0, 0, 1}, {0, 1, 0}, {-1, 0, 0}},
        {{1, 0, 0}, {0, 0, -1}, {0, 1, 0}}, {{1, 0, 0}, {0, 0, 1}, {0, -1, 0}},
        {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},  {{-1, 0, 0}, {0, 1, 0}, {0, 0, -1}}};
    const double scale = 1 / (1 + 2.0 / resolution);
    const double nearPlane = light.radius * kPointLightNear;
    const Vec3d from = light.position;
    const Vec3d relative = origin - from;
    std::array<RenderView, kCubeFaces> out;
    for (int i = 0; i < kCubeFaces; ++i) {
        const Face& face = kFaces[i];
        Rows rows;
        rows.axis[0] = face.right * scale;
        rows.axis[1] = face.up * -scale;
        rows.axis[3] = face.forward;
        for (int row : {0, 1, 3})
            rows.offset[row] = dot(rows.axis[row], relative);
        rows.offset[2] = nearPlane;

        RenderView& view = out[static_cast<std::size_t>(i)];
        view.viewProjection = rows.matrix();
        view.camera = false;
        view.frustum.count = 6;
        const Vec3d normals[6] = {face.forward + face.right * scale,
                                  face.forward - face.right * scale,
                                  face.forward + face.up * scale,
                                  face.forward - face.up * scale,
                                  face.forward,
                                  face.forward * -1.0};
        for (int p = 0; p < 6; ++p) {
            const Vec3d normal = normalized(normals[p]);
            const double offset = p == 5 ? light.radius : 0.0;
            view.frustum.planes[static_cast<std::size_t>(p)] = {normal, offset - dot(normal, from)};
        }
    }
    return out;
}

}  // namespace karst::render
