#include <gtest/gtest.h>
#include <karst/voxel_mesh/surface_vertex_writer.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

#include "naive_surface.h"
#include "surface_golden.h"

namespace karst::voxel_mesh {
namespace {

using namespace test;
using Sums = std::map<int, int>;

Sums sumsOf(const OwnedField& field, std::uint16_t cube) {
    Sums sums;
    const Place p = cubeOf(field.view, cube);
    for (int k = 0; k < 8; ++k) {
        const std::size_t i = field.view.fieldIndex(p[0] + (k & 1), p[1] + (k >> 2), p[2] + (k >> 1 & 1));
        if (field.samples[i] > 0) sums[field.materials[i]] += field.samples[i];
    }
    return sums;
}

// The ids of a quad by falling sum, at most 4.
std::vector<int> strongestOf(const OwnedField& field, const RawSurface& raw, const SurfaceQuad& quad) {
    Sums sums;
    for (const std::uint32_t v : quad.vertices) {
        for (const auto& [id, sum] : sumsOf(field, raw.cubes[v]))
            sums[id] += sum;
    }
    std::vector<int> ids;
    for (const auto& [id, sum] : sums)
        ids.push_back(id);
    std::stable_sort(ids.begin(), ids.end(), [&](int a, int b) { return sums[a] > sums[b]; });
    if (ids.size() > 4) ids.resize(4);
    return ids;
}

// Every rule of V14 on the mesh of one field.
void expectMaterials(const OwnedField& field, bool manifold = false) {
    SurfaceNetsWorkspace workspace(manifold);
    SurfaceVertexWriter writer;
    SurfaceMesh mesh;
    const SurfaceNetsOptions options{NormalMethod::CentralDifferences, manifold, true};
    const auto raw = extractSurface(field.view, options, workspace.buffers());
    ASSERT_TRUE(raw.ok());
    ASSERT_TRUE(writer.writeMesh(field.view, *raw, 0, mesh).ok());
    ASSERT_EQ(mesh.indices.size(), 6 * raw->quads.size());

    std::set<std::pair<std::uint32_t, std::vector<int>>> copies;
    std::map<std::uint32_t, std::uint32_t> sourceOf;
    std::map<std::uint32_t, int> firstStrongest;
    for (std::size_t q = 0; q < raw->quads.size(); ++q) {
        const SurfaceQuad& quad = raw->quads[q];
        const std::uint32_t* i = &mesh.indices[6 * q];
        ASSERT_EQ(i[0], i[3]);
        ASSERT_EQ(i[2], i[4]);
        const std::uint32_t corners[4] = {i[0], i[1], i[2], i[5]};
        const std::vector<int> falling = strongestOf(field, *raw, quad);
        std::vector<int> set = falling;
        std::sort(set.begin(), set.end());
        for (std::size_t k = 0; k < 4; ++k) {
            const std::uint32_t v = quad.vertices[k];
            copies.insert({v, set});
            const auto [source, fresh] = sourceOf.emplace(corners[k], v);
            ASSERT_EQ(source->second, v);
            if (fresh) firstStrongest[corners[k]] = falling.front();
            const SurfaceVertex& vertex = mesh.vertices.at(corners[k]);
            ASSERT_EQ(vertex.position, raw->positions[v] + (Vec3f{0.5f, 0.5f, 0.5f}));
            ASSERT_EQ(vertex.normal, raw->normals[v]);

            std::array<int, 4> materials, weights{};
            for (std::size_t m = 0; m < 4; ++m)
                materials[m] = set[std::min(m, set.size() - 1)];
            Sums sums = sumsOf(field, raw->cubes[v]);
            int total = 0;
            for (const int id : set)
                total += sums[id];
            if (total == 0) {
                sums[firstStrongest[corners[k]]] = total = 1;
            }
            std::size_t largest = 0;
            int rest = 255;
            for (std::size_t m = 0; m < set.size(); ++m) {
                weights[m] = 255 * sums[set[m]] / total;
                rest -= weights[m];
                if (sums[set[m]] > sums[set[largest]]) largest = m;
            }
            weights[largest] += rest;
            for (std::size_t m = 0; m < 4; ++m) {
                ASSERT_EQ(int{vertex.materials[m]}, materials[m]);
                ASSERT_EQ(int{vertex.weights[m]}, weights[m]) << "quad " << q << " corner " << k;
            }
            ASSERT_EQ(std::accumulate(vertex.weights.begin(), vertex.weights.end(), 0), 255);
        }
    }
    // One for each set that a vertex's quads have, all in use, side by side.
    EXPECT_EQ(mesh.vertices.size(), copies.size());
    EXPECT_EQ(sourceOf.size(), mesh.vertices.size());
    std::uint32_t last = 0;
    for (const auto& [copy, source] : sourceOf) {
        EXPECT_GE(source, last);
        last = source;
    }
}

Samples randomMaterials(int count, int patch, std::uint64_t seed) {
    return [=](Place p) {
        std::uint64_t h = seed;
        for (const int c : p)
            h = karst::test::Random(h ^ static_cast<std::uint64_t>((c + 1000) / patch)).next();
        return static_cast<std::uint8_t>(count == 256 ? h >> 13
                                                      : 3 + h % static_cast<std::uint64_t>(count) * 5);
    };
}

TEST(SurfaceVertexWriter, V14_SetsAndWeights) {
    for (int kind = 0; kind < kKinds; ++kind) {
        for (const auto& [count, patch] : {std::pair{1, 1},
                                           {2, 1},
                                           {3, 4},
                                           {4, 2},
                                           {5, 1},
                                           {8, 1},
                                           {8, 3},
                                           {9, 2},
                                           {30, 3},
                                           {256, 1},
                                           {256, 4}}) {
            SCOPED_TRACE(testing::Message()
                         << "kind " << kind << ", " << count << " materials, patch " << patch);
            const OwnedField field(kind < 2 ? 8 : 16, 2, {}, randomSamples(kind, 9),
                                   randomMaterials(count, patch, 4));
            expectMaterials(field);
            if (testing::Test::HasFatalFailure()) return;
        }
    }
}

TEST(SurfaceVertexWriter, V14_VertexWithoutTheQuadsMaterials) {
    // Barely solid ground of many materials beside full ones: the weak ones find no room.
    const Samples samples = [](Place p) -> std::uint8_t {
        if (p[1] >= 4) return 0;
        return p[0] < 4 ? std::uint8_t{128} : std::uint8_t{255};
    };
    const Samples materials = [](Place p) {
        return static_cast<std::uint8_t>(p[0] < 4 ? 100 + p[1] * 16 + p[2] : 10 + (p[0] + 2 * p[2]) % 5);
    };
    expectMaterials(OwnedField(8, 2, {}, samples, materials));
}

TEST(SurfaceVertexWriter, V14_SetsAndWeightsOfManifoldSurfaces) {
    for (int kind = 0; kind < kKinds; ++kind)
        expectMaterials(OwnedField(8, 2, {}, randomSamples(kind, 6), randomMaterials(4, 2, 4)), true);
}

// The same from every compiler, at -O0 and -O3, in tests/determinism.
TEST(SurfaceVertexWriter, GoldenBits) {
    EXPECT_EQ(goldenSurfaceHash(), kGoldenSurface);
}

TEST(SurfaceVertexWriter, V14_OneMaterialMakesNoCopies) {
    const OwnedField field(32, 2, {}, randomSamples(4, 2), [](Place) { return std::uint8_t{7}; });
    SurfaceNetsWorkspace workspace;
    SurfaceVertexWriter writer;
    SurfaceMesh mesh;
    const auto raw = extractSurface(field.view, {}, workspace.buffers());
    ASSERT_TRUE(raw.ok());
    ASSERT_TRUE(writer.writeMesh(field.view, *raw, 0, mesh).ok());
    ASSERT_FALSE(mesh.empty());
    EXPECT_EQ(mesh.vertices.size(), raw->positions.size());
    for (const SurfaceVertex& vertex : mesh.vertices) {
        EXPECT_EQ(vertex.materials, (std::array<voxel::MaterialId, 4>{7, 7, 7, 7}));
        EXPECT_EQ(vertex.weights, (std::array<std::uint8_t, 4>{255, 0, 0, 0}));
        EXPECT_NEAR(length(vertex.normal), 1, 1e-6);
    }
}

TEST(SurfaceVertexWriter, RawNormalsBecomeTheSameAsUnitOnes) {
    const Samples materials = [](Place) { return std::uint8_t{7}; };
    SurfaceNetsWorkspace workspace;
    SurfaceVertexWriter writer;
    for (int kind = 0; kind < kKinds; ++kind) {
        for (const NormalMethod method : {NormalMethod::CentralDifferences, NormalMethod::CubeGradient}) {
            const OwnedField field(8, 2, {}, randomSamples(kind, 2), materials);
            SurfaceMesh mesh, unitMesh;
            auto raw = extractSurface(field.view, {method}, workspace.buffers());
            ASSERT_TRUE(raw.ok() && writer.writeMesh(field.view, *raw, 0, mesh).ok());
            raw = extractSurface(field.view, {method, false, true}, workspace.buffers());
            ASSERT_TRUE(raw.ok() && writer.writeMesh(field.view, *raw, 0, unitMesh).ok());
            EXPECT_TRUE(mesh.vertices == unitMesh.vertices);
        }
    }
}

TEST(SurfaceVertexWriter, LevelsScaleToCells) {
    SurfaceNetsWorkspace workspace;
    SurfaceVertexWriter writer;
    for (int level = 0; level < kMeshLevels; ++level) {
        const OwnedField field(samplesPerAxis(level), 2, {}, randomSamples(0, 2),
                               [](Place) { return std::uint8_t{1}; });
        SurfaceMesh mesh;
        const auto raw = extractSurface(field.view, {}, workspace.buffers());
        ASSERT_TRUE(raw.ok() && writer.writeMesh(field.view, *raw, level, mesh).ok());
        EXPECT_EQ(mesh.level, level);
        ASSERT_EQ(mesh.vertices.size(), raw->positions.size());
        for (std::size_t v = 0; v < mesh.vertices.size(); ++v) {
            const Vec3d exact = (toDouble(raw->positions[v]) + Vec3d{0.5, 0.5, 0.5}) * (1 << level);
            ASSERT_EQ(toDouble(mesh.vertices[v].position), exact);
        }
    }
}

TEST(SurfaceVertexWriter, RefusesWhatCannotBe) {
    SurfaceNetsWorkspace workspace;
    SurfaceVertexWriter writer;
    const OwnedField field(8, 2, {}, randomSamples(0, 1), [](Place) { return std::uint8_t{1}; });
    const auto raw = extractSurface(field.view, {}, workspace.buffers());
    ASSERT_TRUE(raw.ok());
    EXPECT_FALSE(writer.prepare(field.view, *raw, -1).ok());
    EXPECT_FALSE(writer.prepare(field.view, *raw, 4).ok());
    FieldView bare = field.view;
    bare.materials = nullptr;
    EXPECT_FALSE(writer.prepare(bare, *raw, 0).ok());
    const auto counts = writer.prepare(field.view, *raw, 0);
    ASSERT_TRUE(counts.ok());
    std::vector<SurfaceVertex> vertices(counts->vertexCount);
    std::vector<std::uint32_t> indices(counts->indexCount);
    EXPECT_FALSE(writer.write(std::span(vertices).first(vertices.size() - 1), indices).ok());
    EXPECT_FALSE(writer.write(vertices, std::span(indices).first(3)).ok());
    EXPECT_TRUE(writer.write(vertices, indices).ok());
    const auto nothing = writer.prepare(bare, RawSurface{}, 0);
    ASSERT_TRUE(nothing.ok());
    EXPECT_EQ(nothing->vertexCount, 0u);
    EXPECT_TRUE(writer.write({}, {}).ok());
}

}  // namespace
}  // namespace karst::voxel_mesh
