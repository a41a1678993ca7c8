#pragma once

#include <karst/heightfield/crater.h>

namespace karst::heightfield {

/// The craters that reach a tile, in the one order in which offsets are summed.
class CraterSet {
  public:
    CraterSet(std::span<const Crater> craters, const TileLayout& layout, const TileKey& key);

    bool empty() const { return m_craters.empty(); }
    std::size_t size() const { return m_craters.size(); }

    /// +0 where no crater reaches.
    double offsetAt(double x, double z) const;
    /// What may be added at points of a rect; outwards of any rounding, holds 0.
    void range(const Rect& rect, double& low, double& high) const;
    /// Bound of the offsets' deviation when drawn with a lattice.
    double deviation(double strideX, double strideZ) const;

  private:
    std::vector<Crater> m_craters;
};

/// The sample with an offset; itself, bit for bit, where the offset is 0.
inline float withOffset(double height, double offset) {
    return static_cast<float>(offset == 0 ? height : height + offset);
}

}  // namespace karst::heightfield
