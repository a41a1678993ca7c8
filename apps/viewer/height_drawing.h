#pragma once

#include <karst/base/job_system.h>
#include <karst/heightfield_mesh/tile_mesh.h>
#include <karst/render/terrain_pass.h>

#include "ground_drawing.h"
#include "height_ground.h"
#include "mesh_buffer.h"

namespace karst::viewer {

/// Draws streamed heights: the tiles that the view selects, as one mesh that is made again where they change.
class HeightDrawing final : public GroundDrawing {
  public:
    /// The ground must outlive it.
    static Result<std::unique_ptr<HeightDrawing>> create(const render::VulkanDevice& device,
                                                         const render::SceneUniforms& scene,
                                                         const render::AttachmentFormats& formats,
                                                         std::uint32_t framesInFlight,
                                                         const HeightGround& ground,
                                                         const Externals& externals);

    WorldPosition origin() const override { return m_origin; }
    Result<void> prepare(VkCommandBuffer commands, const CameraView& camera, double viewportHeight) override;
    void drawSolid(VkCommandBuffer commands, const render::SceneUniforms& scene, VkRect2D area) override;
    void drawWater(VkCommandBuffer, const render::SceneUniforms&, VkRect2D) override {}
    DrawStats stats() const override { return m_stats; }

  private:
    HeightDrawing(const render::VulkanDevice& device, std::uint32_t framesInFlight, render::TerrainPass pass,
                  const HeightGround& ground, const Externals& externals);
    bool stale(const CameraView& camera) const;

    const HeightGround* m_ground;
    JobSystem* m_jobs;
    render::TerrainPass m_pass;
    MeshBuffer m_buffer;
    heightfield::TileSelector m_selector;
    heightfield::TileMesh m_mesh;
    WorldPosition m_origin;
    // What the mesh was made for.
    heightfield::SurfaceLineage m_lineage;
    std::uint64_t m_revision = 0;
    WorldPosition m_eye;
    double m_tolerance = 0;
    DrawStats m_stats;
};

}  // namespace karst::viewer
