#version 460
#extension GL_GOOGLE_include_directive : require
#include "gpu_types.h"

layout(location = 3) in vec3 inPlace;

#include "voxel_line.inc.glsl"

void main() {
    writeLine(vec3(0.25, 0.6, 1.0), inPlace, 1.0);
}
