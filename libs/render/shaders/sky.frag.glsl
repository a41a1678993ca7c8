#version 460
#extension GL_GOOGLE_include_directive : require
#include "gpu_types.h"

layout(set = 0, binding = 0, std140) uniform SceneBlock { GpuScene scene; };
layout(location = 0) in vec3 inRay;
layout(location = 0) out vec4 outColor;

#include "atmosphere.inc.glsl"
#include "noise.inc.glsl"
#include "output.inc.glsl"

// High thin cloud: streaks of noise on a plane far above, fading into the horizon.
float cirrus(vec3 direction) {
    float up = max(direction.y, 0.02);
    vec2 plane = direction.xz / up * vec2(22.0, 60.0) + vec2(300.0, 300.0);
    float perPixel = length(fwidth(plane));
    float cover = 0.0;
    for (int octave = 0; octave < 6; ++octave) {
        float weight = octaveWeight(octave, perPixel) * exp2(0.7 * float(octave - 5));
        if (weight > 0.0) cover += weight * noiseOctave(vec3(plane.x, 0.5 * plane.y, plane.y), octave).x;
    }
    return smoothstep(0.0, 1.1, cover) * smoothstep(0.03, 0.25, direction.y);
}

void main() {
    vec3 direction = normalize(inRay);
    vec3 light = skyColor(direction) + sunDisc(direction);
    light = mix(light, scene.skyHorizon.rgb * 1.25 + 0.05 * scene.sunColor.rgb,
                scene.rayUp.w * cirrus(direction));
    // Below the horizon lies an endless plain of bare earth at the least height, not sky: what a hole in the
    // ground or the ground's own edge shows. Haze leads it over into the horizon.
    if (direction.y < 0.0) {
        float drop = max(scene.eye.y + scene.origin.y - scene.heights.x, 0.0);
        // Up to the horizon however high the eye is; less would end above the haze.
        float reach = drop / max(-direction.y, 1e-9);
        light = throughHaze(scene.earth.rgb, direction * reach);
    }
    outColor = toOutput(light);
}
