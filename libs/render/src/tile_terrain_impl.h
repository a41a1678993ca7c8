#pragma once

#include <karst/heightfield_lod/tile_selection.h>
#include <karst/heightfield_mesh/tile_lattice.h>
#include <karst/heightfield_mesh/tile_record.h>
#include <karst/render/tile_terrain.h>

#include <array>
#include <vector>

#include "../shaders/gpu_types.h"
#include "tile_cull.h"
#include "tile_pool.h"

namespace karst::render {

/// Tiles of one view that are drawn at one stride: a run of the records.
struct TileRun {
    std::uint32_t first = 0, count = 0;
    bool gaps = false;  ///< some have cells that are no ground
};

struct DrawnView {
    RenderView view;
    std::array<TileRun, heightfield::TerrainGrid::kMaxLevels> runs;
    TileRun seams;  // of those with a side coarser than the tile
};

struct TileTerrain::Impl {
    static constexpr std::uint32_t kMaxFramesInFlight = 8;

    DeviceFunctions fn;
    TileTerrainDesc desc;
    Retired retired;
    TilePool pool;
    heightfield::TileSelector selector;
    heightfield::CornerReconciler reconciler;
    TileCull cull;

    // Of the last prepare.
    bool ready = false;     // something may be drawn
    bool recorded = false;  // and is on its way to the GPU
    heightfield::Surface surface;
    std::uint64_t residentBytes = 0;
    std::vector<heightfield::TileNode> nodes;
    std::vector<const heightfield::HeightTile*> tilesOfNodes;
    std::vector<float> coarsest;
    std::vector<heightfield::TileKey> drawnKeys;
    std::vector<std::uint32_t> drawnLayers, layerOfNode;
    std::vector<heightfield::TileRecord> records;
    std::vector<DrawnView> views;
    gpu::GpuTiles tiles;

    // What the GPU reads.
    heightfield::TerrainGrid grid;
    GpuBuffer indices;
    bool indicesAreNew = false;
    GpuBuffer recordBuffer, uniforms;
    VkDescriptorSetLayout setLayout = VK_NULL_HANDLE;
    VkSampler sampler = VK_NULL_HANDLE;  // of slopes
    VkDescriptorPool setPool = VK_NULL_HANDLE;
    VkDescriptorSet set = VK_NULL_HANDLE;
    std::uint64_t setGeneration = 0;
    std::array<GpuBuffer, kMaxFramesInFlight> staging;
    std::uint32_t frame = 0;
    VkDeviceSize recordsAt = 0, indicesAt = 0;  // in the frame's staging; layers come first

    Impl(const DeviceFunctions& functions, const TileTerrainDesc& description, std::uint32_t layerLimit);
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;
    ~Impl();

    Result<void> checkSettings(const CameraView& camera, double viewportHeight,
                               const TileTerrainSettings& settings) const;
    /// Selects, with a larger tolerance where the pool would not hold what is drawn; gives the tolerance.
    Result<double> select(const CameraView& camera, double viewportHeight,
                          const TileTerrainSettings& settings, const TerrainFrame& frame,
                          std::span<const RenderView> drawn);
    void writeRecords(const TerrainFrame& frame, const heightfield::TileAnchor& anchor, TerrainStats& stats);
    void setUniforms(const CameraView& camera, double viewportHeight, const TileTerrainSettings& settings,
                     const TerrainFrame& frame, const heightfield::TileAnchor& anchor);
    void measureSurface(const heightfield::Surface& next);
    void release();

    // tile_terrain_record.cpp
    Result<void> stage();
    Result<void> updateSet();
    void barrier(VkCommandBuffer commands, bool before);
};

}  // namespace karst::render
