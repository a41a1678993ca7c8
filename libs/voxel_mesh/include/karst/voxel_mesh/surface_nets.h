#pragma once

#include <karst/base/math.h>
#include <karst/voxel_mesh/padded_field.h>

#include <array>
#include <cstdint>
#include <span>

namespace karst::voxel_mesh {

/// Surface Nets (Gibson 1998, in the dual form with one vertex a cube): the surface is where the samples
/// cross 127.5. Each cube of 8 samples with both signs has one vertex, the mean of the crossings of its 12
/// edges; each crossing sample edge makes a quad of the vertices of the 4 cubes around it, wound
/// counter-clockwise seen from the air. A field owns the edges whose lower sample is in 0 <= x, y, z < size,
/// and uses the cubes from -1 to size - 1. Positions are in samples: sample (x, y, z) sits at x, y, z. They
/// are rounded to multiples of 2^-16, so that the same vertex made by two chunks is the same to the bit after
/// adding whole chunk sizes.

enum class NormalMethod : std::uint8_t {
    CentralDifferences,  ///< of the field at the cube's 8 samples, interpolated at the vertex; needs padding
                         ///< 2
    CubeGradient,  ///< the gradient of the cube's trilinear interpolation at the vertex; padding 1 will do
};

struct SurfaceNetsOptions {
    NormalMethod normals = NormalMethod::CentralDifferences;
    /// A cube that holds two sheets gets a vertex for each, so that no edge of the mesh has more than two
    /// triangles.
    bool manifold = false;
};

/// The most that a field of 32^3 can give.
inline constexpr std::uint32_t kMaxCubes = 33 * 33 * 33;
inline constexpr std::uint32_t kMaxQuads = 3 * 32 * 32 * 32;

}  // namespace karst::voxel_mesh
