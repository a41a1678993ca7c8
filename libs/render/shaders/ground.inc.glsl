// What covers the ground at a point: by height and slope, with irregular borders.

struct Ground {
    vec3 albedo;
    vec3 normal;     // bent by the surface noise
    float mottle;    // -1..1, the fine noise
    float sunReach;  // 0..1, what the clouds let through
    float openness;  // how much of the sky light reaches it
};

// From 0 to 1 across a border: smoothstep of `perWidth` = 1 / the width of what is between.
float above(float value, float border, float perWidth) {
    float t = clamp((value - border) * perWidth + 0.5, 0.0, 1.0);
    return t * t * (3.0 - 2.0 * t);
}

// `cells`: the place in noise cells; logPixel: log2 of a pixel's cells.
float cloudCover(vec3 cells, float logPixel) {
    return smoothstep(-0.1, 0.75, 0.8 * noiseBand(vec3(cells.x, 0.0, cells.z), 9.0, logPixel).x);
}

Ground groundAt(vec3 relative, vec3 normal, float logPixel) {
    vec3 cells = relative * scene.noiseOrigin.w + scene.noiseOrigin.xyz;

    // Broad noise moves the borders, fine noise mottles the colour and bends the normal.
    vec4 middleBand = noiseBand(cells, 4.0, logPixel), fineBand = movedBand(cells, 0.0, logPixel, middleBand);
    float fine = 0.4 * fineBand.x + 0.2 * middleBand.x;
    float broad = 0.25 * middleBand.x + 0.4 * noiseBand(cells, 8.0, logPixel).x;
    vec3 bend = fineBand.yzw + 0.7 * middleBand.yzw;

    float slope = acos(clamp(normal.y, 0.0, 1.0));
    float height = (relative.y + scene.origin.y - scene.heights.x) * scene.heights.y;
    float blend = scene.heights.z, perBlend = 0.5 / blend, perSlope = 0.5 / scene.slopes.w;
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
    float closed = above(h, scene.bands.y, perBlend);
    float clearing = broad + fine * 0.7;
    float stands = mix(smoothstep(0.22, 0.6, clearing), smoothstep(-0.55, -0.15, clearing), closed);
    float rockPart = above(s, scene.slopes.y, perSlope);
    stands *= (1.0 - above(h, scene.bands.z, perBlend / 0.6)) * (1.0 - rockPart);
    stands *= above(height, scene.bands.x + 0.02, 25.0);

    vec3 color = mix(shoreColor, meadowColor, above(height, scene.bands.x, 0.5 / (0.012 + 0.3 * scene.bands.x)));
    color = mix(color, turfColor, above(h, scene.bands.z, perBlend));
    color = mix(color, screeColor, above(s + 0.5 * fine * scene.slopes.w, scene.slopes.x, perSlope) * 0.7);
    color = mix(color, forestColor, stands);
    color = mix(color, rockColor, rockPart);
    float northward = -normal.z * 0.5;
    float snowPart = above(h + (northward + 0.5 * fine - 1.5 * slope) * blend, scene.bands.w, perBlend * 2.0);
    snowPart *= 1.0 - above(s, scene.slopes.z, perSlope);
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
    ground.sunReach = 1.0;
    if (scene.sunDirection.w > 0.0) ground.sunReach -= scene.sunDirection.w * cloudCover(cells, logPixel);
    ground.openness = 0.75 + 0.25 * clamp(normal.y, 0.0, 1.0) + 0.10 * fine;
    return ground;
}
