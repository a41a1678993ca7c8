#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_samplerless_texture_functions : require
#include "gpu_types.h"
#include "voxel_types.h"

// Lights the voxel ground that visibility holds.

layout(set = 0, binding = 0, std140) uniform SceneBlock { GpuScene scene; };
layout(set = 1, binding = 1, std140) uniform LookBlock { GpuVoxelLooks looks; };
layout(push_constant) uniform PushBlock { GpuShade shade; GpuVoxelPush voxel; } push;

#include "shade.inc.glsl"
#include "visibility.inc.glsl"
#include "voxel_shading.inc.glsl"

void main() {
    uvec4 seen = seenHere();
    if ((seen.x & VISIBLE_KIND) != VISIBLE_VOXELS) return;
    VoxelFragment f;
    f.normal = unfolded(unpackSnorm2x16(seen.y));
    f.materials = seen.zzzz >> uvec4(0u, 8u, 16u, 24u) & 0xffu;
    f.weights = unpackUnorm4x8(seen.w);
    f.light = unpackUnorm4x8(seen.x).xy;
    f.level = int(seen.x >> 16 & 3u);
    PixelPlace here = placeHere();
    f.relative = here.relative;
    f.acrossX = alongPlane(f.relative, here.rightOf, f.normal);
    f.acrossY = alongPlane(f.relative, here.below, f.normal);
    // Cells from a corner of some chunk: the lines that are drawn repeat with the chunks.
    f.place = f.relative / push.voxel.origin.w + push.voxel.origin.xyz + vec3(push.voxel.originCell.xyz & 31);
    shadeVoxels(f);
}
