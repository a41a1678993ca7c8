#pragma once

#include <karst/base/externals.h>
#include <karst/heightfield/height_raster.h>

#include <cstddef>
#include <cstdint>

namespace karst::heightfield {

/// Lowest and highest ground of blocks of cells, level over level: what lets a ray skip. Derived from a
/// raster; costs less than 1 byte a texel.
///
/// Threads: const members from any thread while nobody calls update().
class HeightPyramid {
  public:
    explicit HeightPyramid(const HeightRaster& raster, const Externals& externals = {});

    /// Catches up with the raster's changes; only blocks over changed texels are read again.
    void update(const HeightRaster& raster);

    /// The raster's generation that this was built from or last caught up with.
    std::uint64_t generation() const { return m_generation; }
    std::size_t memoryBytes() const;

  private:
    std::uint64_t m_generation = 0;
};

}  // namespace karst::heightfield
