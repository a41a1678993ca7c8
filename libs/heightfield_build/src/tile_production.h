#pragma once

#include <karst/heightfield/tile_codec.h>
#include <karst/heightfield_build/pyramid_builder.h>
#include <karst/heightfield_build/tile_errors.h>

#include <vector>

#include "coarse_share.h"
#include "level_rows.h"
#include "worker_pool.h"

namespace karst::heightfield {

/// The second pass: rows in, tiles out, level by level as their rows fill. All that it holds between two
/// bands can be saved.
class TileProduction {
  public:
    /// `coarse`: where what the levels above the window need goes; null where the window reaches the roots.
    TileProduction(const TileLayout& layout, const BuildOptions& options, const CornerGrid& corners,
                   TileSink& sink, const Externals& externals, const TileWindow& window,
                   CoarseShare* coarse = nullptr);

    /// Takes a band of quantised rows (row-major, samplesX wide). `cells`: by row of cells that begins in the
    /// band (one less in the last band), one byte a cell, not 0 for a hole; an empty vector where it has
    /// none.
    Result<void> take(std::uint32_t firstRow, std::uint32_t rowCount, std::span<const std::uint16_t> rows,
                      std::span<const std::vector<std::uint8_t>> cells);
    /// After the last band: the rows of tiles that reach past the ground.
    Result<void> finish();

    // The same a row at a time, for a production of coarse levels alone.

    /// The row of tiles of a level that comes next.
    std::uint32_t tileRow(std::int32_t level) const {
        return m_levels[static_cast<std::size_t>(level)].rows.tileRow();
    }
    /// Rows in order, those past the ground repeat the last. Where bottomLevel is above 0: at its stride, the
    /// ground's last sample after them.
    Result<void> pushRow(std::uint32_t row, std::span<const std::uint16_t> samples);
    /// The cells below a row, as take() has them. Where bottomLevel is above 0: at half its stride.
    void pushCells(std::uint32_t cellRow, std::span<const std::uint8_t> cells);
    /// What level bottomLevel - 1 has to say of a row of its tiles.
    void setSummaries(std::uint32_t tileRow, std::span<const TileSummary> summaries);
    /// What finest tiles of others found; before the row of tiles is made.
    void setSpanErrors(std::int32_t level, std::uint32_t tileRow, std::span<const double> errors);

    std::uint64_t tiles() const { return m_tiles; }
    std::uint64_t bytes() const { return m_bytes; }

    void save(ByteWriter& out) const;
    bool load(ByteReader& in);
    /// As after construction.
    void reset();

  private:
    struct Level {
        LevelRows rows;
        std::vector<TileSummary> summaries[2];  // of the even and the odd row of tiles
        /// In quantisation steps, of the row of tiles under way and the next: finest tiles of that one may
        /// come before this level's apron is there. Levels above 0.
        std::vector<double> spanErrors[2];
    };
    /// Working memory of one thread.
    struct Worker {
        TileScratch scratch;
        std::unique_ptr<BlockCodec> codec;
        std::vector<std::uint16_t> samples;
        std::vector<std::uint64_t> holes;
    };
    std::span<double> spanErrors(std::int32_t level, std::uint32_t tileRow);
    Result<void> emitTileRow(std::int32_t level);
    Result<void> makeTile(std::int32_t level, std::uint32_t x, Worker& worker, std::vector<std::byte>& out);
    void summariseFinest(const TileKey& key, const std::uint16_t* samples, TileSummary& summary);
    void summariseParent(const TileKey& key, TileSummary& summary);

    TileLayout m_layout;
    TileWindow m_window;
    CoarseShare* m_coarse;
    const BuildOptions* m_options;
    const CornerGrid* m_corners;
    TileSink* m_sink;
    JobSystem* m_jobs;
    double m_step;  // world units a quantisation step
    std::vector<Level> m_levels;
    std::vector<std::uint16_t> m_lastRow;
    std::uint64_t m_tiles = 0, m_bytes = 0;

    std::vector<std::vector<std::byte>> m_encoded;  // by tile of a row
    std::vector<double> m_spans;                    // by tile of a finest row and level
    WorkerPool<Worker> m_workers;
};

}  // namespace karst::heightfield
