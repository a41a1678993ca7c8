#version 460
#extension GL_GOOGLE_include_directive : require
#include "gpu_types.h"

layout(set = 0, binding = 0, std140) uniform SceneBlock { GpuScene scene; };
layout(push_constant) uniform PushBlock { GpuView view; } push;
layout(location = 0) in vec3 inPosition;
layout(location = 1) in vec3 inNormal;
layout(location = 2) in vec4 inColor;
layout(location = 3) in vec2 inLight;
layout(location = 0) out vec3 outRelative;
layout(location = 1) out vec3 outNormal;
layout(location = 2) out vec4 outColor;
layout(location = 3) out vec2 outLight;

void main() {
    outRelative = inPosition - scene.origin.xyz;
    outNormal = inNormal;
    outColor = inColor;
    outLight = inLight;
    gl_Position = push.view.viewProjection * vec4(outRelative, 1.0);
}
