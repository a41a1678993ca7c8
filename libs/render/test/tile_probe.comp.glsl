#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_samplerless_texture_functions : require
#include "../shaders/gpu_types.h"
#include "../shaders/tile_layer.inc.glsl"
#include "../shaders/tile_geometry.inc.glsl"

// What the vertex stage makes of vertices, written back.

layout(local_size_x = 64) in;
layout(set = 0, binding = 0, std430) readonly buffer Records { uint words[]; } records;
layout(set = 0, binding = 1, std430) readonly buffer Vertices { uvec2 at[]; } vertices;  // record; i | j << 8
layout(set = 0, binding = 2, std430) writeonly buffer Results { vec4 made[]; } results;  // position; gradient

void main() {
    uint v = gl_GlobalInvocationID.x;
    if (v >= uint(vertices.at.length())) return;
    uint r = vertices.at[v].x * 12u, place = vertices.at[v].y;
    uvec3 corners = uvec3(records.words[r + 5u], records.words[r + 6u], records.words[r + 7u]);
    vec4 edges = uintBitsToFloat(uvec4(records.words[r + 8u], records.words[r + 9u], records.words[r + 10u], records.words[r + 11u]));
    TileShape tile = tileShape(records.words[r + 2u], uintBitsToFloat(records.words[r + 3u]), edges, corners);
    ivec2 corner = ivec2(int(records.words[r]), int(records.words[r + 1u]));
    ivec2 at = ivec2(place & 0xffu, place >> 8);
    results.made[2u * v] = vec4(tilePosition(tile, corner, at, vertexHeight(tile, at)), 0.0);
    results.made[2u * v + 1u] = vec4(vertexGradient(tile, at), 0.0, 0.0);
}
