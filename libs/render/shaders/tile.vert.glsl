#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_samplerless_texture_functions : require
#include "gpu_types.h"
#include "tile_layer.inc.glsl"
#include "tile_geometry.inc.glsl"
#include "tile_normal.inc.glsl"

layout(push_constant) uniform PushBlock { GpuView view; } push;
layout(location = 0) in ivec2 inCorner;
layout(location = 1) in uint inBits;
layout(location = 2) in vec2 inDetailError;
layout(location = 3) in uvec3 inCorners;
layout(location = 4) in vec4 inEdges;
layout(location = 0) out vec3 outRelative;
layout(location = 1) out vec2 outGradient;
layout(location = 2) out vec2 outPlace;        // in the tile's cells
layout(location = 3) flat out uint outBits;
layout(location = 4) flat out vec3 outDetailErrorLevel;  // the last: the normals' inside of the tile
layout(location = 5) flat out ivec2 outCell;  // the low corner of the cell that a triangle's first vertex tells
layout(location = 6) flat out vec4 outCornerLevels;
layout(location = 7) flat out vec4 outSideLevels;
layout(location = 8) flat out vec4 outReaches;

invariant gl_Position;

void main() {
    TileShape tile = tileShape(inBits, inDetailError.x, inEdges, inCorners);
    LatticeVertex vertex = latticeVertex(gl_VertexIndex, tile);
    ivec2 at = vertex.at;
    outRelative = tilePosition(tile, inCorner, at, vertexHeight(tile, at));
    outGradient = tiles.parameters.y > 0.0 ? vec2(0.0) : vertexGradient(tile, at);  // pixels have their own
    outPlace = vec2(at);
    outBits = vertex.seam ? (inBits & ~TILE_GAPS) | TILE_SEAM : inBits;
    NormalLevels levels = normalLevels(tile.bits, inDetailError.x, inEdges, inCorners);
    outDetailErrorLevel = vec3(inDetailError, levels.own);
    outCornerLevels = levels.corners;
    outSideLevels = levels.sides;
    outReaches = levels.reaches;
    outCell = ivec2(at.x - (1 << tile.level), at.y);
    gl_Position = vertex.drawn ? push.view.viewProjection * vec4(outRelative, 1.0) : kNotDrawn;
}
