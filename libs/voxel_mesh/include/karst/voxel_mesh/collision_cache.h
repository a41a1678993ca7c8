#pragma once

#include <karst/base/externals.h>
#include <karst/base/function_ref.h>
#include <karst/voxel/grid.h>
#include <karst/voxel_mesh/collision_builder.h>

#include <map>
#include <mutex>
#include <optional>
#include <vector>

namespace karst::voxel_mesh {

struct CollisionUpdate {
    /// Everything was built anew: another grid, or one that the cache fell too far behind of.
    bool fullRefresh = false;
    std::uint32_t built = 0;  ///< chunks that were looked at
    /// Chunks whose surface is another object now, or none any more; in the order of ChunkCoord. All others
    /// kept theirs.
    std::vector<voxel::ChunkCoord> replaced;
};

/// The collision surfaces of a grid, kept in step with its edits: one surface for each chunk that has one.
/// They are current when update() returns, whatever the drawn meshes are at. Threads: one at a time; the
/// surfaces themselves are immutable and shared. Source: spec rows V24 and V27.
class CollisionCache {
  public:
    /// More affected chunks than this are built in parallel, on the externals' job system.
    static constexpr std::size_t kParallelFrom = 9;

    explicit CollisionCache(const CollisionOptions& options = {}, const Externals& externals = {});
    ~CollisionCache();

    /// Only chunks that meet `cells` get surfaces from the next update() on; nothing is all of them, which is
    /// the default.
    void setRegion(std::optional<voxel::CellBox> cells);

    /// Builds what the grid's edits since the last call may have changed, before it returns. A chunk whose
    /// surface comes out the same keeps its object. The result does not depend on the number of workers.
    CollisionUpdate update(const voxel::Grid& grid);

    const voxel::GridGeneration& generation() const { return m_generation; }
    voxel::Revision revision() const { return m_revision; }
    /// Null where the chunk has none.
    CollisionSurfacePtr surface(voxel::ChunkCoord chunk) const;
    std::size_t size() const { return m_surfaces.size(); }
    /// In the order of ChunkCoord.
    void forEach(FunctionRef<void(const CollisionSurfacePtr&)> visit) const;

  private:
    bool wanted(voxel::ChunkCoord chunk) const;
    std::vector<CollisionSurfacePtr> buildAll(const voxel::GridSnapshot& snapshot,
                                              const std::vector<voxel::ChunkCoord>& chunks);
    std::unique_ptr<CollisionBuilder> takeBuilder();
    void giveBuilder(std::unique_ptr<CollisionBuilder> builder);

    CollisionOptions m_options;
    Externals m_externals;
    std::optional<voxel::CellBox> m_region;
    bool m_regionChanged = false;
    voxel::GridGeneration m_generation;
    voxel::Revision m_revision = 0;
    std::map<voxel::ChunkCoord, CollisionSurfacePtr> m_surfaces;
    std::mutex m_buildersMutex;
    std::vector<std::unique_ptr<CollisionBuilder>> m_builders;
};

}  // namespace karst::voxel_mesh
