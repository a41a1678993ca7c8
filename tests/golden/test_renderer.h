#pragma once

#include <common/image_file.h>
#include <common/offscreen_target.h>
#include <common/one_shot.h>
#include <karst/render/sky_pass.h>
#include <karst/render/terrain_pass.h>

#include <vector>

namespace karst::test {

struct TestRendererDesc {
    int width = 320, height = 200;
    heightfield::VertexLayout layout;
    VkSampleCountFlagBits samples = VK_SAMPLE_COUNT_4_BIT;
    VkFormat colorFormat = VK_FORMAT_R8G8B8A8_SRGB;
};

/// The passes and a target to draw into; every draw waits for the GPU.
class TestRenderer {
  public:
    static Result<TestRenderer> create(app::VulkanContext& context, const TestRendererDesc& desc);

    struct Picture {
        app::Image image;
        std::vector<float> depth;
        render::TerrainDrawStats terrain;
        render::UploadStats uploads;
    };
    /// Uploads what `buffers` was given, draws terrain and sky, reads back. The camera's aspect is the
    /// target's, whatever the scene says.
    Result<Picture> draw(render::NodeMeshBuffers& buffers, std::uint32_t indexCount,
                         render::SceneSettings scene);

  private:
    TestRenderer(app::VulkanContext& context, app::OffscreenTarget target, render::SceneUniforms scene,
                 render::TerrainPass terrain, render::SkyPass sky)
        : m_context(&context),
          m_target(std::move(target)),
          m_scene(std::move(scene)),
          m_terrain(std::move(terrain)),
          m_sky(std::move(sky)) {}

    app::VulkanContext* m_context;
    app::OffscreenTarget m_target;
    render::SceneUniforms m_scene;
    render::TerrainPass m_terrain;
    render::SkyPass m_sky;
};

/// Buffers that hold the whole of a mesh, given but not yet recorded.
Result<render::NodeMeshBuffers> buffersOf(app::VulkanContext& context, std::span<const std::byte> vertices,
                                          std::span<const std::byte> indices);

}  // namespace karst::test
