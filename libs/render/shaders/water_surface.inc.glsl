// The fragment stage of water: mirrors the sky, shows its own colour with depth, and foams where it falls.

layout(set = 0, binding = 0, std140) uniform SceneBlock { GpuScene scene; };
layout(set = 1, binding = 1, std140) uniform LookBlock { GpuVoxelLooks looks; };
layout(push_constant) uniform PushBlock { GpuView view; GpuVoxelPush voxel; } push;
layout(location = 0) in vec3 inRelative;
layout(location = 1) in vec3 inNormal;
layout(location = 2) in float inFade;
layout(location = 3) in vec3 inPlace;

#include "noise.inc.glsl"
#include "surface.inc.glsl"
#include "waves.inc.glsl"

#ifdef KARST_WATER_GROUND
layout(set = 2, binding = 0) uniform texture2D groundDepth;

// How far one looks through the water until the ground, or less than 0 where it is not known: something stands
// before part of the pixel. Reversed depths are the near plane's over the distance along the camera's axis.
float waterAlongView(float toWater) {
    float ground = texelFetch(groundDepth, ivec2(gl_FragCoord.xy), 0).x;
    // Of a multisampled target the depth is one sample's, beside the pixel's middle.
    if (ground > gl_FragCoord.z + fwidth(gl_FragCoord.z)) return -1.0;
    return toWater * max(gl_FragCoord.z / max(ground, 1e-12) - 1.0, 0.0);
}
#endif

void main() {
    vec3 toEye = scene.eye.xyz - inRelative;
    vec3 view = normalize(toEye);
    bool sheet = inNormal.y > 0.5;
    float time = scene.mode.y;
    vec3 normal = normalize(inNormal);
    if (sheet) {
        vec3 wave = waveAt(inRelative.xz + push.voxel.waveOrigin.xy, looks.waves, time) * inFade;
        normal = normalize(vec3(-wave.y, 1.0, -wave.z));
    }
    // Ripples, too small for the vertices; on a fall they run down.
    vec3 cells = inRelative * scene.noiseOrigin.w + scene.noiseOrigin.xyz;
    float cellsPerPixel = scene.noiseOrigin.w * sqrt(length(dFdx(inRelative)) * length(dFdy(inRelative)));
    vec3 drift = sheet ? vec3(0.9, 0.0, 0.6) * time : vec3(0.0, 5.0, 0.0) * time;
    vec3 stretch = sheet ? vec3(1.0) : vec3(1.0, 0.25, 1.0);
    vec3 bend = vec3(0.0);
    float foam = 0.0;
    for (int octave = 0; octave < 5; ++octave) {
        float weight = octaveWeight(octave, cellsPerPixel);
        if (weight <= 0.0) continue;
        vec4 noise = noiseOctave((cells + drift * scene.noiseOrigin.w) * stretch, octave) * weight;
        bend += noise.yzw;
        foam += noise.x * 0.4;
    }
    bend -= normal * dot(bend, normal);
    normal = normalize(normal - bend * scene.heights.w * (sheet ? 0.04 : 0.15));
    if (!gl_FrontFacing) normal = -normal;

    // Shallow at the shore, where the fade goes to 0.
    float deep = smoothstep(0.0, 1.0, inFade);
    vec3 albedo = mix(looks.waterShallow.rgb, looks.waterColor.rgb, sheet ? deep : 0.5);
    float opacity = mix(looks.waterShallow.a, looks.waterColor.a, sheet ? deep : 1.0);
#ifdef KARST_WATER_GROUND
    // By the depth along the view where it is known and one looks down into the water.
    float along = sheet && gl_FrontFacing ? waterAlongView(length(toEye)) : -1.0;
    if (along >= 0.0) {
        float seen = exp(-along * looks.waterDepth.x);
        albedo = mix(looks.waterColor.rgb, looks.waterShallow.rgb, seen);
        opacity = 1.0 - seen;
    }
#endif
    if (!sheet) {
        float white = looks.waterFoam.a * clamp(0.45 + 0.8 * foam, 0.0, 1.0);
        albedo = mix(albedo, looks.waterFoam.rgb, white);
        opacity = mix(opacity, 1.0, white);
    }
    if (diagnosticIs(DIAGNOSTIC_LEVELS) || diagnosticIs(DIAGNOSTIC_MATERIALS) || diagnosticIs(DIAGNOSTIC_ERROR)) {
        writeDiagnostic(vec3(0.02, 0.08, 0.4));
        return;
    }
    if (diagnosticIs(DIAGNOSTIC_BORDERS)) {
        vec2 from = abs(inPlace.xz - 32.0 * round(inPlace.xz / 32.0)) / max(fwidth(inPlace.xz), 1e-6);
        albedo = mix(vec3(0.9, 0.5, 0.02), albedo, sheet ? smoothstep(1.0, 2.0, min(from.x, from.y)) : 1.0);
    }
    Surface surface = Surface(inRelative, normal, albedo, 1.0, 1.0, 0.05);
#ifdef KARST_GBUFFER
    writeSurface(surface);
    outMaterial.b = 1.0;
#else
    if (diagnosticIs(DIAGNOSTIC_NORMALS)) {
        writeSurface(surface);
        return;
    }
    vec3 light = litSurface(surface);
    // The more it mirrors the sky the flatter one looks at it (Schlick); and it glints in the sun.
    float mirrored = 0.02 + 0.98 * pow(1.0 - max(dot(view, normal), 0.0), 5.0);
    vec3 away = reflect(-view, normal);
    light = mix(light, skyColor(normalize(vec3(away.x, max(away.y, 0.02), away.z))), mirrored);
    float glint = pow(max(dot(away, scene.sunDirection.xyz), 0.0), 400.0);
    if (glint > 1e-3) light += scene.sunColor.rgb * (glint * 2.0 * sunShadow(inRelative, normal));
    outColor = vec4(toOutput(throughHaze(light, -toEye)).rgb, mix(opacity, 1.0, mirrored));
#endif
}
