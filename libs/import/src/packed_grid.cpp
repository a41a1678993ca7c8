#include "packed_grid.h"

#include <algorithm>

#include "readers.h"

namespace karst::importer {
namespace {

constexpr std::uint64_t kBufferBytes = 1 << 20;

}  // namespace

GridRect PackedGridSource::preferredWindow() const {
    if (!columnMajor()) return rowsWindow(m_info);
    const auto columnBytes = static_cast<std::uint64_t>(m_info.height) * 4;
    const auto columns = static_cast<int>(std::clamp<std::uint64_t>(
        4 * kBufferBytes / columnBytes, 1, static_cast<std::uint64_t>(m_info.width)));
    return {0, 0, columns, m_info.height};
}

Result<void> PackedGridSource::readWindow(const GridRect& texels, std::span<float> heights,
                                          std::span<std::uint8_t> voids) {
    const auto fits = checkWindow(m_info, texels, heights.size(), voids.size(), m_name);
    if (!fits) return fits;
    const auto done = readLines(texels, heights);
    if (!done) return done;
    markVoids(heights, voids);
    return {};
}

Result<void> PackedGridSource::readLines(const GridRect& texels, std::span<float> heights) {
    // The file's rows of the window.
    GridRect in = texels;
    if (m_grid.southUp) {
        in.minZ = m_info.height - texels.maxZ;
        in.maxZ = m_info.height - texels.minZ;
    }
    // A line is what lies together in the file: a row, or a column of a column-major array.
    const bool byColumn = columnMajor();
    const int firstLine = byColumn ? in.minX : in.minZ, lines = byColumn ? in.width() : in.depth();
    const int firstSample = byColumn ? in.minZ : in.minX, samples = byColumn ? in.depth() : in.width();
    const std::uint64_t lineStride = byColumn ? m_grid.columnStride : m_grid.rowStride;
    const std::uint64_t sampleStride = byColumn ? m_grid.rowStride : m_grid.columnStride;
    const std::uint64_t lineBytes = static_cast<std::uint64_t>(samples - 1) * sampleStride +
                                    static_cast<std::uint64_t>(sampleBytes(m_grid.rule.type));
    const auto width = static_cast<std::size_t>(texels.width());

    // Lines of a full width follow each other without a gap and are read many at once.
    const bool gapless = lineStride == static_cast<std::uint64_t>(samples) * sampleStride;
    const int atOnce = gapless ? static_cast<int>(std::clamp<std::uint64_t>(
                                     kBufferBytes / lineStride, 1, static_cast<std::uint64_t>(lines)))
                               : 1;
    for (int line = 0; line < lines; line += atOnce) {
        const int now = std::min(atOnce, lines - line);
        const std::uint64_t wanted = static_cast<std::uint64_t>(now - 1) * lineStride + lineBytes;
        m_buffer.resize(static_cast<std::size_t>(wanted));
        const std::uint64_t at = m_grid.offset + static_cast<std::uint64_t>(firstLine + line) * lineStride +
                                 static_cast<std::uint64_t>(firstSample) * sampleStride;
        const auto done = m_bytes->read(at, m_buffer);
        if (!done) return done;
        for (int i = 0; i < now; ++i) {
            const std::byte* from = m_buffer.data() + static_cast<std::uint64_t>(i) * lineStride;
            const auto count = static_cast<std::size_t>(samples);
            if (!byColumn) {
                const int row = m_grid.southUp ? lines - 1 - (line + i) : line + i;
                decodeSamples(m_grid.rule, from, sampleStride, count,
                              heights.data() + static_cast<std::size_t>(row) * width);
                continue;
            }
            float* column = heights.data() + (line + i);
            decodeSamples(m_grid.rule, from, sampleStride, count, column, width);
            if (m_grid.southUp) {
                for (std::size_t a = 0, b = count - 1; a < b; ++a, --b)
                    std::swap(column[a * width], column[b * width]);
            }
        }
    }
    return {};
}

}  // namespace karst::importer
