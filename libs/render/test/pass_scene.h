#pragma once

#include <golden/gpu_test.h>
#include <golden/grid_mesh.h>
#include <golden/mesh_buffers.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace karst::render {

/// What the shader makes of a light: tone mapping and encoding, in steps of 255.
inline int encoded(float light) {
    const float x = light * 0.6f;
    const float tone = std::clamp(x * (2.51f * x + 0.03f) / (x * (2.43f * x + 0.59f) + 0.14f), 0.0f, 1.0f);
    const float srgb = tone > 0.0031308f ? 1.055f * std::pow(tone, 1 / 2.4f) - 0.055f : 12.92f * tone;
    return static_cast<int>(std::lround(srgb * 255));
}

/// Clear air, no clouds and noise too fine to be seen: colours that a test can compute.
inline SceneSettings plainScene(WorldPosition eye, WorldPosition target, double nearPlane = 0.5) {
    SceneSettings scene;
    scene.camera = CameraView::lookAt(eye, target, 0.8, 1, nearPlane).value();
    scene.sun.cloudShade = 0;
    scene.sky.visibility = 1e12f;
    scene.sky.cloud = 0;
    scene.materials.detailSize = 1e-3f;
    scene.materials.normalDetail = 0;
    return scene;
}

/// The pixel of a square picture that shows a point, for a camera near the world's origin.
inline std::pair<int, int> pixelOf(const SceneSettings& scene, Vec3d p, int side) {
    const Mat4f m = scene.camera.viewProjection({});
    const auto row = [&](int r) {
        return m.at(r, 0) * p.x + m.at(r, 1) * p.y + m.at(r, 2) * p.z + m.at(r, 3);
    };
    return {static_cast<int>((row(0) / row(3) * 0.5 + 0.5) * side),
            static_cast<int>((row(1) / row(3) * 0.5 + 0.5) * side)};
}

/// Draws meshes of one layout at 64 x 64 without multisampling.
class PassTest : public test::GpuTest {
  protected:
    using Picture = app::PictureRenderer::Picture;
    static constexpr int kSide = 64;
    static constexpr std::size_t kCentre = kSide / 2 * kSide + kSide / 2;

    Picture draw(const test::GridMesh& mesh, const SceneSettings& scene, app::PictureDesc desc = small()) {
        desc.layout = mesh.layout;
        auto renderer = app::PictureRenderer::create(context(), desc);
        auto buffers = test::buffersOf(context(), mesh.vertexBytes(), mesh.indexBytes());
        if (!renderer || !buffers) {
            ADD_FAILURE() << (renderer ? buffers.error() : renderer.error()).message;
            return {};
        }
        auto picture = renderer->draw(*buffers, mesh.indexCount(), scene);
        if (!picture) {
            ADD_FAILURE() << picture.error().message;
            return {};
        }
        return *picture;
    }

    static app::PictureDesc small() {
        return {.width = kSide, .height = kSide, .layout = {}, .samples = VK_SAMPLE_COUNT_1_BIT};
    }

    /// A level plate of the given half width around the world's y axis.
    static test::GridMesh plate(double y, double half, int quads = 8) {
        return test::makeGridMesh({.layout = heightfield::VertexLayout::positionNormal(),
                                   .columns = quads + 1,
                                   .rows = quads + 1,
                                   .minX = -half,
                                   .minZ = -half,
                                   .spacing = 2 * half / quads},
                                  [&](double, double) { return y; });
    }
};

}  // namespace karst::render
