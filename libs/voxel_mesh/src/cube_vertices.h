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

/// positions[i] and normals[i] of the cube whose lowest sample is at index cubes[i] of the field. Reads and
/// writes whole blocks: `cubes` must be valid, and all three have room, up to the next multiple of 8.
void computeCubeVertices(Lanes lanes, const FieldView& field, NormalMethod method, bool unit,
                         const std::uint16_t* cubes, std::size_t count, Vec3f* positions, Vec3f* normals);

}  // namespace karst::voxel_mesh
