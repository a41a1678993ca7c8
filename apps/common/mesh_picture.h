#pragma once

#include <karst/render/mesh_pass.h>
#include <karst/render/sky_pass.h>

#include <span>
#include <vector>

#include "common/image_file.h"
#include "common/offscreen_target.h"
#include "common/one_shot.h"

namespace karst::app {

/// Triangles to draw: first the opaque ones, then those that one can see through.
struct PictureMesh {
    std::vector<render::MeshVertex> vertices;  ///< relative to `origin`
    std::vector<std::uint32_t> indices;
    std::uint32_t opaqueIndices = 0;
    WorldPosition origin{};
};

/// Buffers for one draw of a mesh, to be uploaded with the next commands.
Result<render::NodeMeshBuffers> uploadMesh(VulkanContext& context, const PictureMesh& mesh);

struct MeshPictureDesc {
    int width = 1280, height = 720;
    VkSampleCountFlagBits samples = VK_SAMPLE_COUNT_4_BIT;
};

/// The mesh and sky passes and a target without a window to draw them into; every draw waits for the GPU.
///
/// Threads: one at a time.
class MeshPictureRenderer {
  public:
    static Result<MeshPictureRenderer> create(VulkanContext& context, const MeshPictureDesc& desc);

    struct Picture {
        Image image;
        std::vector<float> depth;
    };
    /// Uploads, draws, reads back. The camera stands in the world, and its aspect is the target's whatever
    /// the scene says; the scene's heights are relative to the mesh's origin.
    Result<Picture> draw(const PictureMesh& mesh, render::SceneSettings scene);

  private:
    MeshPictureRenderer(VulkanContext& context, OffscreenTarget target, render::SceneUniforms scene,
                        render::MeshPass solid, render::MeshPass water, render::SkyPass sky)
        : m_context(&context),
          m_target(std::move(target)),
          m_scene(std::move(scene)),
          m_solid(std::move(solid)),
          m_water(std::move(water)),
          m_sky(std::move(sky)) {}

    VulkanContext* m_context;
    OffscreenTarget m_target;
    render::SceneUniforms m_scene;
    render::MeshPass m_solid, m_water;
    render::SkyPass m_sky;
};

}  // namespace karst::app
