#version 460
#extension GL_GOOGLE_include_directive : require
#include "gpu_types.h"

layout(location = 1) in vec3 inNormal;
layout(location = 5) in vec3 inPlace;
layout(location = 6) flat in int inLevel;

#include "voxel_line.inc.glsl"

// Bright, of the level's colour; dimmer where the ground faces away from the sun, so that its shape shows.
void main() {
    float facing = 0.5 + 0.5 * dot(normalize(inNormal), scene.sunDirection.xyz);
    writeLine(mix(levelColor(inLevel), vec3(1.0), 0.15) * mix(0.3, 1.0, facing), inPlace, exp2(float(inLevel)));
}
