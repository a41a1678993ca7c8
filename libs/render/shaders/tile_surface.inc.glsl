// The fragment stage of drawn tiles.

layout(constant_id = 1) const bool kGaps = true;  // whether cells may be no ground

layout(set = 0, binding = 0, std140) uniform SceneBlock { GpuScene scene; };
layout(location = 0) in vec3 inRelative;
layout(location = 1) in vec2 inGradient;
layout(location = 2) in vec2 inPlace;
layout(location = 3) flat in uint inBits;
layout(location = 4) flat in vec3 inDetailErrorLevel;
layout(location = 5) flat in ivec2 inCell;
layout(location = 6) flat in vec4 inCornerLevels;
layout(location = 7) flat in vec4 inSideLevels;
layout(location = 8) flat in vec4 inReaches;

#include "noise.inc.glsl"
#include "surface.inc.glsl"
#include "ground.inc.glsl"
#include "tile_layer.inc.glsl"
#include "tile_normal.inc.glsl"
#include "tile_shading.inc.glsl"

void main() {
    TileFragment f;
    f.tile = tileBits(inBits);
    // Derivatives before anything may end the fragment.
    f.acrossX = dFdx(inRelative);
    f.acrossY = dFdy(inRelative);
    f.placeAcrossX = dFdx(inPlace);
    f.placeAcrossY = dFdy(inPlace);
    if (kGaps && f.tile.gaps && isGap(f.tile, inCell, 1 << int(inDetailErrorLevel.x))) discard;
    f.relative = inRelative;
    f.place = inPlace;
    f.gradient = inGradient;
    f.detail = inDetailErrorLevel.x;
    f.error = inDetailErrorLevel.y;
    f.levels = NormalLevels(inDetailErrorLevel.z, inCornerLevels, inSideLevels, inReaches);
    f.front = gl_FrontFacing;
    f.seam = (inBits & TILE_SEAM) != 0u;
    shadeTile(f);
}
