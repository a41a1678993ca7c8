#version 460
#extension GL_GOOGLE_include_directive : require
#include "gpu_types.h"
#include "voxel_types.h"
#include "voxel_vertex.inc.glsl"

invariant gl_Position;
layout(location = 0) out vec3 outRelative;
layout(location = 1) out vec3 outNormal;
layout(location = 2) flat out uvec4 outMaterials;
layout(location = 3) out vec4 outWeights;
layout(location = 4) out vec2 outLight;
layout(location = 5) out vec3 outPlace;
layout(location = 6) flat out int outLevel;

void main() {
    outPlace = voxelPlace(inPlace);
    outRelative = voxelRelative(outPlace, inSlot);
    outNormal = voxelNormal(inNormal);
    outMaterials = inMaterials;
    outWeights = inWeights;
    outLight = inLight;
    outLevel = voxelLevel(inPlace);
    gl_Position = push.view.viewProjection * vec4(outRelative, 1.0);
}
