// What a place of voxel ground looks like, for fragments and for compute alike: four materials by their weights.
// Include after surface.inc.glsl (or what takes its place), ground.inc.glsl, the block `looks`, and `push` with a
// GpuVoxelPush `voxel`.

struct VoxelFragment {
    vec3 relative;          // to the scene's origin
    vec3 acrossX, acrossY;  // to the same surface under the next pixels
    vec3 normal;
    uvec4 materials;
    vec4 weights;
    vec2 light;  // the sun's, the sky's
    vec3 place;  // cells from a chunk's corner
    int level;
};

// How near, in pixels, a place is to the planes at multiples of `step`; planes that the surface lies in are none.
float pixelsFromPlanes(vec3 place, vec3 perPixel, vec3 normal, float step) {
    vec3 from = abs(place - step * round(place / step)) / max(perPixel, 1e-6);
    from += 1e6 * vec3(greaterThan(abs(normal), vec3(0.9)));
    return min(from.x, min(from.y, from.z));
}

void shadeVoxels(VoxelFragment f) {
    vec3 normal = normalize(f.normal);
    vec4 weights = f.weights / max(dot(f.weights, vec4(1.0)), 1e-6);
    GpuVoxelMaterial a = looks.materials[f.materials.x], b = looks.materials[f.materials.y],
                     c = looks.materials[f.materials.z], d = looks.materials[f.materials.w];

    // Each material has four octaves of the noise from its own grain on; all share the broader ones.
    vec3 cells = f.relative * scene.noiseOrigin.w + scene.noiseOrigin.xyz;
    float pixel = sqrt(length(f.acrossX) * length(f.acrossY));
    float logPixel = log2(scene.noiseOrigin.w * pixel);
    vec4 grain = vec4(a.pattern.z, b.pattern.z, c.pattern.z, d.pattern.z);
    vec4 bump = vec4(a.pattern.y, b.pattern.y, c.pattern.y, d.pattern.y) * weights;
    vec4 middle = noiseBand(cells, 4.0, logPixel);
    vec4 mottle = vec4(0.25 * middle.x + 0.2 * noiseBand(cells, 8.0, logPixel).x);
    vec3 bend = 0.5 * dot(bump, vec4(1.0)) * middle.yzw;
    vec4 band = vec4(0.0);
    for (int i = 0; i < 4; ++i) {
        if (weights[i] <= 0.0) continue;
        if (i == 0 || grain[i] != grain[i - 1] || weights[i - 1] <= 0.0)
            band = movedBand(cells, grain[i], logPixel, middle);
        mottle[i] += 0.35 * band.x;
        bend += bump[i] * band.yzw;
    }
    vec4 shade = max(vec4(0.0), 1.0 + vec4(a.pattern.x, b.pattern.x, c.pattern.x, d.pattern.x) * mottle) * weights;
    vec3 albedo = a.color.rgb * shade.x + b.color.rgb * shade.y + c.color.rgb * shade.z + d.color.rgb * shade.w;
    float roughness = dot(vec4(a.color.a, b.color.a, c.color.a, d.color.a), weights);
    bend -= normal * dot(bend, normal);
    normal = normalize(normal - bend * scene.heights.w);

    if (diagnosticIs(DIAGNOSTIC_LEVELS)) {
        float facing = 0.6 + 0.4 * max(dot(normal, scene.sunDirection.xyz), 0.0);
        writeDiagnostic(levelColor(f.level) * facing);
        return;
    }
    if (diagnosticIs(DIAGNOSTIC_MATERIALS)) {
        writeDiagnostic(weights.x * levelColor(int(f.materials.x)) + weights.y * levelColor(int(f.materials.y)) +
                        weights.z * levelColor(int(f.materials.z)) + weights.w * levelColor(int(f.materials.w)));
        return;
    }
    if (diagnosticIs(DIAGNOSTIC_ERROR)) {
        // A mesh of this level may be off by about half a sample.
        float pixels = 0.5 * push.voxel.origin.w * exp2(float(f.level)) / max(pixel, 1e-6);
        writeDiagnostic(mix(vec3(0.05, 0.5, 0.05), vec3(0.7, 0.05, 0.02), clamp(pixels / 16.0, 0.0, 1.0)));
        return;
    }
    if (diagnosticIs(DIAGNOSTIC_BORDERS)) {
        vec3 perPixel = (abs(f.acrossX) + abs(f.acrossY)) / push.voxel.origin.w;
        float cellLine = pixelsFromPlanes(f.place, perPixel, normalize(f.normal), exp2(float(f.level)));
        float chunkLine = pixelsFromPlanes(f.place, perPixel, normalize(f.normal), 32.0);
        albedo = mix(vec3(0.01), albedo, mix(0.6, 1.0, smoothstep(0.3, 1.0, cellLine)));
        albedo = mix(vec3(0.9, 0.5, 0.02), albedo, smoothstep(1.0, 2.0, chunkLine));
    }
    float sunReach = f.light.x;
    if (scene.sunDirection.w > 0.0) sunReach *= 1.0 - scene.sunDirection.w * cloudCover(cells, logPixel);
    float openness = f.light.y * (0.9 + 0.1 * clamp(normal.y, 0.0, 1.0));
    writeSurface(Surface(f.relative, normal, albedo, sunReach, openness, roughness));
}
