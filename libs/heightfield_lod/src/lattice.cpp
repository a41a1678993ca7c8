#include <karst/heightfield_lod/lattice.h>

#include <algorithm>
#include <cmath>

namespace karst::heightfield {

GroundShape shapeOf(const HeightRaster& raster) {
    return {raster.rect(), raster.columns(), raster.rows(), raster.heightRange()};
}

LatticeAxis::LatticeAxis(double low, double high, double rasterLow, double spacing, int texels)
    : m_low(low + 0.0), m_high(high + 0.0), m_rasterLow(rasterLow), m_spacing(spacing) {
    // + 0.0 makes -0 a 0: a vertex that slides loses the sign, and its twin at rest must have the same bits.
    // A drawn rect that is the raster's must end on whole texels whatever the rounding of its sides.
    const auto place = [&](double position) {
        const double exact = (position - rasterLow) / spacing;
        const double whole = std::round(exact * 2) / 2;
        return std::clamp(std::abs(exact - whole) <= 1e-9 * texels ? whole : exact, 0.0, double(texels));
    };
    m_lowPlace = place(low);
    m_highPlace = place(high);
    m_first = std::max(0, static_cast<int>(std::floor(m_lowPlace + 0.5)));              // t + 0.5 > lowPlace
    m_last = std::min(texels - 1, static_cast<int>(std::ceil(m_highPlace - 0.5)) - 1);  // t + 0.5 < highPlace
    if (m_first + 0.5 <= m_lowPlace) ++m_first;
    if (m_last < m_first) {
        m_last = m_first - 1;  // only the two edges
        m_lowSwitch = m_highSwitch = (m_lowPlace + m_highPlace) / 2;
        m_lowSwitch = std::nextafter(m_lowSwitch, m_highPlace);
    } else {
        m_lowSwitch = (m_lowPlace + m_first + 0.5) / 2;
        m_highSwitch = (m_highPlace + m_last + 0.5) / 2;
    }
}

}  // namespace karst::heightfield
