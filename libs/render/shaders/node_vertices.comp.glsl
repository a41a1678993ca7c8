#version 460
#extension GL_GOOGLE_include_directive : require
#include "gpu_types.h"
#include "node_write.inc.glsl"

// One thread a vertex; writeNodeVertices in part heightfield_mesh is the reference, operation by operation.

layout(local_size_x = 64) in;
layout(constant_id = 0) const bool kCompact = false;

layout(set = 0, binding = 3, std430) writeonly buffer VertexBlock { uint words[]; };
layout(set = 0, binding = 3, std430) writeonly buffer CompactBlock { uvec4 compactVertices[]; };

// Offsets in a node's table.
const uint kSlot = 0u, kFlags = 1u, kBand = 2u, kCoarserBand = 4u, kAxes = 8u;
const uint kSliding = 16u;

uint nodeAt;  // of the node's table

float axisFloat(uint axis, uint row, uint i) {
    return uintBitsToFloat(table[nodeAt + kAxes + (axis * 5u + row) * push.verts + i]);
}
uint axisTexel(uint axis, uint row, uint i) {
    return table[nodeAt + kAxes + (axis * 5u + row) * push.verts + i];
}

struct Vertex {
    float x, y, z, gx, gz;
};

// Before it slides or is stitched.
Vertex restingVertex(uvec2 at) {
    uint x0 = axisTexel(0u, 2u, at.x), x1 = axisTexel(0u, 3u, at.x);
    uint row0 = axisTexel(1u, 2u, at.y) * push.columns, row1 = axisTexel(1u, 3u, at.y) * push.columns;
    float fx = axisFloat(0u, 4u, at.x), fz = axisFloat(1u, 4u, at.y);
    float h00 = heights[row0 + x0], h10 = heights[row0 + x1], h01 = heights[row1 + x0];
    precise float y = h00, gx = h10 - h00, gz = h01 - h00;
    if (fx != 0.0 || fz != 0.0) {
        float h11 = heights[row1 + x1];
        precise float lower = h00 + fx * (h10 - h00) + fz * (h01 - h00);
        precise float upper = h11 + (1.0 - fx) * (h01 - h11) + (1.0 - fz) * (h10 - h11);
        y = fx + fz <= 1.0 ? lower : upper;
        gx = (h10 - h00) + fz * ((h11 - h01) - (h10 - h00));
        gz = (h01 - h00) + fx * ((h11 - h10) - (h01 - h00));
    }
    precise float perX = gx * push.perX, perZ = gz * push.perZ;
    return Vertex(axisFloat(0u, 0u, at.x), y, axisFloat(1u, 0u, at.y), perX, perZ);
}

float weightOf(uvec2 at, uint band) {
    precise float away = axisFloat(0u, 1u, at.x) + axisFloat(1u, 1u, at.y);
    precise float weight = (away - uintBitsToFloat(table[nodeAt + band])) * uintBitsToFloat(table[nodeAt + band + 1u]);
    return weight < 0.0 ? 0.0 : weight > 1.0 ? 1.0 : weight;
}

float slide(float a, float b, float weight) {
    precise float between = a + weight * (b - a);
    return weight >= 1.0 ? b : between;
}

Vertex slid(Vertex a, Vertex b, float w) {
    return Vertex(slide(a.x, b.x, w), slide(a.y, b.y, w), slide(a.z, b.z, w), slide(a.gx, b.gx, w), slide(a.gz, b.gz, w));
}

uint packOctahedral(float gx, float gz) {
    precise float sum = 1.0 + abs(gx) + abs(gz);
    precise float scale = -32767.0 / sum;
    precise float x = gx * scale + 12582912.0, z = gz * scale + 12582912.0;
    return (floatBitsToUint(x) & 0xffffu) | floatBitsToUint(z) << 16;
}

void put(uint at, float value) {
    words[at] = floatBitsToUint(value);
}

void writeAny(uint vertex, Vertex v) {
    const uint kAbsent = 0xffffffffu;
    uint at = vertex * push.strideWords;
    for (uint i = 0u; i < push.strideWords; ++i)
        words[at + i] = 0u;
    put(at + push.position, v.x);
    put(at + push.position + 1u, v.y);
    put(at + push.position + 2u, v.z);
    if (push.normal != kAbsent) {
        if (push.octahedral != 0u) {
            words[at + push.normal] = packOctahedral(v.gx, v.gz);
        } else {
            precise float square = v.gx * v.gx + 1.0 + v.gz * v.gz;
            precise float inverse = 1.0 / sqrt(square);
            put(at + push.normal, -v.gx * inverse);
            put(at + push.normal + 1u, inverse);
            put(at + push.normal + 2u, -v.gz * inverse);
        }
    }
    if (push.tangent != kAbsent) {
        precise float square = 1.0 + v.gx * v.gx;
        precise float inverse = 1.0 / sqrt(square);
        put(at + push.tangent, inverse);
        put(at + push.tangent + 1u, v.gx * inverse);
        put(at + push.tangent + 3u, 1.0);
    }
    precise float across = (v.x - push.minX) * push.perWidth, down = (v.z - push.minZ) * push.perDepth;
    if (push.uv0 != kAbsent) {
        put(at + push.uv0, across);
        put(at + push.uv0 + 1u, down);
    }
    if (push.uv1 != kAbsent) {
        put(at + push.uv1, across);
        put(at + push.uv1 + 1u, down);
    }
    if (push.color != kAbsent) {
        for (uint c = 0u; c < 4u; ++c)
            put(at + push.color + c, 1.0);
    }
}

void main() {
    uint vertex = gl_GlobalInvocationID.x;
    if (vertex >= push.verts * push.verts) return;
    nodeAt = push.firstWord + gl_WorkGroupID.y * push.wordsPerNode;
    uvec2 at = uvec2(vertex % push.verts, vertex / push.verts);
    uint flags = table[nodeAt + kFlags];
    uint last = push.verts - 1u;
    bool coarser = (at.x == 0u && (flags & 1u) != 0u) || (at.x == last && (flags & 2u) != 0u) ||
                   (at.y == 0u && (flags & 4u) != 0u) || (at.y == last && (flags & 8u) != 0u);
    Vertex v;
    if (coarser) {
        // As the coarser node computes it: from the previous even index, by the coarser level's band.
        uvec2 from = at & ~1u;
        v = slid(restingVertex(from), restingVertex(at & ~3u), weightOf(from, kCoarserBand));
    } else {
        v = restingVertex(at);
        if ((flags & kSliding) != 0u) v = slid(v, restingVertex(at & ~1u), weightOf(at, kBand));
    }
    uint index = table[nodeAt + kSlot] * push.verts * push.verts + vertex;
    if (kCompact) {
        compactVertices[index] = uvec4(floatBitsToUint(vec3(v.x, v.y, v.z)), packOctahedral(v.gx, v.gz));
    } else {
        writeAny(index, v);
    }
}
