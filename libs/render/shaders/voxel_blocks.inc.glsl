// A pool's blocks as storage: triangles by their numbers. GEOMETRY_SET: the set they are in. Blocks that are not there
// yet stand for the first.

layout(set = GEOMETRY_SET, binding = 0, std430) readonly buffer Indices0 { uint indices0[]; };
layout(set = GEOMETRY_SET, binding = 1, std430) readonly buffer Vertices0 { uvec2 vertices0[]; };
layout(set = GEOMETRY_SET, binding = 2, std430) readonly buffer Indices1 { uint indices1[]; };
layout(set = GEOMETRY_SET, binding = 3, std430) readonly buffer Vertices1 { uvec2 vertices1[]; };
layout(set = GEOMETRY_SET, binding = 4, std430) readonly buffer Indices2 { uint indices2[]; };
layout(set = GEOMETRY_SET, binding = 5, std430) readonly buffer Vertices2 { uvec2 vertices2[]; };

uint blockIndex(uint block, uint at) {
    return block == 0u ? indices0[at] : block == 1u ? indices1[at] : indices2[at];
}

// Two of a vertex's six words: 0 the place, 1 the normal and the materials, 2 the weights, the slot and the light.
uvec2 blockVertex(uint block, uint vertex, uint part) {
    uint at = vertex * 3u + part;
    return block == 0u ? vertices0[at] : block == 1u ? vertices1[at] : vertices2[at];
}
