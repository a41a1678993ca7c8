#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_samplerless_texture_functions : require
#include "gpu_types.h"
#include "tile_layer.inc.glsl"
#include "tile_gaps.inc.glsl"

layout(location = 0) out vec4 outColor;

void main() {
    if (inGap()) discard;
    outColor = vec4(vec3(1.0 / 16.0), 0.0);
}
