#include "surface_checks.h"

#include <karst/voxel_mesh/field_sampling.h>

#include <gtest/gtest.h>

namespace karst::voxel_mesh {
namespace {

using voxel::Cell;
using voxel::CellCoord;
using voxel::ChunkCoord;
using voxel::GridSnapshot;
using voxel::MaterialId;

// Chunks of every kind around a corner of eight: absent, uniform (solid, water, thin) and mixed, smooth and
// noisy.
voxel::Grid patchwork(std::uint64_t seed, const voxel::GridDefinition& definition = {}) {
    voxel::Grid grid = std::move(voxel::Grid::create(definition)).value();
    test::Random random(seed);
    const int last = static_cast<int>(grid.materials().size()) - 1;
    for (int y = -2; y <= 1; ++y) {
        for (int z = -2; z <= 1; ++z) {
            for (int x = -2; x <= 1; ++x) {
                const int kind = random.integer(0, 5);
                if (kind == 0) continue;
                const Cell whole{static_cast<MaterialId>(random.integer(1, last)),
                                 static_cast<std::uint8_t>(random.integer(1, 255))};
                const double tilt = random.range(-1, 1), height = random.range(8, 24);
                fill(grid, voxel::chunkBox({x, y, z}), [&](CellCoord c) {
                    if (kind <= 2) return whole;
                    if (kind == 3) {
                        return Cell{static_cast<MaterialId>(random.integer(0, last)),
                                    static_cast<std::uint8_t>(random.integer(0, 255))};
                    }
                    const double below = height + tilt * ((c.x & 31) - 16) - (c.y & 31);
                    if (below <= 0) return kind == 4 ? Cell{} : Cell{kWater, 200};
                    return Cell{below < 2 ? kSnow : kRock,
                                static_cast<std::uint8_t>(std::clamp(below * 255, 0.0, 255.0))};
                });
            }
        }
    }
    return grid;
}

struct Field {
    explicit Field(int fieldLevel) : level(fieldLevel), size(samplesPerAxis(level)), stride(size + 4) {
        samples.resize(static_cast<std::size_t>(stride * stride * stride), 77);
        materials = water = samples;
    }
    std::size_t at(int x, int y, int z) const {
        return static_cast<std::size_t>((x + 2) + stride * ((z + 2) + stride * (y + 2)));
    }
    int level, size, stride;
    std::vector<std::uint8_t> samples, materials, water;
    FieldContent content = FieldContent::AllAir;
};

Field sample(const GridSnapshot& grid, ChunkCoord chunk, int level, const MaterialVote& vote = {}) {
    Field field(level);
    field.content = samplePaddedField(grid, chunk, level, field.samples, field.materials, field.water, vote);
    return field;
}

// The rules of the header, cell by cell.
class Model {
  public:
    Model(const GridSnapshot& grid, ChunkCoord chunk, int level)
        : m_grid(grid), m_first(voxel::firstCell(chunk)), m_edge(1 << level) {}

    int solidOf(CellCoord c) const { return m_grid.materials().solidOccupancy(m_grid.cell(c)); }

    template <class Visit>
    void forEachCell(int x, int y, int z, Visit visit) const {
        for (int dy = 0; dy < m_edge; ++dy) {
            for (int dz = 0; dz < m_edge; ++dz) {
                for (int dx = 0; dx < m_edge; ++dx) {
                    visit(CellCoord{m_first.x + x * m_edge + dx, m_first.y + y * m_edge + dy,
                                    m_first.z + z * m_edge + dz});
                }
            }
        }
    }
    int mean(int x, int y, int z, bool water) const {
        long sum = 0;
        forEachCell(x, y, z, [&](CellCoord c) {
            sum += water ? m_grid.materials().waterOccupancy(m_grid.cell(c)) : solidOf(c);
        });
        const long count = m_edge * m_edge * m_edge;
        return static_cast<int>((2 * sum + count) / (2 * count));
    }
    bool touchesMixedCube(int x, int y, int z) const {
        for (int corner = 0; corner < 8; ++corner) {
            const int cx = x - (corner & 1), cy = y - (corner >> 1 & 1), cz = z - (corner >> 2);
            int solid = 0;
            for (int k = 0; k < 8; ++k)
                solid += mean(cx + (k & 1), cy + (k >> 1 & 1), cz + (k >> 2), false) >= 128 ? 1 : 0;
            if (solid != 0 && solid != 8) return true;
        }
        return false;
    }
    // Votes by material; the last slot counts exposed voters.
    std::array<long, 257> votes(int x, int y, int z, const MaterialVote& vote, bool inside) const {
        std::array<long, 257> out{};
        const CellCoord low{m_first.x + x * m_edge, m_first.y + y * m_edge, m_first.z + z * m_edge};
        const voxel::CellBox block{low, {low.x + m_edge, low.y + m_edge, low.z + m_edge}};
        forEachCell(x, y, z, [&](CellCoord c) {
            const int occupancy = solidOf(c);
            if (occupancy == 0) return;
            bool exposed = false;
            for (const CellCoord next :
                 {CellCoord{c.x - 1, c.y, c.z}, CellCoord{c.x + 1, c.y, c.z}, CellCoord{c.x, c.y - 1, c.z},
                  CellCoord{c.x, c.y + 1, c.z}, CellCoord{c.x, c.y, c.z - 1}, CellCoord{c.x, c.y, c.z + 1}}) {
                if ((!inside || block.contains(next)) && solidOf(next) < 128) exposed = true;
            }
            if (exposed) ++out[256];
            if (exposed || !inside)
                out[m_grid.cell(c).material] += occupancy * (exposed ? vote.exposed : vote.buried);
        });
        return out;
    }
    MaterialId material(int x, int y, int z, const MaterialVote& vote) const {
        const auto best = [](const std::array<long, 257>& v) {
            return static_cast<MaterialId>(std::max_element(v.begin(), v.begin() + 256) - v.begin());
        };
        const std::array<long, 257> own = votes(x, y, z, vote, false);
        if (own[256] != 0 || mean(x, y, z, false) < 128) return best(own);
        std::array<long, 257> borrowed{};
        const int faces[6][3] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
        for (const auto& f : faces) {
            if (mean(x + f[0], y + f[1], z + f[2], false) >= 128) continue;
            const auto theirs = votes(x + f[0], y + f[1], z + f[2], vote, true);
            for (std::size_t i = 0; i < 256; ++i)
                borrowed[i] += theirs[i];
        }
        if (best(borrowed) == voxel::kAir) {
            for (int k = 0; k < 27; ++k) {
                const auto theirs = votes(x + k / 9 - 1, y + k / 3 % 3 - 1, z + k % 3 - 1, vote, true);
                for (std::size_t i = 0; i < 256; ++i)
                    borrowed[i] += theirs[i];
            }
        }
        return best(borrowed) != voxel::kAir ? best(borrowed) : best(own);
    }

  private:
    const GridSnapshot& m_grid;
    CellCoord m_first;
    int m_edge;
};

TEST(FieldSampling, V15_SamplesAreMeansOfSolidAndOfWaterOverTheirBlocks) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        const voxel::Grid grid = patchwork(seed);
        const GridSnapshot snapshot = grid.snapshot();
        for (const ChunkCoord chunk : {ChunkCoord{-1, -1, -1}, ChunkCoord{0, -1, 0}, ChunkCoord{-2, 1, 0}}) {
            for (int level = 0; level < kMeshLevels; ++level) {
                const Field field = sample(snapshot, chunk, level);
                const Model model(snapshot, chunk, level);
                int wrong = 0, wrongWater = 0;
                for (int y = -2; y < field.size + 2; ++y) {
                    for (int z = -2; z < field.size + 2; ++z) {
                        for (int x = -2; x < field.size + 2; ++x) {
                            if (model.mean(x, y, z, true) != field.water[field.at(x, y, z)]) ++wrongWater;
                            if (field.content != FieldContent::Mixed) continue;
                            if (model.mean(x, y, z, false) != field.samples[field.at(x, y, z)]) ++wrong;
                        }
                    }
                }
                EXPECT_EQ(wrong, 0) << "level " << level;
                EXPECT_EQ(wrongWater, 0) << "level " << level;
            }
        }
    }
}

TEST(FieldSampling, V15_MaterialsAreVotedByTheStatedRule) {
    int compared = 0, borrowed = 0;
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        const voxel::Grid grid = patchwork(seed);
        const GridSnapshot snapshot = grid.snapshot();
        const MaterialVote vote = seed % 2 == 0 ? MaterialVote{} : MaterialVote{3, 2};
        for (int level = 0; level < kMeshLevels; ++level) {
            const ChunkCoord chunk{seed % 2 == 0 ? -1 : 0, -1, seed < 3 ? 0 : -1};
            const Field field = sample(snapshot, chunk, level, vote);
            if (field.content != FieldContent::Mixed) continue;
            const Model model(snapshot, chunk, level);
            const int step = level == 0 ? 5 : level == 1 ? 2 : 1;
            for (int y = -1; y <= field.size; y += step) {
                for (int z = -1; z <= field.size; z += step) {
                    for (int x = -1; x <= field.size; x += step) {
                        const std::size_t i = field.at(x, y, z);
                        if (field.samples[i] == 0) {
                            ASSERT_EQ(field.materials[i], voxel::kAir);
                        } else if (level == 0) {
                            const CellCoord f = voxel::firstCell(chunk);
                            ASSERT_EQ(field.materials[i],
                                      snapshot.cell({f.x + x, f.y + y, f.z + z}).material);
                        } else if (!model.touchesMixedCube(x, y, z)) {
                            // Cubes beyond the chunk's own are not looked at.
                            if (x >= 0 && y >= 0 && z >= 0 && x < field.size && y < field.size &&
                                z < field.size) {
                                ASSERT_EQ(field.materials[i], voxel::kAir);
                            }
                        } else if (field.materials[i] != voxel::kAir ||
                                   (x >= 0 && y >= 0 && z >= 0 && x < field.size && y < field.size &&
                                    z < field.size)) {
                            ASSERT_EQ(field.materials[i], model.material(x, y, z, vote))
                                << "seed " << seed << " level " << level << " at " << x << ' ' << y << ' '
                                << z;
                            ++compared;
                            if (model.votes(x, y, z, vote, false)[256] == 0) ++borrowed;
                        }
                    }
                }
            }
        }
    }
    EXPECT_GT(compared, 2000);
    EXPECT_GT(borrowed, 10);
}

TEST(FieldSampling, V13_ContentIsKnownWithoutReadingACell) {
    voxel::Grid grid = makeGrid();
    fill(grid, voxel::chunkBox({0, 0, 0}), [](CellCoord) { return Cell{kRock, 255}; });
    const auto contentOf = [&](ChunkCoord chunk) {
        std::vector<std::uint8_t> samples(kMaxFieldSamples, 77);
        const FieldContent content = samplePaddedField(grid.snapshot(), chunk, 0, samples);
        const bool touched =
            std::any_of(samples.begin(), samples.end(), [](std::uint8_t s) { return s != 77; });
        EXPECT_EQ(touched, content == FieldContent::Mixed);
        return content;
    };
    EXPECT_EQ(contentOf({0, 0, 0}), FieldContent::Mixed);
    EXPECT_EQ(contentOf({-1, 0, 0}), FieldContent::Mixed);
    EXPECT_EQ(contentOf({0, -1, 0}), FieldContent::Mixed);
    EXPECT_EQ(contentOf({0, 0, -1}), FieldContent::Mixed);
    EXPECT_EQ(contentOf({1, 0, 0}), FieldContent::AllAir);
    EXPECT_EQ(contentOf({-1, -1, 0}), FieldContent::AllAir);
    for (const ChunkCoord next : {ChunkCoord{1, 0, 0}, ChunkCoord{0, 1, 0}, ChunkCoord{0, 0, 1}})
        fill(grid, voxel::chunkBox(next), [](CellCoord) { return Cell{kSnow, 128}; });
    EXPECT_EQ(contentOf({0, 0, 0}), FieldContent::AllSolid);
    fill(grid, voxel::chunkBox({0, 0, 0}), [](CellCoord) { return Cell{kWater, 255}; });
    EXPECT_EQ(contentOf({0, 0, 0}), FieldContent::Mixed);
    fill(grid, voxel::chunkBox({5, 5, 5}), [](CellCoord) { return Cell{kRock, 127}; });
    EXPECT_EQ(contentOf({5, 5, 5}), FieldContent::AllAir);
}

TEST(FieldSampling, V13_CandidatesAreAllChunksThatOwnASurface) {
    const std::vector<ChunkCoord> none = meshCandidates(GridSnapshot{});
    EXPECT_TRUE(none.empty());
    for (std::uint64_t seed = 10; seed < 11; ++seed) {
        const voxel::Grid grid = patchwork(seed);
        const GridSnapshot snapshot = grid.snapshot();
        const std::vector<ChunkCoord> candidates = meshCandidates(snapshot);
        EXPECT_TRUE(std::is_sorted(candidates.begin(), candidates.end()));
        ChunkMesher mesher;
        SurfaceMesh mesh;
        int withoutCells = 0;
        for (int y = -4; y <= 3; ++y) {
            for (int z = -4; z <= 3; ++z) {
                for (int x = -4; x <= 3; ++x) {
                    const ChunkCoord chunk{x, y, z};
                    const bool listed = std::count(candidates.begin(), candidates.end(), chunk) == 1;
                    EXPECT_EQ(listed, mayOwnSurface(snapshot, chunk));
                    mesher.build(snapshot, chunk, 0, mesh);
                    EXPECT_TRUE(listed || mesh.empty()) << x << ' ' << y << ' ' << z;
                    if (!snapshot.chunk(chunk) && !mesh.empty()) ++withoutCells;
                }
            }
        }
        EXPECT_GT(withoutCells, 0);
    }
}

TEST(FieldSampling, TablesOfManyMaterialsReadTheSame) {
    std::vector<voxel::Material> materials{{"air", voxel::MaterialKind::Air, {}}};
    for (int i = 1; i < 120; ++i) {
        materials.push_back({"m" + std::to_string(i),
                             i % 3 == 0 ? voxel::MaterialKind::Water : voxel::MaterialKind::Solid,
                             {}});
    }
    voxel::GridDefinition definition;
    definition.materials = voxel::MaterialTable::create(materials).value();
    const voxel::Grid grid = patchwork(7, definition);
    const GridSnapshot snapshot = grid.snapshot();
    for (int level = 0; level < kMeshLevels; ++level) {
        const ChunkCoord chunk{-1, 0, -1};
        const Field field = sample(snapshot, chunk, level);
        ASSERT_EQ(field.content, FieldContent::Mixed);
        const Model model(snapshot, chunk, level);
        for (int i = -2; i < field.size + 2; ++i) {
            for (int k = -2; k < field.size + 2; ++k) {
                const int x = (i + k * 3 + 2 * field.size) % field.size;
                ASSERT_EQ(field.samples[field.at(x, i, k)], model.mean(x, i, k, false));
                ASSERT_EQ(field.water[field.at(x, i, k)], model.mean(x, i, k, true));
            }
        }
    }
}

}  // namespace
}  // namespace karst::voxel_mesh
