#pragma once

#include <karst/physics/terrain_shape.h>
#include <karst/voxel/grid.h>
#include <karst/voxel_mesh/collision_cache.h>

#include <cstdint>
#include <memory>

namespace karst::physics {

struct VoxelColliderUpdate {
    std::uint32_t built = 0;     ///< chunks whose surface was made anew
    std::uint32_t replaced = 0;  ///< slots that hold another surface now; all others kept theirs
};

/// Keeps the chunk slots of a terrain shape in step with a grid. When update() returns, rays and bodies meet
/// the grid as it is: nothing of it waits for the drawn meshes. Chunks without a slot in the shape's lattice
/// are no collider. One static body holds the shape; identities of surfaces are compared, and only slots
/// whose surface is another object are replaced.
/// Threads: one at a time, the one that may set the shape's slots.
/// Source: spec rows V24, V27, V28.
class VoxelColliders {
  public:
    /// The shape's definition must have the grid's placement.
    explicit VoxelColliders(std::shared_ptr<TerrainShape> shape,
                            const voxel_mesh::CollisionOptions& options = {},
                            const Externals& externals = {});

    /// InvalidArgument, with nothing changed, for a grid of another placement.
    Result<VoxelColliderUpdate> update(const voxel::Grid& grid);

    const std::shared_ptr<TerrainShape>& shape() const { return m_shape; }
    const voxel_mesh::CollisionCache& cache() const { return m_cache; }

  private:
    std::shared_ptr<TerrainShape> m_shape;
    voxel_mesh::CollisionCache m_cache;
};

/// A definition whose chunk lattice has room for the chunks of `cells`, and for one more on each side, into
/// which a surface may reach. The origin is the grid's.
TerrainShapeDefinition shapeDefinitionFor(const voxel::GridPlacement& placement, const voxel::CellBox& cells);

}  // namespace karst::physics
