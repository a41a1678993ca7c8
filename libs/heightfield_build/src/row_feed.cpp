#include "row_feed.h"

#include <karst/base/math.h>

#include <algorithm>
#include <cmath>

namespace karst::heightfield {

bool fillRow(std::span<float> h) {
    std::ptrdiff_t last = -1;
    for (std::size_t x = 0; x < h.size(); ++x) {
        if (!std::isfinite(h[x])) continue;
        const auto here = static_cast<std::ptrdiff_t>(x);
        for (std::ptrdiff_t gap = last + 1; gap < here; ++gap) {
            const double s = static_cast<double>(gap - last) / static_cast<double>(here - last);
            const auto at = static_cast<std::size_t>(gap), from = static_cast<std::size_t>(last);
            h[at] = last < 0 ? h[x] : static_cast<float>(h[from] + s * (double{h[x]} - h[from]));
        }
        last = here;
    }
    if (last < 0) return false;
    std::fill(h.begin() + last + 1, h.end(), h[static_cast<std::size_t>(last)]);
    return true;
}

RowFeed::RowFeed(BuildInput& input, const RowRange& rows, std::uint32_t bandRows,
                 std::vector<float> fillBefore, float leading)
    : m_input(&input),
      m_nextRow(rows.first),
      m_endRow(rows.end),
      m_bandRows(bandRows),
      m_before(std::move(fillBefore)),
      m_leading(leading) {
    m_thread = std::thread([this] { run(); });
}

RowFeed::~RowFeed() {
    {
        std::lock_guard lock(m_mutex);
        m_stop = true;
    }
    m_changed.notify_all();
    m_thread.join();
}

Result<const RowBand*> RowFeed::next() {
    std::unique_lock lock(m_mutex);
    m_changed.wait(lock, [&] { return m_filled > m_taken || m_done; });
    if (m_filled == m_taken) {
        if (!m_result) return m_result.error();
        static const RowBand none;
        return &none;
    }
    const RowBand* band = &m_bands[m_taken % 3];
    ++m_taken;
    m_changed.notify_all();
    return band;
}

void RowFeed::run() {
    std::unique_lock lock(m_mutex);
    while (!m_stop && m_nextRow < m_endRow) {
        RowBand& band = m_bands[m_filled % 3];
        lock.unlock();
        Result<void> done = read(band, m_nextRow);
        if (done) fill(band);
        lock.lock();
        if (!done) {
            m_result = done;
            break;
        }
        m_nextRow += band.rowCount;
        ++m_filled;
        m_changed.notify_all();
        // The taker holds the last two that it took; one more may wait.
        m_changed.wait(lock, [&] { return m_stop || m_filled <= m_taken; });
    }
    m_done = true;
    m_changed.notify_all();
}

Result<void> RowFeed::read(RowBand& band, std::uint32_t firstRow) {
    const std::uint32_t toMultiple = m_bandRows - firstRow % m_bandRows;
    band.firstRow = firstRow;
    band.rowCount = std::min(toMultiple, m_endRow - firstRow);
    band.heights.resize(std::size_t{band.rowCount} * m_input->columns());
    return m_input->readRows(firstRow, band.rowCount, band.heights);
}

void RowFeed::fill(RowBand& band) {
    const std::size_t columns = m_input->columns();
    band.rowHasVoids.assign(band.rowCount, 0);
    band.voids.resize(band.rowCount);
    for (std::uint32_t r = 0; r < band.rowCount; ++r) {
        float* h = band.heights.data() + r * columns;
        std::uint32_t notFinite = 0;  // branch-free: nearly all rows have none
        for (std::size_t x = 0; x < columns; ++x) {
            notFinite |= (bitCast<std::uint32_t>(h[x]) & 0x7f800000u) == 0x7f800000u ? 1u : 0u;
        }
        band.voids[r].clear();
        if (notFinite == 0) continue;
        bool any = false;
        for (std::size_t x = 0; x < columns; ++x) {
            if (std::isfinite(h[x])) continue;
            if (!any) band.voids[r].assign(columns, 0);
            any = true;
            band.voids[r][x] = 1;
        }
        if (!any) continue;
        band.rowHasVoids[r] = 1;
        if (fillRow({h, columns})) continue;
        if (r > 0) {
            std::copy_n(h - columns, columns, h);
        } else if (!m_before.empty()) {
            std::copy_n(m_before.data(), columns, h);
        } else {
            std::fill_n(h, columns, m_leading);
        }
    }
    m_before.assign(band.heights.end() - static_cast<std::ptrdiff_t>(columns), band.heights.end());
}

}  // namespace karst::heightfield
