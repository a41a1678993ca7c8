#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_samplerless_texture_functions : require
#include "gpu_types.h"
#include "tile_layer.inc.glsl"
#include "tile_gaps.inc.glsl"

layout(constant_id = 1) const bool kGaps = true;  // whether cells may be no ground
layout(location = 2) flat in uint inRecord;
layout(location = 0) out uint outVisible;

void main() {
    if (kGaps && inGap()) discard;
    outVisible = inRecord | (gl_FrontFacing ? VISIBLE_FRONT : 0u) | VISIBLE_TILE;
}
