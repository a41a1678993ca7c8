#pragma once

// A chunk's full-detail surface with its triangles listed by the cubes that they may touch, for rays.

#include <karst/base/math.h>
#include <karst/voxel/cell.h>
#include <karst/voxel_mesh/surface_vertex.h>

#include <array>
#include <cstdint>
#include <vector>

namespace karst::voxel_mesh {

/// A ray in cells of the grid, and what is made of it once. The largest component of the direction is 1 to 2.
struct CellRay {
    CellRay(Vec3d start, Vec3d along);

    std::array<double, 3> origin, direction;
    /// 1 / direction; 0 where the direction is so small that the ray stays where it is along the axis.
    std::array<double, 3> inverse;
    /// The frame in which the ray runs along the third axis at unit speed: which axes these are, and how far
    /// the first two shift per step of the third.
    std::array<int, 3> axes;
    double shearX, shearY, scaleZ;

    /// Clips low <= t <= high to a box; false where nothing is left.
    bool clip(const std::array<double, 3>& boxMin, const std::array<double, 3>& boxMax, double& low,
              double& high) const;
};

struct TriangleHit {
    double t = 0;
    std::array<double, 3> weights{};  ///< of the three corners, sum 1
    bool back = false;
};

/// Whether a ray, in both directions, meets a triangle whose corners are given in cells of the grid.
bool meetsTriangle(const CellRay& ray, const std::array<Vec3d, 3>& corners, TriangleHit& hit);

class IndexedSurface {
  public:
    IndexedSurface(SurfaceMesh mesh, voxel::ChunkCoord chunk);

    const SurfaceMesh& mesh() const { return m_mesh; }
    voxel::ChunkCoord chunk() const { return m_chunk; }
    std::array<Vec3d, 3> corners(std::uint32_t triangle) const;

    /// The nearest triangle with 0 <= t <= hit.t; false where there is none, with hit as it was.
    bool cast(const CellRay& ray, bool backFaces, TriangleHit& hit, std::uint32_t& triangle) const;

  private:
    // Cubes from -1 to 31 along each axis, counted from 0.
    static constexpr int kCubes = voxel::kChunkSize + 1;
    struct Row {
        std::uint64_t cubes = 0;   // those of the row that have triangles
        std::uint32_t before = 0;  // such cubes in earlier rows
    };

    SurfaceMesh m_mesh;
    voxel::ChunkCoord m_chunk;
    std::vector<Row> m_rows;              // [y * kCubes + z]
    std::vector<std::uint32_t> m_starts;  // per cube with triangles, and one more: into m_triangles
    std::vector<std::uint32_t> m_triangles;
};

}  // namespace karst::voxel_mesh
