#include "raster_build_input.h"

#include <algorithm>
#include <cmath>

namespace karst::tool {

void HoleRects::cutCells(const heightfield::BuildInput& input, std::uint32_t cellRow,
                         FunctionRef<void(std::uint32_t)> cut) const {
    const double z = (cellRow + 0.5) * input.spacingZ(), step = input.spacingX();
    const double cells = input.columns() - 1.0;
    for (const Rect& rect : m_rects) {
        if (z < rect.minZ || z > rect.maxZ) continue;
        const double first = std::ceil(std::clamp(rect.minX / step - 0.5, 0.0, cells));
        const double last = std::floor(std::clamp(rect.maxX / step - 0.5, -1.0, cells - 1));
        for (double x = first; x <= last; ++x)
            cut(static_cast<std::uint32_t>(x));
    }
}

RasterBuildInput::RasterBuildInput(std::unique_ptr<importer::RasterSource> source, HoleRects holes,
                                   std::uint64_t mark)
    : m_source(std::move(source)), m_holes(std::move(holes)), m_mark(mark) {}

std::uint32_t RasterBuildInput::columns() const {
    return static_cast<std::uint32_t>(m_source->info().width);
}

std::uint32_t RasterBuildInput::rows() const {
    return static_cast<std::uint32_t>(m_source->info().height);
}

std::uint32_t RasterBuildInput::preferredRows() const {
    return static_cast<std::uint32_t>(std::max(1, m_source->preferredWindow().depth()));
}

Result<void> RasterBuildInput::readRows(std::uint32_t firstRow, std::uint32_t count,
                                        std::span<float> heights) {
    const int width = m_source->info().width, first = static_cast<int>(firstRow);
    const int windowWidth = std::max(1, m_source->preferredWindow().width());
    if (windowWidth >= width) {
        return m_source->readWindow({0, first, width, first + static_cast<int>(count)}, heights);
    }
    for (int x = 0; x < width; x += windowWidth) {
        const int end = std::min(width, x + windowWidth);
        const auto columns = static_cast<std::size_t>(end - x);
        m_window.resize(columns * count);
        if (const auto read =
                m_source->readWindow({x, first, end, first + static_cast<int>(count)}, m_window);
            !read) {
            return read;
        }
        for (std::size_t row = 0; row < count; ++row) {
            std::copy_n(m_window.data() + row * columns, columns,
                        heights.data() + row * static_cast<std::size_t>(width) + static_cast<std::size_t>(x));
        }
    }
    return {};
}

}  // namespace karst::tool
