// Normals of pixels, finer than the lattice that is drawn (spec row HX4): from the tile's own lattice, as far
// as the tiles around can show the same along the borders. Include after tile_layer.inc.glsl.

// The level that normals have where the detail is `detail`, both of the whole pyramid: the finest that a tile
// drawn at that detail holds, but shortly before the next larger tile takes its place, which holds no finer
// level than its own, the level goes over to that one's.
float normalLevel(float detail) {
    float level = floor(detail);
    return min(level + clamp(4.0 * (detail - level) - 3.0, 0.0, 1.0), tiles.parameters.w);
}

// The normals' level at a place of a tile, less the tile's. On borders it depends on the border's detail and
// its corners' alone, which all tiles there share; from there it goes over to the tile's own.
float pixelNormalLevel(TileBits tile, float detail, vec4 edges, uvec3 corners, vec2 place) {
    float base = float(tile.level);
    float own = normalLevel(base + detail) - base;
    float reach = float(tile.cells) / 8.0;
    float atCorner[4];
    for (int c = 0; c < 4; ++c)
        atCorner[c] = normalLevel(base + cornerDetail(corners, c)) - base;
    float end = float(tile.cells);
    vec4 away = vec4(place.x, end - place.x, place.y, end - place.y);
    float level = own;
    for (int side = 0; side < 4; ++side) {
        if (away[side] >= reach) continue;
        float along = normalLevel(base + edges[side]) - base;
        float sideReach = reach * exp2(edges[side]);
        float t = side < 2 ? place.y : place.x;
        float low = atCorner[side == 1 ? 1 : side == 3 ? 2 : 0];
        float high = atCorner[side == 0 ? 2 : side == 2 ? 1 : 3];
        float atSide = max(along, max(mix(low, along, min(t / sideReach, 1.0)), mix(high, along, min((end - t) / sideReach, 1.0))));
        level = max(level, mix(atSide, own, away[side] / reach));
    }
    return level;
}

// As evenGradient at stride 1, where the apron holds all that is read: each of the twelve samples once.
vec2 finestGradient(TileBits tile, vec2 place) {
    ivec2 low = min(ivec2(place), ivec2(tile.cells - 1));
    vec2 part = clamp(place - vec2(low), 0.0, 1.0);
    float north0 = tileSample(tile, low.x, low.y - 1), north1 = tileSample(tile, low.x + 1, low.y - 1);
    float west0 = tileSample(tile, low.x - 1, low.y), h00 = tileSample(tile, low.x, low.y);
    float h10 = tileSample(tile, low.x + 1, low.y), east0 = tileSample(tile, low.x + 2, low.y);
    float west1 = tileSample(tile, low.x - 1, low.y + 1), h01 = tileSample(tile, low.x, low.y + 1);
    float h11 = tileSample(tile, low.x + 1, low.y + 1), east1 = tileSample(tile, low.x + 2, low.y + 1);
    float south0 = tileSample(tile, low.x, low.y + 2), south1 = tileSample(tile, low.x + 1, low.y + 2);
    vec2 g00 = vec2(h10 - west0, h01 - north0), g10 = vec2(east0 - h00, h11 - north1);
    vec2 g01 = vec2(h11 - west1, south0 - h00), g11 = vec2(east1 - h01, south1 - h10);
    return mix(mix(g00, g10, part.x), mix(g01, g11, part.x), part.y) * exp2(float(-(tile.level + 1)));
}

// Bilinear between the gradients at the lattice of stride 2^n around a place.
vec2 evenGradient(TileBits tile, vec2 place, int n) {
    int s = 1 << n;
    ivec2 low = min(ivec2(place) & ~(s - 1), ivec2(tile.cells - s));
    vec2 part = clamp((place - vec2(low)) / float(s), 0.0, 1.0);
    vec2 g00 = tileGradient(tile, low.x, low.y, n), g10 = tileGradient(tile, low.x + s, low.y, n);
    vec2 g01 = tileGradient(tile, low.x, low.y + s, n), g11 = tileGradient(tile, low.x + s, low.y + s, n);
    return mix(mix(g00, g10, part.x), mix(g01, g11, part.x), part.y);
}

vec2 latticeGradient(TileBits tile, vec2 place, float level) {
    int n = int(level);
    float fraction = level - float(n);
    place = clamp(place, vec2(0.0), vec2(tile.cells));
    vec2 fine = n == 0 ? finestGradient(tile, place) : evenGradient(tile, place, n);
    return fraction == 0.0 ? fine : mix(fine, evenGradient(tile, place, n + 1), fraction);
}
