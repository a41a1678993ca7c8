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

    CellTexels() = default;
    CellTexels(const HeightRaster& raster, int cellX, int cellZ) {
        const std::ptrdiff_t columns = raster.columns();
        const int x0 = std::max(cellX, 0), x1 = std::min(cellX + 1, raster.columns() - 1);
        const int z0 = std::max(cellZ, 0), z1 = std::min(cellZ + 1, raster.rows() - 1);
        first = raster.heights().data() + z0 * columns + x0;
        toX = x1 - x0;
        toZ = (z1 - z0) * columns;
    }
};

struct CellHit {
    double t;
    bool lowerTriangle;
    CellTexels texels;
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
    // Axis 0 is X, 1 is Z. Which edges are crossed is taken as indices: nobody can predict it.
    const int cell[2] = {cellX, cellZ};
    const double start[2] = {ray.u, ray.v}, speed[2] = {ray.du, ray.dv};
    const int forward[2] = {ray.inverseU > 0 ? 1 : 0, ray.inverseV > 0 ? 1 : 0};
    const auto crossingU = [&](int line) { return (line - ray.u) * ray.inverseU; };
    const auto crossingV = [&](int line) { return (line - ray.v) * ray.inverseV; };
    const double inU = crossingU(cellX + 1 - forward[0]), outU = crossingU(cellX + forward[0]);
    const double inV = crossingV(cellZ + 1 - forward[1]), outV = crossingV(cellZ + forward[1]);
    const double edgeIn = greater(inU, inV), edgeOut = lesser(outU, outV);
    const double in = greater(edgeIn, ray.begin), out = lesser(edgeOut, ray.end);
    if (!(in <= out)) return false;

    const CellTexels texels(raster, cellX, cellZ);
    hit.texels = texels;
    const float* h = texels.first;
    const std::ptrdiff_t to[2] = {texels.toX, texels.toZ};
    const auto place = [&](double t, int axis) {
        return held(start[axis] + t * speed[axis] - cell[axis], 0, 1);
    };
    // Above the edge that runs along an axis, at its cell's low or high side.
    const auto aboveEdge = [&](double t, int axis, int low) {
        const float* begin = h + (to[1 - axis] & (std::ptrdiff_t{low} - 1));
        const double a = begin[0], b = begin[to[axis]];
        return ray.y + t * ray.dy - (a + place(t, axis) * (b - a));
    };
    const auto aboveInside = [&](double t, int lower) {
        return ray.y + t * ray.dy - CellTriangle(texels, lower != 0).heightAt(place(t, 0), place(t, 1));
    };

    // Where two lines are crossed at once, cells leave by the line of u and are entered by the line of v:
    // the cell between them, met in one point, then joins the two. The low edges are the lower triangle's.
    double at[3], above[3];  // entered, at the diagonal, left
    at[0] = in;
    at[2] = out;
    int lowerIn, lowerOut;
    if (edgeIn >= ray.begin) {
        const int along = inU > inV ? 1 : 0;
        lowerIn = forward[1 - along];
        above[0] = aboveEdge(in, along, lowerIn);
    } else {
        lowerIn = place(in, 0) + place(in, 1) <= 1 ? 1 : 0;
        above[0] = aboveInside(in, lowerIn);
    }
    if (edgeOut <= ray.end) {
        const int along = outU <= outV ? 1 : 0;
        lowerOut = 1 - forward[1 - along];
        above[2] = aboveEdge(out, along, lowerOut);
    } else {
        lowerOut = place(out, 0) + place(out, 1) <= 1 ? 1 : 0;
        above[2] = aboveInside(out, lowerOut);
    }
    const double toDiagonal = (cellX + 1 - ray.u) + (cellZ - ray.v);
    at[1] = held(toDiagonal / (ray.du + ray.dv), in, out);
    const double a = h[to[0]], b = h[to[1]];  // the diagonal's ends
    above[1] = ray.y + at[1] * ray.dy - (a + place(at[1], 1) * (b - a));

    const auto meets = [&](int from, int until) {
        return ((above[from] >= 0) & (above[until] <= 0)) | ((above[from] <= 0) & (above[until] >= 0));
    };
    const int crosses = lowerIn ^ lowerOut;  // the diagonal
    const int firstEnd = 2 - crosses;
    const int first = meets(0, firstEnd), second = crosses & meets(1, 2);
    if ((first | second) == 0) return false;
    const int from = 1 - first, until = first != 0 ? firstEnd : 2;
    const double drop = above[from] - above[until];
    const double share = drop == 0 ? 0 : above[from] / drop;
    hit.t = lesser(at[from] + (at[until] - at[from]) * share, at[until]);
    hit.lowerTriangle = (first != 0 ? lowerIn : lowerOut) != 0;
    return true;
}

}  // namespace karst::heightfield
