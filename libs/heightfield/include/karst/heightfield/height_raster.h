#pragma once

#include <karst/base/bounds.h>
#include <karst/base/externals.h>
#include <karst/base/rect.h>
#include <karst/base/result.h>

#include <array>
#include <cstdint>
#include <optional>
#include <span>

namespace karst::heightfield {

struct HeightRange {
    float min = 0;
    float max = 0;
    bool operator==(const HeightRange&) const = default;
};

/// The texels around a point: its cell, the cell's corner texels held to the raster, and the place in the
/// cell.
struct CellPoint {
    int cellX = 0, cellZ = 0;  ///< -1 .. columns - 1, -1 .. rows - 1
    int x0 = 0, z0 = 0, x1 = 0, z1 = 0;
    double fx = 0, fz = 0;  ///< 0..1 across the cell
};

/// What to make a HeightRaster from.
struct HeightRasterDesc {
    int columns = 0;  ///< texels along X, 1 .. HeightRaster::kMaxSide
    int rows = 0;     ///< texels along Z, 1 .. HeightRaster::kMaxSide
    /// The ground covered, in world units. Texel (i, j) has its centre at min + (i + 0.5, j + 0.5) * spacing,
    /// so samples 0, 1, 2 ... at x = 0, s, 2 s ... have the rect begin at -s / 2. See rectOfSamples.
    Rect rect;
    /// The least and greatest height that may ever be drawn: the mesh's box and the level of detail use it,
    /// and it is never reduced from the samples. Without one, the range of the samples that are no voids.
    std::optional<HeightRange> heightRange;
};

/// The rect whose texel centres are `columns` x `rows` samples, sample (0, 0) at (originX, originZ).
Rect rectOfSamples(double originX, double originZ, int columns, int rows, double spacingX, double spacingZ);

/// A grid of heights over a rect with a hole mask: the authoritative state of the simplest ground.
///
/// Between texel centres the surface is the two triangles of height_triangle.h. From the outermost texel
/// centres to the rect's edges the edge texels' heights continue level. Cells lie between texel centres, from
/// -1 (the half cell at the low edge) to columns - 1 (the half cell at the high edge); each may be a hole.
///
/// Texels without data (voids) make every cell that touches them a hole. Their heights are replaced by values
/// blended from their row's or column's nearest texels with data, so that no marker value ever mixes into a
/// height, a range or a normal, also where a sparse mesh has a vertex on one.
///
/// Every change raises the generation by 1 and is remembered with the texels it touched, so that derived
/// things rebuild only what changed.
///
/// Threads: const members may be called from any number of threads while nobody calls a non-const one.
/// Source: spec rows N4, N5, N8; seed 002.
class HeightRaster {
  public:
    static constexpr int kMaxSide = 1 << 20;

    /// Takes columns * rows heights, row-major, row 0 at the rect's minZ. `voids` is empty or has one byte a
    /// texel, not 0 where there is no data; heights that are not finite count as voids too.
    static Result<HeightRaster> create(const HeightRasterDesc& desc, Vector<float> heights,
                                       std::span<const std::uint8_t> voids = {},
                                       const Externals& externals = {});

    int columns() const { return m_columns; }
    int rows() const { return m_rows; }
    const Rect& rect() const { return m_rect; }
    double spacingX() const { return m_spacingX; }
    double spacingZ() const { return m_spacingZ; }
    const HeightRange& heightRange() const { return m_range; }
    /// The rect by the declared height range.
    Bounds bounds() const;

    /// Row-major, columns() * rows().
    std::span<const float> heights() const { return m_heights; }
    float texel(int column, int row) const {
        return m_heights[static_cast<std::size_t>(row) * static_cast<std::size_t>(m_columns) +
                         static_cast<std::size_t>(column)];
    }

    /// Where texel centres stand.
    double texelX(int column) const { return m_rect.minX + (column + 0.5) * m_spacingX; }
    double texelZ(int row) const { return m_rect.minZ + (row + 0.5) * m_spacingZ; }

    /// The cell around a point of the rect; a point outside is held to the rect's edge, NaN to the low edge.
    CellPoint cellPointAt(double x, double z) const;

    /// Height of the surface; nothing outside the rect, over a hole, or where x or z is not finite.
    std::optional<double> heightAt(double x, double z) const;

    bool hasHoles() const { return m_holeCount > 0; }
    /// cellX in -1 .. columns - 1, cellZ in -1 .. rows - 1.
    bool isHole(int cellX, int cellZ) const {
        if (m_holes.empty()) return false;
        const std::size_t bit =
            static_cast<std::size_t>(cellZ + 1) * (static_cast<std::size_t>(m_columns) + 1) +
            static_cast<std::size_t>(cellX + 1);
        return (m_holes[bit >> 6] >> (bit & 63) & 1u) != 0;
    }
    std::size_t holeCount() const { return m_holeCount; }
    /// One bit a cell, from the lowest bit up: cell (x, z) is bit (z + 1) * (columns() + 1) + x + 1. Empty
    /// where there never was a hole.
    std::span<const std::uint64_t> holeBits() const { return m_holes; }

    /// Replaces the heights of a rectangle of texels (row-major, texels.width() * texels.depth()). Refused,
    /// changing nothing, where the rectangle leaves the raster, a height is not finite or leaves the declared
    /// range.
    Result<void> setHeights(const GridRect& texels, std::span<const float> heights);

    /// Cuts holes or closes them in the cells of a rectangle (cells -1 .. columns - 1, held to the raster).
    /// Returns how many cells changed; none leaves the generation as it was.
    std::size_t setHoles(const GridRect& cells, bool hole);

    /// setHoles on every cell whose centre lies in a rect of the world.
    std::size_t setHoles(const Rect& area, bool hole);

    /// 1 for a new raster; every change adds 1.
    std::uint64_t generation() const { return m_generation; }

    /// The texels changed after `generation`, joined (cells count as the texels at their corners); empty
    /// where nothing did, the whole raster where the change is older than the 8 that are remembered or the
    /// generation is not one of this raster's.
    GridRect changedSince(std::uint64_t generation) const;

    /// Bytes held: 4 a texel, and 1 bit a cell once there is a hole.
    std::size_t memoryBytes() const;

  private:
    HeightRaster() = default;
    void fillVoids(std::span<const std::uint8_t> voids);
    bool setHole(int cellX, int cellZ, bool hole);
    void recordChange(const GridRect& texels);

    int m_columns = 0, m_rows = 0;
    Rect m_rect;
    double m_spacingX = 1, m_spacingZ = 1;
    HeightRange m_range;
    Vector<float> m_heights;
    Vector<std::uint64_t> m_holes;  // empty until the first hole
    std::size_t m_holeCount = 0;
    std::uint64_t m_generation = 1;
    static constexpr std::uint64_t kRememberedChanges = 8;
    std::array<GridRect, kRememberedChanges> m_changes{};  // slot generation % 8
};

}  // namespace karst::heightfield
