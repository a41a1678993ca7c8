#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_samplerless_texture_functions : require
#include "gpu_types.h"

// Lights the tiles that visibility holds, a thread a pixel.

layout(local_size_x = 8, local_size_y = 8) in;
layout(set = 0, binding = 0, std140) uniform SceneBlock { GpuScene scene; };
layout(set = 1, binding = 3, std430) readonly buffer RecordBlock { uvec4 recordWords[]; };  // three a TileRecord
layout(set = 2, binding = 0) uniform utexture2D visible;
layout(set = 2, binding = 1) uniform texture2D depths;
layout(set = 2, binding = 2, rgba8) uniform writeonly image2D outImage;
layout(push_constant) uniform PushBlock { GpuTileShade shade; } push;

vec2 pixelPlace;
#define KARST_PIXEL pixelPlace

#include "noise.inc.glsl"
#include "light.inc.glsl"
#include "ground.inc.glsl"
#include "tile_layer.inc.glsl"
#include "tile_normal.inc.glsl"

void writeDiagnostic(vec3 color) {
    imageStore(outImage, ivec2(pixelPlace), vec4(encodeOutput(clamp(color, 0.0, 1.0)), 1.0));
}

void writeSurface(Surface s) {
    imageStore(outImage, ivec2(pixelPlace), toOutput(throughHaze(litSurface(s), s.relative - scene.eye.xyz)));
}

#include "tile_shading.inc.glsl"

vec3 unproject(vec2 place, float depth) {
    vec4 p = push.shade.toRelative * vec4(place, depth, 1.0);
    return p.xyz / p.w;
}

vec2 inCells(vec3 offset) {
    return vec2(dot(tiles.cellX.xyz, offset), dot(tiles.cellZ.xyz, offset));
}

// From a point of the plane through it, seen from the eye, to that seen `turned` away.
vec3 onPlane(vec3 point, vec3 turned, vec3 normal) {
    vec3 away = point - scene.eye.xyz, along = turned - scene.eye.xyz;
    float facing = dot(normal, along);
    // What is seen along the plane has no end there.
    float reach = abs(facing) > 1e-4 * length(along) ? clamp(dot(normal, away) / facing, 0.25, 4.0) : 1.0;
    return along * reach - away;
}

void main() {
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    if (any(greaterThanEqual(at, ivec2(push.shade.area.zw)))) return;
    ivec2 pixel = at + ivec2(push.shade.area.xy);
    uint seen = texelFetch(visible, pixel, 0).r;
    if (seen == 0u) return;
    pixelPlace = vec2(pixel) + 0.5;
    uint record = ((seen & VISIBLE_RECORD) - 1u) * 3u;
    uvec4 words = recordWords[record], corners = recordWords[record + 1u];

    TileFragment f;
    f.tile = tileBits(words.z);
    f.detail = uintBitsToFloat(words.w);
    f.error = uintBitsToFloat(corners.x);
    f.levels = normalLevels(f.tile, f.detail, uintBitsToFloat(recordWords[record + 2u]), corners.yzw);
    f.front = (seen & VISIBLE_FRONT) != 0u;
    f.seam = (seen & VISIBLE_SEAM) != 0u;
    float depth = texelFetch(depths, pixel, 0).r;
    vec2 step = 2.0 / push.shade.area.zw, place = (vec2(at) + 0.5) * step - 1.0;
    f.relative = unproject(place, depth);
    float perCell = exp2(-float(f.tile.level + 4)), end = float(f.tile.cells);
    f.place = clamp((inCells(f.relative - tiles.offset.xyz) - vec2(ivec2(words.xy))) * perCell, 0.0, end);

    // The pixel's shape on the ground, from the slope of the lattice that is drawn.
    f.gradient = latticeGradient(f.tile, f.place, clamp(f.detail, 0.0, float(f.tile.levels)));
    vec3 plane = tileNormal(f.gradient);
    f.acrossX = onPlane(f.relative, unproject(place + vec2(step.x, 0.0), depth), plane);
    f.acrossY = onPlane(f.relative, unproject(place + vec2(0.0, step.y), depth), plane);
    f.placeAcrossX = inCells(f.acrossX) * perCell;
    f.placeAcrossY = inCells(f.acrossY) * perCell;
    shadeTile(f);
}
