// The light of a surface, with shadows and haze, for fragments and for compute alike. Include after gpu_types.h,
// the scene block `scene` and noise.inc.glsl.

#include "atmosphere.inc.glsl"
#include "output.inc.glsl"
#include "shadow.inc.glsl"

struct Surface {
    vec3 relative;   // to the scene's origin
    vec3 normal;     // of length 1, toward the side that is seen
    vec3 albedo;     // linear
    float sunReach;  // 0..1: what clouds and baked shade let through
    float openness;  // how much of the sky's light reaches it
    float roughness;
};

bool diagnosticIs(int mode) {
    return int(scene.mode.x) == mode;
}

// What a surface sends to the eye, without the haze between.
vec3 litSurface(Surface s) {
    float sun = max(dot(s.normal, scene.sunDirection.xyz), 0.0) * s.sunReach;
    if (sun > 0.0) sun *= sunShadow(s.relative, s.normal);
    vec3 skyLight = 0.9 * mix(scene.skyHorizon.rgb, scene.skyZenith.rgb, 0.5);
    vec3 ambient = mix(scene.skyGround.rgb, skyLight, 0.5 + 0.5 * s.normal.y);
    vec3 light = scene.sunColor.rgb * sun + ambient * s.openness;
    if (scene.mode.w > 0.0) light += pointLight(s.relative, s.normal);
    return s.albedo * light;
}

// log2 of how many noise cells a pixel is long, from the ways to its neighbours.
float logPixelOf(vec3 acrossX, vec3 acrossY) {
    return 0.25 * log2(dot(acrossX, acrossX) * dot(acrossY, acrossY)) + log2(scene.noiseOrigin.w);
}

// A colour for each level of detail, from -8 (fine) up; neighbours differ.
vec3 levelColor(int level) {
    float hue = fract(float(level + 8) * 0.381966);
    vec3 wheel = clamp(abs(fract(hue + vec3(0.0, 2.0 / 3.0, 1.0 / 3.0)) * 6.0 - 3.0) - 1.0, 0.0, 1.0);
    return mix(vec3(1.0), wheel, 0.75) * 0.8;
}
