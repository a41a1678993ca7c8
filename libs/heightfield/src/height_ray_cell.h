#pragma once

// The exact end of a ray cast: one ray against the two triangles of one cell, in double precision.

#include <karst/heightfield/height_raster.h>

#include <algorithm>
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

inline double heldToCell(double f) {
    return std::min(std::max(f, 0.0), 1.0);
}

/// The cell's corner heights: (0, 0), (1, 0), (0, 1), (1, 1).
struct CellCorners {
    double h[4];

    CellCorners(const HeightRaster& raster, int cellX, int cellZ) {
        const int x0 = std::max(cellX, 0), x1 = std::min(cellX + 1, raster.columns() - 1);
        const int z0 = std::max(cellZ, 0), z1 = std::min(cellZ + 1, raster.rows() - 1);
        const float* row0 = raster.heights().data() +
                            static_cast<std::size_t>(z0) * static_cast<std::size_t>(raster.columns());
        const float* row1 = raster.heights().data() +
                            static_cast<std::size_t>(z1) * static_cast<std::size_t>(raster.columns());
        h[0] = row0[x0];
        h[1] = row0[x1];
        h[2] = row1[x0];
        h[3] = row1[x1];
    }
};

/// Finds the first t at which the ray meets the closed cell's surface.
///
/// The ray's height above the ground is linear between the lines that it crosses: the cell's edges and its
/// diagonal. On an edge it is computed from that edge alone, in the same way from both sides, and cells
/// agree on the t at which the ray crosses from one to the other; so a change of sign along a row of cells
/// always falls into one of them.
inline bool meetCell(const LatticeRay& ray, const HeightRaster& raster, int cellX, int cellZ, CellHit& hit) {
    const bool forwardU = ray.inverseU > 0, forwardV = ray.inverseV > 0;
    const auto crossingU = [&](int line) { return (line - ray.u) * ray.inverseU; };
    const auto crossingV = [&](int line) { return (line - ray.v) * ray.inverseV; };
    const double inU = crossingU(forwardU ? cellX : cellX + 1),
                 outU = crossingU(forwardU ? cellX + 1 : cellX);
    const double inV = crossingV(forwardV ? cellZ : cellZ + 1),
                 outV = crossingV(forwardV ? cellZ + 1 : cellZ);
    const double edgeIn = std::max(inU, inV), edgeOut = std::min(outU, outV);
    const double in = std::max(edgeIn, ray.begin), out = std::min(edgeOut, ray.end);
    if (!(in <= out)) return false;

    const CellCorners corners(raster, cellX, cellZ);
    const double* h = corners.h;
    const auto fx = [&](double t) { return heldToCell(ray.u + t * ray.du - cellX); };
    const auto fz = [&](double t) { return heldToCell(ray.v + t * ray.dv - cellZ); };

    // Height above the edge of constant u or v, at its low or high side; the lower triangle has the low ones.
    const auto aboveEdge = [&](double t, bool alongZ, bool low) {
        const int first = low ? 0 : (alongZ ? 1 : 2);
        const double a = h[first], b = h[first + (alongZ ? 2 : 1)];
        return ray.y + t * ray.dy - (a + (alongZ ? fz(t) : fx(t)) * (b - a));
    };
    const auto aboveInside = [&](double t, bool lower) {
        const double x = fx(t), z = fz(t);
        return ray.y + t * ray.dy -
               (lower ? h[0] + x * (h[1] - h[0]) + z * (h[2] - h[0])
                      : h[3] + (1 - x) * (h[2] - h[3]) + (1 - z) * (h[1] - h[3]));
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
        hit.t = drop == 0 ? t0 : std::min(t0 + (t1 - t0) * (above0 / drop), t1);
        hit.lowerTriangle = lower;
        return true;
    };
    if (lowerIn == lowerOut) return meetSpan(in, aboveIn, out, aboveOut, lowerIn);
    const double toDiagonal = (cellX + 1 - ray.u) + (cellZ - ray.v);
    const double crossing = toDiagonal / (ray.du + ray.dv);
    const double diagonal = crossing > in ? std::min(crossing, out) : in;
    const double aboveDiagonal = ray.y + diagonal * ray.dy - (h[1] + fz(diagonal) * (h[2] - h[1]));
    return meetSpan(in, aboveIn, diagonal, aboveDiagonal, lowerIn) ||
           meetSpan(diagonal, aboveDiagonal, out, aboveOut, lowerOut);
}

}  // namespace karst::heightfield
