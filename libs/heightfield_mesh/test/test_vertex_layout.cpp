#include <gtest/gtest.h>
#include <karst/base/math.h>
#include <karst/heightfield_mesh/vertex_layout.h>
#include <karst_test/test_support.h>

#include <cmath>

namespace karst::heightfield {
namespace {

TEST(VertexLayout, N3_PresetsAreValid) {
    EXPECT_TRUE(validate(VertexLayout::compact()).ok());
    EXPECT_TRUE(validate(VertexLayout::positionNormal()).ok());
    EXPECT_TRUE(validate(VertexLayout::engine23()).ok());
    EXPECT_EQ(VertexLayout::compact().strideWords, 4u);
    EXPECT_EQ(VertexLayout::engine23().strideWords, 23u);
}

TEST(VertexLayout, N3_BadLayoutsAreRefusedByName) {
    VertexLayout layout = VertexLayout::compact();
    layout.position = VertexLayout::kAbsent;
    EXPECT_NE(validate(layout).error().message.find("no position"), std::string::npos);
    layout = VertexLayout::compact();
    layout.uv0 = 3;
    EXPECT_NE(validate(layout).error().message.find("uv0 at word 3"), std::string::npos);
    layout = VertexLayout::positionNormal();
    layout.normal = 2;
    EXPECT_NE(validate(layout).error().message.find("normal at word 2 overlaps"), std::string::npos);
    layout = VertexLayout::positionNormal();
    layout.tangent = 0xfffffffeu;
    EXPECT_FALSE(validate(layout).ok());
    layout.strideWords = 0;
    EXPECT_FALSE(validate(layout).ok());
    layout.strideWords = 65;
    EXPECT_FALSE(validate(layout).ok());
}

TEST(VertexLayout, N7_OctahedralNormalsDecodeToTheNormal) {
    test::Random random(6);
    for (int i = 0; i < 20000; ++i) {
        const double steep = std::pow(10, random.range(-3, 3));
        const auto gx = static_cast<float>(random.range(-steep, steep));
        const auto gz = static_cast<float>(random.range(-steep, steep));
        const std::uint32_t word = octahedralNormal(gx, gz);
        const double x = static_cast<std::int16_t>(word & 0xffffu) / 32767.0;
        const double z = static_cast<std::int16_t>(word >> 16) / 32767.0;
        const Vec3d n = normalized(Vec3d{x, 1 - std::abs(x) - std::abs(z), z});
        const Vec3d expected = normalized(Vec3d{-gx, 1, -gz});
        ASSERT_NEAR(length(n - expected), 0, 1e-4);
    }
    EXPECT_EQ(octahedralNormal(0, 0), 0u);
}

}  // namespace
}  // namespace karst::heightfield
