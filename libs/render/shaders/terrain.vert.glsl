#version 460
#extension GL_GOOGLE_include_directive : require
#include "gpu_types.h"

layout(constant_id = 0) const bool kOctahedralNormal = false;

layout(set = 0, binding = 0, std140) uniform SceneBlock { GpuScene scene; };
layout(push_constant) uniform PushBlock { GpuView view; } push;
layout(location = 0) in vec3 inPosition;
layout(location = 1) in vec3 inNormal;
layout(location = 0) out vec3 outRelative;
layout(location = 1) out vec3 outNormal;

vec3 decodeOctahedral(vec2 e) {
    float up = 1.0 - abs(e.x) - abs(e.y);
    if (up < 0.0) e = (1.0 - abs(e.yx)) * vec2(e.x < 0.0 ? -1.0 : 1.0, e.y < 0.0 ? -1.0 : 1.0);
    return normalize(vec3(e.x, up, e.y));
}

void main() {
    // Exact where both are near: what is left is small, so the matrix works on small numbers.
    outRelative = inPosition - scene.origin.xyz;
    outNormal = kOctahedralNormal ? decodeOctahedral(inNormal.xy) : inNormal;
    gl_Position = push.view.viewProjection * vec4(outRelative, 1.0);
}
