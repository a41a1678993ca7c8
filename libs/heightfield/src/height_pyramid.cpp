#include <karst/heightfield/height_pyramid.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace karst::heightfield {

namespace {

constexpr std::int16_t kEmptyLow = 32767, kEmptyHigh = -32768;
constexpr int kNodeCells = 16;

/// std::floor is a call without SSE 4.1; steps fit an int.
int floorToInt(double value) {
    const int truncated = static_cast<int>(value);
    return truncated - (value < truncated ? 1 : 0);
}

/// Along one side; a raster 1 texel wide has no whole cell and one node nevertheless.
int bottomNodes(int texels) {
    return std::max((texels - 1 + kNodeCells - 1) / kNodeCells, 1);
}

}  // namespace

HeightPyramid::HeightPyramid(const HeightRaster& raster, const Externals& externals)
    : m_jobs(externals.jobs),
      m_inverseSpacingX(1 / raster.spacingX()),
      m_inverseSpacingZ(1 / raster.spacingZ()),
      m_columns(raster.columns()),
      m_rows(raster.rows()),
      m_nodes(*externals.allocator) {
    const HeightRange& range = raster.heightRange();
    m_rangeMin = range.min;
    const double height = double{range.max} - double{range.min};
    m_stepsPerUnit = height > 0 ? 2 * kHalfSteps / height : 0;
    const double slack = 1e-6 * (height + std::abs(range.min) + std::abs(range.max));
    m_clearBelow = range.min - slack;
    m_clearAbove = range.max + slack;

    int columns = bottomNodes(raster.columns());
    int rows = bottomNodes(raster.rows());
    std::size_t count = 0;
    for (;;) {
        m_levels[static_cast<std::size_t>(m_levelCount++)] = {count, columns, rows};
        count += static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows);
        if (columns == 1 && rows == 1) break;
        columns = (columns + 3) / 4;
        rows = (rows + 3) / 4;
    }
    m_nodes.resize(count);
    update(raster);
}

void HeightPyramid::update(const HeightRaster& raster) {
    KARST_ASSERT(raster.columns() == m_columns && raster.rows() == m_rows);
    const GridRect texels = raster.changedSince(m_generation);
    m_generation = raster.generation();
    if (texels.empty()) return;
    // Texel t is a corner of the cells t - 1 and t.
    GridRect nodes{std::max(texels.minX - 1, 0) / kNodeCells, std::max(texels.minZ - 1, 0) / kNodeCells,
                   (texels.maxX - 1) / kNodeCells + 1, (texels.maxZ - 1) / kNodeCells + 1};
    nodes = intersect(nodes, GridRect{0, 0, m_levels[0].columns, m_levels[0].rows});
    buildBottom(raster, nodes);
    for (int l = 1; l < m_levelCount; ++l) {
        nodes = {nodes.minX / 4, nodes.minZ / 4, (nodes.maxX + 3) / 4, (nodes.maxZ + 3) / 4};
        buildAbove(l, nodes);
    }
}

void HeightPyramid::buildBottom(const HeightRaster& raster, const GridRect& nodes) {
    const auto width = static_cast<std::size_t>(m_levels[0].columns);
    const auto body = [&](std::size_t begin, std::size_t end) {
        for (std::size_t row = begin; row < end; ++row) {
            const int z = nodes.minZ + static_cast<int>(row);
            Node* out = m_nodes.data() + static_cast<std::size_t>(z) * width;
            for (int x = nodes.minX; x < nodes.maxX; ++x)
                out[x] = bottomNode(raster, x, z);
        }
    };
    m_jobs->parallelFor(static_cast<std::size_t>(nodes.depth()), 4, body);
}

HeightPyramid::Node HeightPyramid::bottomNode(const HeightRaster& raster, int x, int z) const {
    constexpr int kTexels = kNodeCells + 1;
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    Node node;
    node.low.fill(kEmptyLow);
    node.high.fill(kEmptyHigh);

    const int x0 = x * kNodeCells, z0 = z * kNodeCells;
    const bool inside = x0 + kTexels <= m_columns;
    float held[kTexels];
    for (int blockZ = 0; blockZ < 4 && z0 + blockZ * 4 < std::max(m_rows - 1, 1); ++blockZ) {
        float low[kTexels], high[kTexels];
        std::fill_n(low, kTexels, kInfinity);
        std::fill_n(high, kTexels, -kInfinity);
        for (int r = 0; r <= 4; ++r) {
            const int texelZ = std::min(z0 + blockZ * 4 + r, m_rows - 1);
            const float* row = raster.heights().data() +
                               static_cast<std::size_t>(texelZ) * static_cast<std::size_t>(m_columns);
            const float* from = held;
            if (inside) {
                from = row + x0;
            } else {
                for (int i = 0; i < kTexels; ++i)
                    held[i] = row[std::min(x0 + i, m_columns - 1)];
            }
            for (int i = 0; i < kTexels; ++i) {
                low[i] = from[i] < low[i] ? from[i] : low[i];
                high[i] = from[i] > high[i] ? from[i] : high[i];
            }
        }
        for (int blockX = 0; blockX < 4 && x0 + blockX * 4 < std::max(m_columns - 1, 1); ++blockX) {
            const float* l = low + blockX * 4;
            const float* h = high + blockX * 4;
            const float lowest = std::min(std::min(std::min(l[0], l[1]), std::min(l[2], l[3])), l[4]);
            const float highest = std::max(std::max(std::max(h[0], h[1]), std::max(h[2], h[3])), h[4]);
            const auto block = static_cast<std::size_t>(blockZ * 4 + blockX);
            node.low[block] = static_cast<std::int16_t>(floorToInt(stepsOf(lowest)));
            node.high[block] = static_cast<std::int16_t>(-floorToInt(-stepsOf(highest)));
        }
    }
    return node;
}

void HeightPyramid::buildAbove(int level, const GridRect& nodes) {
    const Level& below = m_levels[static_cast<std::size_t>(level - 1)];
    const Level& here = m_levels[static_cast<std::size_t>(level)];
    for (int z = nodes.minZ; z < nodes.maxZ; ++z) {
        for (int x = nodes.minX; x < nodes.maxX; ++x) {
            Node node;
            node.low.fill(kEmptyLow);
            node.high.fill(kEmptyHigh);
            for (int childZ = z * 4; childZ < std::min(z * 4 + 4, below.rows); ++childZ) {
                for (int childX = x * 4; childX < std::min(x * 4 + 4, below.columns); ++childX) {
                    const Node& child =
                        m_nodes[below.first +
                                static_cast<std::size_t>(childZ) * static_cast<std::size_t>(below.columns) +
                                static_cast<std::size_t>(childX)];
                    const auto block = static_cast<std::size_t>((childZ & 3) * 4 + (childX & 3));
                    node.low[block] = *std::min_element(child.low.begin(), child.low.end());
                    node.high[block] = *std::max_element(child.high.begin(), child.high.end());
                }
            }
            m_nodes[here.first + static_cast<std::size_t>(z) * static_cast<std::size_t>(here.columns) +
                    static_cast<std::size_t>(x)] = node;
        }
    }
}

std::size_t HeightPyramid::memoryBytes() const {
    return m_nodes.capacity() * sizeof(Node);
}

}  // namespace karst::heightfield
