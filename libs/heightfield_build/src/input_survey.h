#pragma once

#include <karst/heightfield_build/pyramid_builder.h>

#include <vector>

namespace karst::heightfield {

/// Rows first .. end - 1 of an input's samples.
struct RowRange {
    std::uint32_t first = 0, end = 0;
    std::uint32_t count() const { return end - first; }
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
    /// The heights that rows of samples have of it; a range ends at a multiple of tileCells or at the last
    /// row.
    std::span<float> valuesOf(const RowRange& rows);

  private:
    std::uint32_t m_samplesX = 0, m_samplesZ = 0, m_cells = 1;
    std::uint32_t m_countX = 0, m_countZ = 0;
    std::vector<float> m_heights;
};

/// Measured by the first pass.
struct InputSurvey {
    HeightRange heights;  ///< min above max where no sample has data
    std::uint64_t voids = 0;
    CornerGrid corners;
};

bool stopWanted(const BuildOptions& options);

/// Rows in a band: the input's own height, within reason.
std::uint32_t bandRows(const BuildInput& input, std::uint32_t tileCells);

/// The last row before `row` that has data, with its voids filled; empty where there is none.
Result<std::vector<float>> filledRowBefore(BuildInput& input, std::uint32_t row, std::uint32_t tileCells);

/// Adds what rows of the input hold to a survey (survey.corners is of the whole ground). `progress` is told
/// the share of these rows. False: stopped.
Result<bool> surveyRows(BuildInput& input, const BuildOptions& options, const RowRange& rows,
                        const std::function<void(double)>& progress, InputSurvey& survey);

/// A survey of nothing yet.
InputSurvey beginSurvey(const BuildInput& input, const BuildOptions& options);
/// Refuses an input without any data.
Result<void> checkSurvey(const BuildInput& input, const InputSurvey& survey);

}  // namespace karst::heightfield
