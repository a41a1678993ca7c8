#pragma once

#include <karst/heightfield_mesh/tile_layer.h>
#include <karst/heightfield_mesh/tile_record.h>

#include <cstdint>
#include <span>

namespace karst::heightfield {

/// A vertex as the vertex stage makes it.
struct TileVertex {
    double height = 0;                    ///< world units, as stored: the anchor's height not subtracted
    double gradientX = 0, gradientZ = 0;  ///< rise per cell of level 0
};

/// The vertex stage of drawn tiles on the CPU (spec rows H16, H21): it reads a layer and a record as the
/// shader does (tile_geometry.inc.glsl in the part render follows it line by line).
///
/// The height is sampleNodeHeight's. The gradient moves as heights do:
///   G_n(p), of a lattice point p at stride 2^n, is the central difference of the samples one stride to
///   either side, from the rings where that is beyond the tile.
///   Along a side with detail e + g, edge(t) = lerp(line_e(t), line_e+1(t), g), where line_n joins G_n at
///   multiples of 2^n; at the side's ends G_n has C(corner) - lerp(G_e(corner), G_e+1(corner), g) added,
///   with C = lerp(G_c, G_c+1, h) for the corner's detail c + h. So all tiles at a corner agree there.
///   Inside, with detail k + f, a vertex on the coarser lattice is at lerp(G_k, G_k+1, f), any other at
///   lerp(G_k, (B(a) + B(b)) / 2, f), with a and b the ends of the coarser lattice's edge that it halves, and
///   B = edge on a side, else G_k+1.
///
/// Holds references: layer and shape must outlive it. Threads: const members from any.
class TileVertexStage {
  public:
    /// `layer`: shape.size() numbers (asserted).
    TileVertexStage(const TileLayerShape& shape, std::span<const float> layer, const TileRecord& record);

    /// Cells between two vertices.
    std::uint32_t stride() const { return 1u << m_level; }
    /// i and j are multiples of stride(), 0 .. cells (asserted).
    TileVertex vertex(std::uint32_t i, std::uint32_t j) const;
    /// Along a side, at any place 0 .. cells: what both tiles there agree on.
    TileVertex edge(TileSide side, double place) const;
    /// Is the cell of the drawn lattice whose low corner is (i, j) ground?
    bool isGround(std::uint32_t i, std::uint32_t j) const;

  private:
    struct Gradient {
        double x = 0, z = 0;
    };
    static Gradient mix(const Gradient& a, const Gradient& b, double t);

    double sample(int i, int j) const;
    double beyond(TileSide side, int place, int n) const;
    Gradient gradient(int i, int j, int n) const;
    double edgeHeight(TileSide side, double place) const;
    double lineHeight(TileSide side, double place, int n) const;
    Gradient edgeGradient(TileSide side, double place) const;
    Gradient lineGradient(TileSide side, double place, int n) const;
    Gradient atEdgeLattice(TileSide side, int place, int n) const;
    Gradient between(int i, int j, double detail) const;
    double baseHeight(int i, int j) const;
    Gradient baseGradient(int i, int j, int n) const;
    bool sideOf(int i, int j, TileSide& side, int& place) const;

    const TileLayerShape& m_shape;
    std::span<const float> m_layer;
    const TileRecord& m_record;
    int m_cells = 0, m_level = 0;
    double m_fraction = 0;
};

}  // namespace karst::heightfield
