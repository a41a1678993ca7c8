// The fragment stage of voxel ground.

layout(set = 0, binding = 0, std140) uniform SceneBlock { GpuScene scene; };
layout(set = 1, binding = 1, std140) uniform LookBlock { GpuVoxelLooks looks; };
layout(push_constant) uniform PushBlock { GpuView view; GpuVoxelPush voxel; } push;
layout(location = 0) in vec3 inRelative;
layout(location = 1) in vec3 inNormal;
layout(location = 2) flat in uvec4 inMaterials;
layout(location = 3) in vec4 inWeights;
layout(location = 4) in vec2 inLight;
layout(location = 5) in vec3 inPlace;
layout(location = 6) flat in int inLevel;

#include "noise.inc.glsl"
#include "surface.inc.glsl"
#include "ground.inc.glsl"
#include "voxel_shading.inc.glsl"

void main() {
    shadeVoxels(VoxelFragment(inRelative, dFdx(inRelative), dFdy(inRelative), inNormal, inMaterials, inWeights, inLight,
                              inPlace, inLevel));
}
