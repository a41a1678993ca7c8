#pragma once

#include <karst/base/externals.h>
#include <karst/render/sky_pass.h>
#include <karst/render/voxel_pass.h>
#include <karst/render/water_pass.h>
#include <karst/voxel/grid_snapshot.h>

#include <vector>

#include "common/image_file.h"
#include "common/mesh_picture.h"
#include "common/offscreen_target.h"
#include "common/one_shot.h"

namespace karst::app {

struct VoxelPictureOptions {
    int level = 0;  ///< of meshing, 0..3
};

/// All that a picture of a grid shows: surfaces with the sky's light that reaches each vertex, and water.
struct VoxelPicture {
    struct Part {
        voxel::ChunkCoord chunk;
        voxel_mesh::SurfaceMesh solid;
        voxel_mesh::WaterMesh water;
        std::vector<render::VoxelVertexLight> light;
    };
    std::vector<Part> parts;  ///< in the order of ChunkCoord
    voxel::GridPlacement placement;
    voxel::MaterialTable materials;
    Bounds bounds;  ///< in the world
    std::size_t vertices = 0, triangles = 0;
};

/// The same for any number of workers.
VoxelPicture makeVoxelPicture(const voxel::GridSnapshot& grid, const VoxelPictureOptions& options,
                              JobSystem& jobs);

struct VoxelPictureDesc {
    int width = 1280, height = 720;
    VkSampleCountFlagBits samples = VK_SAMPLE_COUNT_4_BIT;
    std::uint32_t shadowResolution = 2048;
};

/// The passes for voxel ground, its shadows, water and the sky, and a target without a window to draw them
/// into; every draw waits for the GPU.
///
/// Threads: one at a time.
class VoxelPictureRenderer {
  public:
    static Result<VoxelPictureRenderer> create(VulkanContext& context, const VoxelPictureDesc& desc);

    struct Image {
        app::Image image;
        std::vector<float> depth;
    };
    /// Uploads, draws, reads back. The camera's aspect is the target's whatever the scene says, and the
    /// cascades reach across the picture's ground. `things`: opaque triangles beside the ground, in the world
    /// (their origin is not read); they cast shadows too.
    Result<Image> draw(const VoxelPicture& picture, render::SceneSettings scene,
                       const PictureMesh* things = nullptr);

  private:
    VoxelPictureRenderer(VulkanContext& context, OffscreenTarget target, render::SceneUniforms scene,
                         render::SkyPass sky)
        : m_context(&context),
          m_target(std::move(target)),
          m_scene(std::move(scene)),
          m_sky(std::move(sky)) {}

    VulkanContext* m_context;
    OffscreenTarget m_target;
    render::SceneUniforms m_scene;
    render::SkyPass m_sky;
};

}  // namespace karst::app
