#pragma once

#include <karst/heightfield/height_raster.h>

#include <cstdint>

namespace karst::heightfield {

/// The shape of a raster, without its heights: all that choosing nodes needs.
struct GroundShape {
    Rect rect;
    int columns = 0, rows = 0;
    HeightRange heightRange;

    double spacingX() const { return rect.width() / columns; }
    double spacingZ() const { return rect.depth() / rows; }
    bool operator==(const GroundShape&) const = default;
};

GroundShape shapeOf(const HeightRaster& raster);

/// The places along one axis where vertices may stand (spec row N5): the drawn rect's two edges and the texel
/// centres between them. Stops are numbered from 0, the low edge, to stopCount() - 1, the high edge. Places
/// are in texels from the raster's low edge, so that texel t has its centre at t + 0.5.
class LatticeAxis {
  public:
    LatticeAxis() = default;
    /// `low`, `high`: the drawn rect along the axis, within the raster's; `rasterLow`, `spacing`, `texels`:
    /// the raster.
    LatticeAxis(double low, double high, double rasterLow, double spacing, int texels);

    int stopCount() const { return m_last - m_first + 3; }
    double lowPlace() const { return m_lowPlace; }
    double highPlace() const { return m_highPlace; }

    /// The stop nearest to a place; midway between two, the higher one. Places past an edge take the edge.
    int nearestStop(double place) const {
        if (!(place >= m_lowSwitch)) return 0;
        if (place > m_highSwitch) return stopCount() - 1;
        const int texel = static_cast<int>(place);  // places are not negative
        return (texel < m_first ? m_first : texel > m_last ? m_last : texel) - m_first + 1;
    }

    /// In texels from the raster's low edge.
    double placeOfStop(int stop) const {
        if (stop <= 0) return m_lowPlace;
        if (stop > m_last - m_first + 1) return m_highPlace;
        return m_first + stop - 0.5;
    }

    /// In world units.
    double positionOfStop(int stop) const {
        if (stop <= 0) return m_low;
        if (stop > m_last - m_first + 1) return m_high;
        return m_rasterLow + (m_first + stop - 0.5) * m_spacing;
    }

    double placeOfPosition(double position) const { return (position - m_rasterLow) / m_spacing; }

  private:
    double m_low = 0, m_high = 0, m_rasterLow = 0, m_spacing = 1;
    double m_lowPlace = 0, m_highPlace = 0;
    double m_lowSwitch = 0, m_highSwitch = 0;  // where the nearest stop changes from or to an edge
    int m_first = 0, m_last = -1;              // texels whose centres lie strictly inside
};

}  // namespace karst::heightfield
