#pragma once

#include <karst/heightfield/terrain_material.h>

#include <array>

namespace karst::heightfield {

struct Interval {
    double low = 0, high = 0;
};

/// What the Catmull-Rom surface of one cell can be, from its 4 x 4 samples (row-major, the cell between the
/// middle four): bounds from its Bezier net, which holds the surface within its hull.
struct CellShape {
    Interval height;
    Interval slope;                              ///< rise over run
    double deviation = 0;                        ///< bound of |surface - the cell's two triangles|
    double secondX = 0, secondZ = 0, mixed = 0;  ///< bounds of second derivatives, per cell
    double slopeChange = 0;                      ///< bound of the slope's change per world unit

    CellShape(const double samples[4][4], double spacingX, double spacingZ);

    /// Bound of |surface - its two triangles a cell of `stride` cells|, stride <= 1.
    double deviationAt(double stride) const;
};

/// Upper bounds of a mix of one number a material (all >= 0) by the weights that rules give in a cell.
class MaterialBounds {
  public:
    MaterialBounds(const TerrainMaterialRules& rules, const CellShape& cell);

    /// The mix's largest value.
    double largest(const std::array<double, 4>& values) const;
    /// Its largest change between points of the cell at most `distance` world units apart.
    double change(const std::array<double, 4>& values, double distance) const;

  private:
    const TerrainMaterialRules& m_rules;
    const CellShape& m_cell;
    std::array<Interval, 3> m_covers{};
};

}  // namespace karst::heightfield
