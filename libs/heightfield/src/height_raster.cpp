#include <karst/heightfield/height_raster.h>
#include <karst/heightfield/height_triangle.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace karst::heightfield {

Rect rectOfSamples(double originX, double originZ, int columns, int rows, double spacingX, double spacingZ) {
    return {originX - spacingX * 0.5, originZ - spacingZ * 0.5, originX + spacingX * (columns - 0.5),
            originZ + spacingZ * (rows - 0.5)};
}

Result<HeightRaster> HeightRaster::create(const HeightRasterDesc& desc, Vector<float> heights,
                                          std::span<const std::uint8_t> voids, const Externals& externals) {
    if (desc.columns < 1 || desc.columns > kMaxSide || desc.rows < 1 || desc.rows > kMaxSide) {
        return makeError(ErrorCode::InvalidArgument, "height raster: size %d x %d; each side must be 1 to %d",
                         desc.columns, desc.rows, kMaxSide);
    }
    const std::size_t count = static_cast<std::size_t>(desc.columns) * static_cast<std::size_t>(desc.rows);
    if (heights.size() != count) {
        return makeError(ErrorCode::InvalidArgument, "height raster: %zu heights for %d x %d texels",
                         heights.size(), desc.columns, desc.rows);
    }
    if (!voids.empty() && voids.size() != count) {
        return makeError(ErrorCode::InvalidArgument, "height raster: %zu void marks for %d x %d texels",
                         voids.size(), desc.columns, desc.rows);
    }
    const Rect& r = desc.rect;
    if (!std::isfinite(r.minX) || !std::isfinite(r.minZ) || !std::isfinite(r.maxX) ||
        !std::isfinite(r.maxZ) || !(r.minX < r.maxX) || !(r.minZ < r.maxZ)) {
        return makeError(ErrorCode::InvalidArgument,
                         "height raster: rect (%g, %g)..(%g, %g) must be finite and not empty", r.minX,
                         r.minZ, r.maxX, r.maxZ);
    }
    const double spacingX = r.width() / desc.columns, spacingZ = r.depth() / desc.rows;
    if (!(spacingX > 0 && spacingZ > 0) || !std::isfinite(spacingX) || !std::isfinite(spacingZ)) {
        return makeError(ErrorCode::InvalidArgument,
                         "height raster: rect (%g, %g)..(%g, %g) gives %d x %d texels of %g x %g", r.minX,
                         r.minZ, r.maxX, r.maxZ, desc.columns, desc.rows, spacingX, spacingZ);
    }
    if (desc.heightRange) {
        const HeightRange& range = *desc.heightRange;
        if (!std::isfinite(range.min) || !std::isfinite(range.max) || range.min > range.max) {
            return makeError(ErrorCode::InvalidArgument, "height raster: height range %g..%g",
                             double{range.min}, double{range.max});
        }
    }

    HeightRaster raster;
    raster.m_columns = desc.columns;
    raster.m_rows = desc.rows;
    raster.m_rect = desc.rect;
    raster.m_spacingX = spacingX;
    raster.m_spacingZ = spacingZ;
    raster.m_heights = std::move(heights);
    raster.m_holes = Vector<std::uint64_t>(*externals.allocator);

    float lowest = std::numeric_limits<float>::infinity();
    float highest = -lowest;
    bool anyVoid = false;
    for (std::size_t i = 0; i < count; ++i) {
        const float h = raster.m_heights[i] += 0.0f;  // -0 becomes 0, so that equal heights are equal bits
        if (!std::isfinite(h) || (!voids.empty() && voids[i] != 0)) {
            anyVoid = true;
            continue;
        }
        lowest = std::min(lowest, h);
        highest = std::max(highest, h);
    }
    const bool anyData = lowest <= highest;
    if (desc.heightRange) {
        if (anyData && (lowest < desc.heightRange->min || highest > desc.heightRange->max)) {
            return makeError(ErrorCode::InvalidArgument,
                             "height raster: heights %g..%g leave the declared height range %g..%g",
                             double{lowest}, double{highest}, double{desc.heightRange->min},
                             double{desc.heightRange->max});
        }
        raster.m_range = *desc.heightRange;
    } else if (anyData) {
        raster.m_range = {lowest, highest};
    }
    if (anyVoid) raster.fillVoids(voids);
    return raster;
}

void HeightRaster::fillVoids(std::span<const std::uint8_t> voids) {
    const auto columns = static_cast<std::size_t>(m_columns);
    const auto isVoid = [&](std::size_t i) {
        return !std::isfinite(m_heights[i]) || (!voids.empty() && voids[i] != 0);
    };
    // Linear across the gaps of each row that has data; the row's ends continue level.
    int above = -1;  // last row with data
    for (int row = 0; row < m_rows; ++row) {
        float* h = m_heights.data() + static_cast<std::size_t>(row) * columns;
        int last = -1;
        for (int x = 0; x < m_columns; ++x) {
            if (isVoid(static_cast<std::size_t>(row) * columns + static_cast<std::size_t>(x))) {
                setHole(x - 1, row - 1, true);
                setHole(x, row - 1, true);
                setHole(x - 1, row, true);
                setHole(x, row, true);
                continue;
            }
            for (int gap = last + 1; gap < x; ++gap) {
                const float s =
                    last < 0 ? 1.0f : static_cast<float>(gap - last) / static_cast<float>(x - last);
                h[gap] = last < 0 ? h[x] : static_cast<float>(h[last] + s * (double{h[x]} - h[last]));
            }
            last = x;
        }
        if (last < 0) continue;
        for (int gap = last + 1; gap < m_columns; ++gap)
            h[gap] = h[last];
        // Rows without any data between two that have some: linear between those.
        const float* from = m_heights.data() + static_cast<std::size_t>(std::max(above, 0)) * columns;
        for (int gap = above + 1; gap < row; ++gap) {
            float* out = m_heights.data() + static_cast<std::size_t>(gap) * columns;
            const float s = static_cast<float>(gap - above) / static_cast<float>(row - above);
            for (std::size_t x = 0; x < columns; ++x)
                out[x] = above < 0 ? h[x] : static_cast<float>(from[x] + s * (double{h[x]} - from[x]));
        }
        above = row;
    }
    for (int gap = above + 1; gap < m_rows; ++gap) {
        float* out = m_heights.data() + static_cast<std::size_t>(gap) * columns;
        if (above < 0) {
            std::fill_n(out, columns, m_range.min);
        } else {
            std::copy_n(m_heights.data() + static_cast<std::size_t>(above) * columns, columns, out);
        }
    }
}

Bounds HeightRaster::bounds() const {
    return {{m_rect.minX, m_range.min, m_rect.minZ}, {m_rect.maxX, m_range.max, m_rect.maxZ}};
}

CellPoint HeightRaster::cellPointAt(double x, double z) const {
    const auto along = [](double value, double low, double spacing, int count, int& cell, int& t0, int& t1,
                          double& f) {
        // In this order a NaN becomes the low edge.
        const double u = std::min(std::max(-0.5, (value - low) / spacing - 0.5), count - 0.5);
        const double floored = std::floor(u);
        cell = static_cast<int>(floored);
        f = u - floored;
        t0 = std::max(cell, 0);
        t1 = std::min(cell + 1, count - 1);
    };
    CellPoint p;
    along(x, m_rect.minX, m_spacingX, m_columns, p.cellX, p.x0, p.x1, p.fx);
    along(z, m_rect.minZ, m_spacingZ, m_rows, p.cellZ, p.z0, p.z1, p.fz);
    return p;
}

std::optional<double> HeightRaster::heightAt(double x, double z) const {
    if (!m_rect.contains(x, z)) return std::nullopt;  // false for NaN too
    const CellPoint p = cellPointAt(x, z);
    if (isHole(p.cellX, p.cellZ)) return std::nullopt;
    return cellHeight<double>(texel(p.x0, p.z0), texel(p.x1, p.z0), texel(p.x0, p.z1), texel(p.x1, p.z1),
                              p.fx, p.fz);
}

bool HeightRaster::setHole(int cellX, int cellZ, bool hole) {
    if (m_holes.empty()) {
        if (!hole) return false;
        const std::size_t cells =
            (static_cast<std::size_t>(m_columns) + 1) * (static_cast<std::size_t>(m_rows) + 1);
        m_holes.resize((cells + 63) / 64);
    }
    const std::size_t bit = static_cast<std::size_t>(cellZ + 1) * (static_cast<std::size_t>(m_columns) + 1) +
                            static_cast<std::size_t>(cellX + 1);
    std::uint64_t& word = m_holes[bit >> 6];
    const std::uint64_t mask = std::uint64_t{1} << (bit & 63);
    const bool was = (word & mask) != 0;
    if (was == hole) return false;
    word ^= mask;
    m_holeCount = hole ? m_holeCount + 1 : m_holeCount - 1;
    return true;
}

Result<void> HeightRaster::setHeights(const GridRect& texels, std::span<const float> heights) {
    if (texels.minX < 0 || texels.minZ < 0 || texels.maxX > m_columns || texels.maxZ > m_rows ||
        texels.empty()) {
        return makeError(ErrorCode::InvalidArgument,
                         "height raster: texels (%d, %d)..(%d, %d) are empty or leave the raster of %d x %d",
                         texels.minX, texels.minZ, texels.maxX, texels.maxZ, m_columns, m_rows);
    }
    const auto width = static_cast<std::size_t>(texels.width());
    if (heights.size() != width * static_cast<std::size_t>(texels.depth())) {
        return makeError(ErrorCode::InvalidArgument, "height raster: %zu heights for %d x %d texels",
                         heights.size(), texels.width(), texels.depth());
    }
    for (std::size_t i = 0; i < heights.size(); ++i) {
        if (!(heights[i] >= m_range.min && heights[i] <= m_range.max)) {
            return makeError(ErrorCode::InvalidArgument,
                             "height raster: height %g of texel (%d, %d) leaves the declared range %g..%g",
                             double{heights[i]}, texels.minX + static_cast<int>(i % width),
                             texels.minZ + static_cast<int>(i / width), double{m_range.min},
                             double{m_range.max});
        }
    }
    for (int row = texels.minZ; row < texels.maxZ; ++row) {
        const float* from = heights.data() + static_cast<std::size_t>(row - texels.minZ) * width;
        float* to = m_heights.data() + static_cast<std::size_t>(row) * static_cast<std::size_t>(m_columns) +
                    static_cast<std::size_t>(texels.minX);
        for (std::size_t x = 0; x < width; ++x)
            to[x] = from[x] + 0.0f;
    }
    recordChange(texels);
    return {};
}

std::size_t HeightRaster::setHoles(const GridRect& cells, bool hole) {
    const GridRect held = intersect(cells, GridRect{-1, -1, m_columns, m_rows});
    std::size_t changed = 0;
    GridRect touched;  // cells
    for (int z = held.minZ; z < held.maxZ; ++z) {
        for (int x = held.minX; x < held.maxX; ++x) {
            if (!setHole(x, z, hole)) continue;
            ++changed;
            touched = unite(touched, GridRect{x, z, x + 1, z + 1});
        }
    }
    if (changed > 0) {
        recordChange({std::max(touched.minX, 0), std::max(touched.minZ, 0),
                      std::min(touched.maxX + 1, m_columns), std::min(touched.maxZ + 1, m_rows)});
    }
    return changed;
}

std::size_t HeightRaster::setHoles(const Rect& area, bool hole) {
    const Rect held = intersect(area, m_rect);
    if (held.empty()) return 0;
    // The centre of cell c stands at min + (c + 1) * spacing, half a cell at the edges excepted.
    const auto centre = [](int cell, double low, double spacing, int count) {
        if (cell < 0) return low + 0.25 * spacing;
        if (cell == count - 1) return low + (count - 0.25) * spacing;
        return low + (cell + 1) * spacing;
    };
    const CellPoint from = cellPointAt(held.minX, held.minZ);
    const CellPoint to = cellPointAt(held.maxX, held.maxZ);
    GridRect cells{from.cellX, from.cellZ, to.cellX + 1, to.cellZ + 1};
    while (cells.minX < cells.maxX && centre(cells.minX, m_rect.minX, m_spacingX, m_columns) < held.minX)
        ++cells.minX;
    while (cells.minX < cells.maxX && centre(cells.maxX - 1, m_rect.minX, m_spacingX, m_columns) > held.maxX)
        --cells.maxX;
    while (cells.minZ < cells.maxZ && centre(cells.minZ, m_rect.minZ, m_spacingZ, m_rows) < held.minZ)
        ++cells.minZ;
    while (cells.minZ < cells.maxZ && centre(cells.maxZ - 1, m_rect.minZ, m_spacingZ, m_rows) > held.maxZ)
        --cells.maxZ;
    return setHoles(cells, hole);
}

void HeightRaster::recordChange(const GridRect& texels) {
    ++m_generation;
    m_changes[m_generation % kRememberedChanges] = texels;
}

GridRect HeightRaster::changedSince(std::uint64_t generation) const {
    if (generation == m_generation) return {};
    if (generation == 0 || generation > m_generation || m_generation - generation > kRememberedChanges) {
        return {0, 0, m_columns, m_rows};
    }
    GridRect joined;
    for (std::uint64_t g = generation + 1; g <= m_generation; ++g) {
        joined = unite(joined, m_changes[g % kRememberedChanges]);
    }
    return joined;
}

std::size_t HeightRaster::memoryBytes() const {
    return m_heights.capacity() * sizeof(float) + m_holes.capacity() * sizeof(std::uint64_t);
}

}  // namespace karst::heightfield
