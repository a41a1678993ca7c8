#include "cube_vertices.h"

#include "load_bytes.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace karst::voxel_mesh {
namespace {

constexpr std::size_t kBlock = 64;

// Below this squared length a gradient says nothing: it is what rounding left of 0.
constexpr float kNoNormal = 0x1p-20f;

// Rows of samples of a block of cubes, by row and then by cube: a word holds a row's bytes, the first in the
// low byte. For the gradient within the cube rows are the two samples of the cube; for central differences
// the cube's own rows have a sample more on both ends.
struct BlockRows {
    std::uint32_t cube[4][kBlock];                     // at z, z + 1, then the same at y + 1
    std::uint32_t below[2][kBlock], above[2][kBlock];  // at y - 1 and y + 2, by z
    std::uint32_t north[2][kBlock], south[2][kBlock];  // at z - 1 and z + 2, by y
};

struct BlockGrid {
    float stride, layer, inverseStride, inverseLayer, padding;
};

void loadRows(const FieldView& field, NormalMethod method, const std::uint16_t* cubes, std::size_t count,
              BlockRows& rows) {
    const std::ptrdiff_t dz = field.stride(), dy = dz * dz;
    if (method == NormalMethod::CubeGradient) {
        for (std::size_t i = 0; i < count; ++i) {
            const std::uint8_t* s = field.samples + cubes[i];
            rows.cube[0][i] = load16(s);
            rows.cube[1][i] = load16(s + dz);
            rows.cube[2][i] = load16(s + dy);
            rows.cube[3][i] = load16(s + dy + dz);
        }
        return;
    }
    for (std::size_t i = 0; i < count; ++i) {
        const std::uint8_t* s = field.samples + cubes[i];
        rows.cube[0][i] = load32(s - 1);
        rows.cube[1][i] = load32(s + dz - 1);
        rows.cube[2][i] = load32(s + dy - 1);
        rows.cube[3][i] = load32(s + dy + dz - 1);
        rows.below[0][i] = load16(s - dy);
        rows.below[1][i] = load16(s - dy + dz);
        rows.above[0][i] = load16(s + 2 * dy);
        rows.above[1][i] = load16(s + 2 * dy + dz);
        rows.north[0][i] = load16(s - dz);
        rows.north[1][i] = load16(s + dy - dz);
        rows.south[0][i] = load16(s + 2 * dz);
        rows.south[1][i] = load16(s + dy + 2 * dz);
    }
}

namespace four {
#define KARST_LANES 4
#define KARST_LANES_TARGET
#include "cube_lanes.inl"
#undef KARST_LANES
#undef KARST_LANES_TARGET
}  // namespace four

#if defined(__x86_64__)
namespace eight {
#define KARST_LANES 8
#define KARST_LANES_TARGET __attribute__((target("avx2")))
#include "cube_lanes.inl"
#undef KARST_LANES
#undef KARST_LANES_TARGET
}  // namespace eight
#endif

}  // namespace

Lanes widestLanes() {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) return Lanes::Eight;
#endif
    return Lanes::Four;
}

void computeCubeVertices(Lanes lanes, const FieldView& field, NormalMethod method, bool unit,
                         const std::uint16_t* cubes, const std::uint16_t* edges, std::size_t count,
                         Vec3f* positions, Vec3f* normals) {
    const float stride = static_cast<float>(field.stride()), layer = stride * stride;
    const BlockGrid grid{stride, layer, 1.0f / stride, 1.0f / layer, static_cast<float>(field.padding)};
    const bool central = method == NormalMethod::CentralDifferences;
    BlockRows rows;
    for (std::size_t i = 0; i < count; i += kBlock) {
        const std::size_t n = (std::min(kBlock, count - i) + 7) & ~std::size_t{7};
        loadRows(field, method, cubes + i, n, rows);
        const std::uint16_t* blockEdges = edges ? edges + i : nullptr;
#if defined(__x86_64__)
        if (lanes == Lanes::Eight) {
            eight::computeCubes(rows, grid, central, unit, cubes + i, blockEdges, n, positions + i,
                                normals + i);
            continue;
        }
#endif
        four::computeCubes(rows, grid, central, unit, cubes + i, blockEdges, n, positions + i, normals + i);
    }
}

}  // namespace karst::voxel_mesh
