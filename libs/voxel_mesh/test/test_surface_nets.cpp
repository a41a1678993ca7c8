#include <gtest/gtest.h>
#include <karst/voxel_mesh/surface_nets.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "naive_surface.h"

namespace karst::voxel_mesh {
namespace {

using namespace test;

std::vector<CubeQuad> quadsOf(const FieldView& field, const RawSurface& raw, Place origin = {}) {
    std::vector<CubeQuad> quads;
    for (const SurfaceQuad& quad : raw.quads) {
        CubeQuad cubes;
        for (std::size_t k = 0; k < 4; ++k)
            cubes[k] = origin + cubeOf(field, raw.cubes[quad.vertices[k]]);
        quads.push_back(cubes);
    }
    return quads;
}

template <class T>
std::vector<T> sorted(std::vector<T> items) {
    std::sort(items.begin(), items.end());
    return items;
}

struct Bits {
    Vec3f position, normal;
    bool operator==(const Bits&) const = default;
};

// Extracts parts^3 fields side by side and compares with the quads of the whole.
void expectWelded(int size, int parts, int padding, const SurfaceNetsOptions& options, const Samples& samples,
                  Place corner) {
    SurfaceNetsWorkspace workspace;
    std::vector<CubeQuad> quads;
    std::map<Place, Bits> vertices;
    for (int part = 0; part < parts * parts * parts; ++part) {
        const Place first{part % parts * size, part / parts % parts * size, part / parts / parts * size};
        const OwnedField field(size, padding, corner + first, samples);
        const auto raw = extractSurface(field.view, options, workspace.buffers());
        ASSERT_TRUE(raw.ok());
        for (const CubeQuad& quad : quadsOf(field.view, *raw, first))
            quads.push_back(quad);
        for (std::size_t v = 0; v < raw->positions.size(); ++v) {
            const Vec3f offset{float(first[0]), float(first[1]), float(first[2])};
            const Bits bits{raw->positions[v] + offset, raw->normals[v]};
            const auto [place, fresh] = vertices.emplace(first + cubeOf(field.view, raw->cubes[v]), bits);
            if (!fresh) {
                ASSERT_EQ(place->second, bits);
            }
        }
    }
    const auto whole = naiveQuads(size * parts, [&](Place p) { return samples(corner + p); });
    EXPECT_EQ(sorted(quads), sorted(whole));
}

TEST(SurfaceNets, V10_FieldsSideBySideWeldIntoOne) {
    for (int kind = 0; kind < kKinds; ++kind) {
        const Samples samples = randomSamples(kind, 77 + static_cast<std::uint64_t>(kind));
        const SurfaceNetsOptions central{}, cube{NormalMethod::CubeGradient};
        if (kind % 2 == 0) expectWelded(32, 1, 2, central, samples, {-3, 5, 9});
        expectWelded(16, 2, 2, central, samples, {-16, -16, -16});
        expectWelded(16, 2, 1, cube, samples, {-5, -40, 3});
        expectWelded(8, 3, 2, central, samples, {-9, 0, 0});
        expectWelded(4, 3, 1, cube, samples, {0, -4, 0});
    }
}

TEST(SurfaceNets, V10_ChunksWeldAtFullSize) {
    const SurfaceNetsOptions options{NormalMethod::CubeGradient};
    expectWelded(32, 2, 1, options, randomSamples(4, 3), {-32, -32, -32});
}

TEST(SurfaceNets, V10_AllVerticesAreUsedAndInOrder) {
    SurfaceNetsWorkspace workspace;
    for (int kind = 0; kind < kKinds; ++kind) {
        const OwnedField field(16, 2, {}, randomSamples(kind, 5));
        const auto raw = extractSurface(field.view, {}, workspace.buffers());
        ASSERT_TRUE(raw.ok());
        ASSERT_FALSE(raw->quads.empty());
        std::vector<bool> used(raw->positions.size());
        for (const SurfaceQuad& quad : raw->quads) {
            for (const std::uint32_t v : quad.vertices)
                used.at(v) = true;
        }
        EXPECT_EQ(std::count(used.begin(), used.end(), false), 0);
        EXPECT_TRUE(std::is_sorted(raw->cubes.begin(), raw->cubes.end()));
    }
}

TEST(SurfaceNets, V11_VertexIsTheMeanOfTheCrossings) {
    SurfaceNetsWorkspace workspace;
    for (int kind = 0; kind < kKinds; ++kind) {
        const Samples samples = randomSamples(kind, 11);
        for (const int size : {4, 8, 16, 32}) {
            const OwnedField field(size, 1 + size % 3 % 2, {}, samples);
            const auto raw = extractSurface(field.view, {NormalMethod::CubeGradient}, workspace.buffers());
            ASSERT_TRUE(raw.ok());
            for (std::size_t v = 0; v < raw->positions.size(); ++v) {
                const Place cube = cubeOf(field.view, raw->cubes[v]);
                const Vec3d at = toDouble(raw->positions[v]), exact = naiveVertex(cube, samples);
                // Half of the last place, and what the float mean is off.
                const double bound = 0x1p-17 + 0x1p-21;
                ASSERT_NEAR(at.x, exact.x, bound);
                ASSERT_NEAR(at.y, exact.y, bound);
                ASSERT_NEAR(at.z, exact.z, bound);
                ASSERT_TRUE(at.x > cube[0] && at.x < cube[0] + 1 && at.y > cube[1] && at.y < cube[1] + 1 &&
                            at.z > cube[2] && at.z < cube[2] + 1);
                for (const float c : {raw->positions[v].x, raw->positions[v].y, raw->positions[v].z})
                    ASSERT_EQ(c * 65536, std::floor(c * 65536));
            }
        }
    }
}

Samples sphere(Vec3d centre, double radius) {
    return [=](Place p) {
        const double d = length(Vec3d{double(p[0]), double(p[1]), double(p[2])} - centre) - radius;
        return static_cast<std::uint8_t>(std::lround(255 * std::fmin(1, std::fmax(0, 0.5 - 0.5 * d))));
    };
}

TEST(SurfaceNets, V11_SphereIsRound) {
    SurfaceNetsWorkspace workspace;
    const Vec3d centre{15.3, 15.9, 16.1};
    for (const double radius : {3.0, 7.5, 12.2}) {
        const OwnedField field(32, 2, {}, sphere(centre, radius));
        const auto raw = extractSurface(field.view, {}, workspace.buffers());
        ASSERT_TRUE(raw.ok());
        // A chord as long as a cube's diagonal sinks below the sphere by this; the rest is from 8 bits.
        for (const Vec3f& p : raw->positions)
            ASSERT_NEAR(length(toDouble(p) - centre), radius, 0.375 / radius + 0.005);
    }
}

TEST(SurfaceNets, V12_NormalsAreTheNegatedGradient) {
    SurfaceNetsWorkspace workspace, unitWorkspace;
    for (int kind = 0; kind < kKinds; ++kind) {
        const Samples samples = randomSamples(kind, 23);
        for (const NormalMethod method : {NormalMethod::CentralDifferences, NormalMethod::CubeGradient}) {
            const OwnedField field(16, 2, {}, samples);
            const auto raw = extractSurface(field.view, {method}, workspace.buffers());
            const auto unit = extractSurface(field.view, {method, false, true}, unitWorkspace.buffers());
            ASSERT_TRUE(raw.ok() && unit.ok());
            ASSERT_TRUE(unit->unitNormals);
            ASSERT_EQ(raw->normals.size(), unit->normals.size());
            for (std::size_t v = 0; v < raw->normals.size(); ++v) {
                const Place cube = cubeOf(field.view, raw->cubes[v]);
                const Vec3d at = toDouble(raw->positions[v]);
                Vec3d exact = naiveNormal(method, cube, at, samples);
                ASSERT_LT(length(toDouble(raw->normals[v]) - exact), 1e-3);
                const Vec3d normal = toDouble(unit->normals[v]);
                ASSERT_NEAR(length(normal), 1, 3e-7);
                if (length(exact) < 1e-5) exact = naiveNormal(NormalMethod::CubeGradient, cube, at, samples);
                if (length(exact) > 0.1) {
                    ASSERT_LT(length(normal - normalized(exact)), 1e-3);
                }
            }
        }
    }
}

TEST(SurfaceNets, V12_NormalsOfThinLayersAreOfLengthOne) {
    // Layers of one sample: all central differences are 0.
    const OwnedField field(8, 2, {}, [](Place p) { return std::uint8_t(p[1] & 1 ? 255 : 0); });
    SurfaceNetsWorkspace workspace;
    const auto raw =
        extractSurface(field.view, {NormalMethod::CentralDifferences, false, true}, workspace.buffers());
    ASSERT_TRUE(raw.ok());
    ASSERT_FALSE(raw->normals.empty());
    for (std::size_t v = 0; v < raw->normals.size(); ++v) {
        const float up = cubeOf(field.view, raw->cubes[v])[1] & 1 ? 1.0f : -1.0f;
        EXPECT_EQ(raw->normals[v], (Vec3f{0, up, 0}));
    }
}

struct Directed {
    std::uint32_t from, to;
    auto operator<=>(const Directed&) const = default;
};

std::map<Directed, int> edgesOf(const RawSurface& raw) {
    std::map<Directed, int> edges;
    for (const SurfaceQuad& quad : raw.quads) {
        const auto& v = quad.vertices;
        for (const auto& t : {std::array{v[0], v[1], v[2]}, std::array{v[0], v[2], v[3]}}) {
            for (std::size_t k = 0; k < 3; ++k)
                ++edges[{t[k], t[(k + 1) % 3]}];
        }
    }
    return edges;
}

TEST(SurfaceNets, V12_SphereIsClosedManifoldAndOutward) {
    SurfaceNetsWorkspace workspace;
    const Vec3d centre{15.3, 15.9, 16.1};
    const OwnedField field(32, 2, {}, sphere(centre, 12.2));
    const auto raw = extractSurface(field.view, {}, workspace.buffers());
    ASSERT_TRUE(raw.ok());
    const auto edges = edgesOf(*raw);
    for (const auto& [edge, count] : edges) {
        ASSERT_EQ(count, 1);
        ASSERT_EQ(edges.count({edge.to, edge.from}), 1u);
    }
    EXPECT_EQ(raw->positions.size(), raw->quads.size() + 2) << "Euler's formula";
    for (const SurfaceQuad& quad : raw->quads) {
        const Vec3d a = toDouble(raw->positions[quad.vertices[0]]),
                    b = toDouble(raw->positions[quad.vertices[1]]),
                    c = toDouble(raw->positions[quad.vertices[2]]),
                    d = toDouble(raw->positions[quad.vertices[3]]);
        ASSERT_GT(dot(cross(b - a, c - a), a - centre), 0);
        ASSERT_GT(dot(cross(c - a, d - a), a - centre), 0);
    }
    for (std::size_t v = 0; v < raw->positions.size(); ++v)
        ASSERT_GT(
            dot(normalized(toDouble(raw->normals[v])), normalized(toDouble(raw->positions[v]) - centre)),
            0.97);
}

// How many undirected edges have other than two triangles, one each way, apart from those at the field's
// border.
int looseEdges(const FieldView& field, const RawSurface& raw) {
    const auto edges = edgesOf(raw);
    const auto atBorder = [&](std::uint32_t v) {
        const Place p = cubeOf(field, raw.cubes[v]);
        return std::any_of(p.begin(), p.end(), [&](int c) { return c < 0 || c >= field.size - 1; });
    };
    int loose = 0;
    for (const auto& [edge, count] : edges) {
        if (atBorder(edge.from) && atBorder(edge.to)) continue;
        const auto back = edges.find({edge.to, edge.from});
        const int other = back == edges.end() ? 0 : back->second;
        loose += (count != 1 || other != 1) && (other == 0 || edge.from < edge.to);
    }
    return loose;
}

TEST(SurfaceNets, ManifoldSurfacesHaveTwoTrianglesAnEdge) {
    SurfaceNetsWorkspace workspace(true);
    for (int kind = 0; kind < kKinds; ++kind) {
        for (std::uint64_t seed = 0; seed < 4; ++seed) {
            const OwnedField field(16, 2, {}, randomSamples(kind, seed));
            const auto raw =
                extractSurface(field.view, {NormalMethod::CubeGradient, true}, workspace.buffers());
            ASSERT_TRUE(raw.ok());
            EXPECT_EQ(looseEdges(field.view, *raw), 0) << "kind " << kind;
            std::vector<bool> used(raw->positions.size());
            for (const SurfaceQuad& quad : raw->quads) {
                for (const std::uint32_t v : quad.vertices)
                    used.at(v) = true;
            }
            EXPECT_EQ(std::count(used.begin(), used.end(), false), 0);
            const auto plain = extractSurface(field.view, {NormalMethod::CubeGradient}, workspace.buffers());
            if (kind < 2) {
                EXPECT_GT(looseEdges(field.view, *plain), 0);
            }
        }
    }
}

TEST(SurfaceNets, V10_ManifoldFieldsWeldToo) {
    using Corner = std::array<float, 6>;
    SurfaceNetsWorkspace workspace(true);
    const SurfaceNetsOptions options{NormalMethod::CentralDifferences, true};
    const auto add = [&](int size, Place first, const Samples& samples,
                         std::vector<std::array<Corner, 4>>& quads) {
        const OwnedField field(size, 2, first, samples);
        const auto raw = extractSurface(field.view, options, workspace.buffers());
        ASSERT_TRUE(raw.ok());
        for (const SurfaceQuad& quad : raw->quads) {
            std::array<Corner, 4> corners;
            for (std::size_t k = 0; k < 4; ++k) {
                const Vec3f p = raw->positions[quad.vertices[k]], n = raw->normals[quad.vertices[k]];
                corners[k] = {
                    p.x + float(first[0]), p.y + float(first[1]), p.z + float(first[2]), n.x, n.y, n.z};
            }
            quads.push_back(corners);
        }
    };
    for (int kind = 0; kind < kKinds; ++kind) {
        const Samples samples = randomSamples(kind, 31);
        std::vector<std::array<Corner, 4>> whole, parts;
        add(16, {0, 0, 0}, samples, whole);
        for (int part = 0; part < 8; ++part)
            add(8, {part % 2 * 8, part / 2 % 2 * 8, part / 4 * 8}, samples, parts);
        EXPECT_EQ(whole.size(), naiveQuads(16, samples).size());
        EXPECT_TRUE(sorted(whole) == sorted(parts)) << "kind " << kind;
    }
}

TEST(SurfaceNets, ManifoldSurfacesOfOneSheetAreTheSame) {
    SurfaceNetsWorkspace workspace, manifoldWorkspace(true);
    const OwnedField field(32, 2, {}, sphere({15.3, 15.9, 16.1}, 12.2));
    const auto raw = extractSurface(field.view, {}, workspace.buffers());
    const auto manifold =
        extractSurface(field.view, {NormalMethod::CentralDifferences, true}, manifoldWorkspace.buffers());
    ASSERT_TRUE(raw.ok() && manifold.ok());
    EXPECT_TRUE(
        std::equal(raw->quads.begin(), raw->quads.end(), manifold->quads.begin(), manifold->quads.end()));
    EXPECT_TRUE(std::equal(raw->positions.begin(), raw->positions.end(), manifold->positions.begin(),
                           manifold->positions.end()));
}

TEST(SurfaceNets, V12_NoTriangleIsWithoutArea) {
    SurfaceNetsWorkspace workspace;
    for (int kind = 0; kind < kKinds; ++kind) {
        for (std::uint64_t seed = 0; seed < 6; ++seed) {
            const OwnedField field(16, 2, {}, randomSamples(kind, seed));
            const auto raw = extractSurface(field.view, {}, workspace.buffers());
            ASSERT_TRUE(raw.ok());
            for (const SurfaceQuad& quad : raw->quads) {
                Vec3d p[4];
                for (std::size_t k = 0; k < 4; ++k)
                    p[k] = toDouble(raw->positions[quad.vertices[k]]);
                // Exact, as the coordinates are whole multiples of 2^-16.
                ASSERT_NE(cross(p[1] - p[0], p[2] - p[0]), Vec3d{});
                ASSERT_NE(cross(p[2] - p[0], p[3] - p[0]), Vec3d{});
            }
        }
    }
}

TEST(SurfaceNets, UniformFieldsGiveNothing) {
    SurfaceNetsWorkspace workspace;
    for (const int size : {4, 8, 16, 32}) {
        for (const int padding : {1, 2}) {
            for (const bool filled : {false, true}) {
                OwnedField field(size, padding, {}, [&](Place) { return std::uint8_t(filled ? 128 : 127); });
                const auto content = filled ? FieldContent::AllSolid : FieldContent::AllAir;
                const SurfaceNetsOptions options{NormalMethod::CubeGradient};
                auto raw = extractSurface(field.view, options, workspace.buffers());
                ASSERT_TRUE(raw.ok());
                EXPECT_EQ(raw->content, content);
                EXPECT_TRUE(raw->quads.empty() && raw->positions.empty());
                // What no cube reads changes nothing.
                if (padding == 2) field.samples[field.view.fieldIndex(-2, 1, 1)] ^= 255;
                raw = extractSurface(field.view, options, workspace.buffers());
                EXPECT_EQ(raw->content, content);
                // The last sample that is read has no owned edge.
                field.samples[field.view.fieldIndex(size, size, size)] ^= 255;
                raw = extractSurface(field.view, options, workspace.buffers());
                EXPECT_EQ(raw->content, FieldContent::Mixed);
                EXPECT_TRUE(raw->quads.empty() && raw->positions.empty());
            }
        }
    }
}

TEST(SurfaceNets, RefusesWhatCannotBe) {
    SurfaceNetsWorkspace workspace;
    const OwnedField field(32, 1, {}, randomSamples(0, 1));
    const SurfaceNetsOptions cube{NormalMethod::CubeGradient};
    EXPECT_TRUE(extractSurface(field.view, cube, workspace.buffers()).ok());
    const auto refused = [&](const FieldView& view, const SurfaceNetsOptions& options,
                             const SurfaceNetsBuffers& buffers) {
        const auto raw = extractSurface(view, options, buffers);
        return !raw.ok() && raw.error().code == ErrorCode::InvalidArgument;
    };
    EXPECT_TRUE(refused(field.view, {}, workspace.buffers())) << "central differences";
    EXPECT_TRUE(refused(field.view, {NormalMethod::CubeGradient, true}, workspace.buffers())) << "manifold";
    FieldView view = field.view;
    view.size = 12;
    EXPECT_TRUE(refused(view, cube, workspace.buffers()));
    view = field.view;
    view.padding = 3;
    EXPECT_TRUE(refused(view, cube, workspace.buffers()));
    view = field.view;
    view.samples = nullptr;
    EXPECT_TRUE(refused(view, cube, workspace.buffers()));
    SurfaceNetsBuffers buffers = workspace.buffers();
    buffers.quads = buffers.quads.first(buffers.quads.size() - 1);
    EXPECT_TRUE(refused(field.view, cube, buffers));
    buffers = workspace.buffers();
    buffers.positions = buffers.positions.first(10);
    EXPECT_TRUE(refused(field.view, cube, buffers));
    buffers = workspace.buffers();
    buffers.normals = {};
    EXPECT_TRUE(refused(field.view, cube, buffers));
    buffers = workspace.buffers();
    buffers.cubes = {};
    EXPECT_TRUE(refused(field.view, cube, buffers));
}

}  // namespace
}  // namespace karst::voxel_mesh
