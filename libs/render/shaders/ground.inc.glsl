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
    float cover = noiseOctave(p, 9).x + 0.5 * noiseOctave(p, 8).x + 0.25 * noiseOctave(p, 7).x;
    return smoothstep(-0.1, 0.75, cover);
}

Ground groundAt(vec3 relative, vec3 normal) {
    vec3 cells = relative * scene.noiseOrigin.w + scene.noiseOrigin.xyz;
    float cellsPerPixel = scene.noiseOrigin.w * sqrt(length(dFdx(relative)) * length(dFdy(relative)));

    // Broad noise moves the borders, fine noise mottles the colour and bends the normal.
    float broad = 0.0, fine = 0.0;
    vec3 bend = vec3(0.0);
    for (int octave = 0; octave < kNoiseOctaves - 1; ++octave) {
        float weight = octaveWeight(octave, cellsPerPixel);
        if (weight <= 0.0) continue;
        vec4 noise = noiseOctave(cells, octave) * weight;
        if (octave >= 5) broad += noise.x;
        if (octave < 6) fine += noise.x;
        if (octave < 6) bend += noise.yzw;
    }
    broad *= 0.4;
    fine *= 0.4;

    float slope = acos(clamp(normal.y, 0.0, 1.0));
    float height = (relative.y + scene.origin.y - scene.heights.x) * scene.heights.y;
    float blend = scene.heights.z;
    float h = height + broad * blend * 1.2 + fine * blend * 0.35;
    float s = slope + (broad * 0.5 + fine * 0.6) * scene.slopes.w;

    vec3 shoreColor = scene.shore.rgb * (1.0 + 0.12 * fine);
    vec3 meadowColor = mix(scene.meadow.rgb, scene.turf.rgb, 0.35 + 0.35 * broad) * (1.0 + 0.22 * fine);
    vec3 forestColor = scene.forest.rgb * (1.0 + 0.55 * fine + 0.2 * broad);
    vec3 turfColor = scene.turf.rgb * (1.0 + 0.25 * fine + 0.15 * broad);
    // Beds of rock: thin bands along the height, wavering.
    float beds = sin((height * 90.0 + broad * 2.5 + fine) * 2.0) * sin((height * 37.0 + broad) * 2.0);
    vec3 rockColor = scene.rock.rgb * (1.0 + 0.30 * fine + 0.14 * beds);
    vec3 screeColor = mix(scene.scree.rgb, scene.rock.rgb, 0.3 + 0.3 * broad) * (1.0 + 0.2 * fine);
    vec3 snowColor = scene.snow.rgb * (1.0 + 0.03 * fine);

    // Forest breaks up into stands where broad noise is low, and does not hold on steep ground.
    float forestPart = above(h, scene.bands.y, blend) * (1.0 - above(h, scene.bands.z, blend * 0.6));
    forestPart *= 1.0 - above(s, scene.slopes.y, scene.slopes.w);
    float stands = smoothstep(-0.55, 0.05, broad + fine * 0.5);

    vec3 color = mix(shoreColor, meadowColor, above(height, scene.bands.x, 0.012 + 0.3 * scene.bands.x));
    color = mix(color, turfColor, above(h, scene.bands.z, blend));
    color = mix(color, screeColor, above(s, scene.slopes.x, scene.slopes.w) * 0.75);
    color = mix(color, forestColor, forestPart * stands);
    float rockPart = above(s, scene.slopes.y, scene.slopes.w);
    color = mix(color, rockColor, rockPart);
    float northward = -normal.z * 0.5;
    float snowPart = above(h + northward * blend, scene.bands.w, blend * 0.7);
    snowPart *= 1.0 - above(s, scene.slopes.z, scene.slopes.w);
    color = mix(color, snowColor, snowPart);

    float rough = scene.heights.w * mix(mix(0.12, 0.3, rockPart), 0.05, snowPart);
    rough = mix(rough, scene.heights.w * 0.22, forestPart * stands * (1.0 - snowPart));
    bend -= normal * dot(bend, normal);

    Ground ground;
    ground.albedo = color;
    ground.normal = normalize(normal - bend * rough);
    ground.mottle = fine;
    ground.sunReach = 1.0 - scene.sunDirection.w * cloudCover(cells);
    ground.openness = 0.75 + 0.25 * clamp(normal.y, 0.0, 1.0) + 0.10 * fine;
    return ground;
}
