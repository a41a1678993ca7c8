#include "voxel_vertex.h"

#include <gtest/gtest.h>
#include <karst_test/test_support.h>

#include <cmath>

namespace karst::render {
namespace {

using voxel_mesh::SurfaceMesh;

SurfaceMesh triangleAt(Vec3f place, Vec3f normal) {
    SurfaceMesh mesh;
    mesh.vertices.assign(3, {place, normal, {1, 2, 3, 4}, {90, 80, 70, 15}});
    mesh.indices = {0, 1, 2};
    return mesh;
}

// As voxel_vertex.inc.glsl reads it, written a second time.
Vec3f normalOf(const GpuVoxelVertex& v) {
    float x = static_cast<float>(v.normal[0]) / 32767, z = static_cast<float>(v.normal[1]) / 32767;
    const float y = 1 - std::abs(x) - std::abs(z);
    if (y < 0) {
        const float a = (1 - std::abs(z)) * (x < 0 ? -1.0f : 1.0f);
        z = (1 - std::abs(x)) * (z < 0 ? -1.0f : 1.0f);
        x = a;
    }
    return normalized(Vec3f{x, y, z});
}

TEST(VoxelVertex, ComesBackWithinALatticeStepAndASmallAngle) {
    test::Random random(1);
    for (int i = 0; i < 5000; ++i) {
        const auto coordinate = [&] { return static_cast<float>(random.range(-15.9, 111.9)); };
        const Vec3f place{coordinate(), coordinate(), coordinate()};
        const Vec3f normal =
            normalized(Vec3f{static_cast<float>(random.range(-1, 1)), static_cast<float>(random.range(-1, 1)),
                             static_cast<float>(random.range(-1, 1)) + 1e-3f});
        SurfaceMesh mesh = triangleAt(place, normal);
        mesh.level = i % 4;
        const auto out = encodeSurface(mesh, {}, 4711);
        ASSERT_TRUE(out);
        const GpuVoxelVertex& v = out->vertices[1];
        const Vec3f back = decodePlace(v);
        ASSERT_LE(std::abs(back.x - place.x), 0.5001f / kVoxelLattice);
        ASSERT_LE(std::abs(back.y - place.y), 0.5001f / kVoxelLattice);
        ASSERT_LE(std::abs(back.z - place.z), 0.5001f / kVoxelLattice);
        ASSERT_EQ(v.place[1] >> 28 & 3, static_cast<std::uint32_t>(i % 4));
        ASSERT_GT(dot(normalOf(v), normal), 0.9999999f - 1e-6f);
        ASSERT_EQ(v.slot, 4711);
        ASSERT_EQ(v.materials, 0x04030201u);
        ASSERT_EQ(v.weights, 0x0f46505au);
        ASSERT_EQ(out->min, back);
        ASSERT_EQ(out->max, back);
    }
}

TEST(VoxelVertex, ABorderIsTheSamePointInBothChunks) {
    test::Random random(2);
    int differ = 0;
    for (int i = 0; i < 5000; ++i) {
        const auto place = static_cast<float>(random.range(-1, 1));
        const auto a = encodeSurface(triangleAt({place, 0, 0}, {0, 1, 0}), {}, 0);
        const auto b = encodeSurface(triangleAt({place + 32, 0, 0}, {0, 1, 0}), {}, 0);
        ASSERT_TRUE(a && b);
        const float x = decodePlace(a->vertices[0]).x, y = decodePlace(b->vertices[0]).x;
        differ += x + 32 == y ? 0 : 1;
        ASSERT_LE(std::abs(x + 32 - y), 1.0f / kVoxelLattice);
    }
    EXPECT_LT(differ, 5000 / 50) << "only what lies between two lattice points may fall apart";
}

TEST(VoxelVertex, WaterKeepsItsFadeAndItsSide) {
    voxel_mesh::WaterMesh mesh;
    mesh.vertices = {{{1, 2, 3}, {0, 1, 0}, 0.75f}, {{1, 2, 3}, {-1, 0, 0}, 0}, {{1, 2, 3}, {0, 0, 1}, 1}};
    mesh.indices = {0, 1, 2};
    const auto out = encodeWater(mesh, 9);
    ASSERT_TRUE(out);
    EXPECT_EQ(out->vertices[0].weights, 191u);
    EXPECT_EQ(out->vertices[1].weights, 0u);
    EXPECT_EQ(out->vertices[2].weights, 255u);
    EXPECT_FLOAT_EQ(normalOf(out->vertices[1]).x, -1);
    EXPECT_FLOAT_EQ(normalOf(out->vertices[2]).z, 1);
}

TEST(VoxelVertex, RefusesWhatItCannotHold) {
    EXPECT_TRUE(encodeSurface(SurfaceMesh(), {}, 0));
    SurfaceMesh mesh = triangleAt({1, 1, 1}, {0, 1, 0});
    mesh.level = 4;
    EXPECT_FALSE(encodeSurface(mesh, {}, 0));
    EXPECT_FALSE(encodeSurface(triangleAt({-17, 0, 0}, {0, 1, 0}), {}, 0));
    EXPECT_FALSE(encodeSurface(triangleAt({0, 112, 0}, {0, 1, 0}), {}, 0));
    EXPECT_FALSE(encodeSurface(triangleAt({0, 0, std::nanf("")}, {0, 1, 0}), {}, 0));
}

}  // namespace
}  // namespace karst::render
