#pragma once

#include <common/voxel_pool_sink.h>
#include <karst/render/voxel_pass.h>
#include <karst/render/water_pass.h>

#include <memory>

#include "ground_drawing.h"
#include "voxel_ground.h"

namespace karst::viewer {

/// Draws the chunks that the streamer shows, from the renderer's voxel pool.
class VoxelDrawing final : public GroundDrawing {
  public:
    /// Becomes the ground's sink for as long as it lives.
    static Result<std::unique_ptr<VoxelDrawing>> create(const DrawingContext& context, VoxelGround& ground);
    ~VoxelDrawing() override;

    Result<void> prepare(VkCommandBuffer commands, const FrameViews& views) override;
    void draw(const DrawTarget& target) override;
    void drawWater(const DrawTarget& target) override;
    bool settled() const override { return m_waiting == 0; }
    DrawStats stats() const override { return m_stats; }

  private:
    VoxelDrawing(PassSet<render::VoxelPass> passes, render::WaterPass water, render::VoxelPool pool,
                 VoxelGround& ground)
        : m_ground(&ground),
          m_passes(std::move(passes)),
          m_water(std::move(water)),
          m_pool(std::move(pool)),
          m_sink(m_pool) {}

    VoxelGround* m_ground;
    PassSet<render::VoxelPass> m_passes;
    render::WaterPass m_water;
    render::VoxelPool m_pool;
    app::VoxelPoolSink m_sink;
    std::array<render::VoxelDraws, 1 + render::kMaxCascades> m_draws;  // by view
    std::uint32_t m_waiting = 0;
    DrawStats m_stats;
};

}  // namespace karst::viewer
