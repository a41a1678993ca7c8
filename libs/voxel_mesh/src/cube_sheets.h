#pragma once

// Which crossing edges of a cube belong to the same sheet of the surface, for surfaces whose edges all have
// two triangles. On a face where all four edges cross, solid corners are kept apart, so that both cubes at
// the face agree. Where both cubes join what the face keeps apart (then two quads would share an edge with
// two others), air corners are kept apart instead. (Nielson, Dual Marching Cubes, 2004; Wenger, Isosurfaces,
// 2013, on the last point.)
//
// Corner k of a cube is at x = k & 1, z = k >> 1 & 1, y = k >> 2. Edges 0..3 are along x by their place z + 2
// y, 4..7 along y by x + 2 z, 8..11 along z by x + 2 y.

#include <karst/voxel_mesh/padded_field.h>

#include "sign_rows.h"

#include <cstddef>
#include <cstdint>

namespace karst::voxel_mesh {

struct CubeSheets {
    std::uint32_t sheetOf = 0;   ///< two bits an edge; 0 for edges that do not cross
    std::uint16_t crossing = 0;  ///< a bit an edge
    std::uint8_t count = 0;      ///< 0..4

    constexpr std::uint32_t sheet(int edge) const { return sheetOf >> (2 * edge) & 3; }
};

/// `signs` has a bit for each solid corner. `joined` is a face that one sheet touches twice, or -1; the faces
/// are x, x + 1, y, y + 1, z, z + 1. `apart` are the sheets where that face keeps air apart.
struct CubeCase {
    CubeSheets sheets, apart;
    std::int8_t joined = -1;
};
const CubeCase& cubeCase(std::uint8_t signs);

/// The sheets of the cube whose lowest sample is at index `cube`; needs a padding of 2.
CubeSheets sheetsOfCube(const FieldView& field, std::size_t cube);

/// Bit x + 1 of out[z + 1] is set where cube (x, y, z), at -1 <= x, z < size, may have several sheets.
void findDoubtfulCubes(const SignRows& rows, std::int32_t y, std::uint64_t* out);

}  // namespace karst::voxel_mesh
