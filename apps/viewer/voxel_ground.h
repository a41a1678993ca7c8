#pragma once

#include <karst/voxel_sqlite/voxel_store.h>
#include <karst/voxel_stream/thread_mesh_executor.h>
#include <karst/voxel_stream/voxel_streamer.h>

#include "ground.h"
#include "voxel_history.h"

namespace karst::viewer {

/// A world of voxels in a file: meshed around the camera, edited with brushes, saved back.
class VoxelGround final : public Ground {
  public:
    /// Reads all of the file. A file that cannot be written is shown, but not saved.
    static Result<std::unique_ptr<VoxelGround>> open(const std::string& file, const Externals& externals);

    /// Where meshes go from now on; it must outlive the ground, or setSink(nullptr) be called before it goes.
    Result<void> setSink(voxel_stream::MeshSink* sink);

    const std::string& name() const override { return m_name; }
    bool ready() const override { return true; }
    Bounds bounds() const override { return m_bounds; }
    double spacing() const override { return m_grid.placement().cellSize; }
    Result<void> update(const Viewpoint& viewpoint) override;
    bool settled() const override { return m_streamer && m_streamer->settled(); }
    std::optional<GroundHit> castRay(const Ray& ray, double maxT) override;
    Result<std::unique_ptr<GroundColliders>> makeColliders(WorldPosition origin) override;

    std::span<const Tool> tools() const override;
    void beginStroke() override { m_history.begin(m_grid); }
    Result<void> use(const ToolUse& use) override;
    void endStroke() override { m_history.end(m_grid); }
    std::size_t undoCount() const override { return m_history.undoCount(); }
    std::size_t redoCount() const override { return m_history.redoCount(); }
    Result<void> undo() override { return m_history.undo(m_grid); }
    Result<void> redo() override { return m_history.redo(m_grid); }
    std::vector<std::string> materialNames() const override;
    std::string savePath() const override { return m_file; }
    bool unsaved() const override { return m_grid.revision() != m_savedRevision; }
    Result<std::string> save() override;
    /// Into a file that is not there yet.
    Result<std::string> saveAs(const std::string& path) override;
    LevelSettings& levels() override { return m_levels; }
    std::vector<Figure> figures() const override;

    const voxel::Grid& grid() const { return m_grid; }

  private:
    VoxelGround(std::string file, voxel::VoxelStore store, voxel::Grid grid, const Externals& externals);

    std::string m_file, m_name;
    voxel::VoxelStore m_store;
    voxel::Grid m_grid;
    voxel::Revision m_savedRevision;
    Externals m_externals;
    Bounds m_bounds;
    LevelSettings m_levels;
    double m_meshedLevelDistance = 0;  // what the streamer was made with
    VoxelHistory m_history;
    voxel_stream::MeshSink* m_sink = nullptr;
    std::unique_ptr<voxel_stream::ThreadMeshExecutor> m_executor;
    std::optional<voxel_stream::VoxelStreamer> m_streamer;
    voxel_stream::StreamStats m_stats;
    std::uint64_t m_published = 0, m_stale = 0;
    std::uint32_t m_sinceStats = 0;
};

}  // namespace karst::viewer
