#version 460
#extension GL_GOOGLE_include_directive : require
#include "visibility.inc.glsl"

layout(location = 1) in vec3 inNormal;
layout(location = 2) flat in uvec4 inMaterials;
layout(location = 3) in vec4 inWeights;
layout(location = 4) in vec2 inLight;
layout(location = 6) flat in int inLevel;
layout(location = 0) out uvec4 outVisible;

void main() {
    vec4 weights = inWeights / max(dot(inWeights, vec4(1.0)), 1e-6);
    uint materials = inMaterials.x | inMaterials.y << 8 | inMaterials.z << 16 | inMaterials.w << 24;
    outVisible = uvec4(packUnorm4x8(vec4(inLight, 0.0, 0.0)) | uint(inLevel) << 16 | VISIBLE_VOXELS,
                       packSnorm2x16(foldedOf(inNormal)), materials, packUnorm4x8(weights));
}
