#pragma once

// The exact end of a ray cast: one ray against the two triangles of one cell, in double precision.

#include <karst/heightfield/height_raster.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace karst::heightfield {

/// A ray in texels: it stands at (u + t * du, y + t * dy, v + t * dv), u and v as in
/// HeightRaster::cellPointAt. An inverse of 0 is kHuge, so that its products stay numbers.
struct LatticeRay {
    static constexpr double kHuge = 1e300;

    double u, v, y;
    double du, dv, dy;
    double inverseU, inverseV;
    double begin, end;  ///< the part over the rect and within the height range, in t
};

struct CellHit {
    double t = 0;
    bool lowerTriangle = false;
};

/// Where `value` falls between truncated integers; std::floor is a call without SSE 4.1.
inline int floorOf(double value) {
    const int truncated = static_cast<int>(value);
    return truncated - (value < truncated ? 1 : 0);
}

// By value, so that they become one instruction.
inline double lesser(double a, double b) {
    return a < b ? a : b;
}
inline double greater(double a, double b) {
    return a > b ? a : b;
}
inline double held(double value, double low, double high) {
    return lesser(greater(value, low), high);
}

/// A cell's corner texels; those of the half cells at the rim are held to the raster.
struct CellTexels {
    const float* first;       ///< at the low corner
    std::ptrdiff_t toX, toZ;  ///< from there one texel along +X and +Z

    CellTexels(const HeightRaster& raster, int cellX, int cellZ) {
        const std::ptrdiff_t columns = raster.columns();
        const int x0 = std::max(cellX, 0), x1 = std::min(cellX + 1, raster.columns() - 1);
        const int z0 = std::max(cellZ, 0), z1 = std::min(cellZ + 1, raster.rows() - 1);
        first = raster.heights().data() + z0 * columns + x0;
        toX = x1 - x0;
        toZ = (z1 - z0) * columns;
    }
};

/// One of the cell's triangles seen from its own right-angled corner: the same arithmetic as
/// height_triangle.h without a branch on which triangle it is, which nobody can predict.
struct CellTriangle {
    double base, riseX, riseZ;  ///< the corner's height, and what the ends of its two sides lie above it
    double corner;              ///< where the corner is: 0, or 1 in the upper triangle

    CellTriangle(const CellTexels& texels, bool lower) {
        const std::ptrdiff_t upper = std::ptrdiff_t{lower} - 1;  // no bits or all
        const std::ptrdiff_t swapped = (texels.toX ^ texels.toZ) & upper;
        base = texels.first[(texels.toX + texels.toZ) & upper];
        riseX = texels.first[texels.toX ^ swapped] - base;
        riseZ = texels.first[texels.toZ ^ swapped] - base;
        corner = static_cast<int>(-upper);
    }
    double heightAt(double fx, double fz) const {
        return base + std::abs(corner - fx) * riseX + std::abs(corner - fz) * riseZ;
    }
    double gradientX() const { return riseX * (1 - 2 * corner); }
    double gradientZ() const { return riseZ * (1 - 2 * corner); }
};

/// Finds the first t at which the ray meets the closed cell's surface.
///
/// The ray's height above the ground is linear between the lines that it crosses: the cell's edges and its
/// diagonal. On an edge it is computed from that edge alone, in the same way from both sides, and cells
/// agree on the t at which the ray crosses from one to the other; so a change of sign along a row of cells
/// always falls into one of them.
inline bool meetCell(const LatticeRay& ray, const HeightRaster& raster, int cellX, int cellZ, CellHit& hit) {
    const bool forwardU = ray.inverseU > 0, forwardV = ray.inverseV > 0;
    const int backU = forwardU ? 0 : 1, backV = forwardV ? 0 : 1;
    const auto crossingU = [&](int line) { return (line - ray.u) * ray.inverseU; };
    const auto crossingV = [&](int line) { return (line - ray.v) * ray.inverseV; };
    const double inU = crossingU(cellX + backU), outU = crossingU(cellX + (1 - backU));
    const double inV = crossingV(cellZ + backV), outV = crossingV(cellZ + (1 - backV));
    const double edgeIn = greater(inU, inV), edgeOut = lesser(outU, outV);
    const double in = greater(edgeIn, ray.begin), out = lesser(edgeOut, ray.end);
    if (!(in <= out)) return false;

    const CellTexels texels(raster, cellX, cellZ);
    const float* h = texels.first;
    const auto fx = [&](double t) { return held(ray.u + t * ray.du - cellX, 0, 1); };
    const auto fz = [&](double t) { return held(ray.v + t * ray.dv - cellZ, 0, 1); };

    // Height above the edge of constant u or v, at its low or high side; the lower triangle has the low ones.
    const auto aboveEdge = [&](double t, bool alongZ, bool low) {
        const std::ptrdiff_t along = alongZ ? texels.toZ : texels.toX,
                             across = alongZ ? texels.toX : texels.toZ;
        const std::ptrdiff_t begin = low ? 0 : across;
        const double a = h[begin], b = h[begin + along];
        return ray.y + t * ray.dy - (a + (alongZ ? fz(t) : fx(t)) * (b - a));
    };
    const auto aboveInside = [&](double t, bool lower) {
        return ray.y + t * ray.dy - CellTriangle(texels, lower).heightAt(fx(t), fz(t));
    };

    // Where two lines are crossed at once, cells leave by the line of u and are entered by the line of v:
    // the cell between them, met in one point, then joins the two.
    bool lowerIn, lowerOut;
    double aboveIn, aboveOut;
    if (edgeIn >= ray.begin) {
        const bool alongZ = inU > inV;
        lowerIn = alongZ ? forwardU : forwardV;
        aboveIn = aboveEdge(in, alongZ, lowerIn);
    } else {
        lowerIn = fx(in) + fz(in) <= 1;
        aboveIn = aboveInside(in, lowerIn);
    }
    if (edgeOut <= ray.end) {
        const bool alongZ = outU <= outV;
        lowerOut = alongZ ? !forwardU : !forwardV;
        aboveOut = aboveEdge(out, alongZ, lowerOut);
    } else {
        lowerOut = fx(out) + fz(out) <= 1;
        aboveOut = aboveInside(out, lowerOut);
    }

    const auto meetSpan = [&](double t0, double above0, double t1, double above1, bool lower) {
        if (!((above0 >= 0 && above1 <= 0) || (above0 <= 0 && above1 >= 0))) return false;
        const double drop = above0 - above1;
        hit.t = drop == 0 ? t0 : lesser(t0 + (t1 - t0) * (above0 / drop), t1);
        hit.lowerTriangle = lower;
        return true;
    };
    if (lowerIn == lowerOut) return meetSpan(in, aboveIn, out, aboveOut, lowerIn);
    const double toDiagonal = (cellX + 1 - ray.u) + (cellZ - ray.v);
    const double crossing = toDiagonal / (ray.du + ray.dv);
    const double diagonal = crossing > in ? lesser(crossing, out) : in;
    const double a = h[texels.toX], b = h[texels.toZ];  // the diagonal's ends
    const double aboveDiagonal = ray.y + diagonal * ray.dy - (a + fz(diagonal) * (b - a));
    return meetSpan(in, aboveIn, diagonal, aboveDiagonal, lowerIn) ||
           meetSpan(diagonal, aboveDiagonal, out, aboveOut, lowerOut);
}

}  // namespace karst::heightfield
