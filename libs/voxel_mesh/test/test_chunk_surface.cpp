#include "surface_checks.h"

#include <karst/base/thread_pool.h>
#include <karst/voxel_mesh/chunk_surface.h>

#include <gtest/gtest.h>

#include <unordered_map>

namespace karst::voxel_mesh {
namespace {

using voxel::Cell;
using voxel::CellBox;
using voxel::CellCoord;
using voxel::ChunkCoord;
using voxel::GridSnapshot;

SurfaceOptions manifoldOptions() {
    SurfaceOptions options;
    options.nets.manifold = true;
    return options;
}

void expectWatertight(const std::vector<Triangle>& triangles) {
    const EdgeCount edges = countEdges(triangles);
    EXPECT_EQ(edges.open, 0);
    EXPECT_EQ(edges.degenerate, 0);
}

// ---- a sphere ----

struct SphereCase {
    Vec3d center;
    double radius;
};

TEST(ChunkSurface, SphereIsCloseClosedManifoldAndOutward) {
    // Over eight chunks, inside one, and over a border.
    for (const SphereCase& ball : {SphereCase{{0.3, -0.2, 0.1}, 21.4}, SphereCase{{48, 47.7, 48.2}, 12.5},
                                   SphereCase{{-33.1, -60, 5}, 17}}) {
        voxel::Grid grid = makeGrid();
        const int reach = static_cast<int>(ball.radius) + 4;
        const CellCoord c{static_cast<int>(ball.center.x), static_cast<int>(ball.center.y),
                          static_cast<int>(ball.center.z)};
        fill(grid, {{c.x - reach, c.y - reach, c.z - reach}, {c.x + reach, c.y + reach, c.z + reach}},
             [&](CellCoord cell) { return softBall(cell, ball.center, ball.radius); });
        for (int level = 0; level < kMeshLevels; ++level) {
            const std::vector<Triangle> triangles = allTriangles(grid.snapshot(), level);
            const EdgeCount edges = countEdges(triangles);
            EXPECT_EQ(edges.open, 0);
            EXPECT_EQ(edges.nonManifold, 0);
            EXPECT_EQ(edges.degenerate, 0);
            // A vertex lies inside by the sag of a cube's chords, at most 3 / 8 of the squared edge over the
            // radius, and off by the rounding of samples. Blocks wider than the soft shell no longer see a
            // linear field: there it is a part of a sample.
            const double edge = 1 << level;
            const double bound = level <= 1 ? 3 * edge * edge / (8 * ball.radius) + 0.02 : 0.4 * edge;
            double worst = 0, worstTilt = 1;
            for (const Triangle& triangle : triangles) {
                for (const Corner& corner : triangle) {
                    const Vec3d out = corner.position - ball.center;
                    worst = std::max(worst, std::abs(length(out) - ball.radius));
                    worstTilt = std::min(worstTilt, dot(toDouble(corner.normal), normalized(out)));
                }
            }
            EXPECT_LT(worst, bound) << "level " << level;
            EXPECT_GT(worstTilt, level == 0 ? 0.99 : level == 1 ? 0.95 : 0.7) << "level " << level;
            const double volume = 4.0 / 3 * 3.14159265358979 * std::pow(ball.radius, 3);
            EXPECT_NEAR(signedVolume(triangles) / volume, 1, 0.02 * edge * edge);
        }
    }
}

// ---- welding ----

// Noise in the chunks first..last, of which some are empty; all cells of any material.
voxel::Grid noise(std::uint64_t seed, ChunkCoord first, ChunkCoord last, bool empties, CellCoord shift = {}) {
    voxel::Grid grid = makeGrid();
    const CellCoord low = voxel::firstCell(first);
    const CellCoord high = voxel::chunkBox(last).max;
    const std::uint64_t key = mix64(seed);
    fill(grid,
         {{low.x + shift.x, low.y + shift.y, low.z + shift.z},
          {high.x + shift.x, high.y + shift.y, high.z + shift.z}},
         [&](CellCoord c) {
             const CellCoord o{c.x - shift.x, c.y - shift.y, c.z - shift.z};
             const ChunkCoord chunk = voxel::chunkOf(o);
             if (empties && mix64(key ^ (static_cast<std::uint64_t>(chunk.x + 99) << 40 |
                                         static_cast<std::uint64_t>(chunk.y + 99) << 20 |
                                         static_cast<std::uint64_t>(chunk.z + 99))) %
                                    3 ==
                                0)
                 return Cell{};
             const std::uint64_t bits = mix64(key ^ (static_cast<std::uint64_t>(o.x + 9999) << 40 |
                                                     static_cast<std::uint64_t>(o.y + 9999) << 20 |
                                                     static_cast<std::uint64_t>(o.z + 9999)));
             // Blocks of one value among single cells, so that coarse levels see a surface too.
             const std::uint64_t coarse = mix64(key ^ (static_cast<std::uint64_t>((o.x >> 3) + 999) << 40 |
                                                       static_cast<std::uint64_t>((o.y >> 3) + 999) << 20 |
                                                       static_cast<std::uint64_t>((o.z >> 3) + 999)));
             const bool solidBlock = (coarse & 1) != 0;
             return Cell{static_cast<voxel::MaterialId>(solidBlock ? 2 + bits % 12 : bits % 14),
                         static_cast<std::uint8_t>(solidBlock ? 90 + (bits >> 8) % 166 : (bits >> 8) % 256)};
         });
    return grid;
}

using Cube = std::array<int, 3>;
using CubeQuad = std::array<Cube, 4>;
struct CubeHash {
    std::size_t operator()(const Cube& c) const {
        return static_cast<std::size_t>(mix64(static_cast<std::uint64_t>(c[0]) * 1000003u +
                                              static_cast<std::uint64_t>(c[1]) * 1009u +
                                              static_cast<std::uint64_t>(c[2])));
    }
};

// Plain surface nets over a whole grid at once: the quads by the cubes of their corners, and the cubes'
// vertices.
struct WholeField {
    std::vector<CubeQuad> quads;
    std::unordered_map<Cube, Vec3d, CubeHash> vertices;  // in samples
};

WholeField wholeField(const GridSnapshot& grid, int level) {
    const int edge = 1 << level;
    const CellBox box = grid.chunkBounds();
    const int low[3] = {box.min.x / edge - 2, box.min.y / edge - 2, box.min.z / edge - 2};
    const int size[3] = {(box.max.x - box.min.x) / edge + 4, (box.max.y - box.min.y) / edge + 4,
                         (box.max.z - box.min.z) / edge + 4};
    std::vector<std::uint8_t> samples(static_cast<std::size_t>(size[0] * size[1] * size[2]));
    const auto index = [&](int x, int y, int z) {
        return static_cast<std::size_t>((x - low[0]) + size[0] * ((z - low[2]) + size[2] * (y - low[1])));
    };
    // Sums over the blocks, then means.
    std::vector<int> sums(samples.size());
    grid.forEachChunk([&](ChunkCoord chunk, const voxel::Chunk& cells) {
        const CellCoord first = voxel::firstCell(chunk);
        for (int i = 0; i < voxel::kChunkCellCount; ++i) {
            sums[index((first.x + (i & 31)) >> level, (first.y + (i >> 10)) >> level,
                       (first.z + (i >> 5 & 31)) >> level)] += grid.materials().solidOccupancy(cells.cell(i));
        }
    });
    const int count = edge * edge * edge;
    for (std::size_t i = 0; i < samples.size(); ++i)
        samples[i] = static_cast<std::uint8_t>((2 * sums[i] + count) / (2 * count));
    WholeField out;
    std::unordered_map<Cube, std::pair<Vec3d, int>, CubeHash> crossingsOf;
    for (int y = low[1]; y < low[1] + size[1] - 1; ++y) {
        for (int z = low[2]; z < low[2] + size[2] - 1; ++z) {
            for (int x = low[0]; x < low[0] + size[0] - 1; ++x) {
                const Cube p{x, y, z};
                for (std::size_t a = 0; a < 3; ++a) {
                    Cube q = p;
                    ++q[a];
                    const int from = samples[index(x, y, z)], to = samples[index(q[0], q[1], q[2])];
                    if ((from >= 128) == (to >= 128)) continue;
                    const std::size_t u = (a + 1) % 3, v = (a + 2) % 3;
                    Cube lowest = p, onlyU = p, onlyV = p;
                    --lowest[u], --lowest[v], --onlyU[v], --onlyV[u];
                    out.quads.push_back(from >= 128 ? CubeQuad{lowest, onlyU, p, onlyV}
                                                    : CubeQuad{lowest, onlyV, p, onlyU});
                    double at[3] = {double(x), double(y), double(z)};
                    at[a] += (127.5 - from) / (to - from);
                    for (const Cube& cube : out.quads.back()) {
                        auto& [sum, crossings] = crossingsOf[cube];
                        sum = sum + Vec3d{at[0], at[1], at[2]};
                        ++crossings;
                    }
                }
            }
        }
    }
    for (const auto& [cube, sum] : crossingsOf)
        out.vertices[cube] = sum.first * (1.0 / sum.second);
    std::sort(out.quads.begin(), out.quads.end());
    return out;
}

// Meshes each candidate alone and compares the sum of all with the whole field.
void expectWelds(const GridSnapshot& grid, int level) {
    const WholeField whole = wholeField(grid, level);
    const std::vector<ChunkCoord> chunks = meshCandidates(grid);
    const std::vector<SurfaceMesh> meshes = buildSurfaces(grid, chunks, level, inlineJobSystem());
    const double edge = 1 << level;
    std::vector<CubeQuad> quads;
    std::unordered_map<Cube, Vec3d, CubeHash> positions;
    std::unordered_map<Cube, Vec3f, CubeHash> normals;
    int apart = 0, normalsApart = 0;
    double worst = 0;
    for (std::size_t i = 0; i < chunks.size(); ++i) {
        const SurfaceMesh& mesh = meshes[i];
        const CellCoord first = voxel::firstCell(chunks[i]);
        std::vector<Cube> cubes;
        for (const SurfaceVertex& v : mesh.vertices) {
            const Vec3d at{(double{v.position.x} + first.x) / edge - 0.5,
                           (double{v.position.y} + first.y) / edge - 0.5,
                           (double{v.position.z} + first.z) / edge - 0.5};
            cubes.push_back({static_cast<int>(std::floor(at.x)), static_cast<int>(std::floor(at.y)),
                             static_cast<int>(std::floor(at.z))});
            if (!(positions.try_emplace(cubes.back(), at).first->second == at)) ++apart;
            if (!(normals.try_emplace(cubes.back(), v.normal).first->second == v.normal)) ++normalsApart;
            const auto expected = whole.vertices.find(cubes.back());
            ASSERT_NE(expected, whole.vertices.end());
            const Vec3d off = at - expected->second;
            worst = std::max({worst, std::abs(off.x), std::abs(off.y), std::abs(off.z)});
        }
        ASSERT_EQ(mesh.indices.size() % 6, 0u);
        for (std::size_t k = 0; k < mesh.indices.size(); k += 6) {
            const std::uint32_t* t = mesh.indices.data() + k;
            ASSERT_TRUE(t[0] == t[3] && t[2] == t[4]);
            const CubeQuad quad{cubes[t[0]], cubes[t[1]], cubes[t[2]], cubes[t[5]]};
            quads.push_back(quad);
            // V10: the lower sample of the quad's edge is the highest cube's lowest sample.
            const Cube& owner = quad[2];
            const auto sampleChunk = [&](int s) { return s * (1 << level) >> 5; };
            ASSERT_TRUE(sampleChunk(owner[0]) == chunks[i].x && sampleChunk(owner[1]) == chunks[i].y &&
                        sampleChunk(owner[2]) == chunks[i].z);
        }
    }
    EXPECT_EQ(apart, 0);
    EXPECT_EQ(normalsApart, 0);
    // Rounding to 2^-16 of a sample, and float arithmetic before it.
    EXPECT_LT(worst, 0x1p-16);
    std::sort(quads.begin(), quads.end());
    EXPECT_EQ(quads.size(), whole.quads.size());
    EXPECT_TRUE(quads == whole.quads) << "a quad is owned twice, or missing, or wound differently";
}

TEST(ChunkSurface, V10_TwoAndFourNoisyChunksWeldIntoTheMeshOfTheWholeField) {
    expectWelds(noise(1, {0, -1, 0}, {0, 0, 0}, false).snapshot(), 0);
    expectWelds(noise(2, {-1, 0, -1}, {0, 0, 0}, false).snapshot(), 0);
}

TEST(ChunkSurfaceSlow, V10_EightNoisyChunksWeldIntoTheMeshOfTheWholeField) {
    expectWelds(noise(4, {-1, -1, -1}, {0, 0, 0}, true).snapshot(), 0);
}

TEST(ChunkSurface, V15_OwnershipIsTheSameAtCoarseLevels) {
    for (int level = 1; level < kMeshLevels; ++level) {
        expectWelds(noise(6, {-1, -1, -1}, {0, 0, 0}, false).snapshot(), level);
        expectWelds(noise(7, {-2, -1, -1}, {1, 0, 1}, true).snapshot(), level);
    }
}

TEST(ChunkSurface, V10_WhereChunkBordersFallChangesNothingToTheBit) {
    const CellCoord shift{8, 16, 24};
    const auto grids = [&](ChunkCoord first, ChunkCoord last) {
        return std::pair(noise(8, first, last, false), noise(8, first, last, false, shift));
    };
    const auto few = grids({-1, 0, -1}, {-1, 0, 0}), many = grids({-1, -1, -1}, {1, 0, 0});
    for (const bool manifold : {false, true}) {
        const SurfaceOptions options = manifold ? manifoldOptions() : SurfaceOptions{};
        for (int level = 0; level < kMeshLevels; ++level) {
            const auto& [here, there] = level < 1 ? few : many;
            const std::vector<Triangle> a = allTriangles(here.snapshot(), level, options, shift);
            const std::vector<Triangle> b = allTriangles(there.snapshot(), level, options);
            EXPECT_GT(a.size(), 100u);
            EXPECT_TRUE(a == b) << "level " << level << ", " << a.size() << " and " << b.size()
                                << " triangles";
        }
    }
}

TEST(ChunkSurface, NoiseIsWatertightAndWithTheOptionManifold) {
    const GridSnapshot grid = noise(9, {-1, 0, 0}, {0, 0, 0}, false).snapshot();
    for (int level = 0; level < kMeshLevels; ++level) {
        expectWatertight(allTriangles(grid, level));
        const EdgeCount edges = countEdges(allTriangles(grid, level, manifoldOptions()));
        EXPECT_EQ(edges.open, 0);
        EXPECT_EQ(edges.nonManifold, 0);
        EXPECT_EQ(edges.degenerate, 0);
    }
}

TEST(ChunkSurface, V13_AChunkWithoutCellsOwnsWhatAWrittenNeighbourCloses) {
    voxel::Grid grid = makeGrid();
    ASSERT_TRUE(grid.setCell({0, 0, 0}, {kRock, 255}).ok());
    const std::vector<ChunkCoord> expected{{0, -1, 0}, {0, 0, -1}, {-1, 0, 0}, {0, 0, 0}};
    EXPECT_EQ(meshCandidates(grid.snapshot()), expected);
    for (const ChunkCoord chunk : expected) {
        ChunkMesher mesher;
        SurfaceMesh mesh;
        mesher.build(grid.snapshot(), chunk, 0, mesh);
        // The cell's own chunk has the upper edge on each axis, the others one lower edge each.
        EXPECT_EQ(mesh.indices.size(), chunk == ChunkCoord{} ? 18u : 6u);
    }
    const std::vector<Triangle> triangles = allTriangles(grid.snapshot(), 0);
    EXPECT_EQ(triangles.size(), 12u);
    expectWatertight(triangles);
    EXPECT_GT(signedVolume(triangles), 0);
}

// ---- edits ----

// A surface for each chunk that ever had one, kept as changes come in.
class KeptSurfaces {
  public:
    KeptSurfaces(const voxel::Grid& grid, int level) : m_level(level) {
        take(grid, meshCandidates(grid.snapshot()));
    }
    std::size_t follow(const voxel::Grid& grid) {
        const voxel::GridChanges changes = grid.changesSince(m_generation, m_revision);
        KARST_ASSERT(!changes.fullRefresh);
        const std::vector<ChunkCoord> chunks = voxel::invalidatedChunks(changes, m_level);
        take(grid, chunks);
        return chunks.size();
    }
    std::vector<Triangle> triangles() const {
        std::vector<Triangle> out;
        for (const auto& [chunk, mesh] : m_meshes)
            appendTriangles(out, mesh, chunk);
        std::sort(out.begin(), out.end());
        return out;
    }

  private:
    void take(const voxel::Grid& grid, const std::vector<ChunkCoord>& chunks) {
        const std::vector<SurfaceMesh> meshes =
            buildSurfaces(grid.snapshot(), chunks, m_level, inlineJobSystem());
        for (std::size_t i = 0; i < chunks.size(); ++i)
            m_meshes[chunks[i]] = meshes[i];
        m_generation = grid.generation();
        m_revision = grid.revision();
    }
    int m_level;
    voxel::GridGeneration m_generation;
    voxel::Revision m_revision = 0;
    std::map<ChunkCoord, SurfaceMesh> m_meshes;
};

TEST(ChunkSurface, ABallRemovedAtAFaceAnEdgeAndACornerLeavesAWatertightSurface) {
    // A block of solid chunks with a rough top through their middle.
    const auto ground = [](CellCoord c) {
        const double top = 5.3 + 2 * std::sin(c.x * 0.4) + 1.5 * std::sin(c.z * 0.3 + c.x * 0.1);
        const double value = std::clamp((top - c.y) * 255, 0.0, 255.0);
        return Cell{kRock, static_cast<std::uint8_t>(value)};
    };
    // Deep inside, at the top, and just under it.
    const Vec3d centers[] = {{-32, -16, -16}, {-32, -32, -16}, {-32, -32, -32}, {0, -10, 0},
                             {0, 4.5, 10},    {0, 6, 0},       {-16, 0, -16},   {-32, 3, -7}};
    for (int level = 0; level < kMeshLevels; ++level) {
        voxel::Grid grid = makeGrid();
        fill(grid, {{-48, -48, -48}, {16, 16, 20}}, ground);
        KeptSurfaces kept(grid, level);
        for (const Vec3d& center : centers) {
            for (const double radius : {1.0, 5.0}) {
                const int r = static_cast<int>(radius) + 1;
                const CellCoord c{static_cast<int>(center.x), static_cast<int>(center.y),
                                  static_cast<int>(center.z)};
                const GridSnapshot before = grid.snapshot();
                fill(grid, {{c.x - r, c.y - r, c.z - r}, {c.x + r, c.y + r, c.z + r}}, [&](CellCoord cell) {
                    Cell now = before.cell(cell);
                    const int removed = softBall(cell, center, radius, 0.5).occupancy;
                    now.occupancy = static_cast<std::uint8_t>(std::min<int>(now.occupancy, 255 - removed));
                    return now;
                });
                EXPECT_LE(kept.follow(grid), 27u);
                const std::vector<Triangle> all = allTriangles(grid.snapshot(), level);
                EXPECT_TRUE(kept.triangles() == all)
                    << "level " << level << " at " << center.x << ' ' << center.y << ' ' << center.z;
            }
            expectWatertight(kept.triangles());
        }
    }
}

TEST(ChunkSurface, RemeshingWhatEditsInvalidateEqualsRemeshingAll) {
    for (int level = 0; level < kMeshLevels; ++level) {
        test::Random random(static_cast<std::uint64_t>(level) + 40);
        voxel::Grid grid = noise(11, {-1, level < 1 ? 0 : -1, -1}, {0, 0, 0}, true);
        KeptSurfaces kept(grid, level);
        for (int round = 0; round < (level == 0 ? 3 : 8); ++round) {
            const int edits = random.integer(1, 3);
            for (int edit = 0; edit < edits; ++edit) {
                const CellCoord low{random.integer(-70, 60), random.integer(-70, 60),
                                    random.integer(-70, 60)};
                const bool large = random.chance(0.2), empty = random.chance(0.4);
                const int span = large ? 40 : random.integer(1, 3);
                fill(grid, {low, {low.x + span, low.y + span, low.z + span}},
                     [&](CellCoord) { return empty ? Cell{} : randomCell(random); });
            }
            kept.follow(grid);
        }
        EXPECT_TRUE(kept.triangles() == allTriangles(grid.snapshot(), level)) << "level " << level;
    }
}

// ---- materials of coarse levels ----

double weightOf(const Corner& corner, voxel::MaterialId id) {
    double sum = 0;
    for (int slot = 0; slot < 4; ++slot) {
        if ((corner.blend >> (16 * slot + 8) & 255) == id) sum += double(corner.blend >> (16 * slot) & 255);
    }
    return sum / 255;
}

TEST(ChunkSurface, V15_ThinSnowOnRockShowsAtEveryLevel) {
    // Ground at any height within the blocks, one cell of snow on it.
    for (int step = 0; step < 32; ++step) {
        const double height = -4 + step * 0.29;
        voxel::Grid grid = makeGrid();
        fill(grid, {{-16, -40, -16}, {48, 8, 48}}, [&](CellCoord c) {
            const double value = std::clamp((height - c.y) * 255, 0.0, 255.0);
            return Cell{c.y + 1 > height - 1 ? kSnow : kRock, static_cast<std::uint8_t>(value + 0.5)};
        });
        const GridSnapshot snapshot = grid.snapshot();
        for (int level = 0; level < kMeshLevels; ++level) {
            ChunkMesher mesher;
            int vertices = 0;
            double least = 1;
            for (const int y : {-1, 0}) {
                SurfaceMesh mesh;
                mesher.build(snapshot, {0, y, 0}, level, mesh);
                std::vector<Triangle> triangles;
                appendTriangles(triangles, mesh, {0, y, 0});
                for (const Triangle& triangle : triangles) {
                    for (const Corner& corner : triangle) {
                        // Away from the block's own sides.
                        if (corner.position.x > 32 || corner.position.z > 32) continue;
                        ++vertices;
                        least = std::min(least, weightOf(corner, kSnow));
                    }
                }
            }
            EXPECT_GT(vertices, 0) << "level " << level << ", height " << height;
            EXPECT_GT(least, level == 0 ? 0.5 : 0.99) << "level " << level << ", height " << height;
        }
    }
}

TEST(ChunkSurface, V15_ExposedLayersShowOnSlopes) {
    const auto topAt = [](int x, int z) { return 20 * std::sin(x * 0.05) + 12 * std::sin(z * 0.07 + 1); };
    voxel::Grid grid = makeGrid();
    fill(grid, {{-64, -64, -64}, {64, 64, 64}}, [&](CellCoord c) {
        const double top = topAt(c.x, c.z);
        const double value = std::clamp((top - c.y) * 255, 0.0, 255.0);
        return Cell{c.y + 1 > top - 2 ? kSnow : kRock, static_cast<std::uint8_t>(value + 0.5)};
    });
    for (int level = 0; level < kMeshLevels; ++level) {
        double snow = 0;
        int vertices = 0;
        for (const Triangle& triangle : allTriangles(grid.snapshot(), level)) {
            for (const Corner& corner : triangle) {
                const double edge = 60 - 2 * (1 << level);
                if (std::abs(corner.position.x) > edge || std::abs(corner.position.z) > edge ||
                    corner.position.y < -50)
                    continue;
                snow += weightOf(corner, kSnow);
                ++vertices;
            }
        }
        EXPECT_GT(snow / vertices, level < 3 ? 0.99 : 0.88) << "level " << level;
    }
}

// ---- the same bits everywhere ----

std::uint64_t hashOf(const std::vector<SurfaceMesh>& meshes) {
    Hasher hasher;
    for (const SurfaceMesh& mesh : meshes) {
        hasher.u32(static_cast<std::uint32_t>(mesh.vertices.size()));
        for (const SurfaceVertex& v : mesh.vertices) {
            hasher.f32(v.position.x).f32(v.position.y).f32(v.position.z);
            hasher.f32(v.normal.x).f32(v.normal.y).f32(v.normal.z);
            hasher.bytes(v.materials.data(), 4).bytes(v.weights.data(), 4);
        }
        for (const std::uint32_t index : mesh.indices)
            hasher.u32(index);
    }
    return hasher.value();
}

// Hills of integer arithmetic, with snow, a lake, a cave and a noisy corner.
voxel::Grid smallWorld() {
    voxel::Grid grid = makeGrid();
    fill(grid, {{-48, -32, -40}, {48, 32, 40}}, [](CellCoord c) {
        const int top =
            (c.x * c.x * 3 + c.z * c.z * 5 + c.x * c.z * 2) % 4096 - 2048 + c.x * 24;  // 1/256 cells
        const int below = std::clamp(top - c.y * 256, 0, 255);
        const int cave = (c.x - 5) * (c.x - 5) + (c.y + 9) * (c.y + 9) * 2 - 90;
        if (c.x > 36 && c.z > 30) {
            const std::uint64_t bits = mix64(static_cast<std::uint64_t>((c.x * 64 + c.y + 64) * 64 + c.z));
            return Cell{static_cast<voxel::MaterialId>(bits % 14), static_cast<std::uint8_t>(bits >> 8)};
        }
        if (cave < 0) return Cell{};
        if (below == 0) return c.y < -4 ? Cell{kWater, 255} : Cell{};
        return Cell{top - c.y * 256 < 400 ? kSnow
                    : (c.y & 7) == 0      ? kGround
                                          : kRock,
                    static_cast<std::uint8_t>(below)};
    });
    return grid;
}

TEST(ChunkSurfaceWorkers, GoldenSurfacesOfASmallWorldForAnyWorkerCount) {
    constexpr std::uint64_t kGolden[2][kMeshLevels] = {
        {1622266789264477081u, 8257795606222019534u, 10988006711594730035u, 14051410819909512614u},
        {611488006188021239u, 3434770777539402121u, 14457523865099158649u, 18327763655590420747u}};
    const GridSnapshot snapshot = smallWorld().snapshot();
    const std::vector<ChunkCoord> chunks = meshCandidates(snapshot);
    for (const bool manifold : {false, true}) {
        const SurfaceOptions options = manifold ? manifoldOptions() : SurfaceOptions{};
        for (int level = 0; level < kMeshLevels; ++level) {
            for (std::uint32_t workers = 1; workers <= 4; ++workers) {
                ThreadPool pool(workers);
                EXPECT_EQ(hashOf(buildSurfaces(snapshot, chunks, level, pool, options)),
                          kGolden[manifold ? 1 : 0][level])
                    << "level " << level << ", " << workers << " workers";
            }
        }
    }
}

TEST(ChunkSurface, AMesherUsedAgainMakesTheSame) {
    const GridSnapshot snapshot = smallWorld().snapshot();
    ChunkMesher used;
    SurfaceMesh again;
    for (int level = kMeshLevels - 1; level >= 0; --level) {
        for (const ChunkCoord chunk : meshCandidates(snapshot)) {
            ChunkMesher fresh;
            SurfaceMesh mesh;
            fresh.build(snapshot, chunk, level, mesh);
            used.build(snapshot, chunk, level, again);
            ASSERT_EQ(again.level, level);
            ASSERT_TRUE(mesh.vertices == again.vertices && mesh.indices == again.indices);
        }
    }
}

}  // namespace
}  // namespace karst::voxel_mesh
