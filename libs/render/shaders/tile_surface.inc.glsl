// The fragment stage of drawn tiles.

layout(constant_id = 1) const bool kGaps = true;  // whether cells may be no ground

layout(set = 0, binding = 0, std140) uniform SceneBlock { GpuScene scene; };
layout(location = 0) in vec3 inRelative;
layout(location = 1) in vec2 inGradient;
layout(location = 2) in vec2 inPlace;
layout(location = 3) flat in uint inBits;
layout(location = 4) flat in vec3 inDetailErrorLevel;
layout(location = 5) flat in ivec2 inCell;
layout(location = 6) flat in vec4 inCornerLevels;
layout(location = 7) flat in vec4 inSideLevels;
layout(location = 8) flat in vec4 inReaches;

#include "noise.inc.glsl"
#include "surface.inc.glsl"
#include "ground.inc.glsl"
#include "tile_layer.inc.glsl"
#include "tile_normal.inc.glsl"

// Green without error, yellow at half the tolerance, red at it, white beyond.
vec3 errorColor(float part) {
    vec3 color = vec3(clamp(2.0 * part, 0.0, 1.0), clamp(2.0 - 2.0 * part, 0.0, 1.0), 0.0);
    return mix(color, vec3(1.0), smoothstep(1.0, 2.0, part));
}

// The material whose share is the greatest by the rules alone, without the noise that moves borders.
vec3 materialColor(vec3 relative, vec3 normal) {
    float slope = acos(clamp(normal.y, 0.0, 1.0));
    float height = (relative.y + scene.origin.y - scene.heights.x) * scene.heights.y;
    float snow = height - (normal.z * 0.5 + 1.5 * slope) * scene.heights.z;
    if (snow > scene.bands.w && slope < scene.slopes.z) return vec3(0.9, 0.95, 1.0);
    if (slope > scene.slopes.y) return vec3(0.35, 0.33, 0.32);
    if (slope > scene.slopes.x) return vec3(0.6, 0.5, 0.4);
    if (height > scene.bands.z) return vec3(0.6, 0.6, 0.1);
    if (height > scene.bands.y) return vec3(0.05, 0.3, 0.05);
    if (height > scene.bands.x) return vec3(0.3, 0.65, 0.15);
    return vec3(0.85, 0.75, 0.4);
}

// 1 on a line through `place` = 0, a pixel and a half wide.
float onLine(float place, float perPixel) {
    return 1.0 - smoothstep(0.75, 1.5, abs(place) / max(perPixel, 1e-6));
}

void main() {
    TileBits tile = tileBits(inBits);
    int level = int(inDetailErrorLevel.x), stride = 1 << level;
    // Derivatives before anything may end the fragment.
    vec2 perPixelX = dFdx(inPlace), perPixelZ = dFdy(inPlace);
    vec2 perPixel = abs(perPixelX) + abs(perPixelZ);
    float cellsPerPixel = sqrt(length(perPixelX) * length(perPixelZ));
    if (kGaps && tile.gaps && isGap(tile, inCell, stride)) discard;

    vec2 gradient = inGradient;
    if (tiles.parameters.y > 0.0) {
        NormalLevels levels = NormalLevels(inDetailErrorLevel.z, inCornerLevels, inSideLevels, inReaches);
        float own = pixelNormalLevel(tile, levels, inPlace);
        gradient = latticeGradient(tile, inPlace, clamp(max(own, log2(max(cellsPerPixel, 1e-6))), 0.0, float(tile.levels)));
    }
    vec3 normal = tileNormal(gradient);
    // Which way a triangle without area faces says nothing; and on a ridge the slope beyond may be drawn at the
    // same depth. The underside is what is seen from well below.
    bool above = gl_FrontFacing == (tiles.parameters.z > 0.0) || (inBits & TILE_SEAM) != 0u ||
                 dot(normal, normalize(scene.eye.xyz - inRelative)) > -0.15;
    if (diagnosticIs(DIAGNOSTIC_LEVELS)) {
        float light = 0.35 + 0.65 * max(dot(normal, scene.sunDirection.xyz), 0.0);
        writeDiagnostic(levelColor(tile.level + level) * light);
        return;
    }
    if (diagnosticIs(DIAGNOSTIC_NORMALS)) {
        writeDiagnostic((above ? normal : -normal) * 0.5 + 0.5);
        return;
    }
    if (diagnosticIs(DIAGNOSTIC_ERROR)) {
        float away = length(inRelative - scene.eye.xyz);
        writeDiagnostic(errorColor(inDetailErrorLevel.y * tiles.parameters.x / max(away, 1e-6)));
        return;
    }
    if (diagnosticIs(DIAGNOSTIC_MATERIALS)) {
        writeDiagnostic(materialColor(inRelative, normal));
        return;
    }
    Ground ground = groundAt(inRelative, normal);
    if (!above) {
        ground.albedo = scene.earth.rgb * (1.0 + 0.5 * ground.mottle);
        ground.normal = -ground.normal;
    }
    if (diagnosticIs(DIAGNOSTIC_BORDERS)) {
        // Borders of tiles in red; the lattice's edges, where they are some pixels apart, dark.
        vec2 near = min(inPlace, vec2(tile.cells) - inPlace);
        float border = max(onLine(near.x, perPixel.x), onLine(near.y, perPixel.y));
        vec2 inStride = fract(inPlace / float(stride) + 0.5) - 0.5;
        float diagonal = fract((inPlace.x + inPlace.y) / float(stride) + 0.5) - 0.5;
        vec2 widths = perPixel / float(stride);
        float edge = max(max(onLine(inStride.x, widths.x), onLine(inStride.y, widths.y)),
                         0.6 * onLine(diagonal, widths.x + widths.y));
        edge *= 1.0 - smoothstep(0.1, 0.3, max(widths.x, widths.y));
        ground.albedo = mix(mix(ground.albedo, vec3(0.0), 0.75 * edge), vec3(0.7, 0.02, 0.02), border);
    }
    writeSurface(Surface(inRelative, ground.normal, ground.albedo, ground.sunReach, ground.openness, 0.95));
}
