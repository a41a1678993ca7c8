#version 460
#extension GL_GOOGLE_include_directive : require
#include "gpu_types.h"
#include "voxel_types.h"
#include "voxel_vertex.inc.glsl"
#include "waves.inc.glsl"

invariant gl_Position;
layout(set = 0, binding = 0, std140) uniform SceneBlock { GpuScene scene; };
layout(set = 1, binding = 1, std140) uniform LookBlock { GpuVoxelLooks looks; };
layout(location = 0) out vec3 outRelative;
layout(location = 1) out vec3 outNormal;
layout(location = 2) out float outFade;
layout(location = 3) out vec3 outPlace;

void main() {
    outPlace = voxelPlace(inPlace);
    outRelative = voxelRelative(outPlace, inSlot);
    outNormal = voxelNormal(inNormal);
    outFade = inWeights.x;
    // Nothing where the fade is 0: the sheet's edge stays on the shore.
    if (outFade > 0.0) {
        outRelative.y += outFade * waveAt(outRelative.xz + push.voxel.waveOrigin.xy, looks.waves, scene.mode.y).x;
    }
    gl_Position = push.view.viewProjection * vec4(outRelative, 1.0);
}
