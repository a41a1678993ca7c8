#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_samplerless_texture_functions : require
#include "gpu_types.h"
#include "tile_layer.inc.glsl"
#include "tile_geometry.inc.glsl"

layout(push_constant) uniform PushBlock { GpuView view; } push;
layout(location = 0) in ivec2 inCorner;
layout(location = 1) in uint inBits;
layout(location = 2) in vec2 inDetailError;
layout(location = 4) in vec4 inEdges;
layout(location = 0) flat out uvec2 outShape;  // bits, stride
layout(location = 1) flat out ivec2 outCell;
layout(location = 2) flat out uint outRecord;  // its number, and whether it is a seam's: what visibility holds

invariant gl_Position;

void main() {
    TileShape tile = tileShape(inBits, inDetailError.x, inEdges, uvec3(0));
    LatticeVertex vertex = latticeVertex(gl_VertexIndex, tile);
    ivec2 at = vertex.at;
    vec3 relative = tilePosition(tile, inCorner, at, vertexHeight(tile, at));
    outShape = uvec2(vertex.seam ? inBits & ~TILE_GAPS : inBits, 1u << tile.level);
    outCell = ivec2(at.x - (1 << tile.level), at.y);
    outRecord = uint(gl_InstanceIndex) | (vertex.seam ? VISIBLE_SEAM : 0u);
    gl_Position = vertex.drawn ? push.view.viewProjection * vec4(relative, 1.0) : kNotDrawn;
}
