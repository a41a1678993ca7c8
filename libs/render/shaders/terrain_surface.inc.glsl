// The fragment stage of the node mesh.

layout(set = 0, binding = 0, std140) uniform SceneBlock { GpuScene scene; };
layout(location = 0) in vec3 inRelative;
layout(location = 1) in vec3 inNormal;

#include "noise.inc.glsl"
#include "surface.inc.glsl"
#include "ground.inc.glsl"

void main() {
    Ground ground = groundAt(inRelative, normalize(inNormal), logPixelOf(dFdx(inRelative), dFdy(inRelative)));
    if (!gl_FrontFacing) {
        ground.albedo = scene.earth.rgb * (1.0 + 0.5 * ground.mottle);
        ground.normal = -ground.normal;
    }
    writeSurface(Surface(inRelative, ground.normal, ground.albedo, ground.sunReach, ground.openness, 0.95));
}
