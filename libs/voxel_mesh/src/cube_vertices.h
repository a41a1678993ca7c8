#pragma once

// Positions and gradients of cubes, several cubes at once.

#include <karst/base/math.h>
#include <karst/voxel_mesh/surface_nets.h>

#include <cstddef>
#include <cstdint>

namespace karst::voxel_mesh {

/// How many cubes are computed side by side. All give the same bits: every operation is an IEEE one in a
/// fixed order.
enum class Lanes : std::uint8_t { Four, Eight };

/// The widest that this processor has.
Lanes widestLanes();

/// positions[i] and normals[i] of the cube whose lowest sample is at index cubes[i] of the field. Where
/// `edges` is not null, only the edges of edges[i] count, a bit for each as in cube_sheets.h. Reads and
/// writes whole blocks: what is read must be valid, and all have room, up to the next multiple of 8.
void computeCubeVertices(Lanes lanes, const FieldView& field, NormalMethod method, bool unit,
                         const std::uint16_t* cubes, const std::uint16_t* edges, std::size_t count,
                         Vec3f* positions, Vec3f* normals);

}  // namespace karst::voxel_mesh
