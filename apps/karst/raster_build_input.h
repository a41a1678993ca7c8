#pragma once

#include <karst/base/rect.h>
#include <karst/heightfield_build/build_input.h>
#include <karst/import/raster_source.h>

#include <cstdint>
#include <memory>
#include <vector>

namespace karst::tool {

/// Rectangles on the ground whose cells are to be holes: every cell whose centre lies in one. World units
/// from sample (0, 0).
class HoleRects {
  public:
    void add(const Rect& rect) { m_rects.push_back(rect); }
    const std::vector<Rect>& rects() const { return m_rects; }

    /// Calls `cut` for the cells of a row; spacing and counts are the samples'.
    void cutCells(const heightfield::BuildInput& input, std::uint32_t cellRow,
                  FunctionRef<void(std::uint32_t)> cut) const;

  private:
    std::vector<Rect> m_rects;
};

/// A DEM file as a pyramid's input: bands of whole rows, each read in the windows that the file is read
/// fastest by.
class RasterBuildInput final : public heightfield::BuildInput {
  public:
    /// `source` is open, at least 2 x 2 samples; `mark` changes with the file and how it is read.
    RasterBuildInput(std::unique_ptr<importer::RasterSource> source, HoleRects holes, std::uint64_t mark);

    std::uint32_t columns() const override;
    std::uint32_t rows() const override;
    double spacingX() const override { return m_source->info().spacingX; }
    double spacingZ() const override { return m_source->info().spacingZ; }
    std::uint32_t preferredRows() const override;
    Result<void> readRows(std::uint32_t firstRow, std::uint32_t count, std::span<float> heights) override;
    void cutCells(std::uint32_t cellRow, FunctionRef<void(std::uint32_t)> cut) override {
        m_holes.cutCells(*this, cellRow, cut);
    }
    std::uint64_t fingerprint() const override { return m_mark; }

  private:
    std::unique_ptr<importer::RasterSource> m_source;
    HoleRects m_holes;
    std::uint64_t m_mark;
    std::vector<float> m_window;  // where the file is not read in whole rows
};

}  // namespace karst::tool
