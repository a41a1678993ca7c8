#pragma once

// Cubes with a vertex for each sheet, on the side of an extraction that takes every cube for one vertex.

#include <karst/voxel_mesh/surface_nets.h>

#include "sign_rows.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace karst::voxel_mesh {

/// Set in the number of a vertex: the rest is the place of a split cube, and in finished quads, of a further
/// vertex.
inline constexpr std::uint32_t kSplit = 0x80000000u;

class SplitCubes {
  public:
    SplitCubes(const FieldView& field, std::span<SplitCube> splits) : m_field(field), m_splits(splits) {}

    /// Looks at the cubes of layer `y`: bit x + 1 of used[z + 1] says whether cube (x, y, z) has a vertex,
    /// whose number is in `numbers` by its place in the layer. Those of split cubes become kSplit and their
    /// place here.
    void findLayer(const SignRows& rows, std::int32_t y, const std::uint64_t* used, std::uint32_t* numbers);

    /// Replaces the numbers with kSplit by those of vertices. edges[k] is the quad's edge as cube k has it,
    /// where the quad is not turned.
    void resolve(SurfaceQuad& quad, const int (&edges)[4], bool turned) const;

    /// Appends the further vertices to the `vertexCount` first ones and gives all of split cubes their
    /// places. Returns the number of all vertices.
    std::size_t finish(const SurfaceNetsOptions& options, std::size_t vertexCount,
                       std::span<SurfaceQuad> quads, const SurfaceNetsBuffers& buffers) const;

  private:
    std::uint32_t ownedEdges(std::int32_t x, std::int32_t y, std::int32_t z) const;

    FieldView m_field;
    std::span<SplitCube> m_splits;
    std::uint32_t m_count = 0;
    std::uint32_t m_furtherCount = 0;
};

}  // namespace karst::voxel_mesh
