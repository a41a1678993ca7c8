#pragma once

#include <karst/render/mesh_pass.h>
#include <karst/voxel_mesh/surface_export.h>
#include <karst/voxel_stream/mesh_sink.h>

#include <map>

#include "ground_drawing.h"
#include "mesh_buffer.h"
#include "voxel_ground.h"

namespace karst::viewer {

/// Draws the chunks that the streamer shows, in their materials' colours, as one mesh.
class VoxelMeshDrawing final : public GroundDrawing, public voxel_stream::MeshSink {
  public:
    /// Becomes the ground's sink for as long as it lives.
    static Result<std::unique_ptr<VoxelMeshDrawing>> create(const DrawingContext& context,
                                                            VoxelGround& ground);
    ~VoxelMeshDrawing() override;

    Result<void> prepare(VkCommandBuffer commands, const CameraView& camera) override;
    void draw(const DrawTarget& target) override;
    void drawWater(const DrawTarget& target) override;
    DrawStats stats() const override { return m_stats; }

    void show(voxel::ChunkCoord chunk, int level, const voxel_mesh::SurfaceMesh* solid,
              const voxel_mesh::WaterMesh* water) override;
    void drop(voxel::ChunkCoord chunk) override;

  private:
    struct Part {
        std::vector<render::MeshVertex> vertices;
        std::vector<std::uint32_t> indices;
    };
    struct Chunk {
        Part solid, water;
    };
    VoxelMeshDrawing(const DrawingContext& context, PassSet<render::MeshPass> passes, render::MeshPass water,
                     VoxelGround& ground);

    VoxelGround* m_ground;
    PassSet<render::MeshPass> m_passes;
    render::MeshPass m_waterPass;
    MeshBuffer m_buffer;
    std::array<Vec3f, 256> m_colors;
    std::map<voxel::ChunkCoord, Chunk> m_chunks;
    bool m_changed = false;
    std::uint32_t m_solidIndices = 0, m_waterIndices = 0;
    std::vector<render::MeshVertex> m_vertices;
    std::vector<std::uint32_t> m_indices;
    DrawStats m_stats;
};

}  // namespace karst::viewer
