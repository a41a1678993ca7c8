#pragma once

#include <karst/voxel_mesh/surface_nets.h>

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace karst::voxel_mesh {

/// The marks of a quad's two triangles, 0 1 2 and 0 2 3: bit i is the edge from their vertex i to the next.
struct QuadEdges {
    std::uint8_t first = 0, second = 0;
};

/// Finds for each edge of the quads the triangles beyond it and tells which edges a body can catch on.
///
/// An edge of the surface joins two cubes side by side and so stands for the face between them; the quads at
/// it are those of the crossing sample edges of that face. Where one of these belongs to a neighbouring
/// chunk, its quad is made here again, from the same samples, with the same bits.
class EdgeMarker {
  public:
    EdgeMarker(double activeAngle);

    /// `field` has size 32 and padding 2; `surface` was extracted from it. The result has an entry for each
    /// quad.
    std::span<const QuadEdges> mark(const FieldView& field, const RawSurface& surface);

  private:
    /// A triangle at an edge: its normal and its vertex off the edge.
    struct Side {
        Vec3f normal, opposite;
    };
    /// An edge whose other quad is a neighbour's.
    struct Border {
        std::uint32_t edge;
        std::uint32_t side;  ///< the edge of the other quad that is the same
    };
    Side sideOf(const RawSurface& surface, std::uint32_t edge) const;
    void measureNormals(const RawSurface& surface);
    void markDiagonals(const RawSurface& surface);
    void markFaces(const FieldView& field, const RawSurface& surface);
    void addBorder(const FieldView& field, std::uint32_t edge, std::int32_t cube, std::size_t axis);
    void markBorders(const FieldView& field, const RawSurface& surface);
    bool active(const Side& own, Vec3f onEdge, const Side& other) const;
    void set(std::uint32_t edge);

    float m_activeCosine;
    /// Three a vertex, for the faces to the cubes at +x, +z, +y: 1 + the first edge that came, or kMet, or 0.
    std::vector<std::uint32_t> m_faces;
    std::vector<std::array<Vec3f, 2>> m_normals;
    std::vector<QuadEdges> m_marks;
    std::vector<Border> m_borders;
    std::vector<std::uint16_t> m_cubes;  ///< of the borders' other quads, 4 each
    std::vector<Vec3f> m_positions, m_gradients;
};

}  // namespace karst::voxel_mesh
