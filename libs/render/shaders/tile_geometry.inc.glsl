// The vertex stage of drawn tiles: heights and gradients as TileVertexStage gives them, line by line. Include
// after tile_layer.inc.glsl.

struct TileShape {
    TileBits bits;
    float detail;
    vec4 edges;
    uvec3 corners;
    int level;  // log2 of the stride drawn
    float fraction;
};

float lineHeight(TileShape tile, int side, int place, int n) {
    int step = 1 << n;
    int first = place & ~(step - 1);
    int across = (side & 1) != 0 ? tile.bits.cells : 0;
    precise float low = side < 2 ? tileSample(tile.bits, across, first) : tileSample(tile.bits, first, across);
    if (first == place) return low;
    int last = first + step;
    precise float high = side < 2 ? tileSample(tile.bits, across, last) : tileSample(tile.bits, last, across);
    precise float along = float(place - first) / float(step);
    precise float height = low + along * (high - low);
    return height;
}

float edgeHeight(TileShape tile, int side, int place) {
    float detail = tile.edges[side];
    int n = int(detail);
    precise float fraction = detail - float(n);
    precise float fine = lineHeight(tile, side, place, n);
    if (fraction == 0.0) return fine;
    precise float coarse = lineHeight(tile, side, place, n + 1);
    precise float height = fine + fraction * (coarse - fine);
    return height;
}

// -1 inside.
int sideOf(TileShape tile, ivec2 at) {
    if (at.x == 0) return 0;
    if (at.x == tile.bits.cells) return 1;
    if (at.y == 0) return 2;
    return at.y == tile.bits.cells ? 3 : -1;
}

float baseHeight(TileShape tile, ivec2 at) {
    int side = sideOf(tile, at);
    return side < 0 ? tileSample(tile.bits, at.x, at.y) : edgeHeight(tile, side, side < 2 ? at.y : at.x);
}

// To the ends of the coarser lattice's edge that a vertex halves; 0 on that lattice.
ivec2 towardCoarser(TileShape tile, ivec2 at) {
    int step = 1 << tile.level;
    int coarse = 2 * step - 1;
    return ivec2((at.x & coarse) != 0 ? step : 0, (at.y & coarse) != 0 ? step : 0);
}

float vertexHeight(TileShape tile, ivec2 at) {
    precise float own = baseHeight(tile, at);
    if (tile.fraction == 0.0 || sideOf(tile, at) >= 0) return own;
    ivec2 to = towardCoarser(tile, at);
    if (to == ivec2(0)) return own;
    precise float a = baseHeight(tile, ivec2(at.x + to.x, at.y - to.y));
    precise float b = baseHeight(tile, ivec2(at.x - to.x, at.y + to.y));
    precise float height = own + tile.fraction * (0.5 * (a + b) - own);
    return height;
}

vec2 gradientAtEdge(TileShape tile, int side, int place, int n) {
    int across = (side & 1) != 0 ? tile.bits.cells : 0;
    ivec2 at = side < 2 ? ivec2(across, place) : ivec2(place, across);
    vec2 own = tileGradient(tile.bits, at.x, at.y, n);
    if (place != 0 && place != tile.bits.cells) return own;
    float corner = cornerDetail(tile.corners, (at.x != 0 ? 1 : 0) | (at.y != 0 ? 2 : 0));
    float edge = tile.edges[side];
    if (corner == edge) return own;
    return own + (tileGradientBetween(tile.bits, at.x, at.y, corner) - tileGradientBetween(tile.bits, at.x, at.y, edge));
}

vec2 lineGradient(TileShape tile, int side, int place, int n) {
    int step = 1 << n;
    int first = place & ~(step - 1);
    vec2 low = gradientAtEdge(tile, side, first, n);
    if (first == place) return low;
    return mix(low, gradientAtEdge(tile, side, first + step, n), float(place - first) / float(step));
}

vec2 edgeGradient(TileShape tile, int side, int place) {
    float detail = tile.edges[side];
    int n = int(detail);
    float fraction = detail - float(n);
    vec2 fine = lineGradient(tile, side, place, n);
    return fraction == 0.0 ? fine : mix(fine, lineGradient(tile, side, place, n + 1), fraction);
}

vec2 baseGradient(TileShape tile, ivec2 at, int n) {
    int side = sideOf(tile, at);
    return side < 0 ? tileGradient(tile.bits, at.x, at.y, n) : edgeGradient(tile, side, side < 2 ? at.y : at.x);
}

vec2 vertexGradient(TileShape tile, ivec2 at) {
    vec2 own = baseGradient(tile, at, tile.level);
    if (tile.fraction == 0.0 || sideOf(tile, at) >= 0) return own;
    ivec2 to = towardCoarser(tile, at);
    if (to == ivec2(0)) return mix(own, tileGradient(tile.bits, at.x, at.y, tile.level + 1), tile.fraction);
    vec2 a = baseGradient(tile, ivec2(at.x + to.x, at.y - to.y), tile.level + 1);
    vec2 b = baseGradient(tile, ivec2(at.x - to.x, at.y + to.y), tile.level + 1);
    return mix(own, 0.5 * (a + b), tile.fraction);
}

TileShape tileShape(uint bits, float detail, vec4 edges, uvec3 corners) {
    int level = int(detail);
    return TileShape(tileBits(bits), detail, edges, corners, level, detail - float(level));
}

// Relative to the scene's origin. `corner`: of the tile, in cells of level -4 from the anchor.
vec3 tilePosition(TileShape tile, ivec2 corner, ivec2 at, float height) {
    // Whole numbers up to here, so tiles that share a vertex compute it from the same ones.
    ivec2 cell = corner + (at << (tile.bits.level + 4));
    precise float rise = height - tiles.offset.w;
    precise vec3 position = tiles.columnX.xyz * float(cell.x) + tiles.columnY.xyz * rise +
                            tiles.columnZ.xyz * float(cell.y) + tiles.offset.xyz;
    return position;
}

// What an index of the shared lattice stands for (latticeIndex, seamIndex).
struct LatticeVertex {
    ivec2 at;    // in the tile's cells
    bool seam;   // of a triangle along a side
    bool drawn;  // false for seams of sides that are as fine as that
};

LatticeVertex latticeVertex(int index, TileShape tile) {
    int column = index & 0xff, row = index >> 8;
    if (column <= 128) return LatticeVertex(ivec2(column, row), false, true);
    int side = (column - 129) / 7, level = (column - 129) % 7;
    int across = (side & 1) != 0 ? tile.bits.cells : 0;
    bool drawn = level >= tile.level && level < int(tile.edges[side]);
    return LatticeVertex(side < 2 ? ivec2(across, row) : ivec2(row, across), true, drawn);
}

// Outside of every view: where all of a triangle's vertices are that is not drawn.
const vec4 kNotDrawn = vec4(0.0, 0.0, 2.0, 1.0);
