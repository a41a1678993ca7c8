// What shaders that light visible ground by compute share, a thread a pixel. Include after gpu_types.h, the scene
// block `scene`, and `push` with a GpuShade `shade`.

layout(local_size_x = 8, local_size_y = 8) in;
layout(set = 2, binding = 0) uniform utexture2D visible;
layout(set = 2, binding = 1) uniform texture2D depths;
layout(set = 2, binding = 2, rgba8) uniform writeonly image2D outImage;

vec2 pixelPlace;
#define KARST_PIXEL pixelPlace

#include "noise.inc.glsl"
#include "light.inc.glsl"
#include "ground.inc.glsl"

void writeDiagnostic(vec3 color) {
    imageStore(outImage, ivec2(pixelPlace), vec4(encodeOutput(clamp(color, 0.0, 1.0)), 1.0));
}

void writeSurface(Surface s) {
    if (diagnosticIs(DIAGNOSTIC_NORMALS)) {
        writeDiagnostic(s.normal * 0.5 + 0.5);
        return;
    }
    imageStore(outImage, ivec2(pixelPlace), toOutput(throughHaze(litSurface(s), s.relative - scene.eye.xyz)));
}

// What this thread's pixel holds; 0 outside of the area.
uint seenHere() {
    uvec2 at = gl_GlobalInvocationID.xy;
    if (any(greaterThanEqual(at, uvec2(push.shade.area.zw)))) return 0u;
    ivec2 pixel = ivec2(at) + ivec2(push.shade.area.xy);
    pixelPlace = vec2(pixel) + 0.5;
    return texelFetch(visible, pixel, 0).r;
}

vec3 unproject(vec2 place, float depth) {
    vec4 p = push.shade.toRelative * vec4(place, depth, 1.0);
    return p.xyz / p.w;
}

struct PixelPlace {
    vec3 relative;  // to the scene's origin
    vec3 rightOf, below;  // the same depth under the next pixels
};

PixelPlace placeHere() {
    float depth = texelFetch(depths, ivec2(pixelPlace), 0).r;
    vec2 step = 2.0 / push.shade.area.zw, place = (vec2(gl_GlobalInvocationID.xy) + 0.5) * step - 1.0;
    return PixelPlace(unproject(place, depth), unproject(place + vec2(step.x, 0.0), depth),
                      unproject(place + vec2(0.0, step.y), depth));
}

// From a point of a plane, seen from the eye, to the plane's point under another pixel.
vec3 alongPlane(vec3 point, vec3 other, vec3 normal) {
    vec3 away = point - scene.eye.xyz, along = other - scene.eye.xyz;
    float facing = dot(normal, along);
    // What is seen along the plane has no end there.
    float reach = abs(facing) > 1e-4 * length(along) ? clamp(dot(normal, away) / facing, 0.25, 4.0) : 1.0;
    return along * reach - away;
}
