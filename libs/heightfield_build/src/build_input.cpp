#include <karst/heightfield_build/build_input.h>

#include <algorithm>

namespace karst::heightfield {

Result<void> RasterInput::readRows(std::uint32_t firstRow, std::uint32_t count, std::span<float> heights) {
    const std::size_t first = std::size_t{firstRow} * columns();
    std::copy_n(m_raster->heights().begin() + static_cast<std::ptrdiff_t>(first),
                std::size_t{count} * columns(), heights.begin());
    return {};
}

void RasterInput::cutCells(std::uint32_t cellRow, FunctionRef<void(std::uint32_t)> cut) {
    if (!m_raster->hasHoles()) return;
    for (int x = 0; x + 1 < m_raster->columns(); ++x) {
        if (m_raster->isHole(x, static_cast<int>(cellRow))) cut(static_cast<std::uint32_t>(x));
    }
}

}  // namespace karst::heightfield
