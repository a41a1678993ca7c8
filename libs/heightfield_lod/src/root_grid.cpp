#include <karst/heightfield_lod/root_grid.h>

#include <algorithm>
#include <cmath>

namespace karst::heightfield {
namespace {

constexpr double kSame = 1e-9;

// How many squares of `size` cover `length`; a remainder of rounding size does not count.
double squaresOver(double length, double size) {
    return std::max(1.0, std::ceil(length / size * (1 - kSame)));
}

// The largest measure that divides both, if at least `least`; else 0.
double commonMeasure(double a, double b, double least) {
    const double zero = kSame * std::max(a, b);
    if (a < b) std::swap(a, b);
    while (b > zero) {
        if (b < least * (1 - kSame)) return 0;
        double rest = std::fmod(a, b);
        if (b - rest <= zero) rest = 0;  // a hair below a whole number of times
        a = b;
        b = rest;
    }
    return a;
}

}  // namespace

Result<RootGrid> makeRootGrid(const Rect& rect, const RootGridOptions& options) {
    const double width = rect.width();
    const double depth = rect.depth();
    if (!std::isfinite(width) || !std::isfinite(depth) || !(width > 0) || !(depth > 0)) {
        return makeError(ErrorCode::InvalidArgument,
                         "root grid: rect (%g, %g)..(%g, %g) must be finite and not empty", rect.minX,
                         rect.minZ, rect.maxX, rect.maxZ);
    }
    if (!(options.minNodeSize >= 0) || !std::isfinite(options.minNodeSize)) {
        return makeError(ErrorCode::InvalidArgument,
                         "root grid: minNodeSize %g must be finite and not negative", options.minNodeSize);
    }
    if (!(options.rootSize >= 0) || !std::isfinite(options.rootSize)) {
        return makeError(ErrorCode::InvalidArgument, "root grid: rootSize %g must be finite and not negative",
                         options.rootSize);
    }
    if (options.maxNodes == 0) {
        return makeError(ErrorCode::InvalidArgument, "root grid: a pool of 0 nodes holds no root");
    }

    double size = options.rootSize;
    if (size > 0) {
        const double squares = squaresOver(width, size) * squaresOver(depth, size);
        if (squares > options.maxNodes) {
            return makeError(ErrorCode::TooLarge,
                             "root grid: rootSize %g makes %.0f x %.0f squares over %g x %g, more than the "
                             "pool's %u nodes",
                             size, squaresOver(width, size), squaresOver(depth, size), width, depth,
                             options.maxNodes);
        }
    } else {
        const double shorter = std::min(width, depth);
        const double longer = std::max(width, depth);
        const double quarter = std::max(1u, options.maxNodes / 4);
        if (longer - shorter <= kSame * longer) {
            size = longer;
        } else {
            size = commonMeasure(longer, shorter, options.minNodeSize);
            if (!(size > 0) || std::round(longer / size) * std::round(shorter / size) > quarter) {
                size = std::max(shorter, longer / quarter);
            }
        }
    }
    RootGrid grid;
    grid.countX = static_cast<std::uint32_t>(squaresOver(width, size));
    grid.countZ = static_cast<std::uint32_t>(squaresOver(depth, size));
    // Where whole squares fill the rect, let them end exactly on its edges.
    const double fitX = width / grid.countX;
    const double fitZ = depth / grid.countZ;
    if (std::abs(fitX - size) <= kSame * size && fitX * grid.countX >= width) size = fitX;
    if (std::abs(fitZ - size) <= kSame * size && fitZ > size) size = fitZ;
    grid.size = size;
    return grid;
}

}  // namespace karst::heightfield
