#version 460
#extension GL_GOOGLE_include_directive : require
#include "gpu_types.h"
#include "node_write.inc.glsl"

// One thread two of a quad's six indices; writeNodeIndices in part heightfield_mesh is the reference.

layout(local_size_x = 64) in;

layout(set = 0, binding = 4, std430) writeonly buffer IndexBlock { uvec2 pairs[]; };

void main() {
    uint quads = push.verts - 1u;
    uint thread = gl_GlobalInvocationID.x;
    if (thread >= quads * quads * 3u) return;
    uint node = push.firstWord + gl_WorkGroupID.y * push.wordsPerNode;
    uint run = table[node], slot = table[node + 1u];
    uint quad = thread / 3u, part = thread % 3u;
    uint i = quad % quads, j = quad / quads;
    uint v00 = slot * push.verts * push.verts + j * push.verts + i;
    uvec2 pair = part == 0u ? uvec2(v00, v00 + push.verts)
               : part == 1u ? uvec2(v00 + 1u, v00 + push.verts + 1u)
                            : uvec2(v00 + 1u, v00 + push.verts);
    if (push.hasHoles != 0u) {
        uint bit = (table[node + 2u + quads + j] + 1u) * (push.columns + 1u) + table[node + 2u + i] + 1u;
        if ((holes[bit >> 5] >> (bit & 31u) & 1u) != 0u) pair = uvec2(v00);
    }
    pairs[run * quads * quads * 3u + thread] = pair;
}
