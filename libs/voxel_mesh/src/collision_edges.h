#pragma once

#include <karst/voxel_mesh/surface_nets.h>

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "point_lanes.h"
#include "sign_rows.h"

namespace karst::voxel_mesh {

/// The marks of a quad's two triangles, 0 1 2 and 0 2 3: bit i is the edge from their vertex i to the next;
/// those of the second 8 bits up.
struct QuadEdges {
    std::uint16_t bits = 0;
    std::uint8_t first() const { return static_cast<std::uint8_t>(bits & 7); }
    std::uint8_t second() const { return static_cast<std::uint8_t>(bits >> 8); }
};

/// Finds for each edge of the quads the triangles beyond it and tells which edges a body can catch on.
///
/// An edge of the surface joins two cubes side by side and so stands for the face between them; the quads at
/// it are those of the crossing sample edges of that face. Where one of these belongs to a neighbouring
/// chunk, its quad is made here again, from the same samples, with the same bits.
class EdgeMarker {
  public:
    EdgeMarker(double activeAngle);

    /// `field` has size 32 and padding 2, `rows` are its signs; `surface` was extracted from it, and `points`
    /// are its positions. The result has an entry for each quad.
    std::span<const QuadEdges> mark(const FieldView& field, const SignRows& rows, const RawSurface& surface,
                                    std::span<const PaddedPoint> points);

  private:
    /// Two edges of quads (four a quad) that are the same.
    struct Pair {
        std::uint32_t own, other;
    };
    /// Quads with all that the marks of their edges depend on; two normals each.
    struct Quads {
        std::span<const SurfaceQuad> quads;
        const PaddedPoint* points;
        std::vector<PaddedPoint>* normals;
        std::vector<QuadEdges>* marks;
    };
    void measure(const Quads& quads) const;
    bool findTouching(const SignRows& rows, const RawSurface& surface);
    void addTouching(const RawSurface& surface, std::uint64_t row, int y, int z, int x, std::uint32_t axis);
    template <bool kTouching>
    void pairEdges(const RawSurface& surface);
    void findBorders(const FieldView& field, const RawSurface& surface);
    void addBorder(const FieldView& field, std::uint32_t edge, std::int32_t cube, std::size_t axis);
    void markPairs(std::vector<Pair>& pairs, std::size_t count, const Quads& own, const Quads& others) const;

    float m_activeCosine;
    /// Three a vertex, for the faces to the cubes at +x, +z, +y: 1 + the edge that came and has no other yet,
    /// or 0, or kTouching.
    std::vector<std::uint32_t> m_faces;
    std::vector<PaddedPoint> m_normals;
    std::vector<QuadEdges> m_marks;
    std::vector<Pair> m_pairs;
    std::size_t m_pairCount = 0;
    std::vector<std::uint32_t> m_touching;  ///< edges at faces where sheets touch

    // The neighbours' quads.
    std::vector<Pair> m_borderPairs;
    std::vector<SurfaceQuad> m_borderQuads;
    std::vector<std::uint16_t> m_cubes;  ///< 4 each
    std::vector<Vec3f> m_positions, m_gradients;
    std::vector<PaddedPoint> m_borderPoints, m_borderNormals;
    std::vector<QuadEdges> m_borderMarks;
};

}  // namespace karst::voxel_mesh
