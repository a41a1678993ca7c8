// What C++ and GLSL share about voxel ground and its water. Only 16-byte members, so that std140 and C++
// agree.
#ifndef KARST_RENDER_VOXEL_TYPES_H
#define KARST_RENDER_VOXEL_TYPES_H

#ifdef __cplusplus
#include "gpu_types.h"
namespace karst::render::gpu {
struct alignas(16) ivec4 {
    int x = 0, y = 0, z = 0, w = 0;
};
#endif

struct GpuVoxelMaterial {
    vec4 color;    // linear rgb; w roughness
    vec4 pattern;  // x mottle, y bump, z first octave of the noise
};

struct GpuVoxelLooks {
    GpuVoxelMaterial materials[256];
    vec4 waterColor;    // rgb; w opacity
    vec4 waterShallow;  // rgb; w opacity
    vec4 waterFoam;     // rgb; w how much of it on falling water
    vec4 waterDepth;    // x 1 / depth of which a part of 1/e of what lies under it is seen
    vec4 waves;         // x height, y 2 pi / period of the longest wave's lattice, z gravity, w speed
};

// What is left of the push constants after the view's, or the shading's.
struct GpuVoxelPush {
    ivec4 originCell;  // xyz the cell of the grid that holds the scene's origin; w a block, of visibility
    vec4 origin;       // xyz where in that cell, 0..1; w cell size in world units
    vec4 waveOrigin;   // xy the scene's origin in the waves' period, x and z
};

#ifdef __cplusplus
}  // namespace karst::render::gpu
#endif
#endif
