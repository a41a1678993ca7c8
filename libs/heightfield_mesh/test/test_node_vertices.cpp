#include <gtest/gtest.h>
#include <karst/base/hash.h>
#include <karst/base/thread_pool.h>
#include <karst/heightfield/height_triangle.h>
#include <karst/heightfield_mesh/node_writer.h>

#include <map>

#include "drawn_mesh.h"

namespace karst::heightfield {
namespace {

std::map<std::uint64_t, std::uint32_t> slotsByKey(const NodePool& pool) {
    std::map<std::uint64_t, std::uint32_t> slots;
    for (const std::uint32_t slot : pool.slotOrder())
        slots[pool.slot(slot).key.packed()] = slot;
    return slots;
}

// Comparing floats would take -0 for 0.
std::vector<std::uint32_t> bitsOf(const std::vector<Vec3f>& line) {
    std::vector<std::uint32_t> bits;
    for (const Vec3f& p : line) {
        for (const float v : {p.x, p.y, p.z})
            bits.push_back(bitCast<std::uint32_t>(v));
    }
    return bits;
}

// Both sides of every edge between drawn nodes are the same line, bit for bit.
void expectNoCracks(const DrawnMesh& drawn) {
    const NodePool& pool = drawn.pool();
    const auto slots = slotsByKey(pool);
    const int quads = drawn.verts() - 1;
    const int dx[4] = {-1, 1, 0, 0}, dz[4] = {0, 0, -1, 1};
    int shared = 0;
    for (const auto& [packed, slot] : slots) {
        const NodePool::Slot& node = pool.slot(slot);
        for (int side = 0; side < 4; ++side) {
            const long long x = (long long)node.key.x + dx[side], z = (long long)node.key.z + dz[side];
            if (x < 0 || z < 0) continue;
            const NodeKey same{node.key.depth, std::uint32_t(x), std::uint32_t(z)};
            const auto mine = drawn.edge(slot, side, 0, quads);
            if (const auto found = slots.find(same.packed()); found != slots.end()) {
                ASSERT_EQ(bitsOf(mine), bitsOf(drawn.edge(found->second, side ^ 1, 0, quads)));
                ++shared;
            } else if (node.key.depth > 0) {
                const NodeKey coarser{node.key.depth - 1, same.x >> 1, same.z >> 1};
                const auto above = slots.find(coarser.packed());
                if (above == slots.end()) continue;
                const std::uint32_t along = side < 2 ? node.key.z & 1 : node.key.x & 1;
                const int from = static_cast<int>(along) * quads / 2;
                ASSERT_EQ(bitsOf(mine), bitsOf(drawn.edge(above->second, side ^ 1, from, from + quads / 2)));
                ++shared;
            }
        }
    }
    ASSERT_TRUE(shared > 0 || pool.nodeCount() <= 1);
}

TEST(NodeVertices, N9_NoCrackOnAnyEdgeOfAnyCut) {
    test::Random random(41);
    for (int round = 0; round < 500; ++round) {
        const HeightRaster raster = randomRaster(random);
        NodeCutOptions options = randomOptions(random);
        if (random.chance(0.25)) {
            const Rect& r = raster.rect();
            const double x = random.range(r.minX, r.maxX), z = random.range(r.minZ, r.maxZ);
            options.rect =
                Rect{x, z, std::min(x + r.width() * 0.6, r.maxX), std::min(z + r.depth() * 0.6, r.maxZ)};
        }
        DrawnMesh drawn = DrawnMesh::make(raster, options);
        for (int view = 0; view < 2; ++view) {
            drawn.update(raster, randomCamera(random, raster));
            ASSERT_NO_FATAL_FAILURE(expectNoCracks(drawn)) << "round " << round;
        }
    }
}

TEST(NodeVertices, N9_NegativeZerosAreNoCrack) {
    test::Random random(3);
    for (int round = 0; round < 40; ++round) {
        Vector<float> heights(100 * 370);
        for (float& h : heights)
            h = random.chance(0.5) ? -0.0f : 0.0f;
        HeightRasterDesc desc;
        desc.columns = 100;
        desc.rows = 370;
        desc.rect = {-0.0, -185, 100, 185};
        desc.heightRange = HeightRange{-0.0f, 20};
        HeightRaster raster = std::move(HeightRaster::create(desc, std::move(heights))).value();
        const std::vector<float> edit(50 * 50, -0.0f);
        ASSERT_TRUE(raster.setHeights(GridRect{20, 20, 70, 70}, edit).ok());
        NodeCutOptions options;
        options.nodeVerts = 9;
        if (round % 2 == 1) options.rect = Rect{-0.0, -0.0, 100, 185};
        DrawnMesh drawn = DrawnMesh::make(raster, options);
        drawn.update(raster, randomCamera(random, raster));
        ASSERT_NO_FATAL_FAILURE(expectNoCracks(drawn)) << "round " << round;
    }
}

TEST(NodeVertices, N9_NoCrackWhereNodesAreLeftOut) {
    test::Random random(42);
    for (int round = 0; round < 60; ++round) {
        const HeightRaster raster = randomRaster(random);
        DrawnMesh drawn = DrawnMesh::make(raster, randomOptions(random));
        const auto keep = [&](const CutNode& node, const Rect&) {
            return mix64(node.key.packed() + round) % 4 != 0;
        };
        ASSERT_TRUE(
            drawn.mesh.update(raster, randomCamera(random, raster), keep, drawn.vertices, drawn.indices)
                .ok());
        const NodePool& pool = drawn.pool();
        if (pool.nodeCount() > 40) {
            ASSERT_NO_FATAL_FAILURE(expectNoCracks(drawn));
        }
    }
}

TEST(NodeVertices, N6_AVertexThatNodesShareIsOnePosition) {
    // Corners: up to four nodes meet, of up to three levels.
    test::Random random(43);
    for (int round = 0; round < 200; ++round) {
        const HeightRaster raster = randomRaster(random);
        DrawnMesh drawn = DrawnMesh::make(raster, randomOptions(random));
        drawn.update(raster, randomCamera(random, raster));
        const NodePool& pool = drawn.pool();
        std::map<std::pair<double, double>, Vec3f> corners;
        const int last = drawn.verts() - 1;
        for (const std::uint32_t slot : pool.slotOrder()) {
            const Rect s = pool.grid().square(pool.slot(slot).key);
            const NodeKey key = pool.slot(slot).key;
            for (int c = 0; c < 4; ++c) {
                const auto i = static_cast<std::uint32_t>(c & 1 ? last : 0),
                           j = static_cast<std::uint32_t>(c & 2 ? last : 0);
                (void)s;
                const std::pair<double, double> place{pool.grid().placeX(key.depth, key.x, i),
                                                      pool.grid().placeZ(key.depth, key.z, j)};
                const Vec3f p = drawn.position(slot, int(i), int(j));
                const auto [found, fresh] = corners.emplace(place, p);
                ASSERT_EQ(found->second, p) << "one corner, two positions";
            }
        }
    }
}

TEST(NodeVertices, N5_VerticesAtRestStandOnStopsOfTheLatticeAtTheSurfacesHeight) {
    test::Random random(44);
    int looked = 0;
    for (int round = 0; round < 150; ++round) {
        const HeightRaster raster = randomRaster(random);
        const NodeCutOptions options = randomOptions(random);
        DrawnMesh drawn = DrawnMesh::make(raster, options);
        drawn.update(raster, randomCamera(random, raster));
        const NodePool& pool = drawn.pool();
        const NodeGrid& grid = pool.grid();
        for (const std::uint32_t slot : pool.slotOrder()) {
            const NodePool::Slot& node = pool.slot(slot);
            if (node.sliding || node.coarserEdges != 0) continue;
            for (int k = 0; k < 12; ++k) {
                const int i = random.integer(0, drawn.verts() - 1), j = random.integer(0, drawn.verts() - 1);
                const double placeX = grid.placeX(node.key.depth, node.key.x, std::uint32_t(i));
                const double placeZ = grid.placeZ(node.key.depth, node.key.z, std::uint32_t(j));
                // The nearest of edges and texel centres, found one by one.
                const auto nearest = [](double place, int texels) {
                    double best = 0;
                    for (int t = 0; t < texels; ++t) {
                        if (std::abs(t + 0.5 - place) <= std::abs(best - place)) best = t + 0.5;
                    }
                    return std::abs(texels - place) < std::abs(best - place) ? double(texels) : best;
                };
                const double x = raster.rect().minX + nearest(placeX, raster.columns()) * raster.spacingX();
                const double z = raster.rect().minZ + nearest(placeZ, raster.rows()) * raster.spacingZ();
                const Vec3f p = drawn.position(slot, i, j);
                const double tolerance = 1e-6 * (std::abs(x) + std::abs(z) + raster.spacingX());
                // Midway between two stops either is nearest.
                if (std::abs(placeX * 4 - std::round(placeX * 4)) > 1e-6) {
                    ASSERT_NEAR(p.x, x, tolerance);
                }
                if (std::abs(placeZ * 4 - std::round(placeZ * 4)) > 1e-6) {
                    ASSERT_NEAR(p.z, z, tolerance);
                }
                const double px = std::clamp<double>(p.x, raster.rect().minX, raster.rect().maxX);
                const double pz = std::clamp<double>(p.z, raster.rect().minZ, raster.rect().maxZ);
                // The position is f32: an ulp of it along slopes of up to 100 a texel.
                const double slack = 1e-4 * raster.spacingX() + 250 * 1.3e-7 * (std::abs(x) + std::abs(z));
                ASSERT_NEAR(p.y, *raster.heightAt(px, pz), slack) << px << " " << pz;
                ++looked;
            }
        }
    }
    EXPECT_GT(looked, 10000);
}

// N4 and N5: a point anywhere on the triangles of a node at full density stands where heightAt says.
TEST(NodeVertices, N4_ANodeAtFullDensityDrawsExactlyTheSurface) {
    test::Random random(45);
    int looked = 0;
    for (int round = 0; round < 500; ++round) {
        const HeightRaster raster = randomRaster(random);
        NodeCutOptions options = randomOptions(random);
        options.maxNodes = 600;
        DrawnMesh drawn = DrawnMesh::make(raster, options);
        drawn.update(raster, randomCamera(random, raster));
        const NodePool& pool = drawn.pool();
        const int quads = drawn.verts() - 1;
        for (const std::uint32_t slot : pool.slotOrder()) {
            const NodePool::Slot& node = pool.slot(slot);
            if (!node.fullDensity || node.sliding) continue;
            for (int k = 0; k < 12; ++k) {
                const int i = random.integer(0, quads - 1), j = random.integer(0, quads - 1);
                // The strip along a stitched edge follows that edge.
                if (((node.coarserEdges & kEdgeLowX) != 0 && i == 0) ||
                    ((node.coarserEdges & kEdgeHighX) != 0 && i == quads - 1) ||
                    ((node.coarserEdges & kEdgeLowZ) != 0 && j == 0) ||
                    ((node.coarserEdges & kEdgeHighZ) != 0 && j == quads - 1)) {
                    continue;
                }
                const Vec3d a = toDouble(drawn.position(slot, i, j)),
                            b = toDouble(drawn.position(slot, i + 1, j));
                const Vec3d c = toDouble(drawn.position(slot, i, j + 1)),
                            d = toDouble(drawn.position(slot, i + 1, j + 1));
                if (!(b.x > a.x) || !(c.z > a.z)) continue;  // no area
                const double fx = random.unit(), fz = random.unit();
                const double x = std::clamp(a.x + fx * (b.x - a.x), raster.rect().minX, raster.rect().maxX);
                const double z = std::clamp(a.z + fz * (c.z - a.z), raster.rect().minZ, raster.rect().maxZ);
                const double drawnHeight = fx + fz <= 1
                                               ? a.y + fx * (b.y - a.y) + fz * (c.y - a.y)
                                               : d.y + (1 - fx) * (c.y - d.y) + (1 - fz) * (b.y - d.y);
                // Positions are f32: up to an ulp of |x| along a slope of up to 110 a texel and more in half
                // cells.
                const double ulp = 1.3e-7 * (std::abs(x) + std::abs(z));
                const double tolerance =
                    1e-5 * raster.spacingX() + 250 * ulp + 1e-4 * 1e-3 * raster.heightRange().max;
                ASSERT_NEAR(drawnHeight, *raster.heightAt(x, z), tolerance)
                    << raster.columns() << "x" << raster.rows() << " quad " << i << "," << j;
                ++looked;
            }
        }
    }
    EXPECT_GT(looked, 20000);
}

TEST(NodeVertices, N5_ANodeAtFullDensityTakesEveryCellOnce) {
    // The areas of its quads are the cells': counted over a whole cut that is everywhere at full density.
    test::Random random(46);
    for (int round = 0; round < 60; ++round) {
        const HeightRaster raster =
            makeRaster(random.integer(1, 90), random.integer(1, 90), 1, random.next());
        NodeCutOptions options;
        options.nodeVerts = 9;
        options.maxNodes = 4096;
        options.splitDistance = 1000;
        DrawnMesh drawn = DrawnMesh::make(raster, options);
        drawn.update(raster, {raster.columns() / 2.0, 20, raster.rows() / 2.0});
        std::map<std::pair<int, int>, int> cells;
        for (const std::uint32_t slot : drawn.pool().slotOrder()) {
            ASSERT_TRUE(drawn.pool().slot(slot).fullDensity);
            for (int j = 0; j + 1 < drawn.verts(); ++j) {
                for (int i = 0; i + 1 < drawn.verts(); ++i) {
                    Vec3f a = drawn.position(slot, i, j), d = drawn.position(slot, i + 1, j + 1);
                    const NodePool::Slot& node = drawn.pool().slot(slot);
                    if (node.coarserEdges != 0) {  // strips along stitched edges follow those: take the stops
                        const NodeGrid& grid = drawn.pool().grid();
                        const auto x = [&](int k) {
                            const double place = grid.placeX(node.key.depth, node.key.x, std::uint32_t(k));
                            return float(grid.axisX().positionOfStop(grid.axisX().nearestStop(place)));
                        };
                        const auto z = [&](int k) {
                            const double place = grid.placeZ(node.key.depth, node.key.z, std::uint32_t(k));
                            return float(grid.axisZ().positionOfStop(grid.axisZ().nearestStop(place)));
                        };
                        a = {x(i), 0, z(j)};
                        d = {x(i + 1), 0, z(j + 1)};
                    }
                    if (!(d.x > a.x) || !(d.z > a.z)) continue;
                    const CellPoint middle = raster.cellPointAt((a.x + d.x) / 2.0, (a.z + d.z) / 2.0);
                    ++cells[{middle.cellX, middle.cellZ}];
                }
            }
        }
        for (int z = -1; z < raster.rows(); ++z) {
            for (int x = -1; x < raster.columns(); ++x)
                ASSERT_EQ((cells[{x, z}]), 1) << x << " " << z;
        }
    }
}

TEST(NodeVertices, N7_NormalsBlendTheGradientsOfTheFourTexels) {
    test::Random random(47);
    int looked = 0;
    for (int round = 0; round < 100; ++round) {
        const HeightRaster raster = randomRaster(random);
        NodeCutOptions options = randomOptions(random);
        if (random.chance(0.5)) {  // edges of a part of the raster stand anywhere in a cell
            const Rect& r = raster.rect();
            options.rect = Rect{r.minX + 0.13 * r.width(), r.minZ + 0.21 * r.depth(),
                                r.maxX - 0.17 * r.width(), r.maxZ - 0.11 * r.depth()};
        }
        DrawnMesh drawn = DrawnMesh::make(raster, options, VertexLayout::positionNormal());
        drawn.update(raster, randomCamera(random, raster));
        const NodePool& pool = drawn.pool();
        const NodeGrid& grid = pool.grid();
        for (const std::uint32_t slot : pool.slotOrder()) {
            const NodePool::Slot& node = pool.slot(slot);
            if (node.sliding || node.coarserEdges != 0) continue;
            for (int k = 0; k < 10; ++k) {
                const int i = random.chance(0.3) ? 0 : random.integer(0, drawn.verts() - 1);
                const int j = random.chance(0.3) ? 0 : random.integer(0, drawn.verts() - 1);
                const double x = grid.axisX().placeOfStop(grid.axisX().nearestStop(
                                     grid.placeX(node.key.depth, node.key.x, std::uint32_t(i)))) -
                                 0.5;
                const double z = grid.axisZ().placeOfStop(grid.axisZ().nearestStop(
                                     grid.placeZ(node.key.depth, node.key.z, std::uint32_t(j)))) -
                                 0.5;
                const auto texel = [&](double column, double row) {
                    return double{raster.texel(std::clamp(int(column), 0, raster.columns() - 1),
                                               std::clamp(int(row), 0, raster.rows() - 1))};
                };
                const double cx = std::floor(x), cz = std::floor(z), fx = x - cx, fz = z - cz;
                const double h00 = texel(cx, cz), h10 = texel(cx + 1, cz), h01 = texel(cx, cz + 1),
                             h11 = texel(cx + 1, cz + 1);
                const double gx = ((h10 - h00) * (1 - fz) + (h11 - h01) * fz) / raster.spacingX();
                const double gz = ((h01 - h00) * (1 - fx) + (h11 - h10) * fx) / raster.spacingZ();
                const Vec3d expected = normalized(Vec3d{-gx, 1, -gz});
                const std::uint32_t* v = drawn.vertices.data() + std::size_t{drawn.indexOf(slot, i, j)} * 6;
                const Vec3d n{bitCast<float>(v[3]), bitCast<float>(v[4]), bitCast<float>(v[5])};
                ASSERT_NEAR(length(n - expected), 0, 2e-5);
                ++looked;
            }
        }
    }
    EXPECT_GT(looked, 5000);
}

// Nodes that merged into their parent between two meshes draw what the parent draws; nodes that stayed stay.
void expectMergesUnseen(const DrawnMesh& before, const DrawnMesh& after, double tolerance, int& merges) {
    const auto fine = slotsByKey(before.pool()), coarse = slotsByKey(after.pool());
    const int quads = before.verts() - 1;
    for (const auto& [packed, slot] : fine) {
        const NodeKey key = before.pool().slot(slot).key;
        if (const auto same = coarse.find(packed); same != coarse.end()) {
            for (int j = 0; j <= quads; ++j) {
                for (int i = 0; i <= quads; ++i) {
                    const Vec3f a = before.position(slot, i, j), b = after.position(same->second, i, j);
                    ASSERT_NEAR(length(a - b), 0, tolerance) << "a node that stayed moved";
                }
            }
            continue;
        }
        if (key.depth == 0) continue;
        const NodeKey parent{key.depth - 1, key.x >> 1, key.z >> 1};
        const auto merged = coarse.find(parent.packed());
        if (merged == coarse.end()) {  // then it split
            const NodeKey child{key.depth + 1, key.x * 2, key.z * 2};
            ASSERT_EQ(coarse.count(child.packed()), 1u);
            continue;
        }
        for (int j = 0; j <= quads; ++j) {
            for (int i = 0; i <= quads; ++i) {
                const int pi = static_cast<int>(key.x & 1) * quads / 2 + i / 2;
                const int pj = static_cast<int>(key.z & 1) * quads / 2 + j / 2;
                ASSERT_EQ(before.position(slot, i, j), after.position(merged->second, pi, pj))
                    << "the merge is seen at vertex " << i << "," << j;
                ASSERT_EQ(before.normalWord(before.indexOf(slot, i, j)),
                          after.normalWord(after.indexOf(merged->second, pi, pj)));
            }
        }
        ++merges;
    }
}

// A small step of the camera that merges or splits nodes: what is drawn stays where it was.
TEST(NodeVertices, N10_MovingThroughAMergeMovesNothing) {
    test::Random random(48);
    int merges = 0;
    for (int round = 0; round < 400; ++round) {
        const HeightRaster raster = randomRaster(random);
        NodeCutOptions options = randomOptions(random);
        options.maxNodes = 1200;
        options.nodeVerts = random.chance(0.5) ? 9 : 17;
        Result<NodeCut> cut = NodeCut::create(shapeOf(raster), options);
        ASSERT_TRUE(cut.ok());
        // Halve a way on which the cut changes until its ends all but meet.
        WorldPosition from = randomCamera(random, raster), to = randomCamera(random, raster);
        const auto keysAt = [&](const WorldPosition& camera) {
            std::vector<std::uint64_t> keys;
            for (const CutNode& node : cut->select(camera))
                keys.push_back(node.key.packed());
            return keys;
        };
        auto keysFrom = keysAt(from);
        if (keysFrom == keysAt(to)) continue;
        for (int halving = 0; halving < 45; ++halving) {
            const WorldPosition middle = (from + to) * 0.5;
            auto keys = keysAt(middle);
            if (keys == keysFrom) {
                from = middle;
            } else {
                to = middle;
            }
        }
        DrawnMesh before = DrawnMesh::make(raster, options), after = DrawnMesh::make(raster, options);
        before.update(raster, from);
        after.update(raster, to);
        if (after.pool().cut().effectiveSplitDistance() != options.splitDistance) continue;
        const double tolerance =
            1e-4 * raster.spacingX();  // of a camera step of some 1e-10 over steep ground
        // One step may merge here and split there.
        ASSERT_NO_FATAL_FAILURE(expectMergesUnseen(before, after, tolerance, merges));
        ASSERT_NO_FATAL_FAILURE(expectMergesUnseen(after, before, tolerance, merges));
    }
    EXPECT_GT(merges, 100);
}

TEST(NodeVertices, N10_AMovingCameraMovesVerticesContinuously) {
    // No vertex of a node that stays moves by more than the morph's slope times the step.
    test::Random random(49);
    for (int round = 0; round < 40; ++round) {
        const HeightRaster raster = makeRaster(256, 256, 1, random.next());
        NodeCutOptions options;
        options.nodeVerts = 17;
        options.maxNodes = 4000;
        DrawnMesh drawn = DrawnMesh::make(raster, options);
        WorldPosition camera = randomCamera(random, raster);
        drawn.update(raster, camera);
        const Vec3d direction =
            normalized(Vec3d{random.range(-1, 1), random.range(-0.2, 0.2), random.range(-1, 1)});
        for (int step = 0; step < 8; ++step) {
            const auto before = slotsByKey(drawn.pool());
            const std::vector<std::uint32_t> old = drawn.vertices;
            const double metres = 0.05;
            camera = camera + direction * metres;
            drawn.update(raster, camera);
            for (const std::uint32_t slot : drawn.pool().slotOrder()) {
                const NodePool::Slot& node = drawn.pool().slot(slot);
                if (before.find(node.key.packed()) == before.end()) continue;
                // Weight is (d^2 - s^2) / (e^2 - s^2): its slope is at most 2 e / (e^2 - s^2). Edges toward a
                // coarser node may begin or cease to be stitched only where both lines are the same.
                const double size = drawn.pool().grid().nodeSize(node.key.depth);
                const double end = options.splitDistance * 2 * size,
                             start = end * (1 - options.morphFraction);
                const double farthest = end + 6 * size;
                const double slope = 2 * farthest / (end * end - start * start);
                const double most =
                    120 + 2 * size;  // no slide is longer: heights 0..100, a spacing along X and Z
                for (std::uint32_t v = 0; v < drawn.pool().verticesPerSlot(); ++v) {
                    const std::uint32_t index = slot * drawn.pool().verticesPerSlot() + v;
                    const Vec3f now = drawn.vertex(index);
                    const Vec3f was{bitCast<float>(old[index * 4]), bitCast<float>(old[index * 4 + 1]),
                                    bitCast<float>(old[index * 4 + 2])};
                    ASSERT_LE(length(now - was), slope * metres * most + 1e-3);
                }
            }
        }
    }
}

TEST(NodeVertices, N14_TheGroundEndsExactlyOnTheRectsEdges) {
    test::Random random(50);
    for (int round = 0; round < 150; ++round) {
        const HeightRaster raster = randomRaster(random);
        NodeCutOptions options = randomOptions(random);
        if (random.chance(0.5)) {
            const Rect& r = raster.rect();
            options.rect = Rect{
                random.range(r.minX, r.minX + r.width() / 3), random.range(r.minZ, r.minZ + r.depth() / 3),
                random.range(r.maxX - r.width() / 3, r.maxX), random.range(r.maxZ - r.depth() / 3, r.maxZ)};
        }
        DrawnMesh drawn = DrawnMesh::make(raster, options);
        drawn.update(raster, randomCamera(random, raster));
        const Rect& rect = drawn.pool().grid().rect();
        Vec3f low{1e30f, 1e30f, 1e30f}, high{-1e30f, -1e30f, -1e30f};
        for (const std::uint32_t slot : drawn.pool().slotOrder()) {
            for (std::uint32_t v = 0; v < drawn.pool().verticesPerSlot(); ++v) {
                const Vec3f p = drawn.vertex(slot * drawn.pool().verticesPerSlot() + v);
                low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
                high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
            }
        }
        ASSERT_EQ(low.x, static_cast<float>(rect.minX));
        ASSERT_EQ(low.z, static_cast<float>(rect.minZ));
        ASSERT_EQ(high.x, static_cast<float>(rect.maxX));
        ASSERT_EQ(high.z, static_cast<float>(rect.maxZ));
        ASSERT_GE(low.y, raster.heightRange().min);
        ASSERT_LE(high.y, raster.heightRange().max);
    }
}

TEST(NodeVertices, N3_AttributesLandWhereTheLayoutSays) {
    const HeightRaster raster = makeRaster(70, 50, 2, 5, -100, 300);
    DrawnMesh compact = DrawnMesh::make(raster, {});
    VertexLayout odd;
    odd.strideWords = 20;
    odd.position = 9;
    odd.normal = 13;
    odd.tangent = 1;
    odd.uv0 = 16;
    odd.uv1 = 18;
    odd.color = 5;
    DrawnMesh engine = DrawnMesh::make(raster, {}, VertexLayout::engine23());
    DrawnMesh other = DrawnMesh::make(raster, {}, odd);
    const WorldPosition camera{-50, 120, 340};
    for (DrawnMesh* mesh : {&compact, &engine, &other})
        mesh->update(raster, camera);
    const auto number = [](const DrawnMesh& mesh, std::uint32_t v, std::uint32_t word) {
        return bitCast<float>(mesh.vertices[std::size_t{v} * mesh.mesh.layout().strideWords + word]);
    };
    for (const std::uint32_t slot : compact.pool().slotOrder()) {
        for (std::uint32_t k = 0; k < compact.pool().verticesPerSlot(); ++k) {
            const std::uint32_t v = slot * compact.pool().verticesPerSlot() + k;
            const Vec3f p = compact.vertex(v);
            for (std::uint32_t c = 0; c < 3; ++c) {
                const float expected = c == 0 ? p.x : c == 1 ? p.y : p.z;
                ASSERT_EQ(number(engine, v, c), expected);
                ASSERT_EQ(number(other, v, 9 + c), expected);
            }
            const Vec3f n{number(engine, v, 3), number(engine, v, 4), number(engine, v, 5)};
            ASSERT_NEAR(length(n), 1, 1e-5);
            ASSERT_EQ(octahedralNormal(-n.x / n.y, -n.z / n.y) >> 24, compact.normalWord(v) >> 24);
            const Vec3f t{number(engine, v, 6), number(engine, v, 7), number(engine, v, 8)};
            ASSERT_NEAR(length(t), 1, 1e-5);
            ASSERT_NEAR(dot(t, n), 0, 1e-5);
            ASSERT_EQ(number(engine, v, 9), 1.0f);
            for (std::uint32_t c = 0; c < 4; ++c)
                ASSERT_EQ(number(other, v, 1 + c), number(engine, v, 6 + c));
            ASSERT_NEAR(number(engine, v, 10), (p.x + 100) / 140, 1e-5);
            ASSERT_NEAR(number(engine, v, 11), (p.z - 300) / 100, 1e-5);
            ASSERT_EQ(number(engine, v, 12), number(engine, v, 10));
            ASSERT_EQ(number(other, v, 18), number(engine, v, 10));
            for (std::uint32_t c = 0; c < 4; ++c)
                ASSERT_EQ(number(engine, v, 14 + c), 1.0f);
            for (std::uint32_t c = 18; c < 23; ++c)
                ASSERT_EQ(engine.vertices[std::size_t{v} * 23 + c], 0u);
            ASSERT_EQ(other.vertices[std::size_t{v} * 20], 0u);
        }
    }
}

TEST(NodeVertices, N2_OnlyWhatIsListedIsWritten) {
    const HeightRaster raster = makeRaster(256, 256, 1, 5);
    DrawnMesh drawn = DrawnMesh::make(raster, {});
    drawn.update(raster, {100, 60, 100});
    std::vector<std::uint32_t> old = drawn.vertices;
    const NodePoolUpdate update = drawn.update(raster, {101, 60, 100});
    const std::size_t words = drawn.pool().verticesPerSlot() * 4;
    std::vector<bool> listed(drawn.pool().maxNodes());
    for (const std::uint32_t slot : update.remeshedSlots)
        listed[slot] = true;
    for (std::uint32_t slot = 0; slot < drawn.pool().maxNodes(); ++slot) {
        if (listed[slot]) continue;
        ASSERT_TRUE(std::equal(old.begin() + long(slot * words), old.begin() + long((slot + 1) * words),
                               drawn.vertices.begin() + long(slot * words)));
    }
}

// The bytes do not depend on the number of workers, the compiler or its optimisation.
TEST(NodeVertices, BytesAreTheSameForAnyNumberOfWorkersAndCompiler) {
    HeightRaster raster = makeRaster(300, 200, 1.5, 12, -40, 17);
    raster.setHoles(Rect{20, 30, 60, 80}, true);
    const WorldPosition cameras[] = {{100, 80, 100}, {120, 90, 60}, {-60, 200, 17}, {390, 1000, 300}};
    std::vector<std::uint64_t> hashes;
    for (const std::uint32_t workers : {1u, 2u, 5u}) {
        ThreadPool threads(workers);
        Externals externals;
        externals.jobs = &threads;
        for (const VertexLayout& layout : {VertexLayout::compact(), VertexLayout::engine23()}) {
            DrawnMesh drawn = DrawnMesh::make(raster, {}, layout, externals);
            Hasher hash;
            for (const WorldPosition& camera : cameras) {
                drawn.update(raster, camera);
                const std::size_t words = std::size_t{drawn.pool().nodeCount()} *
                                          drawn.pool().verticesPerSlot() * layout.strideWords;
                for (std::size_t i = 0; i < std::min(words, drawn.vertices.size()); ++i)
                    hash.u32(drawn.vertices[i]);
                for (std::uint32_t i = 0; i < drawn.pool().indexCount(); ++i)
                    hash.u32(drawn.indices[i]);
            }
            hashes.push_back(hash.value());
        }
    }
    EXPECT_EQ(hashes[0], hashes[2]);
    EXPECT_EQ(hashes[0], hashes[4]);
    EXPECT_EQ(hashes[1], hashes[3]);
    EXPECT_EQ(hashes[1], hashes[5]);
    EXPECT_EQ(hashes[0], 5975488917248728638u);
    EXPECT_EQ(hashes[1], 5000880028894497228u);
}

}  // namespace
}  // namespace karst::heightfield
