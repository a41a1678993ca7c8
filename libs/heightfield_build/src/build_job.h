#pragma once

#include <karst/heightfield/tile_codec.h>
#include <karst/heightfield_build/pyramid_builder.h>
#include <karst/heightfield_build/tile_errors.h>

#include <vector>

#include "level_rows.h"
#include "row_feed.h"
#include "worker_pool.h"

namespace karst::heightfield {

/// What a tile's parent needs to know of it.
struct TileSummary {
    std::uint16_t low = 0, high = 0;  ///< of the finest samples, in quantisation steps
    double errors[8] = {};            ///< in world units, monotone
};

/// Corners of level-0 tiles over the whole ground, known before the tiles are made: a large tile's two
/// triangles are measured while the samples under it pass by.
class CornerGrid {
  public:
    CornerGrid() = default;
    CornerGrid(std::uint32_t samplesX, std::uint32_t samplesZ, std::uint32_t tileCells);

    /// Takes what a row of samples has of it.
    void take(std::uint32_t row, std::span<const float> heights);
    /// Where a corner never got a height (ground that begins with rows without data).
    void replaceMissing(float height);
    /// Corner (x, z) of level-0 tiles; past the ground the last sample's.
    float at(std::uint64_t x, std::uint64_t z) const;

    std::vector<float>& values() { return m_heights; }

  private:
    std::uint32_t m_samplesX = 0, m_samplesZ = 0, m_cells = 1;
    std::uint32_t m_countX = 0, m_countZ = 0;
    std::vector<float> m_heights;
};

/// Measured by the first pass.
struct InputSurvey {
    HeightRange heights;
    std::uint64_t voids = 0;
    CornerGrid corners;
};

/// The second pass: rows in, tiles out, level by level as their rows fill. All that it holds between two
/// bands can be saved.
class TileProduction {
  public:
    TileProduction(const TileLayout& layout, const BuildOptions& options, const CornerGrid& corners,
                   TileSink& sink, const Externals& externals);

    /// Takes a band of quantised rows (row-major, samplesX wide). `cells`: by row of cells that begins in the
    /// band (one less in the last band), one byte a cell, not 0 for a hole; an empty vector where it has
    /// none.
    Result<void> take(std::uint32_t firstRow, std::uint32_t rowCount, std::span<const std::uint16_t> rows,
                      std::span<const std::vector<std::uint8_t>> cells);
    /// After the last band: the rows of tiles that reach past the ground.
    Result<void> finish();

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
    Result<void> pushRow(std::uint32_t row, std::span<const std::uint16_t> samples);
    void pushCells(std::uint32_t cellRow, std::span<const std::uint8_t> cells);
    Result<void> emitTileRow(std::int32_t level);
    Result<void> makeTile(std::int32_t level, std::uint32_t x, Worker& worker, std::vector<std::byte>& out);
    void summariseFinest(const TileKey& key, const std::uint16_t* samples, TileSummary& summary);
    void summariseParent(const TileKey& key, TileSummary& summary);

    TileLayout m_layout;
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
