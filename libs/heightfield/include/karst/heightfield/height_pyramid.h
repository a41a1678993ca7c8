#pragma once

#include <karst/base/externals.h>
#include <karst/base/rect.h>
#include <karst/heightfield/height_raster.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace karst::heightfield {

/// Lowest and highest ground of blocks of cells, level over level: what lets a ray skip. Derived from a
/// raster; costs about 0.27 bytes a texel.
///
/// The cells from 0 on are taken in blocks of 4 x 4, those in blocks of 16 x 16, and so on; the half cells
/// at the raster's rim go to the blocks beside them, whose bounds are theirs too. A node holds the bounds of
/// its 4 x 4 blocks as 16-bit steps of the raster's declared height range, rounded outwards. Holes do not
/// count: a block's bounds are those of all its texels.
///
/// Threads: const members from any thread while nobody calls update().
class HeightPyramid {
  public:
    static constexpr int kMaxLevels = 10;

    /// 4 x 4 blocks, row-major; one cache line. Steps are those of stepsOf(); a block outside the raster has
    /// low > high.
    struct alignas(64) Node {
        std::array<std::int16_t, 16> low, high;
        bool operator==(const Node&) const = default;
    };

    /// Nodes of one level; level 0 has blocks of 4 x 4 cells, every next one 4 times as wide.
    struct Level {
        std::size_t first = 0;  ///< in nodes()
        int columns = 0, rows = 0;
    };

    /// The externals' allocator and job system are used here and in update().
    explicit HeightPyramid(const HeightRaster& raster, const Externals& externals = {});

    /// Catches up with the changes of the raster given to the constructor; only the nodes over changed texels
    /// are made again.
    void update(const HeightRaster& raster);

    /// The raster's generation that this was built from or last caught up with.
    std::uint64_t generation() const { return m_generation; }
    std::size_t memoryBytes() const;

    int levels() const { return m_levelCount; }
    const Level& level(int index) const { return m_levels[static_cast<std::size_t>(index)]; }
    std::span<const Node> nodes() const { return m_nodes; }
    const Node& node(int levelIndex, int x, int z) const {
        const Level& l = level(levelIndex);
        return m_nodes[l.first + static_cast<std::size_t>(z) * static_cast<std::size_t>(l.columns) +
                       static_cast<std::size_t>(x)];
    }

    /// A height in steps of the bounds, not rounded: -32500 at the declared range's foot, 32500 at its top.
    double stepsOf(double height) const { return (height - m_rangeMin) * m_stepsPerUnit - kHalfSteps; }
    double stepsPerUnit() const { return m_stepsPerUnit; }

    /// Heights surely below and above all ground, beyond any rounding of it.
    double clearBelow() const { return m_clearBelow; }
    double clearAbove() const { return m_clearAbove; }
    /// 1 / the raster's spacing.
    double inverseSpacingX() const { return m_inverseSpacingX; }
    double inverseSpacingZ() const { return m_inverseSpacingZ; }

  private:
    static constexpr double kHalfSteps = 32500;

    void buildBottom(const HeightRaster& raster, const GridRect& nodes);
    void buildAbove(int level, const GridRect& nodes);
    Node bottomNode(const HeightRaster& raster, int x, int z) const;

    JobSystem* m_jobs;
    double m_rangeMin = 0, m_stepsPerUnit = 0;
    double m_clearBelow = 0, m_clearAbove = 0;
    double m_inverseSpacingX = 1, m_inverseSpacingZ = 1;
    std::array<Level, kMaxLevels> m_levels{};
    int m_levelCount = 0;
    int m_columns = 0, m_rows = 0;
    Vector<Node> m_nodes;
    std::uint64_t m_generation = 0;
};

}  // namespace karst::heightfield
