// An edge of voxel ground or water as a line. Where edges are denser than pixels they let through what was drawn
// before, so that far ground stays ground.

layout(set = 0, binding = 0, std140) uniform SceneBlock { GpuScene scene; };

#include "noise.inc.glsl"
#include "surface.inc.glsl"

// `place` in cells; `sampleCells` between two edges of the level.
void writeLine(vec3 color, vec3 place, float sampleCells) {
    // Along a line, the only way in which its place changes.
    float perPixel = sqrt(dot(dFdx(place), dFdx(place)) + dot(dFdy(place), dFdy(place)));
    // Most edges are drawn twice, once for each of their triangles.
    float pixels = sampleCells / max(perPixel, 1e-6);
    outColor = vec4(encodeOutput(color), 0.7 * clamp(pixels / 16.0, 0.06, 1.0));
}
