// What the stages of drawn tiles read of a tile's layer (TileLayerShape and TileVertexStage in the part
// heightfield_mesh; this follows them). Include after gpu_types.h.

layout(set = 1, binding = 0) uniform texture2DArray tileLayers;
layout(set = 1, binding = 1, std140) uniform TilesBlock { GpuTiles tiles; };

const uint TILE_GAPS = 1u << 24;
const uint TILE_SEAM = 1u << 25;  // from the vertex stage: a triangle without area, along a side

#include "visibility.inc.glsl"

// The part of a TileRecord that lies in `bits`.
struct TileBits {
    int layer;
    int level;   // of the pyramid
    int levels;  // log2(cells)
    int cells;
    bool gaps;
};

TileBits tileBits(uint bits) {
    int levels = int(bits >> 21 & 7u);
    return TileBits(int(bits & 0xffffu), int(bits >> 16 & 31u) - 4, levels, 1 << levels, (bits & TILE_GAPS) != 0u);
}

float layerNumber(TileBits tile, int column, int row) {
    return texelFetch(tileLayers, ivec3(column, row, tile.layer), 0).r;
}

float tileSample(TileBits tile, int i, int j) {
    return layerNumber(tile, i + 1, j + 1);
}

// One stride of 2^n beyond a side: 0 low X, 1 high X, 2 low Z, 3 high Z.
float beyondSide(TileBits tile, int side, int place, int n) {
    if (n == 0) {
        int across = (side & 1) != 0 ? tile.cells + 1 : -1;
        return side < 2 ? tileSample(tile, across, place) : tileSample(tile, place, across);
    }
    int column = tile.cells - (tile.cells >> (n - 1)) + n - 1;
    return layerNumber(tile, column + (place >> n), tile.cells + 3 + side);
}

// The central difference at stride 2^n, in rise per cell of level 0.
vec2 tileGradient(TileBits tile, int i, int j, int n) {
    int s = 1 << n;
    float lowX = i >= s ? tileSample(tile, i - s, j) : beyondSide(tile, 0, j, n);
    float highX = i + s <= tile.cells ? tileSample(tile, i + s, j) : beyondSide(tile, 1, j, n);
    float lowZ = j >= s ? tileSample(tile, i, j - s) : beyondSide(tile, 2, i, n);
    float highZ = j + s <= tile.cells ? tileSample(tile, i, j + s) : beyondSide(tile, 3, i, n);
    return vec2(highX - lowX, highZ - lowZ) * exp2(float(-(tile.level + n + 1)));
}

vec2 tileGradientBetween(TileBits tile, int i, int j, float detail) {
    int n = int(detail);
    float fraction = detail - float(n);
    vec2 fine = tileGradient(tile, i, j, n);
    return fraction > 0.0 ? mix(fine, tileGradient(tile, i, j, n + 1), fraction) : fine;
}

// Is a cell of the lattice drawn at `stride` no ground? (i, j): its low corner.
bool isGap(TileBits tile, ivec2 at, int stride) {
    int cell = (at.y + stride / 2) * tile.cells + at.x + stride / 2;
    int width = max(tile.cells + 3, tile.cells - 1 + tile.levels);
    int number = cell >> 4;
    float mask = layerNumber(tile, number % width, tile.cells + 7 + number / width);
    return (int(mask) >> (cell & 15) & 1) != 0;
}

float cornerDetail(uvec3 corners, int corner) {
    uint steps = corner == 0   ? corners.x
                 : corner == 1 ? corners.x >> 24 | corners.y << 8
                 : corner == 2 ? corners.y >> 16 | corners.z << 16
                               : corners.z >> 8;
    return float(steps & 0xffffffu) / 65536.0;
}

// The normal in the world, toward the terrain's up, of a gradient in rise per cell of level 0.
vec3 tileNormal(vec2 gradient) {
    vec3 alongX = tiles.columnX.xyz * 16.0 + tiles.columnY.xyz * gradient.x;
    vec3 alongZ = tiles.columnZ.xyz * 16.0 + tiles.columnY.xyz * gradient.y;
    return normalize(cross(alongZ, alongX)) * tiles.parameters.z;
}
