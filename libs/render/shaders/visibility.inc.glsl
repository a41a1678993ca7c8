// What a pixel of PassKind::Visibility holds, in a word or four; all 0 where nothing is. The highest bits of the first
// tell what is seen: a height tile, by the number of its record and these flags; or voxel ground, with the light
// (sky, sun, 8 bits each) and the level in that word, then the normal, the materials and their weights.

const uint VISIBLE_KIND = 3u << 30;
const uint VISIBLE_TILE = 1u << 30;
const uint VISIBLE_VOXELS = 2u << 30;

const uint VISIBLE_RECORD = 0xffffffu;
const uint VISIBLE_SEAM = 1u << 24;
const uint VISIBLE_FRONT = 1u << 25;

// A direction as two numbers of -1..1: the octahedron unfolded, y up.
vec2 foldedOf(vec3 n) {
    n /= abs(n.x) + abs(n.y) + abs(n.z);
    vec2 outer = (1.0 - abs(n.zx)) * vec2(n.x < 0.0 ? -1.0 : 1.0, n.z < 0.0 ? -1.0 : 1.0);
    return n.y < 0.0 ? outer : n.xz;
}

vec3 unfolded(vec2 e) {
    float up = 1.0 - abs(e.x) - abs(e.y);
    if (up < 0.0) e = (1.0 - abs(e.yx)) * vec2(e.x < 0.0 ? -1.0 : 1.0, e.y < 0.0 ? -1.0 : 1.0);
    return normalize(vec3(e.x, up, e.y));
}
