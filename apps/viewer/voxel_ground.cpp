#include "voxel_ground.h"

#include <karst/physics/voxel_colliders.h>
#include <karst/voxel/brushes.h>
#include <karst/voxel/fill_shapes.h>
#include <karst/voxel/occupancy_ray.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <thread>

namespace karst::viewer {

using namespace voxel;

namespace {

// The statistics look at every chunk: not in each frame.
constexpr std::uint32_t kFramesBetweenStats = 15;

class GridColliders final : public GroundColliders {
  public:
    GridColliders(const Grid& grid, std::shared_ptr<physics::TerrainShape> shape, const Externals& externals)
        : m_grid(&grid), m_colliders(std::move(shape), {}, externals) {}

    Result<std::uint32_t> update(std::span<const SolidPlace>) override {
        const auto updated = m_colliders.update(*m_grid);
        if (!updated) return updated.error();
        return updated->replaced;
    }
    const std::shared_ptr<physics::TerrainShape>& shape() const override { return m_colliders.shape(); }
    // All of the ground, always.
    bool solidAt(WorldPosition, double) const override { return true; }
    double reach() const override { return std::numeric_limits<double>::infinity(); }

  private:
    const Grid* m_grid;
    physics::VoxelColliders m_colliders;
};

}  // namespace

VoxelGround::VoxelGround(std::string file, VoxelStore store, Grid grid, const Externals& externals)
    : m_file(std::move(file)),
      m_name(std::filesystem::path(m_file).filename().string()),
      m_store(std::move(store)),
      m_grid(std::move(grid)),
      m_savedRevision(m_grid.revision()),
      m_externals(externals) {
    const CellBox cells = m_grid.snapshot().chunkBounds();
    const GridPlacement& placement = m_grid.placement();
    m_bounds = {placement.cellCorner(cells.min), placement.cellCorner(cells.max)};
    const double cell = placement.cellSize;
    m_levels.hasDistances = true;
    m_levels.levelDistance = cell * 160;
    m_levels.drawDistance = std::max(length(m_bounds.size()) * 2, cell * 256);
}

Result<std::unique_ptr<VoxelGround>> VoxelGround::open(const std::string& file, const Externals& externals) {
    auto store = VoxelStore::open(file);
    if (!store) return store.error();
    auto grid = store->load(externals);
    if (!grid) return grid.error();
    if (grid->chunkCount() == 0) {
        return makeError(ErrorCode::InvalidArgument, "%s: there is no ground in it yet (karst voxel fill)",
                         file.c_str());
    }
    return std::unique_ptr<VoxelGround>(
        new VoxelGround(file, std::move(*store), std::move(*grid), externals));
}

Result<void> VoxelGround::setSink(voxel_stream::MeshSink* sink) {
    m_streamer.reset();
    m_executor.reset();
    m_sink = sink;
    if (!sink) return {};
    m_executor = std::make_unique<voxel_stream::ThreadMeshExecutor>(
        std::max(1u, std::thread::hardware_concurrency() - 1));
    voxel_stream::StreamOptions options;
    const double first = m_levels.levelDistance;
    options.levels.thresholds = {first, first * 2.25, first * 4.7};
    options.levels.hysteresis = first * 0.15;
    options.scanMovement = spacing() * 2;
    options.resultsPerUpdate = 128;
    auto streamer = voxel_stream::VoxelStreamer::create(options, *m_executor, *sink, m_externals);
    if (!streamer) return streamer.error();
    m_streamer.emplace(std::move(*streamer));
    m_meshedLevelDistance = first;
    return {};
}

Result<void> VoxelGround::update(const Viewpoint& viewpoint) {
    if (m_sink && m_meshedLevelDistance != m_levels.levelDistance) {
        if (auto made = setSink(m_sink); !made) return made;
    }
    if (!m_streamer) return {};
    const auto updated = m_streamer->update(m_grid, viewpoint.eye, m_levels.drawDistance);
    if (!updated) return updated.error();
    m_published += updated->published;
    m_stale += updated->stale;
    if (++m_sinceStats >= kFramesBetweenStats) {
        m_stats = m_streamer->stats();
        m_sinceStats = 0;
    }
    return {};
}

std::optional<GroundHit> VoxelGround::castRay(const Ray& ray, double maxT) {
    const double size = length(ray.direction);
    const double most = std::min(maxT * size, spacing() * kMaxRayCells);
    const auto hit = castOccupancyRay(m_grid, ray.origin, ray.direction, most);
    if (!hit || !*hit) return std::nullopt;
    return GroundHit{(*hit)->point, (*hit)->normal, (*hit)->distance};
}

Result<std::unique_ptr<GroundColliders>> VoxelGround::makeColliders(WorldPosition origin) {
    const CellBox cells = m_grid.snapshot().chunkBounds();
    physics::TerrainShapeDefinition definition = physics::shapeDefinitionFor(m_grid.placement(), cells);
    definition.origin = origin;
    auto shape = physics::TerrainShape::create(definition);
    if (!shape) return shape.error();
    return std::unique_ptr<GroundColliders>(std::make_unique<GridColliders>(m_grid, *shape, m_externals));
}

std::span<const Tool> VoxelGround::tools() const {
    static constexpr Tool kTools[] = {Tool::Look, Tool::Dig, Tool::Fill, Tool::Paint, Tool::Smooth};
    return kTools;
}

Result<void> VoxelGround::use(const ToolUse& use) {
    Result<EditSummary> edit = EditSummary{};
    switch (use.tool) {
        case Tool::Dig:
            edit = fillBall(m_grid, use.center, use.radius, kAir);
            break;
        case Tool::Fill:
            edit = fillBall(m_grid, use.center, use.radius, use.material);
            break;
        case Tool::Paint:
            edit = fillBall(m_grid, use.center, use.radius, use.material, FillMode::Paint);
            break;
        case Tool::Smooth:
            edit = brushSmooth(m_grid, {use.center, use.radius, use.strength});
            break;
        case Tool::Look:
        case Tool::Crater:
            return {};
    }
    if (!edit) return edit.error();
    return {};
}

std::vector<std::string> VoxelGround::materialNames() const {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < m_grid.materials().size(); ++i)
        names.push_back(m_grid.materials()[static_cast<MaterialId>(i)].name);
    return names;
}

Result<std::string> VoxelGround::save() {
    auto saved = m_store.save(m_grid);
    if (!saved) return saved.error();
    m_savedRevision = m_grid.revision();
    return "saved " + std::to_string(saved->written + saved->removed) + " chunks in " + m_file;
}

Result<std::string> VoxelGround::saveAs(const std::string& path) {
    std::error_code code;
    if (std::filesystem::exists(path, code) && std::filesystem::equivalent(path, m_file, code)) return save();
    auto store = VoxelStore::create(path, m_grid.placement(), m_grid.materials());
    if (!store) return store.error();
    const auto saved = store->save(m_grid);
    if (!saved) {
        // Nobody else's: it was not there before.
        store = saved.error();
        std::filesystem::remove(path, code);
        return saved.error();
    }
    m_store = std::move(*store);
    m_savedRevision = m_grid.revision();
    m_file = path;
    m_name = std::filesystem::path(path).filename().string();
    return "saved " + std::to_string(saved->written) + " chunks in " + m_file;
}

std::vector<Figure> VoxelGround::figures() const {
    const auto level = [&](std::size_t i) { return static_cast<double>(m_stats.levels[i]); };
    return {{"chunks shown", static_cast<double>(m_stats.shown), ""},
            {"at level 0", level(0), ""},
            {"at level 1", level(1), ""},
            {"at level 2", level(2), ""},
            {"at level 3", level(3), ""},
            {"meshes queued", static_cast<double>(m_stats.queued), ""},
            {"meshes under way", static_cast<double>(m_stats.underWay), ""},
            {"meshes published", static_cast<double>(m_published), "in all"},
            {"meshes outdated", static_cast<double>(m_stale), "in all"},
            {"MiB of cells", static_cast<double>(m_grid.memoryBytes()) / (1 << 20), ""}};
}

}  // namespace karst::viewer
