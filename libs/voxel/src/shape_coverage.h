#pragma once

#include <karst/voxel/cell.h>
#include <karst/voxel/grid_snapshot.h>
#include <karst/voxel/pose.h>

#include <array>
#include <cstdint>

namespace karst::voxel {

/// A direction, prepared for asking how much of a cube lies below a plane across it.
struct CutDirection {
    /// The sizes of its components in rising order, those below 1e-6 as 0, and their sum.
    double a = 0, b = 0, c = 1, sum = 1;
    /// 1 / (6 a b c), 1 / (2 b c), 1 / (2 c), and a^2 / (6 b c); 0 where they are not asked for.
    double inverseAbc = 0, inverseBc = 0, inverseC = 0.5, edge = 0;

    static CutDirection of(Vec3d direction);
};

/// The share of a cube of edge 1 below the plane at `distance` from its middle (Scardovelli and Zaleski 2000,
/// "Analytical relations connecting linear interfaces and volume fractions in rectangular grids").
double cubeBelowPlane(double distance, const CutDirection& direction);

/// The cells of a row along x that a shape takes: nothing of those before outerBegin or from outerEnd on, all
/// of each cell in innerBegin <= x < innerEnd.
struct RowSpan {
    std::int32_t outerBegin = 0, innerBegin = 0, innerEnd = 0, outerEnd = 0;
};

/// How much of each cell a convex shape covers. The shape is what is common to: slabs around its centre, a
/// half-space, and a sphere or an endless cylinder around its centre. All lengths are in cells.
///
/// Positions relative to the centre are multiples of 2^-16 and exact, so that a shape turned by right angles,
/// moved by whole cells or mirrored gives the same coverage to the bit.
class ShapeCoverage {
  public:
    static ShapeCoverage block(const GridPlacement& placement, const Pose& pose, Vec3d size);
    static ShapeCoverage ball(const GridPlacement& placement, WorldPosition center, double radius);
    static ShapeCoverage cylinder(const GridPlacement& placement, const Pose& pose, double height,
                                  double radius);
    static ShapeCoverage wedge(const GridPlacement& placement, const Pose& pose, Vec3d size);

    /// The cells that may be covered, or nothing valid where inLimit() is false.
    const CellBox& bounds() const { return m_bounds; }
    /// The shape lies inside kCellLimit.
    bool inLimit() const { return m_inLimit; }

    /// 0 to 255.
    std::uint8_t coverage(CellCoord cell) const;
    /// Of `count` cells along x.
    void coverRow(CellCoord first, std::int32_t count, std::uint8_t* out) const;
    RowSpan rowSpan(std::int32_t y, std::int32_t z) const;

  private:
    enum class Round { None, Sphere, Cylinder };
    struct Slab {
        Vec3d axis;
        double half = 0;
        CutDirection cut;
    };

    ShapeCoverage(const GridPlacement& placement, const Pose& pose);
    void addSlab(Vec3d axis, double half);
    void setBounds(Vec3d extent);
    /// A cell's middle from the centre.
    Vec3d relative(CellCoord cell) const {
        return {0.5 + (cell.x - m_base.x) - m_center.x, 0.5 + (cell.y - m_base.y) - m_center.y,
                0.5 + (cell.z - m_base.z) - m_center.z};
    }
    /// Limits from m_base.x on.
    RowSpan spanOf(double outerLow, double outerHigh, double innerLow, double innerHigh) const;
    /// Of a cube of a cell, in 2^-30 of the cell; `faces` are those that may cut it.
    std::int64_t volume(Vec3d middle, double edge, int depth, unsigned faces) const;
    double roundShare(Vec3d middle, double edge) const;

    CellCoord m_base;     // the centre's cell
    Vec3d m_center;       // from that cell's corner
    Rotation m_rotation;  // snapped to the grid's axes where it is very near
    std::array<Slab, 3> m_slabs;
    int m_slabCount = 0;
    bool m_hasPlane = false;
    Vec3d m_planeNormal;
    double m_planeOffset = 0;
    CutDirection m_planeCut;
    Round m_round = Round::None;
    Vec3d m_roundU, m_roundV;  // across the cylinder's axis
    double m_radius = 0;
    // Of a ball: into how many parts along an axis a cell is cut so that each sees a nearly flat face; 0
    // where that are too many.
    int m_ballParts = 0;
    bool m_aligned = false;  // the rotation permutes the grid's axes
    CellBox m_bounds;
    bool m_inLimit = true;
};

}  // namespace karst::voxel
