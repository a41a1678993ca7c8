#pragma once

#include <karst/render/mesh_pass.h>

#include <memory>
#include <vector>

#include "ground_drawing.h"
#include "mesh_buffer.h"
#include "physics_scene.h"

namespace karst::viewer {

/// Draws bodies that fall, all as one mesh that is made anew in each frame.
class BodyDrawing final : public GroundDrawing {
  public:
    static Result<std::unique_ptr<BodyDrawing>> create(const DrawingContext& context);

    /// For the next frame.
    void setBodies(std::span<const BodyPose> bodies);

    Result<void> prepare(VkCommandBuffer commands, const FrameViews& views) override;
    void draw(const DrawTarget& target) override;
    DrawStats stats() const override { return m_stats; }

  private:
    BodyDrawing(const DrawingContext& context, PassSet<render::MeshPass> passes);

    PassSet<render::MeshPass> m_passes;
    MeshBuffer m_buffer;
    std::vector<render::MeshVertex> m_vertices;
    std::vector<std::uint32_t> m_indices;
    DrawStats m_stats;
};

}  // namespace karst::viewer
