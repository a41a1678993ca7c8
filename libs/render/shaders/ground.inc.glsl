// What covers the ground at a point: by height and slope, with irregular borders.

struct Ground {
    vec3 albedo;
    vec3 normal;     // bent by the surface noise
    float mottle;    // -1..1, the fine noise
    float sunReach;  // 0..1, what the clouds let through
    float openness;  // how much of the sky light reaches it
};

float above(float value, float border, float halfWidth) {
    return smoothstep(border - halfWidth, border + halfWidth, value);
}

float cloudCover(vec3 cells) {
    vec3 p = vec3(cells.x, 0.0, cells.z);
    float cover = noiseOctave(p, 11).x + 0.5 * noiseOctave(p, 10).x + 0.25 * noiseOctave(p, 9).x;
    return smoothstep(-0.1, 0.75, cover);
}

Ground groundAt(vec3 relative, vec3 normal) {
    vec3 cells = relative * scene.noiseOrigin.w + scene.noiseOrigin.xyz;
    float cellsPerPixel = scene.noiseOrigin.w * sqrt(length(dFdx(relative)) * length(dFdy(relative)));

    // Broad noise moves the borders, fine noise mottles the colour and bends the normal.
    float broad = 0.0, fine = 0.0;
    vec3 bend = vec3(0.0);
    for (int octave = 0; octave < 10; ++octave) {
        float weight = octaveWeight(octave, cellsPerPixel);
        if (weight <= 0.0) continue;
        vec4 noise = noiseOctave(cells, octave) * weight;
        if (octave < 6) {
            fine += noise.x * 0.4;
            bend += noise.yzw;
        } else {
            broad += noise.x * 0.45;
        }
    }

    float slope = acos(clamp(normal.y, 0.0, 1.0));
    float height = (relative.y + scene.origin.y - scene.heights.x) * scene.heights.y;
    float blend = scene.heights.z;
    float h = height + broad * blend * 1.2 + fine * blend * 0.35;
    float s = slope + (broad * 0.5 + fine * 0.6) * scene.slopes.w;

    vec3 shoreColor = scene.shore.rgb * (1.0 + 0.12 * fine);
    vec3 meadowColor = mix(scene.meadow.rgb, scene.turf.rgb, 0.3 + 0.4 * broad) * (1.0 + 0.25 * fine + 0.1 * broad);
    vec3 forestColor = scene.forest.rgb * (1.0 + 0.55 * fine + 0.2 * broad);
    vec3 turfColor = scene.turf.rgb * (1.0 + 0.25 * fine + 0.15 * broad);
    // Beds of rock: thin bands along the height, wavering.
    float beds = sin((height * 90.0 + broad * 2.5 + fine) * 2.0) * sin((height * 37.0 + broad) * 2.0);
    vec3 rockColor = scene.rock.rgb * (1.0 + 0.30 * fine + 0.14 * beds);
    vec3 screeColor = mix(scene.scree.rgb, scene.rock.rgb, 0.3 + 0.3 * broad) * (1.0 + 0.2 * fine);
    vec3 snowColor = scene.snow.rgb * (1.0 + 0.03 * fine);

    // Forest breaks up into stands where broad noise is low, thins to groves in the meadows below it, and does
    // not hold on steep ground.
    float closed = above(h, scene.bands.y, blend);
    float clearing = broad + fine * 0.7;
    float stands = mix(smoothstep(0.22, 0.6, clearing), smoothstep(-0.55, -0.15, clearing), closed);
    stands *= (1.0 - above(h, scene.bands.z, blend * 0.6)) * (1.0 - above(s, scene.slopes.y, scene.slopes.w));
    stands *= above(height, scene.bands.x + 0.02, 0.02);

    vec3 color = mix(shoreColor, meadowColor, above(height, scene.bands.x, 0.012 + 0.3 * scene.bands.x));
    color = mix(color, turfColor, above(h, scene.bands.z, blend));
    color = mix(color, screeColor, above(s + 0.5 * fine * scene.slopes.w, scene.slopes.x, scene.slopes.w) * 0.7);
    color = mix(color, forestColor, stands);
    float rockPart = above(s, scene.slopes.y, scene.slopes.w);
    color = mix(color, rockColor, rockPart);
    float northward = -normal.z * 0.5;
    float snowPart = above(h + (northward + 0.5 * fine - 1.5 * slope) * blend, scene.bands.w, blend * 0.5);
    snowPart *= 1.0 - above(s, scene.slopes.z, scene.slopes.w);
    color = mix(color, snowColor, snowPart);

    float rough = scene.heights.w * mix(mix(0.12, 0.3, rockPart), 0.05, snowPart);
    rough = mix(rough, scene.heights.w * 0.22, stands * (1.0 - snowPart));
    // Light falls on a steeper relief than the ground's own, as in a shaded map.
    vec3 relief = normalize(vec3(normal.x * scene.earth.w, normal.y, normal.z * scene.earth.w));
    bend -= relief * dot(bend, relief);

    Ground ground;
    ground.albedo = color;
    ground.normal = normalize(relief - bend * rough);
    ground.mottle = fine;
    ground.sunReach = 1.0 - scene.sunDirection.w * cloudCover(cells);
    ground.openness = 0.75 + 0.25 * clamp(normal.y, 0.0, 1.0) + 0.10 * fine;
    return ground;
}
