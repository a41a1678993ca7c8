#pragma once

#include <karst/base/result.h>
#include <karst/heightfield/height_raster.h>

#include <cstdint>
#include <span>

namespace karst::heightfield {

/// The finest samples of a pyramid that is to be built, read in bands of whole rows, so that the whole never
/// has to be in memory.
///
/// Threads: the builder calls readRows from one thread at a time, not always the same.
class BuildInput {
  public:
    virtual ~BuildInput() = default;

    virtual std::uint32_t columns() const = 0;  ///< 2 .. TileLayout::kMaxCells + 1
    virtual std::uint32_t rows() const = 0;
    virtual double spacingX() const = 0;  ///< world units
    virtual double spacingZ() const = 0;

    /// Bands of this many rows, beginning at its multiples, are read fastest; at least 1.
    virtual std::uint32_t preferredRows() const { return 1; }

    /// Rows firstRow .. firstRow + count - 1 into count * columns() heights, row-major. Samples without data
    /// are NaN. The same rows always give the same heights: every row is read twice.
    virtual Result<void> readRows(std::uint32_t firstRow, std::uint32_t count, std::span<float> heights) = 0;

    /// Holes beyond those of samples without data: calls `cut(cellX)` for each cell of a row of cells that is
    /// one. Cells (x, z) lie between samples (x, z) and (x + 1, z + 1).
    virtual void cutCells(std::uint32_t cellRow, FunctionRef<void(std::uint32_t cellX)> cut) {
        static_cast<void>(cellRow);
        static_cast<void>(cut);
    }

    /// Changes when the samples do (a file's size and time, say): a build that was interrupted goes on only
    /// from an input of the same mark.
    virtual std::uint64_t fingerprint() const { return 0; }
};

/// A raster in memory as input: its samples, and its cells that are holes. It must outlive the input.
class RasterInput final : public BuildInput {
  public:
    explicit RasterInput(const HeightRaster& raster) : m_raster(&raster) {}

    std::uint32_t columns() const override { return static_cast<std::uint32_t>(m_raster->columns()); }
    std::uint32_t rows() const override { return static_cast<std::uint32_t>(m_raster->rows()); }
    double spacingX() const override { return m_raster->spacingX(); }
    double spacingZ() const override { return m_raster->spacingZ(); }
    Result<void> readRows(std::uint32_t firstRow, std::uint32_t count, std::span<float> heights) override;
    void cutCells(std::uint32_t cellRow, FunctionRef<void(std::uint32_t)> cut) override;

  private:
    const HeightRaster* m_raster;
};

}  // namespace karst::heightfield
