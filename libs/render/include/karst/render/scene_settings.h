#pragma once

#include <karst/base/camera_view.h>
#include <karst/base/math.h>
#include <karst/render/shadow_views.h>

#include <array>
#include <cstdint>

namespace karst::render {

/// The unit vector toward a sun. Azimuth clockwise from north (-Z), elevation above the horizon, in radians.
Vec3f sunDirection(float azimuth, float elevation);

// Colours are linear RGB. Lengths are world units.

struct SunSettings {
    Vec3f direction = {-0.62f, 0.50f, 0.60f};  ///< toward the sun; any length above 0
    Vec3f color = {4.8f, 3.95f, 2.95f};
    /// How much drifting cloud dims the sunlight in patches, 0..1.
    float cloudShade = 0.35f;
};

struct SkySettings {
    Vec3f zenith = {0.060f, 0.20f, 0.58f};
    Vec3f horizon = {0.66f, 0.80f, 0.98f};
    Vec3f ground = {0.13f, 0.11f, 0.08f};  ///< light that comes back from the ground
    /// Distance at which haze leaves 2 % of a thing's contrast (Koschmieder), at hazeHeight.
    float visibility = 60000.0f;
    float cloud = 0.5f;             ///< how dense the high thin clouds are, 0..1
    float hazeHeight = 0.0f;        ///< world y where the haze has its full density
    float hazeThickness = 1500.0f;  ///< rise over which it thins to 1/e
};

/// What covers the ground, by height and slope, with soft and slightly irregular borders. The heights below
/// are fractions of lowHeight..highHeight.
struct TerrainMaterialRules {
    float lowHeight = 0.0f;
    float highHeight = 1000.0f;

    float shoreTop = 0.015f;    ///< bare bank below
    float meadowTop = 0.30f;    ///< meadow up to here
    float forestTop = 0.70f;    ///< forest up to here, alpine turf above
    float snowLine = 0.86f;     ///< snow above; lower on slopes that look north (-Z)
    float heightBlend = 0.07f;  ///< half the width of a border

    float screeSlope = 0.54f;  ///< radians; rubble where steeper
    float rockSlope = 0.70f;   ///< radians; bare rock where steeper
    float snowSlope = 0.85f;   ///< radians; snow slides off where steeper
    float slopeBlend = 0.12f;  ///< radians; half the width of a border

    Vec3f shore = {0.33f, 0.28f, 0.19f};
    Vec3f meadow = {0.088f, 0.105f, 0.036f};
    Vec3f forest = {0.030f, 0.047f, 0.017f};
    Vec3f turf = {0.108f, 0.098f, 0.050f};
    Vec3f scree = {0.165f, 0.146f, 0.120f};
    Vec3f rock = {0.135f, 0.124f, 0.114f};
    Vec3f snow = {0.52f, 0.55f, 0.60f};
    Vec3f earth = {0.055f, 0.038f, 0.026f};  ///< the underside, seen through a hole

    /// Wavelength of the finest surface noise; 9 octaves lie above it, and 3 for the clouds' shade. Above 0.
    float detailSize = 4.0f;
    /// How far that noise bends the shading normal, 0 (not at all) .. 1.
    float normalDetail = 0.45f;
    /// Light falls on slopes this many times steeper than the ground's, as in a shaded map. Above 0.
    float relief = 1.4f;
};

/// What Lit and GBuffer passes show instead of the ground's colours.
enum class Diagnostic : std::uint8_t {
    None,
    Levels,     ///< a colour for each level of detail
    Borders,    ///< lit, with the borders of tiles and chunks and the lattice's edges
    Normals,    ///< the shading normal, n * 0.5 + 0.5
    Error,      ///< the error that the drawn level has on screen: green (none) to red (the tolerance)
    Materials,  ///< a flat colour for each material
};

/// All that the passes of one view share.
struct SceneSettings {
    CameraView camera;
    SunSettings sun;
    SkySettings sky;
    TerrainMaterialRules materials;
    float exposure = 1.0f;  ///< multiplies light before tone mapping
    /// The sun's shadow; at most as many cascades as the SceneUniforms has maps for.
    CascadeSettings cascades;
    std::array<PointLight, kMaxPointLights> lights;
    int lightCount = 0;  ///< 0..kMaxPointLights
    Diagnostic diagnostic = Diagnostic::None;
    double time = 0;  ///< seconds, for waves
};

}  // namespace karst::render
