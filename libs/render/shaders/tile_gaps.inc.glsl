// Fragments of what draws no colours of its own: cells without ground are left out.

layout(location = 0) flat in uvec2 inShape;
layout(location = 1) flat in ivec2 inCell;

bool inGap() {
    TileBits tile = tileBits(inShape.x);
    return tile.gaps && isGap(tile, inCell, int(inShape.y));
}
