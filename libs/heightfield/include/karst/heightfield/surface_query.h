#pragma once

#include <karst/base/externals.h>
#include <karst/base/ray.h>
#include <karst/heightfield/height_ray.h>
#include <karst/heightfield/surface.h>

#include <cstddef>
#include <limits>
#include <memory>
#include <optional>
#include <span>

namespace karst::heightfield {

// Queries of a snapshot (spec row H27), in the terrain's local space. A height is that of the two triangles
// of height_triangle.h in the cell around the point; on a line between cells, that of the cell towards +X and
// +Z. Nothing outside the ground (layout.groundRect()), in a hole, or where x or z is not finite.

/// Height at the surface's collision level; nothing where that level is not resident.
std::optional<double> heightAt(const Surface& surface, double x, double z);

/// Height of the finest resident tile at the point, whatever its level; nothing where there is none.
std::optional<double> residentHeightAt(const Surface& surface, double x, double z);

struct SurfacePoint {
    double x = 0, z = 0;
};

struct SurfaceHit : RayHit {
    TileKey tile;  ///< cellX and cellZ are this tile's, 0 .. tileCells - 1
    /// The ray went through the gap that tiles of different levels leave between them. The cell and its
    /// normal are those of the tile beyond the border.
    bool atBorder = false;
};

/// A snapshot made ready for many queries: the tiles as a tree with the range of the heights below each node,
/// and inside each tile that is the finest anywhere, ranges of blocks of cells. About 0.3 bytes a sample.
///
/// Each point belongs to its finest resident tile: of a tile, the quadrants without a resident child. A ray
/// meets that surface exactly: it is followed from cell to cell, each border evaluated once, so no ray slips
/// through between two cells or along an edge. Tiles of different levels meet with gaps, as stored, which
/// drawing closes; a ray whose side of the ground changes across such a border hits the border there, unless
/// a hole touches it. Ranges come from the samples, not from the tiles' own bounds.
///
/// Immutable, cheap to copy (shared). Threads: const members from any.
/// Source: spec row H27; the walk is the hierarchical one of Tevs, Ihrke, Seidel: Maximum Mipmaps for Fast,
/// Accurate, and Scalable Dynamic Height Field Rendering (2008).
class SurfaceIndex {
  public:
    SurfaceIndex() = default;  ///< of an empty surface: answers nothing
    /// `previous`, an index of another snapshot, lends what it has of tiles that are the same objects. The
    /// externals' job system is used here.
    explicit SurfaceIndex(const Surface& surface, const SurfaceIndex* previous = nullptr,
                          const Externals& externals = {});

    /// The snapshot, which stays alive with the index.
    Surface surface() const;

    /// The same as the functions above, faster.
    std::optional<double> heightAt(double x, double z) const { return present(heightOrNaN(x, z)); }
    std::optional<double> residentHeightAt(double x, double z) const {
        return present(residentHeightOrNaN(x, z));
    }
    /// The same, NaN where they answer nothing.
    double heightOrNaN(double x, double z) const;
    double residentHeightOrNaN(double x, double z) const;

    /// heightAt of many points, bit for bit, NaN where that answers nothing. Faster than one by one where the
    /// points lie far apart: memory is read ahead. As many heights as points (asserted).
    void heightsAt(std::span<const SurfacePoint> points, std::span<double> heights) const;

    /// The first point, at t in 0..maxT, where a ray meets the finest resident surface. The status is
    /// InvalidRay where a number of the ray is not finite, its direction is zero, or maxT is NaN or negative.
    SurfaceHit castRay(const Ray& ray, double maxT = std::numeric_limits<double>::infinity()) const;

    /// castRay of many rays, bit for bit. Faster than one by one where they lie far apart: rays take their
    /// steps in turns, and memory is read ahead. As many hits as rays (asserted).
    void castRays(std::span<const Ray> rays, std::span<SurfaceHit> hits,
                  double maxT = std::numeric_limits<double>::infinity()) const;

    /// Bytes held beside the tiles.
    std::size_t memoryBytes() const;
    /// Tiles whose blocks were made for this index, not taken from a previous one.
    std::size_t builtTiles() const;

    struct State;

  private:
    // In the caller, where it costs nothing: an optional that is returned goes through memory, and the next
    // query would wait until this one's samples have come.
    static std::optional<double> present(double height) {
        return height == height ? std::optional<double>(height) : std::nullopt;
    }

    std::shared_ptr<const State> m_state;
};

}  // namespace karst::heightfield
