#pragma once

#include <karst/base/frustum.h>
#include <karst/heightfield/height_tile.h>
#include <karst/render/tile_terrain.h>

#include <cstdint>
#include <span>
#include <vector>

namespace karst::render {

/// A TerrainTransform made ready: between the terrain's local space and the world.
struct TerrainFrame {
    TerrainTransform transform;
    bool collapsed = false;  ///< has no inverse
    bool mirrored = false;
    double largestScale = 1, smallestScale = 1;  ///< of any direction
    double riseScale = 1;                        ///< of heights

    /// Refuses a transform that is not finite.
    static Result<TerrainFrame> make(const TerrainTransform& transform);

    WorldPosition toWorld(const Vec3d& local) const;
    /// Not of a collapsed transform.
    Vec3d toLocal(const WorldPosition& world) const;
    /// The same half-spaces in local space.
    Frustum toLocal(const Frustum& world) const;
};

/// Where a tile may be drawn, in local space.
Bounds tileBounds(const heightfield::TileLayout& layout, const heightfield::HeightTile& tile);

/// Which tiles each view draws (spec row H17).
class TileCull {
  public:
    /// Byte n of a view's row: its frustum may reach node n. `cull` false: all do.
    /// `tiles`: the nodes' own.
    void run(const heightfield::TileLayout& layout, std::span<const heightfield::HeightTile* const> tiles,
             const TerrainFrame& frame, std::span<const RenderView> views, bool cull);

    std::span<const std::uint8_t> view(std::size_t index) const {
        return {m_reached.data() + index * m_nodes, m_nodes};
    }
    /// Nodes that a camera sees, and that any view draws.
    std::span<const std::uint8_t> camera() const { return m_camera; }
    std::span<const std::uint8_t> any() const { return m_any; }
    std::uint32_t distinct() const { return m_distinct; }

  private:
    std::size_t m_nodes = 0;
    std::uint32_t m_distinct = 0;
    std::vector<std::uint8_t> m_reached, m_camera, m_any;
    std::vector<Frustum> m_frustums;
};

}  // namespace karst::render
