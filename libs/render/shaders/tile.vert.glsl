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
layout(location = 3) in uvec3 inCorners;
layout(location = 4) in vec4 inEdges;
layout(location = 0) out vec3 outRelative;
layout(location = 1) out vec2 outGradient;
layout(location = 2) out vec2 outPlace;        // in the tile's cells
layout(location = 3) flat out uvec4 outShape;  // bits, corners
layout(location = 4) flat out vec4 outEdges;
layout(location = 5) flat out vec2 outDetailError;
layout(location = 6) flat out ivec2 outCell;  // the low corner of the cell that a triangle's first vertex tells

invariant gl_Position;

void main() {
    TileShape tile = tileShape(inBits, inDetailError.x, inEdges, inCorners);
    LatticeVertex vertex = latticeVertex(gl_VertexIndex, tile);
    ivec2 at = vertex.at;
    outRelative = tilePosition(tile, inCorner, at, vertexHeight(tile, at));
    outGradient = tiles.parameters.y > 0.0 ? vec2(0.0) : vertexGradient(tile, at);  // pixels have their own
    outPlace = vec2(at);
    outShape = uvec4(vertex.seam ? (inBits & ~TILE_GAPS) | TILE_SEAM : inBits, inCorners);
    outEdges = inEdges;
    outDetailError = inDetailError;
    outCell = ivec2(at.x - (1 << tile.level), at.y);
    gl_Position = vertex.drawn ? push.view.viewProjection * vec4(outRelative, 1.0) : kNotDrawn;
}
