#pragma once

#include <karst/render/mesh_pass.h>
#include <karst/render/sky_pass.h>
#include <karst/render/terrain_pass.h>

#include <vector>

#include "common/image_file.h"
#include "common/mesh_picture.h"
#include "common/offscreen_target.h"
#include "common/one_shot.h"

namespace karst::app {

struct PictureDesc {
    int width = 1280, height = 720;
    heightfield::VertexLayout layout = heightfield::VertexLayout::compact();
    VkSampleCountFlagBits samples = VK_SAMPLE_COUNT_4_BIT;
    VkFormat colorFormat = VK_FORMAT_R8G8B8A8_SRGB;
};

/// The terrain and sky passes and a target without a window to draw them into; every draw waits for the GPU.
///
/// Threads: one at a time.
class PictureRenderer {
  public:
    static Result<PictureRenderer> create(VulkanContext& context, const PictureDesc& desc);

    struct Picture {
        Image image;
        std::vector<float> depth;
        render::TerrainDrawStats terrain;
        render::UploadStats uploads;
    };
    /// Uploads what `buffers` was given, draws terrain, `things` and sky, reads back. The camera's aspect is
    /// the target's, whatever the scene says. Things are all opaque; their origin is the scene's zero.
    Result<Picture> draw(render::NodeMeshBuffers& buffers, std::uint32_t indexCount,
                         render::SceneSettings scene, const PictureMesh* things = nullptr);

  private:
    PictureRenderer(VulkanContext& context, OffscreenTarget target, render::SceneUniforms scene,
                    render::TerrainPass terrain, render::MeshPass things, render::SkyPass sky)
        : m_context(&context),
          m_target(std::move(target)),
          m_scene(std::move(scene)),
          m_terrain(std::move(terrain)),
          m_things(std::move(things)),
          m_sky(std::move(sky)) {}

    VulkanContext* m_context;
    OffscreenTarget m_target;
    render::SceneUniforms m_scene;
    render::TerrainPass m_terrain;
    render::MeshPass m_things;
    render::SkyPass m_sky;
};

}  // namespace karst::app
