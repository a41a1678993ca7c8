// What a place of a drawn tile looks like, for fragments and for compute alike. Include after surface.inc.glsl (or
// what takes its place), ground.inc.glsl, tile_layer.inc.glsl and tile_normal.inc.glsl.

struct TileFragment {
    TileBits tile;
    vec3 relative;                    // to the scene's origin
    vec3 acrossX, acrossY;            // to the same surface under the next pixels
    vec2 place;                       // in the tile's cells
    vec2 placeAcrossX, placeAcrossY;  // the same
    vec2 gradient;                    // of the vertices, where pixels have none of their own
    float detail;                     // drawn, less the tile's level
    float error;                      // of it
    NormalLevels levels;
    bool front, seam;
};

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

void shadeTile(TileFragment f) {
    TileBits tile = f.tile;
    int level = int(f.detail), stride = 1 << level;
    vec2 perPixel = abs(f.placeAcrossX) + abs(f.placeAcrossY);
    vec2 gradient = f.gradient;
    if (tiles.parameters.y > 0.0) {
        float lengths = dot(f.placeAcrossX, f.placeAcrossX) * dot(f.placeAcrossY, f.placeAcrossY);
        float own = pixelNormalLevel(tile, f.levels, f.place);
        float wanted = max(own, 0.25 * log2(max(lengths, 1e-24)));
        gradient = latticeGradient(tile, f.place, clamp(wanted, 0.0, float(tile.levels)));
    }
    vec3 normal = tileNormal(gradient);
    // Which way a triangle without area faces says nothing; and on a ridge the slope beyond may be drawn at the
    // same depth. The underside is what is seen from well below.
    bool above = f.front == (tiles.parameters.z > 0.0) || f.seam || dot(normal, normalize(scene.eye.xyz - f.relative)) > -0.15;
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
        float away = length(f.relative - scene.eye.xyz);
        writeDiagnostic(errorColor(f.error * tiles.parameters.x / max(away, 1e-6)));
        return;
    }
    if (diagnosticIs(DIAGNOSTIC_MATERIALS)) {
        writeDiagnostic(materialColor(f.relative, normal));
        return;
    }
    Ground ground = groundAt(f.relative, normal, logPixelOf(f.acrossX, f.acrossY));
    if (!above) {
        ground.albedo = scene.earth.rgb * (1.0 + 0.5 * ground.mottle);
        ground.normal = -ground.normal;
    }
    if (diagnosticIs(DIAGNOSTIC_BORDERS)) {
        // Borders of tiles in red; the lattice's edges, where they are some pixels apart, dark.
        vec2 near = min(f.place, vec2(tile.cells) - f.place);
        float border = max(onLine(near.x, perPixel.x), onLine(near.y, perPixel.y));
        vec2 inStride = fract(f.place / float(stride) + 0.5) - 0.5;
        float diagonal = fract((f.place.x + f.place.y) / float(stride) + 0.5) - 0.5;
        vec2 widths = perPixel / float(stride);
        float edge = max(max(onLine(inStride.x, widths.x), onLine(inStride.y, widths.y)),
                         0.6 * onLine(diagonal, widths.x + widths.y));
        edge *= 1.0 - smoothstep(0.1, 0.3, max(widths.x, widths.y));
        ground.albedo = mix(mix(ground.albedo, vec3(0.0), 0.75 * edge), vec3(0.7, 0.02, 0.02), border);
    }
    writeSurface(Surface(f.relative, ground.normal, ground.albedo, ground.sunReach, ground.openness, 0.95));
}
