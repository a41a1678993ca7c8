#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <karst/voxel_mesh/surface_export.h>

#include <limits>

#include "export_meshes.h"

namespace karst::voxel_mesh {
namespace {

using test::ExportScene;
using ::testing::HasSubstr;

TEST(SurfaceExport, TheTransferFunctionsAreEachOthersInverse) {
    EXPECT_EQ(srgbToLinear(0), 0);
    EXPECT_FLOAT_EQ(srgbToLinear(1), 1);
    EXPECT_NEAR(srgbToLinear(0.5f), 0.21404f, 1e-5);
    for (int i = 0; i <= 255; ++i) {
        const float encoded = static_cast<float>(i) / 255;
        EXPECT_NEAR(linearToSrgb(srgbToLinear(encoded)), encoded, 1e-5) << i;
    }
}

TEST(SurfaceExport, ColorsBlendByWeight) {
    const auto colors = linearColors(voxel::MaterialTable::standard());
    SurfaceVertex vertex;
    vertex.materials = {2, 6, 6, 6};
    vertex.weights = {255, 0, 0, 0};
    EXPECT_EQ(blendColors(vertex, colors), colors[2]);
    vertex.weights = {51, 204, 0, 0};
    const Vec3f expected = colors[2] * 0.2f + colors[6] * 0.8f;
    EXPECT_NEAR(blendColors(vertex, colors).y, expected.y, 1e-6);
}

TEST(SurfaceExport, RefusesWhatCannotBeWrittenByChunkAndVertex) {
    ExportScene scene;
    ASSERT_TRUE(validate(scene.all));
    const auto errorAfter = [&](auto change) {
        const SurfaceMesh kept = scene.far;
        change(scene.far);
        const auto result = validate(scene.all);
        scene.far = kept;
        return result ? std::string("no error") : result.error().message;
    };
    EXPECT_THAT(errorAfter([](SurfaceMesh& m) { m.indices.push_back(0); }), HasSubstr("make no triangles"));
    EXPECT_THAT(errorAfter([](SurfaceMesh& m) { m.indices[4] = 16; }), HasSubstr("-3, 1, -40: index 16"));
    EXPECT_THAT(errorAfter([](SurfaceMesh& m) {
                    m.vertices[7].normal = {0, 0, 0};
                }),
                HasSubstr("vertex 7: the normal"));
    EXPECT_THAT(
        errorAfter([](SurfaceMesh& m) { m.vertices[1].position.x = std::numeric_limits<float>::infinity(); }),
        HasSubstr("not finite"));
    EXPECT_THAT(errorAfter([](SurfaceMesh& m) { m.vertices[2].materials[3] = 14; }),
                HasSubstr("material 14, the table has 14"));
    EXPECT_THAT(errorAfter([](SurfaceMesh& m) {
                    m.vertices[2].weights = {200, 56, 0, 0};
                }),
                HasSubstr("256"));
    scene.surfaces[2].mesh = nullptr;
    EXPECT_THAT(validate(scene.all).error().message, HasSubstr("chunk 2, 0, 0: no mesh"));
    scene.surfaces[2].mesh = &scene.empty;
    scene.all.placement.cellSize = 0;
    EXPECT_THAT(validate(scene.all).error().message, HasSubstr("cells of 0"));
}

}  // namespace
}  // namespace karst::voxel_mesh
