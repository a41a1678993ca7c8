#include <karst/physics/voxel_colliders.h>

#include <utility>

namespace karst::physics {

VoxelColliders::VoxelColliders(std::shared_ptr<TerrainShape> shape,
                               const voxel_mesh::CollisionOptions& options, const Externals& externals)
    : m_shape(std::move(shape)), m_cache(options, externals) {
    const TerrainShapeDefinition& def = m_shape->definition();
    m_cache.setRegion(voxel::CellBox{voxel::firstCell(def.minChunk), voxel::firstCell(def.maxChunk)});
}

Result<VoxelColliderUpdate> VoxelColliders::update(const voxel::Grid& grid) {
    const TerrainShapeDefinition& def = m_shape->definition();
    if (!(grid.placement() == def.voxels)) {
        const voxel::GridPlacement& p = grid.placement();
        return makeError(ErrorCode::InvalidArgument,
                         "voxel colliders: a grid of cells of %g at (%g, %g, %g), the shape has cells of %g "
                         "at (%g, %g, %g)",
                         p.cellSize, p.origin.x, p.origin.y, p.origin.z, def.voxels.cellSize,
                         def.voxels.origin.x, def.voxels.origin.y, def.voxels.origin.z);
    }
    const voxel_mesh::CollisionUpdate changed = m_cache.update(grid);
    VoxelColliderUpdate result;
    result.built = changed.built;
    for (const voxel::ChunkCoord chunk : changed.replaced) {
        if (const auto set = m_shape->setChunk(chunk, m_cache.surface(chunk)); !set) return set.error();
        ++result.replaced;
    }
    return result;
}

TerrainShapeDefinition shapeDefinitionFor(const voxel::GridPlacement& placement,
                                          const voxel::CellBox& cells) {
    TerrainShapeDefinition definition;
    definition.origin = placement.origin;
    definition.voxels = placement;
    if (cells.empty()) return definition;
    const voxel::ChunkCoord low = voxel::chunkOf(cells.min);
    const voxel::ChunkCoord high = voxel::chunkOf({cells.max.x - 1, cells.max.y - 1, cells.max.z - 1});
    definition.minChunk = {low.x - 1, low.y - 1, low.z - 1};
    definition.maxChunk = {high.x + 2, high.y + 2, high.z + 2};
    return definition;
}

}  // namespace karst::physics
