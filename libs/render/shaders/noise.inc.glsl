// Value noise on a lattice that repeats after kNoisePeriod cells of the finest octave, so that the CPU can hold
// the origin to one period and the shader keeps small numbers anywhere in the world.

const uint kNoisePeriod = 16384u;
const int kNoiseOctaves = 12;  // wavelengths of 1 .. 2048 finest cells

float latticeValue(ivec3 cell, uint mask) {
    uvec3 c = uvec3(cell) & mask;
    uint h = c.x * 0x8da6b343u ^ c.y * 0xd8163841u ^ c.z * 0xcb1ab31fu;
    h = (h ^ (h >> 15)) * 0x2c1b3c6du;
    h = (h ^ (h >> 12)) * 0x297a2d39u;
    h ^= h >> 15;
    return float(h >> 8) * (2.0 / 16777216.0) - 1.0;
}

// Value (-1..1) in x, its gradient per cell in yzw.
vec4 valueNoise(vec3 p, uint mask) {
    ivec3 cell = ivec3(floor(p));
    vec3 f = p - vec3(cell);
    vec3 u = f * f * f * (f * (f * 6.0 - 15.0) + 10.0);
    vec3 du = 30.0 * f * f * (f * (f - 2.0) + 1.0);
    float a = latticeValue(cell, mask);
    float b = latticeValue(cell + ivec3(1, 0, 0), mask);
    float c = latticeValue(cell + ivec3(0, 1, 0), mask);
    float d = latticeValue(cell + ivec3(1, 1, 0), mask);
    float e = latticeValue(cell + ivec3(0, 0, 1), mask);
    float g = latticeValue(cell + ivec3(1, 0, 1), mask);
    float h = latticeValue(cell + ivec3(0, 1, 1), mask);
    float i = latticeValue(cell + ivec3(1, 1, 1), mask);
    float k1 = b - a, k2 = c - a, k3 = e - a;
    float k4 = a - b - c + d, k5 = a - c - e + h, k6 = a - b - e + g;
    float k7 = -a + b + c - d + e - g - h + i;
    float value = a + k1 * u.x + k2 * u.y + k3 * u.z + k4 * u.x * u.y + k5 * u.y * u.z + k6 * u.z * u.x +
                  k7 * u.x * u.y * u.z;
    vec3 gradient = du * vec3(k1 + k4 * u.y + k6 * u.z + k7 * u.y * u.z,
                              k2 + k5 * u.z + k4 * u.x + k7 * u.z * u.x,
                              k3 + k6 * u.x + k5 * u.y + k7 * u.x * u.y);
    return vec4(value, gradient);
}

// Octave 0 is the finest.
vec4 noiseOctave(vec3 cells, int octave) {
    return valueNoise(cells * exp2(-float(octave)), (kNoisePeriod >> uint(octave)) - 1u);
}

// 1 where an octave's wavelength spans several pixels, 0 where it would only shimmer.
float octaveWeight(int octave, float cellsPerPixel) {
    return 1.0 - smoothstep(0.22, 0.6, cellsPerPixel * exp2(-float(octave)));
}

// Four octaves at once, from a cube of them that repeats (noise_volume.h). Value in x; the sum of the octaves'
// gradients, each per its own cell, in yzw. `octave` is the finest of the four, wavelengths 2^octave cells and
// on; what a pixel would only shimmer with is filtered away. logPixel: log2 of a pixel's cells.
layout(set = 0, binding = 3) uniform sampler3D noiseVolume;

vec4 noiseBand(vec3 cells, float octave, float logPixel) {
    float level = logPixel - octave + 1.25;  // two texels a cell, and a little softer than that
    if (level >= 4.5) return vec4(0.0);
    return textureLod(noiseVolume, cells * exp2(-octave - 5.0), max(level, 0.0)) * vec4(3.0, vec3(6.0));
}

// Four finer octaves, with their places moved by a coarser band that was sampled before: the cube's period is 32
// cells, and would show.
vec4 movedBand(vec3 cells, float octave, float logPixel, vec4 coarser) {
    return noiseBand(cells + 1.5 * exp2(octave) * coarser.yzw, octave, logPixel);
}
