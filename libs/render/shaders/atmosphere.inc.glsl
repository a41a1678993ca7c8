// Sky colour and the haze between the eye and the ground; both agree at the horizon.

vec3 skyColor(vec3 direction) {
    float low = 1.0 - max(direction.y, 0.0), low2 = low * low;
    vec3 color = mix(scene.skyZenith.rgb, scene.skyHorizon.rgb, low2 * low2 * low2 * low);
    float toSun = max(dot(direction, scene.sunDirection.xyz), 0.0);
    float wide = toSun * toSun * toSun;
    wide *= wide;  // to the 6th
    float narrow = wide * wide;
    narrow *= narrow;
    narrow *= narrow;  // to the 48th
    return color + scene.sunColor.rgb * (0.035 * wide * low2 + 0.05 * narrow);
}

vec3 sunDisc(vec3 direction) {
    float toSun = dot(direction, scene.sunDirection.xyz);
    return scene.sunColor.rgb * 6.0 * smoothstep(0.99993, 0.99998, toSun);
}

// Light that reaches the eye from a point `offset` away from it. Exponential haze, integrated along the ray.
vec3 throughHaze(vec3 color, vec3 offset) {
    float distanceToPoint = length(offset);
    vec3 direction = offset / max(distanceToPoint, 1e-6);
    // From the lower end of the ray up: the density there and its mean over the ray are numbers for any eye.
    float eyeHeight = (scene.eye.y + scene.origin.y - scene.skyHorizon.w) * scene.skyGround.w;
    float rise = offset.y * scene.skyGround.w;
    float lower = max(eyeHeight + min(rise, 0.0), -80.0);
    float mean = abs(rise) > 1e-3 ? (1.0 - exp(-abs(rise))) / abs(rise) : 1.0 - 0.5 * abs(rise);
    float depth = scene.skyZenith.w * distanceToPoint * exp(-lower) * mean;
    // Blue light is scattered more: far ground turns blue before it turns pale.
    vec3 kept = exp(-depth * vec3(0.72, 1.0, 1.38));
    // Darker than the sky behind it: the air in front of the ground is partly in its shade.
    float lost = max(1.0 - kept.g, 0.0);
    vec3 haze = (0.62 + 0.38 * lost * sqrt(lost)) * skyColor(normalize(vec3(direction.x, max(direction.y, 0.02), direction.z)));
    return color * kept + haze * (1.0 - kept);
}
