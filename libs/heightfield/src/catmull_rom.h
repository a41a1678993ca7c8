#pragma once

#include <array>

namespace karst::heightfield {

/// The finest place that detail knows: sixteenths of a level-0 cell (level -4's stride).
inline constexpr int kSixteenths = 16;

/// Catmull-Rom between samples 1 and 2 of four: the weights of the value and of its slope per cell. At
/// sixteenths of a cell each is a dyadic number of few bits, so it is exact; at a sample the value is that
/// sample.
struct CatmullRom {
    double value[4], slope[4];
};

constexpr CatmullRom catmullRomAt(int sixteenth) {
    const double f = sixteenth / double{kSixteenths};
    return {{-0.5 * f + f * f - 0.5 * f * f * f, 1 - 2.5 * f * f + 1.5 * f * f * f,
             0.5 * f + 2 * f * f - 1.5 * f * f * f, -0.5 * f * f + 0.5 * f * f * f},
            {-0.5 + 2 * f - 1.5 * f * f, -5 * f + 4.5 * f * f, 0.5 + 4 * f - 4.5 * f * f, -f + 1.5 * f * f}};
}

inline constexpr std::array<CatmullRom, kSixteenths> kCatmullRom = [] {
    std::array<CatmullRom, kSixteenths> table{};
    for (int i = 0; i < kSixteenths; ++i)
        table[static_cast<std::size_t>(i)] = catmullRomAt(i);
    return table;
}();

/// Sum of four, in one order.
inline double weighted(const double w[4], double a, double b, double c, double d) {
    return w[0] * a + w[1] * b + w[2] * c + w[3] * d;
}

}  // namespace karst::heightfield
