#include "gpu_scene.h"

#include <cmath>

namespace karst::render {

namespace {

constexpr double kTimePeriod = 4096;    // seconds; waves may jump once an hour, and f32 keeps 0.5 ms
constexpr double kNoisePeriod = 16384;  // cells; the same number as in noise.inc.glsl

gpu::vec4 pack(Vec3f v, float w = 0) {
    return {v.x, v.y, v.z, w};
}

float inNoisePeriod(double cells) {
    return static_cast<float>(cells - kNoisePeriod * std::floor(cells / kNoisePeriod));
}

Result<void> above0(const char* name, float value) {
    if (value > 0 && std::isfinite(value)) return {};
    return makeError(ErrorCode::InvalidArgument, "scene: %s %g is not above 0", name,
                     static_cast<double>(value));
}

Result<void> check(const SceneSettings& s) {
    if (!isFinite(s.camera.position)) {
        return makeError(ErrorCode::InvalidArgument, "scene: camera position (%g, %g, %g) is not finite",
                         s.camera.position.x, s.camera.position.y, s.camera.position.z);
    }
    struct Named {
        const char* name;
        float value;
    };
    for (const auto& [name, value] :
         {Named{"sun direction's length", length(s.sun.direction)}, Named{"sky visibility", s.sky.visibility},
          Named{"haze thickness", s.sky.hazeThickness}, Named{"detailSize", s.materials.detailSize},
          Named{"relief", s.materials.relief}, Named{"heightBlend", s.materials.heightBlend},
          Named{"slopeBlend", s.materials.slopeBlend}, Named{"exposure", s.exposure},
          Named{"highHeight - lowHeight", s.materials.highHeight - s.materials.lowHeight}}) {
        if (auto good = above0(name, value); !good) return good;
    }
    return {};
}

Result<void> checkLights(const SceneSettings& s, const ShadowMapsDesc& maps) {
    if (s.cascades.count < 0 || s.cascades.count > maps.cascades) {
        return makeError(ErrorCode::InvalidArgument, "scene: %d cascades, and shadow maps for 0..%d",
                         s.cascades.count, maps.cascades);
    }
    if (s.lightCount < 0 || s.lightCount > kMaxPointLights) {
        return makeError(ErrorCode::InvalidArgument, "scene: lightCount %d is not in 0..%d", s.lightCount,
                         kMaxPointLights);
    }
    const CascadeSettings& c = s.cascades;
    if (!(c.distance > s.camera.nearPlane) || !std::isfinite(c.distance) || !(c.casterReach >= 0) ||
        !std::isfinite(c.casterReach) || !(c.split >= 0 && c.split <= 1)) {
        return makeError(ErrorCode::InvalidArgument,
                         "scene: cascades to distance %g with split %g and casterReach %g: a distance above "
                         "the near plane, a split of 0..1 and a reach of at least 0 are wanted",
                         c.distance, c.split, c.casterReach);
    }
    int casters = 0;
    for (int i = 0; i < s.lightCount; ++i) {
        const PointLight& light = s.lights[static_cast<std::size_t>(i)];
        casters += light.castsShadow;
        if (!isFinite(light.position) || !(light.radius > 0) || !std::isfinite(light.radius)) {
            return makeError(
                ErrorCode::InvalidArgument,
                "scene: point light %d at (%g, %g, %g) of radius %g: a finite place and a radius "
                "above 0 are wanted",
                i, light.position.x, light.position.y, light.position.z, light.radius);
        }
    }
    if (casters > maps.pointLights) {
        return makeError(ErrorCode::InvalidArgument,
                         "scene: %d point lights cast shadows, and shadow maps for 0..%d", casters,
                         maps.pointLights);
    }
    return {};
}

// From clip space to texture coordinates: x and y from -1..1 to 0..1.
Mat4f toTexture(const Mat4f& clip) {
    Mat4f out = clip;
    for (int row = 0; row < 2; ++row) {
        for (int column = 0; column < 4; ++column)
            out.at(row, column) = 0.5f * (clip.at(row, column) + clip.at(3, column));
    }
    return out;
}

void packShadows(const SceneSettings& s, const ShadowMapsDesc& maps, const Vec3d& origin,
                 gpu::GpuScene& out) {
    const CascadeViews cascades = fitCascades(s.camera, s.sun.direction, s.cascades, maps.cascadeResolution);
    float texels[kMaxCascades] = {};
    for (int i = 0; i < cascades.count; ++i) {
        const RenderView& view = cascades.views[static_cast<std::size_t>(i)];
        out.cascades[i] = toTexture(view.viewProjection);
        texels[i] = static_cast<float>(view.texelSize);
    }
    out.cascadeTexels = {texels[0], texels[1], texels[2], texels[3]};
    int casters = 0;
    for (int i = 0; i < s.lightCount; ++i) {
        const PointLight& light = s.lights[static_cast<std::size_t>(i)];
        out.lightPositions[i] = pack(toFloat(light.position - origin), static_cast<float>(light.radius));
        out.lightColors[i] = pack(light.color, light.castsShadow ? static_cast<float>(casters++) : -1.0f);
    }
    const auto side = static_cast<float>(maps.pointResolution);
    out.lightFaces = {1 / (1 + 2 / side), static_cast<float>(kPointLightNear), side, 0};
}

}  // namespace

Vec3f sunDirection(float azimuth, float elevation) {
    const float level = std::cos(elevation);
    return {std::sin(azimuth) * level, std::sin(elevation), -std::cos(azimuth) * level};
}

Result<gpu::GpuScene> gpuSceneOf(const SceneSettings& s, const ShadowMapsDesc& maps) {
    if (auto good = check(s); !good) return good.error();
    if (auto good = checkLights(s, maps); !good) return good.error();
    const CameraView& camera = s.camera;
    const TerrainMaterialRules& m = s.materials;
    gpu::GpuScene out;
    // A place that f32 holds exactly: the shader subtracts the very same numbers. What the rounding leaves is
    // in the matrix, which is made in f64.
    const Vec3d origin = sceneOrigin(camera);
    out.viewProjection = camera.viewProjection(origin);
    out.origin = pack(toFloat(origin));
    out.eye = pack(toFloat(camera.position - origin));
    const double tanY = std::tan(camera.verticalFov * 0.5);
    out.rayRight = pack(toFloat(camera.right() * (tanY * camera.aspect)));
    out.rayUp = pack(toFloat(camera.up * tanY), s.sky.cloud);
    out.rayForward = pack(toFloat(camera.forward));
    out.sunDirection = pack(normalized(s.sun.direction), s.sun.cloudShade);
    out.sunColor = pack(s.sun.color, s.exposure);
    out.skyZenith = pack(s.sky.zenith, 3.912f / s.sky.visibility);  // exp(-3.912) = 2 %
    out.skyHorizon = pack(s.sky.horizon, s.sky.hazeHeight);
    out.skyGround = pack(s.sky.ground, 1.0f / s.sky.hazeThickness);
    const double cells = 1.0 / static_cast<double>(m.detailSize);
    out.noiseOrigin = {inNoisePeriod(origin.x * cells), inNoisePeriod(origin.y * cells),
                       inNoisePeriod(origin.z * cells), static_cast<float>(cells)};
    out.heights = {m.lowHeight, 1.0f / (m.highHeight - m.lowHeight), m.heightBlend, m.normalDetail};
    out.bands = {m.shoreTop, m.meadowTop, m.forestTop, m.snowLine};
    out.slopes = {m.screeSlope, m.rockSlope, m.snowSlope, m.slopeBlend};
    out.shore = pack(m.shore);
    out.meadow = pack(m.meadow);
    out.forest = pack(m.forest);
    out.turf = pack(m.turf);
    out.scree = pack(m.scree);
    out.rock = pack(m.rock);
    out.snow = pack(m.snow);
    out.earth = pack(m.earth, m.relief);
    out.mode = {static_cast<float>(s.diagnostic), static_cast<float>(std::fmod(s.time, kTimePeriod)),
                static_cast<float>(s.cascades.count), static_cast<float>(s.lightCount)};
    packShadows(s, maps, origin, out);
    return out;
}

}  // namespace karst::render
