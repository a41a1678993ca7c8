#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_samplerless_texture_functions : require
#include "gpu_types.h"

// Lights the tiles that visibility holds.

layout(set = 0, binding = 0, std140) uniform SceneBlock { GpuScene scene; };
layout(set = 1, binding = 3, std430) readonly buffer RecordBlock { uvec4 recordWords[]; };  // three a TileRecord
layout(push_constant) uniform PushBlock { GpuShade shade; } push;

#include "shade.inc.glsl"
#include "tile_layer.inc.glsl"
#include "tile_normal.inc.glsl"
#include "tile_shading.inc.glsl"

vec2 inCells(vec3 offset) {
    return vec2(dot(tiles.cellX.xyz, offset), dot(tiles.cellZ.xyz, offset));
}

void main() {
    uint seen = seenHere();
    if ((seen & VISIBLE_KIND) != VISIBLE_TILE) return;
    uint record = (seen & VISIBLE_RECORD) * 3u;
    uvec4 words = recordWords[record], corners = recordWords[record + 1u];

    TileFragment f;
    f.tile = tileBits(words.z);
    f.detail = uintBitsToFloat(words.w);
    f.error = uintBitsToFloat(corners.x);
    f.levels = normalLevels(f.tile, f.detail, uintBitsToFloat(recordWords[record + 2u]), corners.yzw);
    f.front = (seen & VISIBLE_FRONT) != 0u;
    f.seam = (seen & VISIBLE_SEAM) != 0u;
    PixelPlace here = placeHere();
    f.relative = here.relative;
    float perCell = exp2(-float(f.tile.level + 4)), end = float(f.tile.cells);
    f.place = clamp((inCells(f.relative - tiles.offset.xyz) - vec2(ivec2(words.xy))) * perCell, 0.0, end);

    // The pixel's shape on the ground, from the slope of the lattice that is drawn.
    f.gradient = latticeGradient(f.tile, f.place, clamp(f.detail, 0.0, float(f.tile.levels)));
    vec3 plane = tileNormal(f.gradient);
    f.acrossX = alongPlane(f.relative, here.rightOf, plane);
    f.acrossY = alongPlane(f.relative, here.below, plane);
    f.placeAcrossX = inCells(f.acrossX) * perCell;
    f.placeAcrossY = inCells(f.acrossY) * perCell;
    shadeTile(f);
}
