#pragma once

#include <karst/voxel_mesh/surface_nets.h>

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "point_lanes.h"

namespace karst::voxel_mesh {

/// A rectangle of flat quads, `rows` by `columns`, and where its quads are: quads[row * columns + column].
struct FlatPatch {
    std::uint32_t axis;  ///< 0, 1, 2: square to x, z, y
    std::uint32_t rows, columns;
    std::uint32_t firstQuad;  ///< in patchQuads()
};

/// Finds the flat parts of a surface. A vertex is regular along an axis where its cube's crossing edges are
/// the four along that axis, all one way: it stands in the middle of its cube across the axis, and only the
/// quads of those four edges use it. A quad is flat where its vertices are regular along its own axis; a
/// patch is a rectangle of flat quads whose vertices keep to one plane.
class PatchFinder {
  public:
    /// Vertices of a patch lie within this of each other along its axis, cells.
    static constexpr float kFlatness = 0x1p-14f;

    /// Patches of at least 3 x 2, greedily from the first free quad on. `field` has size 32 and padding 2.
    /// `points` are the surface's positions.
    void find(const FieldView& field, const RawSurface& surface, std::span<const PaddedPoint> points);

    std::span<const FlatPatch> patches() const { return m_patches; }
    std::span<const std::uint32_t> patchQuads() const { return m_patchQuads; }
    /// Of each quad: is it in a patch?
    bool inPatch(std::size_t quad) const { return m_inPatch[quad] != 0; }

  private:
    struct FlatQuad {
        std::uint32_t place;  ///< axis, layer, row, column: 5 bits each but the axis
        std::uint32_t quad;
    };
    bool findRegular(const FieldView& field, const RawSurface& surface, std::span<const PaddedPoint> points);
    void findFlatQuads(const RawSurface& surface);
    void cover(const RawSurface& surface, std::size_t begin, std::size_t end);

    std::vector<std::uint8_t> m_regular;  ///< of each vertex: 1 + axis, or 0
    std::vector<FlatQuad> m_flat;
    std::array<std::array<std::int32_t, 32>, 32> m_layer{};
    std::vector<FlatPatch> m_patches;
    std::vector<std::uint32_t> m_patchQuads;
    std::vector<std::uint8_t> m_inPatch;
};

}  // namespace karst::voxel_mesh
