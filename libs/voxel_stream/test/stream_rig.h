#pragma once

// What the tests of voxel_stream share: small grounds, a scripted executor, a fake clock, and a sink that
// compares all it is shown with meshes made afresh.

#include <gtest/gtest.h>
#include <karst/voxel/grid.h>
#include <karst/voxel_mesh/chunk_surface.h>
#include <karst/voxel_mesh/skirt.h>
#include <karst/voxel_mesh/water_mesh.h>
#include <karst/voxel_stream/voxel_streamer.h>
#include <karst_test/test_support.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <vector>

namespace karst::voxel_stream {

using voxel::Cell;
using voxel::CellBox;
using voxel::CellCoord;
using voxel::ChunkCoord;

namespace rig {

inline constexpr voxel::MaterialId kWater = 1, kRock = 4;

inline voxel::Grid makeGrid(double cellSize = 1, WorldPosition origin = {}) {
    voxel::GridDefinition definition;
    definition.placement = {cellSize, origin};
    return std::move(voxel::Grid::create(definition)).value();
}

inline void fill(voxel::Grid& grid, const CellBox& box, const std::function<Cell(CellCoord)>& cell) {
    const auto edited = grid.edit(box, [&](const voxel::EditBlock& block) {
        for (int y = block.box.min.y; y < block.box.max.y; ++y) {
            for (int z = block.box.min.z; z < block.box.max.z; ++z) {
                for (int x = block.box.min.x; x < block.box.max.x; ++x)
                    block.at({x, y, z}) = cell({x, y, z});
            }
        }
    });
    ASSERT_TRUE(edited.ok());
}

/// Hills around y = 0 on chunks -half .. half - 1 in x and z, with lakes below y = -3.
inline voxel::Grid hills(int half, double cellSize = 1, WorldPosition origin = {}) {
    voxel::Grid grid = makeGrid(cellSize, origin);
    const int reach = 32 * half;
    std::vector<double> heights(static_cast<std::size_t>(4 * reach * reach));
    const auto at = [&](int x, int z) -> double& {
        return heights[static_cast<std::size_t>((x + reach) + 2 * reach * (z + reach))];
    };
    for (int z = -reach; z < reach; ++z) {
        for (int x = -reach; x < reach; ++x)
            at(x, z) = 7 * std::sin(0.11 * x) * std::cos(0.09 * z) + 2 * std::sin(0.31 * x + 0.17 * z);
    }
    fill(grid, {{-reach, -16, -reach}, {reach, 16, reach}}, [&](CellCoord c) {
        const double filled = std::clamp(at(c.x, c.z) - c.y, 0.0, 1.0);
        if (filled > 0.0) return Cell{kRock, static_cast<std::uint8_t>(std::lround(255 * filled))};
        return c.y < -3 ? Cell{kWater, 255} : c.y == -3 ? Cell{kWater, 128} : Cell{};
    });
    return grid;
}

inline void ball(voxel::Grid& grid, CellCoord at, int radius, Cell cell) {
    const CellBox box{{at.x - radius, at.y - radius, at.z - radius},
                      {at.x + radius + 1, at.y + radius + 1, at.z + radius + 1}};
    const voxel::GridSnapshot before = grid.snapshot();
    fill(grid, box, [&](CellCoord c) {
        const int dx = c.x - at.x, dy = c.y - at.y, dz = c.z - at.z;
        return dx * dx + dy * dy + dz * dz <= radius * radius ? cell : before.cell(c);
    });
}

class FakeClock final : public Clock {
  public:
    std::uint64_t nowNanoseconds() const override { return now; }
    std::uint64_t now = 1;
};

/// Holds batches until the test runs them.
class ScriptedExecutor final : public MeshExecutor {
  public:
    std::uint32_t freeSlots() override {
        return slots > held.size() ? static_cast<std::uint32_t>(slots - held.size()) : 0;
    }
    void start(std::shared_ptr<MeshBatch> batch) override {
        largest = std::max(largest, batch->requests().size());
        for (const MeshRequest& request : batch->requests())
            started.push_back(request);
        held.push_back(std::move(batch));
        mostHeld = std::max(mostHeld, held.size());
    }
    void run(std::size_t place) {
        const std::shared_ptr<MeshBatch> batch = held[place];
        held.erase(held.begin() + static_cast<std::ptrdiff_t>(place));
        batch->run();
    }
    void runAll() {
        while (!held.empty())
            run(0);
    }

    std::size_t slots = 4;
    std::vector<std::shared_ptr<MeshBatch>> held;
    std::vector<MeshRequest> started;
    std::size_t largest = 0, mostHeld = 0;
};

/// A sink that fails the test where a mesh is not the present one of the grid.
class CheckingSink final : public MeshSink {
  public:
    struct Shown {
        int level = 0;
        voxel_mesh::SurfaceMesh solid;
        voxel_mesh::WaterMesh water;
    };

    explicit CheckingSink(const voxel::Grid& checked) : grid(&checked) {}

    void show(ChunkCoord chunk, int level, const voxel_mesh::SurfaceMesh* solid,
              const voxel_mesh::WaterMesh* water) override {
        ++calls;
        lastVertices = solid != nullptr ? solid->vertices.data() : nullptr;
        Shown& entry = shown[chunk];
        entry.level = level;
        if (solid != nullptr) {
            entry.solid = *solid;
            ++solids;
        }
        if (water != nullptr) {
            entry.water = *water;
            ++waters;
        }
        if (!checking) return;
        const voxel::GridSnapshot snapshot = grid->snapshot();
        if (solid != nullptr) expectSolid(snapshot, chunk, entry);
        if (water != nullptr) expectWater(snapshot, chunk, entry);
        if (onShow) onShow(chunk);
    }
    void drop(ChunkCoord chunk) override {
        ++drops;
        EXPECT_EQ(shown.erase(chunk), 1u) << "dropped what was not shown";
    }

    voxel_mesh::SurfaceMesh freshSolid(const voxel::GridSnapshot& snapshot, ChunkCoord chunk, int level,
                                       bool skirt = true) {
        voxel_mesh::SurfaceMesh mesh;
        m_mesher.build(snapshot, chunk, level, mesh);
        if (skirt) voxel_mesh::appendSkirt(mesh);
        return mesh;
    }
    voxel_mesh::WaterMesh freshWater(const voxel::GridSnapshot& snapshot, ChunkCoord chunk) {
        voxel_mesh::WaterMesh mesh;
        m_water.build(snapshot, chunk, mesh);
        return mesh;
    }
    void expectSolid(const voxel::GridSnapshot& snapshot, ChunkCoord chunk, const Shown& entry) {
        const voxel_mesh::SurfaceMesh fresh = freshSolid(snapshot, chunk, entry.level);
        EXPECT_TRUE(fresh.vertices == entry.solid.vertices && fresh.indices == entry.solid.indices)
            << "stale solid at " << chunk.x << " " << chunk.y << " " << chunk.z << " level " << entry.level;
    }
    void expectWater(const voxel::GridSnapshot& snapshot, ChunkCoord chunk, const Shown& entry) {
        const voxel_mesh::WaterMesh fresh = freshWater(snapshot, chunk);
        EXPECT_TRUE(fresh.vertices == entry.water.vertices && fresh.indices == entry.water.indices)
            << "stale water at " << chunk.x << " " << chunk.y << " " << chunk.z;
    }

    /// What is shown is what meshing afresh gives: exactly the chunks of `levels` that have something.
    void expectFresh(const std::map<ChunkCoord, int>& levels) {
        const voxel::GridSnapshot snapshot = grid->snapshot();
        std::size_t expected = 0;
        for (const auto& [chunk, level] : levels) {
            const bool something =
                !freshSolid(snapshot, chunk, level).empty() || !freshWater(snapshot, chunk).empty();
            const auto found = shown.find(chunk);
            ASSERT_EQ(found != shown.end(), something)
                << "at " << chunk.x << " " << chunk.y << " " << chunk.z << " level " << level;
            if (!something) continue;
            ++expected;
            if (!found->second.solid.empty()) {
                EXPECT_EQ(found->second.level, level);
            }
            found->second.level = level;
            expectSolid(snapshot, chunk, found->second);
            expectWater(snapshot, chunk, found->second);
        }
        EXPECT_EQ(shown.size(), expected);
    }

    const voxel::Grid* grid;
    bool checking = true;
    std::function<void(ChunkCoord)> onShow;
    std::map<ChunkCoord, Shown> shown;
    std::size_t calls = 0, solids = 0, waters = 0, drops = 0;
    const void* lastVertices = nullptr;

  private:
    voxel_mesh::ChunkMesher m_mesher;
    voxel_mesh::WaterMesher m_water;
};

/// Chunks that may have something to show, all looked at: (surface, water).
inline std::map<ChunkCoord, std::pair<bool, bool>> candidatesOf(const voxel::GridSnapshot& grid) {
    std::map<ChunkCoord, std::pair<bool, bool>> out;
    for (const ChunkCoord chunk : voxel_mesh::meshCandidates(grid))
        out[chunk].first = true;
    grid.forEachChunk([&](ChunkCoord c, const voxel::Chunk& chunk) {
        const auto isWater = [](const Cell& cell) { return cell.material == kWater; };
        const auto cells = chunk.cells();
        if (chunk.uniform() ? !isWater(chunk.uniformCell())
                            : std::none_of(cells.begin(), cells.end(), isWater))
            return;
        for (int dz = -1; dz <= 1; ++dz) {
            for (int dx = -1; dx <= 1; ++dx)
                out[{c.x + dx, c.y, c.z + dz}].second = true;
        }
    });
    return out;
}

/// The residency rules, told simply: every chunk is looked at in every scan.
class Model {
  public:
    explicit Model(const StreamOptions& o) : options(o) {}

    void update(const voxel::Grid& grid, WorldPosition camera, double drawDistance) {
        transitions = 0;
        const bool changed = grid.generation() != m_generation || grid.revision() != m_revision;
        scanned = changed || drawDistance != m_drawDistance || !settled ||
                  length(camera - m_settledAt) >= options.scanMovement;
        if (!scanned) return;
        const auto old = candidates;
        const voxel::GridChanges changes = grid.changesSince(m_generation, m_revision);
        if (changed) candidates = candidatesOf(grid.snapshot());
        m_generation = grid.generation();
        m_revision = grid.revision();
        m_drawDistance = drawDistance;
        std::array<std::vector<ChunkCoord>, 4> reached;
        for (int level = 0; level < 4 && changed && !changes.fullRefresh; ++level)
            reached[static_cast<std::size_t>(level)] = voxel::invalidatedChunks(changes, level);
        const auto reaches = [&](ChunkCoord chunk, int level) {
            const auto& chunks = reached[static_cast<std::size_t>(level)];
            return std::binary_search(chunks.begin(), chunks.end(), chunk);
        };
        const double edge = chunkEdge(grid.placement());
        std::vector<std::pair<double, ChunkCoord>> wishes;
        std::map<ChunkCoord, int> next;
        for (const auto& [chunk, kinds] : candidates) {
            const double distance = chunkDistance(grid.placement(), chunk, camera);
            const auto had = levels.find(chunk);
            const bool wanted = distance <= drawDistance + options.preloadEdges * edge;
            if (had == levels.end()) {
                if (wanted) next[chunk] = nominalLevel(options.levels, distance);
                continue;
            }
            bool edited = changed && changes.fullRefresh;
            if (changed && !edited) {
                const auto before = old.find(chunk);
                const bool solid = kinds.first || (before != old.end() && before->second.first);
                const bool water = kinds.second || (before != old.end() && before->second.second);
                // Level 2 reaches as far as water meshes read, and further.
                edited = (solid && reaches(chunk, had->second)) || (water && reaches(chunk, 2));
            }
            if (distance > drawDistance + options.keepEdges * edge || (edited && !wanted)) continue;
            next[chunk] = had->second;
            if (wanted && kinds.first && nextLevel(options.levels, distance, had->second) != had->second)
                wishes.push_back({distance, chunk});
        }
        std::sort(wishes.begin(), wishes.end());
        settled = wishes.size() <= options.transitionsPerScan;
        if (!settled) wishes.resize(options.transitionsPerScan);
        for (const auto& [distance, chunk] : wishes)
            next[chunk] = nextLevel(options.levels, distance, next[chunk]);
        transitions = wishes.size();
        levels = std::move(next);
        if (settled) m_settledAt = camera;
    }

    StreamOptions options;
    std::map<ChunkCoord, std::pair<bool, bool>> candidates;
    std::map<ChunkCoord, int> levels;
    bool settled = false, scanned = false;
    std::size_t transitions = 0;

  private:
    voxel::GridGeneration m_generation;
    voxel::Revision m_revision = 0;
    double m_drawDistance = -1;
    WorldPosition m_settledAt{};
};

/// Everything of a stream over one grid.
struct Rig {
    explicit Rig(voxel::Grid ground, const StreamOptions& o = {}) : grid(std::move(ground)), options(o) {
        externals.clock = &clock;
        streamer.emplace(std::move(VoxelStreamer::create(options, executor, sink, externals)).value());
    }
    StreamUpdate update(WorldPosition camera, double drawDistance) {
        return streamer->update(grid, camera, drawDistance).value();
    }
    /// Updates and runs everything until nothing is left to do.
    void settle(WorldPosition camera, double drawDistance) {
        for (int i = 0; i < 2000; ++i) {
            update(camera, drawDistance);
            if (streamer->settled()) return;
            executor.runAll();
        }
        FAIL() << "does not settle";
    }

    voxel::Grid grid;
    StreamOptions options;
    FakeClock clock;
    Externals externals;
    ScriptedExecutor executor;
    CheckingSink sink{grid};
    std::optional<VoxelStreamer> streamer;
};

/// Thresholds for grids of cells of 1 unit.
inline StreamOptions smallOptions() {
    StreamOptions options;
    options.levels.thresholds = {40, 90, 150};
    options.levels.hysteresis = 6;
    return options;
}

}  // namespace rig
}  // namespace karst::voxel_stream
