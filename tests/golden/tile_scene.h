#pragma once

#include <common/offscreen_target.h>
#include <karst/base/function_ref.h>
#include <karst/heightfield/surface.h>
#include <karst/render/scene_uniforms.h>
#include <karst/render/sky_pass.h>
#include <karst/render/tile_terrain.h>

#include <optional>
#include <vector>

namespace karst::test {

struct GroundDesc {
    int samples = 257;  ///< along a side
    double spacing = 1;
    double originX = 0, originZ = 0;
    std::uint32_t tileCells = 16;
    std::uint32_t levels = 0;  ///< 0: down to one root
    /// Cells of the finest samples that are no ground, [x0, x1) x [z0, z1).
    int holeX0 = 0, holeZ0 = 0, holeX1 = 0, holeZ1 = 0;
};

/// A fully resident pyramid over a height function of local x and z.
heightfield::Surface makeGround(const GroundDesc& desc, FunctionRef<double(double x, double z)> height);

struct TileSceneDesc {
    int width = 128, height = 128;
    render::PassKind kind = render::PassKind::Lit;  ///< Lit, Wireframe (over Lit) or Overdraw
    bool prepass = false;                           ///< depth first
    bool sky = false;
    VkSampleCountFlagBits samples = VK_SAMPLE_COUNT_1_BIT;
    render::ShadowMapsDesc shadows = {};
    render::TileTerrainDesc terrain = {};
};

struct TilePicture {
    app::Image image;
    std::vector<float> depth;
    render::TerrainStats stats;
    render::TileDrawStats drawn, shadows;
};

/// Draws a terrain of tiles into a target without a window, shadows first; every draw waits for the GPU.
class TileScene {
  public:
    static Result<TileScene> create(app::VulkanContext& context, const TileSceneDesc& desc);

    /// The viewport's logical height is the target's. Errors of prepare come back, and nothing was drawn.
    Result<TilePicture> draw(const heightfield::Surface& surface, render::SceneSettings scene,
                             const render::TileTerrainSettings& settings);

    render::TileTerrain& terrain() { return *m_terrain; }

  private:
    explicit TileScene(app::VulkanContext& context, const TileSceneDesc& desc)
        : m_context(&context), m_desc(desc) {}

    app::VulkanContext* m_context;
    TileSceneDesc m_desc;
    std::optional<app::OffscreenTarget> m_target;
    std::optional<render::SceneUniforms> m_scene;
    std::optional<render::TilePass> m_prepass, m_lit, m_extra, m_shadow;
    std::optional<render::SkyPass> m_sky;
    std::optional<render::TileTerrain> m_terrain;
};

}  // namespace karst::test
