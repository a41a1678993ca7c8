// How much of the sun's and the point lights' light reaches a point. The maps hold reversed depths: what is
// nearer to the light is greater, and the sampler gives 1 where the point is not behind it.

layout(set = 0, binding = 1) uniform sampler2DArrayShadow cascadeMaps;
layout(set = 0, binding = 2) uniform sampler2DArrayShadow faceMaps;

float shadowTaps(sampler2DArrayShadow map, vec2 at, float layer, float depth, float texel) {
    const float kReach = 0.75;
    float lit = texture(map, vec4(at + texel * vec2(-kReach, -kReach), layer, depth));
    lit += texture(map, vec4(at + texel * vec2(kReach, -kReach), layer, depth));
    lit += texture(map, vec4(at + texel * vec2(-kReach, kReach), layer, depth));
    lit += texture(map, vec4(at + texel * vec2(kReach, kReach), layer, depth));
    return 0.25 * lit;
}

float sunShadow(vec3 relative, vec3 normal) {
    int count = int(scene.mode.z);
    float texel = 1.0 / float(textureSize(cascadeMaps, 0).x);
    float facing = clamp(dot(normal, scene.sunDirection.xyz), 0.0, 1.0);
    float aside = 0.5 + 1.5 * sqrt(1.0 - facing * facing);
    for (int i = 0; i < count; ++i) {
        vec3 from = relative + normal * (scene.cascadeTexels[i] * aside);
        vec3 p = (scene.cascades[i] * vec4(from, 1.0)).xyz;
        vec2 inside = min(p.xy, 1.0 - p.xy);
        float edge = min(inside.x, inside.y);
        if (edge < 2.0 * texel || p.z < 0.0) continue;
        float lit = shadowTaps(cascadeMaps, p.xy, float(i), min(p.z, 1.0), texel);
        // Shadows end softly.
        return i == count - 1 ? mix(1.0, lit, smoothstep(2.0 * texel, 0.1, edge)) : lit;
    }
    return 1.0;
}

float pointShadow(vec3 away, vec3 normal, float layerOfLight, float radius) {
    vec3 size = abs(away);
    float axial = max(size.x, max(size.y, size.z));
    away += normal * (3.0 * axial / scene.lightFaces.z);
    size = abs(away);
    axial = max(size.x, max(size.y, size.z));
    float face;
    vec2 side;
    if (axial == size.x) {
        face = away.x > 0.0 ? 0.0 : 1.0;
        side = vec2(away.x > 0.0 ? -away.z : away.z, -away.y);
    } else if (axial == size.y) {
        face = away.y > 0.0 ? 2.0 : 3.0;
        side = vec2(away.x, away.y > 0.0 ? away.z : -away.z);
    } else {
        face = away.z > 0.0 ? 4.0 : 5.0;
        side = vec2(away.z > 0.0 ? away.x : -away.x, -away.y);
    }
    vec2 at = 0.5 + 0.5 * scene.lightFaces.x * side / axial;
    float depth = radius * scene.lightFaces.y / axial;
    return shadowTaps(faceMaps, at, layerOfLight * 6.0 + face, min(depth, 1.0), 1.0 / scene.lightFaces.z);
}

// Light of all point lights on a matt surface of albedo 1.
vec3 pointLight(vec3 relative, vec3 normal) {
    vec3 sum = vec3(0.0);
    int count = int(scene.mode.w);
    for (int i = 0; i < count; ++i) {
        vec3 away = relative - scene.lightPositions[i].xyz;
        float distance2 = dot(away, away);
        float part = distance2 / (scene.lightPositions[i].w * scene.lightPositions[i].w);
        if (part >= 1.0) continue;
        float facing = dot(normal, -away) * inversesqrt(max(distance2, 1e-12));
        if (facing <= 0.0) continue;
        float window = (1.0 - part * part) * (1.0 - part * part);
        float lit = scene.lightColors[i].w < 0.0
                        ? 1.0
                        : pointShadow(away, normal, scene.lightColors[i].w, scene.lightPositions[i].w);
        sum += scene.lightColors[i].rgb * (facing * window * lit / max(distance2, 1e-4));
    }
    return sum;
}
