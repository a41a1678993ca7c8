#pragma once

// Cubes with a vertex for each sheet, on the side of an extraction that takes every cube for one vertex.

#include <karst/voxel_mesh/surface_nets.h>

#include "sign_rows.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace karst::voxel_mesh {

/// Set in the number of a vertex: the rest is the place of a split cube.
inline constexpr std::uint32_t kSplit = 0x80000000u;

class SplitCubes {
  public:
    SplitCubes(const FieldView& field, std::span<SplitCube> splits) : m_field(field), m_splits(splits) {}

    /// Looks at the cubes of layer `y`: bit x + 1 of used[z + 1] says whether cube (x, y, z) has a vertex,
    /// whose number is in `numbers` by its place in the layer. Those of split cubes become kSplit and their
    /// place here. The cubes of further vertices are written to `next`, which are to be numbered from
    /// `number`; returns the end.
    std::uint16_t* findLayer(const SignRows& rows, std::int32_t y, const std::uint64_t* used,
                             std::uint32_t* numbers, std::uint16_t* next, std::uint32_t number);

    /// Replaces the numbers with kSplit by those of vertices. edges[k] is the quad's edge as cube k has it,
    /// where the quad is not turned.
    void resolve(SurfaceQuad& quad, const int (&edges)[4], bool turned) const;

    /// Gives the vertices of split cubes their places, over what was there.
    void computeVertices(const SurfaceNetsOptions& options, const SurfaceNetsBuffers& buffers) const;

  private:
    std::uint32_t ownedEdges(std::int32_t x, std::int32_t y, std::int32_t z) const;

    FieldView m_field;
    std::span<SplitCube> m_splits;
    std::uint32_t m_count = 0;
};

}  // namespace karst::voxel_mesh
