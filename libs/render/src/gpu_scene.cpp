#include "gpu_scene.h"

#include <cmath>

namespace karst::render {

namespace {

constexpr double kNoisePeriod = 16384;  // cells; the same number as in noise.inc.glsl

gpu::vec4 pack(Vec3f v, float w = 0) {
    return {v.x, v.y, v.z, w};
}

// The nearest place that f32 holds. Through a volatile: GCC 12 drops the rounding of (double)(float)x where
// it vectorises it.
Vec3d roundedToFloat(Vec3d v) {
    const volatile float x = static_cast<float>(v.x), y = static_cast<float>(v.y),
                         z = static_cast<float>(v.z);
    return {x, y, z};
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

}  // namespace

Vec3f sunDirection(float azimuth, float elevation) {
    const float level = std::cos(elevation);
    return {std::sin(azimuth) * level, std::sin(elevation), -std::cos(azimuth) * level};
}

Result<gpu::GpuScene> gpuSceneOf(const SceneSettings& s) {
    if (auto good = check(s); !good) return good.error();
    const CameraView& camera = s.camera;
    const TerrainMaterialRules& m = s.materials;
    gpu::GpuScene out;
    // A place that f32 holds exactly: the shader subtracts the very same numbers. What the rounding leaves is
    // in the matrix, which is made in f64.
    const Vec3d origin = roundedToFloat(camera.position);
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
    return out;
}

}  // namespace karst::render
