// A vertex of voxel ground or water as GpuVoxelVertex packs it. Include after gpu_types.h and voxel_types.h.

#include "visibility.inc.glsl"

layout(push_constant) uniform PushBlock { GpuView view; GpuVoxelPush voxel; } push;
layout(set = 1, binding = 0, std430) readonly buffer ChunkBlock { ivec4 chunks[]; };
layout(location = 0) in uvec2 inPlace;
layout(location = 1) in vec2 inNormal;
layout(location = 2) in uvec4 inMaterials;
layout(location = 3) in vec4 inWeights;
layout(location = 4) in uint inSlot;
layout(location = 5) in vec2 inLight;

// Cells from the chunk's first corner. Exact.
vec3 voxelPlace() {
    uvec3 steps = uvec3(inPlace.x & 0xfffffu, inPlace.x >> 20 | (inPlace.y & 0xffu) << 12, inPlace.y >> 8 & 0xfffffu);
    return vec3(ivec3(steps) - 16 * 8192) * (1.0 / 8192.0);
}

int voxelLevel() {
    return int(inPlace.y >> 28 & 3u);
}

// Relative to the scene's origin. The sum of whole cells and lattice steps is exact within 2048 cells, so that
// vertices of two chunks that are one point come out as one.
vec3 voxelRelative(vec3 place) {
    ivec3 cells = chunks[inSlot].xyz * 32 - push.voxel.originCell.xyz;
    return ((vec3(cells) + place) - push.voxel.origin.xyz) * push.voxel.origin.w;
}

vec3 voxelNormal() {
    return unfolded(inNormal);
}
