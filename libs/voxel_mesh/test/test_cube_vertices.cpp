#include "cube_vertices.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "naive_surface.h"

namespace karst::voxel_mesh {
namespace {

using namespace test;

TEST(CubeVertices, AllWidthsGiveTheSameBits) {
    if (widestLanes() == Lanes::Four) GTEST_SKIP() << "this processor has one width only";
    SurfaceNetsWorkspace workspace;
    karst::test::Random random(3);
    for (int kind = 0; kind < kKinds; ++kind) {
        for (const int padding : {1, 2}) {
            const OwnedField field(16, padding, {}, randomSamples(kind, 8));
            const auto raw = extractSurface(field.view, {NormalMethod::CubeGradient}, workspace.buffers());
            ASSERT_TRUE(raw.ok());
            const std::size_t count = raw->cubes.size(), room = (count + 7) / 8 * 8;
            std::vector<std::uint16_t> cubes(raw->cubes.begin(), raw->cubes.end()), edges(room, 0xfff);
            cubes.resize(room, cubes.front());
            for (std::uint16_t& e : edges)
                e = static_cast<std::uint16_t>(random.next() & 0xfff);
            for (int variant = padding == 1 ? 4 : 0; variant < 8; ++variant) {
                const NormalMethod method =
                    variant < 4 ? NormalMethod::CentralDifferences : NormalMethod::CubeGradient;
                std::vector<Vec3f> out[2][2];
                for (const Lanes lanes : {Lanes::Four, Lanes::Eight}) {
                    auto& [positions, normals] = out[lanes == Lanes::Eight];
                    positions.resize(room);
                    normals.resize(room);
                    computeCubeVertices(lanes, field.view, method, variant & 1, cubes.data(),
                                        variant & 2 ? edges.data() : nullptr, count, positions.data(),
                                        normals.data());
                }
                for (int k = 0; k < 2; ++k)
                    EXPECT_EQ(std::memcmp(out[0][k].data(), out[1][k].data(), count * sizeof(Vec3f)), 0);
            }
        }
    }
}

}  // namespace
}  // namespace karst::voxel_mesh
