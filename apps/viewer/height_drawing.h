#pragma once

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
    static Result<std::unique_ptr<HeightDrawing>> create(const DrawingContext& context,
                                                         const HeightGround& ground);

    Result<void> prepare(VkCommandBuffer commands, const CameraView& camera) override;
    void draw(const DrawTarget& target) override;
    DrawStats stats() const override { return m_stats; }

  private:
    HeightDrawing(const DrawingContext& context, PassSet<render::TerrainPass> passes,
                  const HeightGround& ground);
    bool stale(const CameraView& camera) const;

    const HeightGround* m_ground;
    JobSystem* m_jobs;
    PassSet<render::TerrainPass> m_passes;
    MeshBuffer m_buffer;
    heightfield::TileSelector m_selector;
    heightfield::TileMesh m_mesh;
    // What the mesh was made for.
    heightfield::SurfaceLineage m_lineage;
    std::uint64_t m_revision = 0;
    WorldPosition m_eye;
    double m_tolerance = 0;
    DrawStats m_stats;
};

}  // namespace karst::viewer
