#pragma once

#include <karst/base/function_ref.h>
#include <karst/base/math.h>
#include <karst/voxel/cell.h>
#include <karst/voxel_mesh/collision_ray.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace karst::voxel_mesh {

/// A closed box in the space of a collision surface: cells, from the chunk's first corner.
struct LocalBox {
    Vec3f min, max;
};

/// A triangle of a collision surface, counter-clockwise seen from the air.
struct CollisionTriangle {
    std::array<std::uint16_t, 3> vertices{};
    /// Bit i: the edge from vertex i to vertex (i + 1) % 3 is one that a body may catch on: the ground bends
    /// outwards there by more than the builder's angle, or there is no triangle beyond it. Also right where
    /// the neighbour is another chunk's.
    std::uint8_t activeEdges = 0;
    bool operator==(const CollisionTriangle&) const = default;
};
static_assert(sizeof(CollisionTriangle) == 8);

/// The solid surface that one chunk owns at full detail, made for contacts and rays: vertices shared by all
/// their triangles, regular flat patches reduced to fans, edges marked. Vertices are multiples of 2^-16 cell,
/// the same to the bit as the neighbour's after adding whole chunk sizes. Immutable and shared; readable from
/// any thread.
class CollisionSurface {
  public:
    struct Data {
        voxel::ChunkCoord chunk;
        std::vector<Vec3f> vertices;  ///< in cells, from the chunk's first corner; at most 65536
        std::vector<CollisionTriangle> triangles;
    };
    /// Sorts nothing: triangle i stays triangle i. The first query builds what queries walk.
    explicit CollisionSurface(Data data);
    ~CollisionSurface();

    voxel::ChunkCoord chunk() const { return m_data.chunk; }
    std::span<const Vec3f> vertices() const { return m_data.vertices; }
    std::span<const CollisionTriangle> triangles() const { return m_data.triangles; }
    /// Around all vertices; may reach up to one cell outside of the chunk.
    const LocalBox& bounds() const { return m_bounds; }
    /// With what queries have built by now.
    std::size_t memoryBytes() const;

    /// Calls `visit` with the index of each triangle whose bounding box meets `box`, each once, in rising
    /// order.
    void trianglesInBox(const LocalBox& box, FunctionRef<void(std::uint32_t triangle)> visit) const;

    struct Hit {
        double t = 0;  ///< in lengths of the direction
        std::uint32_t triangle = 0;
    };
    /// The first triangle that origin + t * direction, 0 <= t <= maxT, meets from either side. Watertight: no
    /// ray slips through along an edge or at a vertex.
    bool castRay(Vec3d origin, Vec3d direction, double maxT, Hit& hit) const;
    /// The same for a ray that is cast at several surfaces.
    bool castRay(const CollisionRay& ray, Vec3d origin, double maxT, Hit& hit) const;

  private:
    struct Blocks;
    const Blocks& blocks() const {
        const Blocks* built = m_blocks.load(std::memory_order_acquire);
        return built != nullptr ? *built : buildBlocks();
    }
    const Blocks& buildBlocks() const;

    Data m_data;
    LocalBox m_bounds;
    mutable std::atomic<const Blocks*> m_blocks{nullptr};
};

/// Null stands for a chunk without a surface.
using CollisionSurfacePtr = std::shared_ptr<const CollisionSurface>;

}  // namespace karst::voxel_mesh
