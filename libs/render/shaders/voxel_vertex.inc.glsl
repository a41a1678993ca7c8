// A vertex of voxel ground or water as GpuVoxelVertex packs it. Include after gpu_types.h and voxel_types.h.

layout(push_constant) uniform PushBlock { GpuView view; GpuVoxelPush voxel; } push;
layout(location = 0) in uvec2 inPlace;
layout(location = 1) in vec2 inNormal;
layout(location = 2) in uvec4 inMaterials;
layout(location = 3) in vec4 inWeights;
layout(location = 4) in uint inSlot;
layout(location = 5) in vec2 inLight;

#include "voxel_place.inc.glsl"
