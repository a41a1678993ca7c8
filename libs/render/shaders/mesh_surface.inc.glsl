// The fragment stage of meshes that bring their colours.

layout(set = 0, binding = 0, std140) uniform SceneBlock { GpuScene scene; };
layout(location = 0) in vec3 inRelative;
layout(location = 1) in vec3 inNormal;
layout(location = 2) in vec4 inColor;
layout(location = 3) in vec2 inLight;

#include "noise.inc.glsl"
#include "surface.inc.glsl"

void main() {
    vec3 toEye = scene.eye.xyz - inRelative;
    vec3 view = normalize(toEye);
    vec3 normal = normalize(inNormal) * (gl_FrontFacing ? 1.0 : -1.0);

    // Interpolation may leave an opacity of 1 a hair below it.
    bool opaque = inColor.a > 0.9999;

    // Noise mottles the colour and bends the normal a little, so that one material is no flat paint.
    vec3 cells = inRelative * scene.noiseOrigin.w + scene.noiseOrigin.xyz;
    float logPixel = logPixelOf(dFdx(inRelative), dFdy(inRelative));
    vec4 middle = noiseBand(cells, 4.0, logPixel), fine = movedBand(cells, 0.0, logPixel, middle);
    float mottle = 0.3 * fine.x + 0.2 * middle.x;
    float broad = 0.1 * middle.x + 0.3 * noiseBand(cells, 8.0, logPixel).x;
    vec3 bend = fine.yzw + 0.7 * middle.yzw;
    bend -= normal * dot(bend, normal);
    normal = normalize(normal - bend * scene.heights.w * (opaque ? 0.12 : 0.03));
    vec3 albedo = inColor.rgb * (opaque ? 1.0 + 0.35 * mottle + 0.2 * broad : 1.0);

    // What can be seen through mirrors the sky, the more the flatter one looks at it (Schlick).
    Surface surface = Surface(inRelative, normal, albedo, inLight.x, inLight.y, opaque ? 0.95 : 0.05);
#ifndef KARST_GBUFFER
    if (!opaque) {
        vec3 light = litSurface(surface);
        float mirrored = 0.02 + 0.98 * pow(1.0 - max(dot(view, normal), 0.0), 5.0);
        vec3 away = reflect(-view, normal);
        light = mix(light, skyColor(normalize(vec3(away.x, max(away.y, 0.02), away.z))), mirrored);
        outColor = vec4(toOutput(throughHaze(light, -toEye)).rgb, mix(inColor.a, 1.0, mirrored));
        return;
    }
#endif
    writeSurface(surface);
}
