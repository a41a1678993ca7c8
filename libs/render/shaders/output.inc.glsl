// From light to the picture: tone mapping (Narkowicz' fit of the ACES curve), encoding, and a dither of less
// than one step against banding. KARST_PIXEL: where the pixel is, if not in a fragment shader.

#ifndef KARST_PIXEL
#define KARST_PIXEL gl_FragCoord.xy
#endif

layout(constant_id = 0) const bool kEncodeSrgb = false;

vec3 encodeOutput(vec3 linear) {
    if (!kEncodeSrgb) return linear;
    return mix(12.92 * linear, 1.055 * pow(linear, vec3(1.0 / 2.4)) - 0.055, greaterThan(linear, vec3(0.0031308)));
}

vec4 toOutput(vec3 light) {
    vec3 x = light * scene.sunColor.w * 0.6;
    vec3 color = clamp(x * (2.51 * x + 0.03) / (x * (2.43 * x + 0.59) + 0.14), 0.0, 1.0);
    float dither = fract(52.9829189 * fract(dot(KARST_PIXEL, vec2(0.06711056, 0.00583715)))) - 0.5;
    dither *= 0.9 / 255.0;
    if (kEncodeSrgb) {
        vec3 encoded = mix(12.92 * color, 1.055 * pow(color, vec3(1.0 / 2.4)) - 0.055, greaterThan(color, vec3(0.0031308)));
        return vec4(clamp(encoded + dither, 0.0, 1.0), 1.0);
    }
    // The target encodes: a step of the encoding is about this long before it (of x to the 2.2).
    vec3 perStep = max(2.2 * sqrt(color) * (0.92 + 0.08 * color), vec3(1.0 / 12.92));
    return vec4(clamp(color + dither * perStep, 0.0, 1.0), 1.0);
}
