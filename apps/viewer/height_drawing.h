#pragma once

#include <karst/render/tile_pass.h>
#include <karst/render/tile_terrain.h>

#include <memory>

#include "ground_drawing.h"
#include "height_ground.h"

namespace karst::viewer {

/// Draws streamed heights: the tiles that the camera selects, from the renderer's tile pool.
class HeightDrawing final : public GroundDrawing {
  public:
    /// The ground must outlive it.
    static Result<std::unique_ptr<HeightDrawing>> create(const DrawingContext& context, HeightGround& ground);

    Result<void> prepare(VkCommandBuffer commands, const FrameViews& views) override;
    void draw(const DrawTarget& target) override;
    DrawStats stats() const override { return m_stats; }

  private:
    HeightDrawing(PassSet<render::TilePass> passes, render::TileTerrain terrain, HeightGround& ground)
        : m_ground(&ground), m_passes(std::move(passes)), m_terrain(std::move(terrain)) {}

    HeightGround* m_ground;
    PassSet<render::TilePass> m_passes;
    render::TileTerrain m_terrain;
    bool m_prepared = false;
    DrawStats m_stats;
};

}  // namespace karst::viewer
