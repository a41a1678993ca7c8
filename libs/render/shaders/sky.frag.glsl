#version 460
#extension GL_GOOGLE_include_directive : require
#include "gpu_types.h"

layout(set = 0, binding = 0, std140) uniform SceneBlock { GpuScene scene; };
layout(location = 0) in vec3 inRay;
layout(location = 0) out vec4 outColor;

#include "atmosphere.inc.glsl"
#include "output.inc.glsl"

void main() {
    vec3 direction = normalize(inRay);
    vec3 light = skyColor(direction) + sunDisc(direction);
    outColor = toOutput(light);
}
