#pragma once

#include <karst/base/externals.h>
#include <karst/heightfield_build/build_input.h>

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "input_survey.h"

namespace karst::heightfield {

/// A band of input rows with their voids filled.
struct RowBand {
    std::uint32_t firstRow = 0, rowCount = 0;
    std::vector<float> heights;  ///< rowCount * columns
    /// By row of the band: has it voids?
    std::vector<std::uint8_t> rowHasVoids;
    /// Rows with voids only: one byte a sample, not 0 for a void; else empty.
    std::vector<std::vector<std::uint8_t>> voids;
};

/// Fills the voids of a row from its data: between the nearest two linearly, its ends level. False where it
/// has no data; then it stays as it is.
bool fillRow(std::span<float> row);

/// Reads an input's rows in order, ahead of who takes them, on a thread of its own.
class RowFeed {
  public:
    /// A range of rows in bands of `bandRows` (the first may be shorter, to end on a multiple). `fillBefore`:
    /// the last row before them, filled (empty at row 0, and where no row before has data).
    RowFeed(BuildInput& input, const RowRange& rows, std::uint32_t bandRows, std::vector<float> fillBefore,
            float leading);
    ~RowFeed();

    /// The next band; after the last one, a band of no rows. Valid until the call after the next.
    Result<const RowBand*> next();

  private:
    void run();
    Result<void> read(RowBand& band, std::uint32_t firstRow);
    void fill(RowBand& band);

    BuildInput* m_input;
    std::uint32_t m_nextRow, m_endRow, m_bandRows;
    std::vector<float> m_before;  // the last row that has passed, filled
    float m_leading;

    std::mutex m_mutex;
    std::condition_variable m_changed;
    RowBand m_bands[3];  // two that the taker holds, and the next
    Result<void> m_result;
    std::uint64_t m_filled = 0, m_taken = 0;  // bands so far; band n is in m_bands[n % 3]
    bool m_done = false, m_stop = false;
    std::thread m_thread;
};

}  // namespace karst::heightfield
