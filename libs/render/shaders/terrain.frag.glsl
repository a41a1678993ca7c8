#version 460
#extension GL_GOOGLE_include_directive : require
#include "gpu_types.h"

layout(set = 0, binding = 0, std140) uniform SceneBlock { GpuScene scene; };
layout(location = 0) in vec3 inRelative;
layout(location = 1) in vec3 inNormal;
layout(location = 0) out vec4 outColor;

#include "atmosphere.inc.glsl"
#include "noise.inc.glsl"
#include "output.inc.glsl"
#include "ground.inc.glsl"

void main() {
    vec3 toEye = scene.eye.xyz - inRelative;
    Ground ground = groundAt(inRelative, normalize(inNormal));
    if (!gl_FrontFacing) {
        ground.albedo = scene.earth.rgb * (1.0 + 0.5 * ground.mottle);
        ground.normal = -ground.normal;
    }
    float sun = max(dot(ground.normal, scene.sunDirection.xyz), 0.0);
    vec3 skyLight = 0.9 * mix(scene.skyHorizon.rgb, scene.skyZenith.rgb, 0.5);
    vec3 ambient = mix(scene.skyGround.rgb, skyLight, 0.5 + 0.5 * ground.normal.y);
    vec3 light = ground.albedo * (scene.sunColor.rgb * sun * ground.sunReach + ambient * ground.openness);
    outColor = toOutput(throughHaze(light, -toEye));
}
