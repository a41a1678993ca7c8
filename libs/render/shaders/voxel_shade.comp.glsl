#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_samplerless_texture_functions : require
#include "gpu_types.h"
#include "voxel_types.h"

// Lights the voxel ground that visibility holds.

layout(set = 0, binding = 0, std140) uniform SceneBlock { GpuScene scene; };
layout(set = 1, binding = 1, std140) uniform LookBlock { GpuVoxelLooks looks; };
layout(push_constant) uniform PushBlock { GpuShade shade; GpuVoxelPush voxel; } push;

#define GEOMETRY_SET 3
#include "voxel_blocks.inc.glsl"
#include "voxel_place.inc.glsl"
#include "shade.inc.glsl"
#include "visibility.inc.glsl"
#include "voxel_shading.inc.glsl"

// How much of each corner there is where the eye's ray meets a triangle.
vec3 cornersAt(vec3 corners[3], vec3 ray) {
    vec3 edge1 = corners[1] - corners[0], edge2 = corners[2] - corners[0];
    vec3 away = scene.eye.xyz - corners[0], p = cross(ray, edge2), q = cross(away, edge1);
    float volume = dot(edge1, p);
    // Seen along its plane, a triangle has no one place.
    if (volume == 0.0) return vec3(1.0 / 3.0);
    float u = clamp(dot(away, p) / volume, 0.0, 1.0);
    float v = clamp(dot(ray, q) / volume, 0.0, 1.0 - u);
    return vec3(1.0 - u - v, u, v);
}

void main() {
    uint seen = seenHere();
    if ((seen & VISIBLE_KIND) != VISIBLE_VOXELS) return;
    uint block = seen >> 28 & 3u, triangle = seen & VISIBLE_TRIANGLE;
    vec3 corners[3];
    uvec2 looksOf[3], lightsOf[3];  // normal and materials; weights, slot and light
    VoxelFragment f;
    for (int i = 0; i < 3; ++i) {
        uint vertex = blockIndex(block, triangle * 3u + uint(i));
        uvec2 place = blockVertex(block, vertex, 0u);
        looksOf[i] = blockVertex(block, vertex, 1u);
        lightsOf[i] = blockVertex(block, vertex, 2u);
        corners[i] = voxelRelative(voxelPlace(place), lightsOf[i].y & 0xffffu);
        if (i == 0) f.level = voxelLevel(place);
    }
    PixelPlace here = placeHere();
    vec3 part = cornersAt(corners, here.relative - scene.eye.xyz);
    f.relative = here.relative;
    f.normal = vec3(0.0);
    f.weights = vec4(0.0);
    f.light = vec2(0.0);
    for (int i = 0; i < 3; ++i) {
        f.normal += part[i] * voxelNormal(unpackSnorm2x16(looksOf[i].x));
        f.weights += part[i] * unpackUnorm4x8(lightsOf[i].x);
        f.light += part[i] * unpackUnorm4x8(lightsOf[i].y).zw;
    }
    f.materials = looksOf[0].yyyy >> uvec4(0u, 8u, 16u, 24u) & 0xffu;
    vec3 plane = cross(corners[1] - corners[0], corners[2] - corners[0]);
    plane = dot(plane, plane) > 0.0 ? normalize(plane) : f.normal;
    f.acrossX = alongPlane(f.relative, here.rightOf, plane);
    f.acrossY = alongPlane(f.relative, here.below, plane);
    // Cells from a corner of some chunk: the lines that are drawn repeat with the chunks.
    f.place = f.relative / push.voxel.origin.w + push.voxel.origin.xyz + vec3(push.voxel.originCell.xyz & 31);
    shadeVoxels(f);
}
