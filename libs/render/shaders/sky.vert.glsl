#version 460
#extension GL_GOOGLE_include_directive : require
#include "gpu_types.h"

layout(set = 0, binding = 0, std140) uniform SceneBlock { GpuScene scene; };
layout(location = 0) out vec3 outRay;

void main() {
    // One triangle over the whole area, at depth 0: infinitely far.
    vec2 corner = vec2(gl_VertexIndex == 1 ? 3.0 : -1.0, gl_VertexIndex == 2 ? 3.0 : -1.0);
    outRay = scene.rayForward.xyz + corner.x * scene.rayRight.xyz - corner.y * scene.rayUp.xyz;
    gl_Position = vec4(corner, 0.0, 1.0);
}
