// Normals of pixels, finer than the lattice that is drawn (spec row HX4): from the slopes of the tile's own
// lattices, as far as the tiles around can show the same along the borders. Include after tile_layer.inc.glsl.

// As TileSlopeShape lays them out.
layout(set = 1, binding = 2) uniform sampler2DArray tileSlopes;

// The levels, less the tile's, that normals have inside, at the corners and along the sides. The vertex stage
// finds them, since they are a tile's.
struct NormalLevels {
    float own;
    vec4 corners;
    vec4 sides;
    vec4 reaches;  // how far from a corner along a side the corner's level reaches, in cells
};

// The level that normals have where the detail is `detail`, both of the whole pyramid: the finest that a tile
// drawn at that detail holds, but shortly before the next larger tile takes its place, which holds no finer
// level than its own, the level goes over to that one's.
vec4 normalLevel(vec4 detail) {
    vec4 level = floor(detail);
    return min(level + clamp(4.0 * (detail - level) - 3.0, 0.0, 1.0), tiles.parameters.w);
}

NormalLevels normalLevels(TileBits tile, float detail, vec4 edges, uvec3 corners) {
    float base = float(tile.level);
    vec4 atCorners = vec4(cornerDetail(corners, 0), cornerDetail(corners, 1), cornerDetail(corners, 2),
                          cornerDetail(corners, 3));
    return NormalLevels(normalLevel(vec4(base + detail)).x - base, normalLevel(base + atCorners) - base,
                        normalLevel(base + edges) - base, exp2(edges) * (float(tile.cells) / 8.0));
}

// The normals' level at a place of a tile, less the tile's. On borders it depends on the border's detail and
// its corners' alone, which all tiles there share; from there it goes over to the tile's own.
float pixelNormalLevel(TileBits tile, NormalLevels levels, vec2 place) {
    float end = float(tile.cells), reach = end / 8.0;
    vec4 away = vec4(place.x, end - place.x, place.y, end - place.y);
    if (all(greaterThanEqual(away, vec4(reach)))) return levels.own;
    vec4 along = place.yyxx;
    vec4 low = mix(levels.corners.xyxz, levels.sides, min(along / levels.reaches, 1.0));
    vec4 high = mix(levels.corners.zwyw, levels.sides, min((end - along) / levels.reaches, 1.0));
    vec4 atSides = max(levels.sides, max(low, high));
    vec4 near = mix(atSides, vec4(levels.own), min(away / reach, 1.0));
    return max(max(levels.own, max(near.x, near.y)), max(near.z, near.w));
}

// Bilinear between the slopes at the lattice of stride 2^n around a place.
vec2 evenGradient(TileBits tile, vec2 place, int n) {
    int column = n == 0 ? 0 : tile.cells + 1;
    int row = n == 0 ? 0 : tile.cells - (tile.cells >> (n - 1)) + n - 1;
    vec2 at = vec2(column, row) + 0.5 + place * exp2(float(-n));
    return textureLod(tileSlopes, vec3(at / vec2(textureSize(tileSlopes, 0).xy), float(tile.layer)), 0.0).xy;
}

vec2 latticeGradient(TileBits tile, vec2 place, float level) {
    int n = int(level);
    float fraction = level - float(n);
    place = clamp(place, vec2(0.0), vec2(tile.cells));
    vec2 fine = evenGradient(tile, place, n);
    return fraction == 0.0 ? fine : mix(fine, evenGradient(tile, place, n + 1), fraction);
}
