// What a pixel of PassKind::Visibility holds; 0 where nothing is. The two highest bits tell what is seen: a height
// tile, by the number of its record and these flags; or a triangle of voxel ground, by its block's number (bits 28
// and 29) and its own in that block.

const uint VISIBLE_KIND = 3u << 30;
const uint VISIBLE_TILE = 1u << 30;
const uint VISIBLE_VOXELS = 2u << 30;

const uint VISIBLE_RECORD = 0xffffffu;
const uint VISIBLE_SEAM = 1u << 24;
const uint VISIBLE_FRONT = 1u << 25;

const uint VISIBLE_TRIANGLE = 0xfffffffu;
