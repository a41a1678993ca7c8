#version 460
#extension GL_GOOGLE_include_directive : require
#include "gpu_types.h"
#include "voxel_types.h"

// Drawn without indices: the vertex's number tells the triangle, which no other stage could without a feature that
// a device need not have.

layout(push_constant) uniform PushBlock { GpuView view; GpuVoxelPush voxel; } push;
#define GEOMETRY_SET 2
#include "voxel_blocks.inc.glsl"
#include "voxel_place.inc.glsl"

invariant gl_Position;
layout(location = 0) flat out uint outTriangle;

void main() {
    uint block = uint(push.voxel.originCell.w);
    uint vertex = blockIndex(block, uint(gl_VertexIndex));
    outTriangle = uint(gl_VertexIndex) / 3u | block << 28;
    vec3 place = voxelPlace(blockVertex(block, vertex, 0u));
    vec3 relative = voxelRelative(place, blockVertex(block, vertex, 2u).y & 0xffffu);
    gl_Position = push.view.viewProjection * vec4(relative, 1.0);
}
