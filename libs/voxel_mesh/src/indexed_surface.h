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
    /// Of a triangle of the mesh, in cells of the grid.
    std::array<Vec3d, 3> corners(std::uint32_t triangle) const;

    /// The nearest triangle with 0 <= t <= hit.t; false where there is none, with hit as it was.
    bool cast(const CellRay& ray, bool backFaces, TriangleHit& hit, std::uint32_t& triangle) const;

  private:
    // Cubes from -1 to 31 along each axis, counted from 0, in bricks of 4 x 4 x 4.
    static constexpr int kCubes = voxel::kChunkSize + 1;
    static constexpr int kBricks = (kCubes + 3) / 4;
    static std::size_t brickOf(const int* cube) {
        return static_cast<std::size_t>((cube[1] >> 2) +
                                        kBricks * ((cube[0] >> 2) + kBricks * (cube[2] >> 2)));
    }
    static int bitOf(const int* cube) { return (cube[0] & 3) | (cube[2] & 3) << 2 | (cube[1] & 3) << 4; }
    struct Brick {
        std::uint64_t cubes = 0;   // a bit for each that has triangles
        std::uint32_t before = 0;  // such cubes in earlier bricks
    };
    // The place in m_starts of a cube that has triangles.
    std::size_t placeOf(std::size_t brick, int bit) const;

    std::array<Vec3d, 3> moved(const std::array<Vec3f, 3>& corners) const;

    SurfaceMesh m_mesh;
    voxel::ChunkCoord m_chunk;
    std::vector<Brick> m_bricks;
    std::vector<std::uint32_t> m_starts;  // per cube with triangles, and one more: into m_listed
    std::vector<std::uint32_t> m_listed;  // into m_corners
    // The triangles in the order of their bricks and cubes, so that a ray finds near ones in one place.
    std::vector<std::array<Vec3f, 3>> m_corners;
    std::vector<std::uint32_t> m_triangles;  // which of the mesh each is
    std::array<int, 3> m_min{}, m_max{};     // of such cubes
};

}  // namespace karst::voxel_mesh
