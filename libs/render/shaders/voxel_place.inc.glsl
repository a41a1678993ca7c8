// How GpuVoxelVertex holds places and directions. Include after gpu_types.h, voxel_types.h and `push` with a
// GpuVoxelPush `voxel`.

layout(set = 1, binding = 0, std430) readonly buffer ChunkBlock { ivec4 chunks[]; };

// Cells from the chunk's first corner. Exact.
vec3 voxelPlace(uvec2 words) {
    uvec3 steps = uvec3(words.x & 0xfffffu, words.x >> 20 | (words.y & 0xffu) << 12, words.y >> 8 & 0xfffffu);
    return vec3(ivec3(steps) - 16 * 8192) * (1.0 / 8192.0);
}

int voxelLevel(uvec2 words) {
    return int(words.y >> 28 & 3u);
}

// Relative to the scene's origin. The sum of whole cells and lattice steps is exact within 2048 cells, so that
// vertices of two chunks that are one point come out as one.
vec3 voxelRelative(vec3 place, uint slot) {
    ivec3 cells = chunks[slot].xyz * 32 - push.voxel.originCell.xyz;
    return ((vec3(cells) + place) - push.voxel.origin.xyz) * push.voxel.origin.w;
}

// Octahedral about y.
vec3 voxelNormal(vec2 e) {
    float up = 1.0 - abs(e.x) - abs(e.y);
    if (up < 0.0) e = (1.0 - abs(e.yx)) * vec2(e.x < 0.0 ? -1.0 : 1.0, e.y < 0.0 ? -1.0 : 1.0);
    return normalize(vec3(e.x, up, e.y));
}
