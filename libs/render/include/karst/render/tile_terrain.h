#pragma once

#include <karst/base/externals.h>
#include <karst/base/result.h>
#include <karst/heightfield/surface.h>
#include <karst/render/render_view.h>
#include <karst/render/scene_uniforms.h>
#include <karst/render/tile_pass.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

namespace karst::render {

/// From a terrain's local space to the world: x * axisX + y * axisY + z * axisZ + translation.
struct TerrainTransform {
    Vec3d axisX{1, 0, 0}, axisY{0, 1, 0}, axisZ{0, 0, 1};
    WorldPosition translation;
};

struct TileTerrainDesc {
    /// How many prepares the GPU may be behind: what was recorded after a prepare must have finished before
    /// the one framesInFlight calls later. 1..8.
    std::uint32_t framesInFlight = 2;
    /// Layers of the pool at most; 0: what the device offers. Never more than that.
    std::uint32_t layerLimit = 0;
    Externals externals = {};
};

struct TileTerrainSettings {
    double tolerance = 1;  ///< largest error on screen, in logical pixels; above 0
    /// Ground this near to the focus, in world units, is pinned to the finest stored level; 0: no pin.
    double targetRadius = 0;
    std::optional<WorldPosition> focus = {};  ///< nothing: the camera
    /// Where it is collapsed (two axes in line, or one without length) the finest geometry is drawn.
    TerrainTransform transform = {};
    bool hidden = false;
    bool pixelNormals = true;  ///< normals finer than the lattice drawn (spec row HX4)
    bool cull = true;          ///< false: every view draws every selected tile
};

/// What one prepare found (spec row H22).
struct TerrainStats {
    std::uint32_t selected = 0;         ///< tiles that cover the ground
    std::uint32_t drawn = 0;            ///< that the camera's views draw
    std::uint32_t distinct = 0;         ///< that any view draws
    std::uint32_t shadowDraws = 0;      ///< tiles drawn by shadow views, each view counted
    std::uint64_t cameraTriangles = 0;  ///< of all camera views together
    std::uint64_t shadowTriangles = 0;
    std::int32_t finestLevel = 0;  ///< of the tiles selected
    double tolerance = 0;          ///< as asked for, or larger where the pool's limit made it so
    double prepareSeconds = 0;     ///< of the CPU
    std::uint32_t residentTiles = 0;
    std::uint64_t residentBytes = 0;  ///< of the surface's tiles
    std::uint32_t layers = 0;         ///< that the pool has room for
    std::uint64_t layerBytes = 0;     ///< of all of them
    std::uint32_t uploads = 0;        ///< layers written
    std::uint64_t uploadBytes = 0;
};

/// What one record drew.
struct TileDrawStats {
    std::uint32_t draws = 0, tiles = 0;
    std::uint64_t triangles = 0;  ///< those of seams, which have no area, left out
};

/// Draws a streamed terrain's height tiles (spec rows H17 - H23): selects them for a camera, keeps for each
/// view those whose bounds reach it, uploads what is drawn and not yet in the pool, and records one instanced
/// draw a level.
///
/// Each frame: prepare, then recordUploads outside of a rendering scope, then record inside of one for each
/// view and pass. Memory: for each tile drawn a layer of about (tileCells + 3)^2 heights and 1.5 times as
/// many words of slopes; the pool is given back when the terrain is hidden or gets a surface of another
/// lineage, and with the object. The GPU must be done with all that was recorded with it before it is
/// destroyed.
///
/// Threads: prepare and recordUploads one at a time; record may be called from several threads with different
/// command buffers.
class TileTerrain {
  public:
    /// Fails with InvalidArgument for numbers outside their ranges, DeviceLost where memory is out.
    static Result<TileTerrain> create(const VulkanDevice& device, const TileTerrainDesc& desc = {});
    TileTerrain(TileTerrain&&) noexcept;
    TileTerrain& operator=(TileTerrain&&) noexcept;
    ~TileTerrain();

    /// `camera`: stable, without jitter; it is the one of the scene that is drawn. `viewportHeight`: in
    /// logical pixels. `views`: as the scene's, positions relative to sceneOrigin(camera).
    ///
    /// In a shadow cascade, tiles that no camera view sees are drawn at the coarsest level whose error stays
    /// within one of its texels.
    ///
    /// Fails with InvalidArgument, by name, where a setting, the camera or the viewport's height is outside
    /// its range, or where the layer limit is too small for the roots that are seen; then nothing is drawn
    /// until a prepare succeeds.
    Result<TerrainStats> prepare(const heightfield::Surface& surface, const CameraView& camera,
                                 double viewportHeight, const TileTerrainSettings& settings,
                                 std::span<const RenderView> views);

    /// Records what the last prepare found new; outside of a rendering scope.
    void recordUploads(VkCommandBuffer commands);

    /// Draws a view of the last prepare: one draw for each stride in use, and one of triangles without area
    /// that close what rounding opens where tiles of different strides meet. Sets viewport and scissor to
    /// `area`.
    TileDrawStats record(VkCommandBuffer commands, const SceneUniforms& scene, std::size_t view,
                         const TilePass& pass, VkRect2D area) const;

    /// The pool's array of R32F layers (heightfield::TileLayerShape), and its array of RG16F layers
    /// (heightfield::TileSlopeShape), in the layout SHADER_READ_ONLY_OPTIMAL after recordUploads; null where
    /// there is none. To be read back by tools.
    VkImage poolImage() const;
    VkImage slopesImage() const;
    /// The layer of a tile that the last prepare drew; nothing where it did not.
    std::optional<std::uint32_t> layerOf(const heightfield::TileKey& key) const;

  private:
    friend class GroundShading;
    struct Impl;
    explicit TileTerrain(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> m_impl;
};

}  // namespace karst::render
