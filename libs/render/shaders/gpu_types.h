// What C++ and GLSL share. Only 16-byte members, so that std140 and C++ agree.
#ifndef KARST_RENDER_GPU_TYPES_H
#define KARST_RENDER_GPU_TYPES_H

#define KARST_MAX_CASCADES 4
#define KARST_MAX_POINT_LIGHTS 4

#define DIAGNOSTIC_NONE 0
#define DIAGNOSTIC_LEVELS 1
#define DIAGNOSTIC_BORDERS 2
#define DIAGNOSTIC_NORMALS 3
#define DIAGNOSTIC_ERROR 4
#define DIAGNOSTIC_MATERIALS 5

#ifdef __cplusplus
#include <karst/base/math.h>

#include <cstdint>
namespace karst::render::gpu {
struct alignas(16) vec4 {
    float x = 0, y = 0, z = 0, w = 0;
    bool operator==(const vec4&) const = default;
};
using mat4 = ::karst::Mat4f;
using uint = std::uint32_t;
#endif

struct GpuScene {
    mat4 viewProjection;  // of positions relative to origin
    vec4 origin;          // xyz world
    vec4 eye;             // xyz relative to origin
    vec4 rayRight;        // from the eye, to the right edge's middle where rayForward reaches the centre
    vec4 rayUp;           // xyz; w density of the high clouds
    vec4 rayForward;
    vec4 sunDirection;  // xyz toward the sun; w cloud shade
    vec4 sunColor;      // rgb; w exposure
    vec4 skyZenith;     // rgb; w haze extinction per unit at full density
    vec4 skyHorizon;    // rgb; w world y of full haze density
    vec4 skyGround;     // rgb; w 1 / haze thickness
    vec4 noiseOrigin;   // xyz: origin in noise cells, held to one period; w cells per unit
    vec4 heights;       // low, 1 / (high - low), border half width, normal detail
    vec4 bands;         // shore top, meadow top, forest top, snow line
    vec4 slopes;        // radians: scree, rock, snow, border half width
    vec4 shore;
    vec4 meadow;
    vec4 forest;
    vec4 turf;
    vec4 scree;
    vec4 rock;
    vec4 snow;
    vec4 earth;                         // rgb; w relief
    vec4 mode;                          // diagnostic; time in seconds; cascades; point lights
    mat4 cascades[KARST_MAX_CASCADES];  // from positions relative to origin to texture coordinates and depth
    vec4 cascadeTexels;                 // world size of each cascade's texel
    vec4 lightPositions[KARST_MAX_POINT_LIGHTS];  // xyz relative to origin; w radius
    vec4 lightColors[KARST_MAX_POINT_LIGHTS];     // rgb; w index among the shadow maps, -1 for none
    vec4 lightFaces;  // scale of a face's coordinates; near plane / radius; texels
};

// What one view pushes, the first 80 bytes of every pass's push constants.
struct GpuView {
    mat4 viewProjection;  // of positions relative to the scene's origin
    vec4 parameters;      // x 1 for a camera, 0 for a shadow
};

// Push constants of the writers of the node mesh. Offsets in words; absent ones are ~0.
struct GpuNodeWrite {
    uint verts, columns, hasHoles;
    uint firstWord, wordsPerNode;  // of the tables
    uint strideWords, position, normal, octahedral, tangent, uv0, uv1, color;
    float perX, perZ;  // texels a world unit
    float minX, minZ, perWidth, perDepth;
};

// A terrain of height tiles. A place (x, z, h), in cells of level -4 from the anchor and with a height, is at
// columnX * x + columnZ * z + columnY * (h - offset.w) + offset.xyz, relative to the scene's origin.
struct GpuTiles {
    vec4 columnX;
    vec4 columnY;
    vec4 columnZ;
    vec4 offset;      // w the anchor's height
    vec4 parameters;  // x: parts of the tolerance that an error of 1 has at distance 1; y: 1 for normals
                      // finer than the lattice; z: 1, or -1 where the transform mirrors; w the root level
    // From the scene's origin, less the offset, back to x and z of such a place; 0 where there is no way
    // back.
    vec4 cellX;
    vec4 cellZ;
};

// The first push constants of what lights visible ground by compute.
struct GpuShade {
    mat4 toRelative;  // from x and y of -1..1 and the depth to positions relative to the scene's origin
    vec4 area;        // xy the first pixel; zw how many
};

#ifdef __cplusplus
}  // namespace karst::render::gpu
#endif
#endif
