// How a surface leaves a fragment shader: lit, with shadows and haze; or, where KARST_GBUFFER is defined, as the
// colours of kGBufferFormats. Include after gpu_types.h, the scene block `scene` and noise.inc.glsl.

#include "atmosphere.inc.glsl"
#include "output.inc.glsl"
#include "shadow.inc.glsl"

#ifdef KARST_GBUFFER
layout(location = 0) out vec4 outAlbedo;
layout(location = 1) out vec4 outNormal;
layout(location = 2) out vec4 outMaterial;
#else
layout(location = 0) out vec4 outColor;
#endif

struct Surface {
    vec3 relative;   // to the scene's origin
    vec3 normal;     // of length 1, toward the side that is seen
    vec3 albedo;     // linear
    float sunReach;  // 0..1: what clouds and baked shade let through
    float openness;  // how much of the sky's light reaches it
    float roughness;
};

bool diagnosticIs(int mode) {
    return int(scene.mode.x) == mode;
}

// What a surface sends to the eye, without the haze between.
vec3 litSurface(Surface s) {
    float sun = max(dot(s.normal, scene.sunDirection.xyz), 0.0) * s.sunReach;
    if (sun > 0.0) sun *= sunShadow(s.relative, s.normal);
    vec3 skyLight = 0.9 * mix(scene.skyHorizon.rgb, scene.skyZenith.rgb, 0.5);
    vec3 ambient = mix(scene.skyGround.rgb, skyLight, 0.5 + 0.5 * s.normal.y);
    vec3 light = scene.sunColor.rgb * sun + ambient * s.openness;
    if (scene.mode.w > 0.0) light += pointLight(s.relative, s.normal);
    return s.albedo * light;
}

// A colour that is shown as it is. Linear.
void writeDiagnostic(vec3 color) {
#ifdef KARST_GBUFFER
    outAlbedo = vec4(color, 1.0);
    outNormal = vec4(0.5, 1.0, 0.5, 0.0);
    outMaterial = vec4(1.0, 1.0, 0.0, 1.0);
#else
    outColor = vec4(encodeOutput(clamp(color, 0.0, 1.0)), 1.0);
#endif
}

void writeSurface(Surface s) {
    if (diagnosticIs(DIAGNOSTIC_NORMALS)) {
        writeDiagnostic(s.normal * 0.5 + 0.5);
        return;
    }
#ifdef KARST_GBUFFER
    outAlbedo = vec4(s.albedo, s.openness);
    outNormal = vec4(s.normal * 0.5 + 0.5, 0.0);
    outMaterial = vec4(s.roughness, s.sunReach, 0.0, 1.0);
#else
    outColor = toOutput(throughHaze(litSurface(s), s.relative - scene.eye.xyz));
#endif
}

// A colour for each level of detail, from -8 (fine) up; neighbours differ.
vec3 levelColor(int level) {
    float hue = fract(float(level + 8) * 0.381966);
    vec3 wheel = clamp(abs(fract(hue + vec3(0.0, 2.0 / 3.0, 1.0 / 3.0)) * 6.0 - 3.0) - 1.0, 0.0, 1.0);
    return mix(vec3(1.0), wheel, 0.75) * 0.8;
}
