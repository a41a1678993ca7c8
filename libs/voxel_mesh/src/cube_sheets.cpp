#include "cube_sheets.h"

#include <array>

namespace karst::voxel_mesh {
namespace {

struct Face {
    std::uint8_t corners[4];  // around it
    std::uint8_t edges[4];    // from each corner to the next
};

constexpr Face kFaces[6] = {
    {{0, 4, 6, 2}, {4, 10, 6, 8}}, {{1, 5, 7, 3}, {5, 11, 7, 9}},   // x, x + 1
    {{0, 1, 3, 2}, {0, 9, 1, 8}},  {{4, 5, 7, 6}, {2, 11, 3, 10}},  // y, y + 1
    {{0, 1, 5, 4}, {0, 5, 2, 4}},  {{2, 3, 7, 6}, {1, 7, 3, 6}},    // z, z + 1
};
constexpr std::uint8_t kEdges[12][2] = {{0, 1}, {2, 3}, {4, 5}, {6, 7}, {0, 4}, {1, 5},
                                        {2, 6}, {3, 7}, {0, 2}, {1, 3}, {4, 6}, {5, 7}};

constexpr bool solid(int signs, int corner) {
    return (signs >> corner & 1) != 0;
}

constexpr bool allEdgesCross(int signs, const Face& face) {
    return solid(signs, face.corners[0]) != solid(signs, face.corners[1]) &&
           solid(signs, face.corners[1]) != solid(signs, face.corners[2]) &&
           solid(signs, face.corners[2]) != solid(signs, face.corners[3]);
}

// `airApart` is the face that keeps air corners apart, or -1.
constexpr CubeSheets makeSheets(int signs, int airApart) {
    CubeSheets out;
    std::uint8_t group[12] = {};
    for (int e = 0; e < 12; ++e) {
        group[e] = static_cast<std::uint8_t>(e);
        if (solid(signs, kEdges[e][0]) != solid(signs, kEdges[e][1]))
            out.crossing = static_cast<std::uint16_t>(out.crossing | 1 << e);
    }
    const auto join = [&](int a, int b) {
        const std::uint8_t from = group[a], to = group[b];
        for (std::uint8_t& g : group) {
            if (g == from) g = to;
        }
    };
    for (int f = 0; f < 6; ++f) {
        const Face& face = kFaces[f];
        if (allEdgesCross(signs, face)) {
            // The two edges at a corner that is kept apart.
            for (int k = 0; k < 4; ++k) {
                if (solid(signs, face.corners[k]) != (f == airApart))
                    join(face.edges[(k + 3) % 4], face.edges[k]);
            }
            continue;
        }
        int first = -1;
        for (const int e : face.edges) {
            if (!(out.crossing >> e & 1)) continue;
            if (first >= 0) join(first, e);
            first = e;
        }
    }
    int numbers[12] = {};
    for (int e = 0; e < 12; ++e) {
        if (!(out.crossing >> e & 1)) continue;
        if (numbers[group[e]] == 0) numbers[group[e]] = ++out.count;
        out.sheetOf |= static_cast<std::uint32_t>(numbers[group[e]] - 1) << (2 * e);
    }
    return out;
}

constexpr std::array<CubeCase, 256> makeCases() {
    std::array<CubeCase, 256> cases;
    for (int signs = 0; signs < 256; ++signs) {
        CubeCase& out = cases[static_cast<std::size_t>(signs)];
        out.sheets = out.apart = makeSheets(signs, -1);
        for (int f = 0; f < 6; ++f) {
            const Face& face = kFaces[f];
            if (!allEdgesCross(signs, face)) continue;
            const std::uint32_t sheet = out.sheets.sheet(face.edges[0]);
            bool one = true;
            for (const int e : face.edges)
                one = one && out.sheets.sheet(e) == sheet;
            if (one) out.joined = static_cast<std::int8_t>(f);
        }
        if (out.joined >= 0) out.apart = makeSheets(signs, out.joined);
    }
    return cases;
}

constexpr std::array<CubeCase, 256> kCases = makeCases();

std::uint8_t signsAt(const FieldView& field, std::ptrdiff_t cube) {
    const std::ptrdiff_t dz = field.stride(), dy = dz * dz;
    const std::uint8_t* s = field.samples + cube;
    int signs = 0;
    for (int k = 0; k < 8; ++k)
        signs |= (s[(k & 1) + (k >> 1 & 1) * dz + (k >> 2) * dy] >> 7) << k;
    return static_cast<std::uint8_t>(signs);
}

}  // namespace

const CubeCase& cubeCase(std::uint8_t signs) {
    return kCases[signs];
}

CubeSheets sheetsOfCube(const FieldView& field, std::size_t cube) {
    const auto index = static_cast<std::ptrdiff_t>(cube);
    const CubeCase& here = kCases[signsAt(field, index)];
    if (here.joined < 0) return here.sheets;
    const std::ptrdiff_t dz = field.stride(), steps[3] = {1, dz * dz, dz};
    const std::ptrdiff_t step = steps[here.joined / 2];
    const CubeCase& beyond = kCases[signsAt(field, here.joined & 1 ? index + step : index - step)];
    return beyond.joined == (here.joined ^ 1) ? here.apart : here.sheets;
}

void findDoubtfulCubes(const SignRows& rows, std::int32_t y, std::uint64_t* out) {
    const std::uint64_t* low = rows.layer(y);
    const std::uint64_t* high = rows.layer(y + 1);
    for (std::int32_t r = 0; r + 1 < rows.side; ++r) {
        // Named by corner.
        const std::uint64_t c0 = low[r], c1 = c0 >> 1, c2 = low[r + 1], c3 = c2 >> 1;
        const std::uint64_t c4 = high[r], c5 = c4 >> 1, c6 = high[r + 1], c7 = c6 >> 1;
        // Crossing edges.
        const std::uint64_t x0 = c0 ^ c1, x1 = c2 ^ c3, x2 = c4 ^ c5, x3 = c6 ^ c7;
        const std::uint64_t y0 = c0 ^ c4, y1 = c1 ^ c5, y2 = c2 ^ c6, y3 = c3 ^ c7;
        const std::uint64_t z0 = c0 ^ c2, z1 = c1 ^ c3, z2 = c4 ^ c6, z3 = c5 ^ c7;
        // Faces all of whose edges cross: the fourth follows from three.
        const std::uint64_t faces = (y0 & z0 & y2) | (y1 & z1 & y3) | (x0 & z0 & x1) | (x2 & z2 & x3) |
                                    (x0 & y0 & x2) | (x1 & y2 & x3);
        // Two opposite corners alone against the rest.
        const std::uint64_t corners = (x0 & y0 & z0 & x3 & y3 & z3) | (x0 & y1 & z1 & x3 & y2 & z2) |
                                      (x1 & y2 & z0 & x2 & y1 & z3) | (x1 & y3 & z1 & x2 & y0 & z2);
        out[r] = faces | corners;
    }
}

}  // namespace karst::voxel_mesh
