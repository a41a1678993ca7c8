#include "detail_bounds.h"

#include <algorithm>
#include <cmath>

namespace karst::heightfield {
namespace {

struct Range {
    double low = 1e300, high = -1e300;
    void take(double value) {
        low = std::min(low, value);
        high = std::max(high, value);
    }
    double size() const { return std::max(std::abs(low), std::abs(high)); }
    double least() const { return low > 0 ? low : high < 0 ? -high : 0.0; }
};

/// The Bezier points of the Catmull-Rom segment between p[step] and p[2 step].
void toBezier(const double* p, int step, double* out) {
    const double p0 = p[0], p1 = p[step], p2 = p[2 * step], p3 = p[3 * step];
    out[0] = p1;
    out[step] = p1 + (p2 - p0) / 6;
    out[2 * step] = p2 - (p3 - p1) / 6;
    out[3 * step] = p2;
}

Interval covers(const MaterialCover& cover, const CellShape& cell) {
    const auto between = [](const std::optional<MaterialRamp>& ramp, const Interval& at) -> Interval {
        if (!ramp) return {1, 1};
        const double a = ramp->at(at.low), b = ramp->at(at.high);
        return {std::min(a, b), std::max(a, b)};
    };
    const Interval slope = between(cover.slope, cell.slope), height = between(cover.height, cell.height);
    return {slope.low * height.low, slope.high * height.high};
}

/// A ramp is steepest in its middle, 1.5 over its width.
double rampChange(const std::optional<MaterialRamp>& ramp, double change) {
    if (!ramp || change == 0) return 0;
    const double width = std::abs(ramp->oneAt - ramp->zeroAt);
    return change * 1.5 < width ? change * 1.5 / width : 1.0;
}

}  // namespace

CellShape::CellShape(const double samples[4][4], double spacingX, double spacingZ) {
    double rows[16], b[16];
    for (int j = 0; j < 4; ++j)
        toBezier(samples[j], 1, rows + 4 * j);
    for (int i = 0; i < 4; ++i)
        toBezier(rows + i, 4, b + i);

    Range all, dx, dz, dxx, dzz, dxz;
    double off = 0;
    const double h00 = b[0], h10 = b[3], h01 = b[12], h11 = b[15];
    for (int j = 0; j < 4; ++j) {
        for (int i = 0; i < 4; ++i) {
            const double here = b[4 * j + i];
            all.take(here);
            const double fx = i / 3.0, fz = j / 3.0;
            const double low = h00 + fx * (h10 - h00), high = h01 + fx * (h11 - h01);
            off = std::max(off, std::abs(here - (low + fz * (high - low))));
            if (i < 3) dx.take(3 * (b[4 * j + i + 1] - here));
            if (j < 3) dz.take(3 * (b[4 * j + i + 4] - here));
            if (i < 2) dxx.take(6 * (b[4 * j + i + 2] - 2 * b[4 * j + i + 1] + here));
            if (j < 2) dzz.take(6 * (b[4 * j + i + 8] - 2 * b[4 * j + i + 4] + here));
            if (i < 3 && j < 3) dxz.take(9 * (b[4 * j + i + 5] - b[4 * j + i + 4] - b[4 * j + i + 1] + here));
        }
    }
    const auto lengthOf = [](double x, double z) { return std::sqrt(x * x + z * z); };
    // Wider than any rounding here and where the surface is evaluated.
    const double room = 1e-12 * all.size();
    height = {all.low - room, all.high + room};
    slope = {lengthOf(dx.least() / spacingX, dz.least() / spacingZ) * (1 - 1e-12),
             lengthOf(dx.size() / spacingX, dz.size() / spacingZ) * (1 + 1e-12) +
                 room / std::min(spacingX, spacingZ)};
    secondX = dxx.size() + room;
    secondZ = dzz.size() + room;
    mixed = dxz.size() + room;
    // From the bilinear square by the net's own distance; that from the triangles by a quarter of its twist.
    deviation =
        std::min(off + std::abs(h00 - h10 - h01 + h11) / 4 + room, (secondX + 2 * mixed + secondZ) / 8);
    const double xx = secondX / (spacingX * spacingX), zz = secondZ / (spacingZ * spacingZ),
                 xz = mixed / (spacingX * spacingZ);
    slopeChange = std::sqrt(xx * xx + 2 * xz * xz + zz * zz);
}

double CellShape::deviationAt(double stride) const {
    return std::min(2 * deviation, stride * stride * (secondX + 2 * mixed + secondZ) / 8);
}

MaterialBounds::MaterialBounds(const TerrainMaterialRules& rules, const CellShape& cell)
    : m_rules(rules), m_cell(cell) {
    for (std::uint32_t m = 1; m < rules.materials; ++m)
        m_covers[m - 1] = covers(rules.covers[m - 1], cell);
}

// Material m's cover c turns the mix below it into mix + c (value - mix): monotone in the mix, and in c one
// way or the other.
double MaterialBounds::largest(const std::array<double, 4>& values) const {
    double mix = values[0];
    for (std::uint32_t m = 1; m < m_rules.materials; ++m) {
        const Interval& c = m_covers[m - 1];
        mix += (values[m] > mix ? c.high : c.low) * (values[m] - mix);
    }
    return mix;
}

double MaterialBounds::change(const std::array<double, 4>& values, double distance) const {
    double mix = values[0], sum = 0;
    for (std::uint32_t m = 1; m < m_rules.materials; ++m) {
        const Interval& c = m_covers[m - 1];
        const double bySlope = rampChange(m_rules.covers[m - 1].slope, m_cell.slopeChange * distance);
        const double byHeight = rampChange(m_rules.covers[m - 1].height, m_cell.slope.high * distance);
        sum += std::min(c.high - c.low, bySlope + byHeight) * (values[m] + mix);
        mix = std::max(mix, values[m]);
    }
    return sum;
}

}  // namespace karst::heightfield
