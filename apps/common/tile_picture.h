#pragma once

#include <karst/render/sky_pass.h>
#include <karst/render/tile_terrain.h>

#include <vector>

#include "common/image_file.h"
#include "common/offscreen_target.h"
#include "common/one_shot.h"

namespace karst::app {

struct TilePictureDesc {
    int width = 1280, height = 720;
    VkSampleCountFlagBits samples = VK_SAMPLE_COUNT_4_BIT;
    int cascades = 0;  ///< of the sun's shadow: 0 (none) .. render::kMaxCascades
    std::uint32_t cascadeResolution = 2048;
};

/// Streamed height tiles and sky with a target without a window to draw them into; every draw waits for the
/// GPU.
///
/// Threads: one at a time.
class TilePictureRenderer {
  public:
    static Result<TilePictureRenderer> create(VulkanContext& context, const TilePictureDesc& desc,
                                              const Externals& externals = {});

    struct Picture {
        Image image;
        render::TerrainStats stats;
        render::TileDrawStats drawn;
    };
    /// The camera's aspect and the number of cascades are the target's, whatever the scene says.
    Result<Picture> draw(const heightfield::Surface& surface, render::SceneSettings scene,
                         const render::TileTerrainSettings& settings);

  private:
    TilePictureRenderer(VulkanContext& context, const TilePictureDesc& desc, OffscreenTarget target,
                        render::SceneUniforms scene, render::TilePass lit, render::TilePass shadow,
                        render::SkyPass sky, render::TileTerrain terrain)
        : m_context(&context),
          m_desc(desc),
          m_target(std::move(target)),
          m_scene(std::move(scene)),
          m_lit(std::move(lit)),
          m_shadow(std::move(shadow)),
          m_sky(std::move(sky)),
          m_terrain(std::move(terrain)) {}

    VulkanContext* m_context;
    TilePictureDesc m_desc;
    OffscreenTarget m_target;
    render::SceneUniforms m_scene;
    render::TilePass m_lit, m_shadow;
    render::SkyPass m_sky;
    render::TileTerrain m_terrain;
};

}  // namespace karst::app
