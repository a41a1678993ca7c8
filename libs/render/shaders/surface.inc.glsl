// How a surface leaves a fragment shader: lit, with shadows and haze; or, where KARST_GBUFFER is defined, as the
// colours of kGBufferFormats. Include after gpu_types.h, the scene block `scene` and noise.inc.glsl.

#include "light.inc.glsl"

#ifdef KARST_GBUFFER
layout(location = 0) out vec4 outAlbedo;
layout(location = 1) out vec4 outNormal;
layout(location = 2) out vec4 outMaterial;
#else
layout(location = 0) out vec4 outColor;
#endif

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
