#include <karst/heightfield/crater.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "crater_set.h"

namespace karst::heightfield {
namespace {

constexpr double kLip = Crater::kReach - 1;

/// The offset at a distance, in radii.
double profile(const Crater& crater, double s) {
    if (s <= 1) {
        const double c = 1 - s * s;
        return crater.rimHeight - (crater.depth + crater.rimHeight) * (c * c);
    }
    if (s >= Crater::kReach) return 0;
    const double q = (s - 1) / kLip;
    const double c = 1 - q * q;
    return crater.rimHeight * (c * c);
}

double nearest(double value, double low, double high) {
    return std::max({low - value, value - high, 0.0});
}

double farthest(double value, double low, double high) {
    return std::max(std::abs(value - low), std::abs(value - high));
}

double length(double x, double z) {
    return std::sqrt(x * x + z * z);
}

/// Where the tile's samples stand, apron included.
Rect sampleRect(const TileLayout& layout, const TileKey& key) {
    const Rect rect = layout.footprint(key);
    const double x = layout.strideX(key.level) * kTileApron, z = layout.strideZ(key.level) * kTileApron;
    return {rect.minX - x, rect.minZ - z, rect.maxX + x, rect.maxZ + z};
}

}  // namespace

double Crater::offsetAt(double px, double pz) const {
    const double dx = px - x, dz = pz - z;
    const double squared = dx * dx + dz * dz;
    const double reach = kReach * radius;
    if (!(squared < reach * reach)) return 0;
    return profile(*this, std::sqrt(squared) / radius);
}

double Crater::deviation(double strideX, double strideZ) const {
    // A linear interpolation errs by at most the second derivative's bound times the square of the
    // triangle's longest side over 8. Second derivatives by s: the bowl's at most 8 (depth + rim), at the
    // rim; the lip's at most 8 / 0.36 rim, at its end. The offset itself spans no more than depth + rim.
    const double span = depth + rimHeight;
    const double curvature = std::max(8 * span, 8 / (kLip * kLip) * rimHeight);
    const double side = (strideX * strideX + strideZ * strideZ) / (radius * radius);
    return std::min(curvature * side / 8, span);
}

Result<void> validate(const Crater& crater) {
    const auto check = [](const char* name, double value, double low, double high) -> Result<void> {
        if (value >= low && value <= high) return {};
        return makeError(ErrorCode::InvalidArgument, "crater: %s %g is not in %g..%g", name, value, low,
                         high);
    };
    constexpr double kFinite = std::numeric_limits<double>::max();
    const std::tuple<const char*, double, double, double> fields[] = {
        {"x", crater.x, -kFinite, kFinite},
        {"z", crater.z, -kFinite, kFinite},
        {"radius", crater.radius, Crater::kMinRadius, Crater::kMaxLength},
        {"depth", crater.depth, 0.0, Crater::kMaxLength},
        {"rim height", crater.rimHeight, 0.0, Crater::kMaxLength},
    };
    for (const auto& [name, value, low, high] : fields) {
        if (Result<void> valid = check(name, value, low, high); !valid) return valid;
    }
    return {};
}

bool reaches(const Crater& crater, const TileLayout& layout, const TileKey& key) {
    const Rect rect = sampleRect(layout, key);
    const double dx = nearest(crater.x, rect.minX, rect.maxX), dz = nearest(crater.z, rect.minZ, rect.maxZ);
    // A little more than the reach: samples are placed with other roundings than the rect.
    const double size = std::max(
        {std::abs(rect.minX), std::abs(rect.maxX), std::abs(rect.minZ), std::abs(rect.maxZ), crater.radius});
    return length(dx, dz) <= Crater::kReach * crater.radius + 1e-12 * size;
}

CraterSet::CraterSet(std::span<const Crater> craters, const TileLayout& layout, const TileKey& key) {
    for (const Crater& crater : craters) {
        KARST_ASSERT(validate(crater).ok());
        if (reaches(crater, layout, key)) m_craters.push_back(crater);
    }
    const auto order = [](const Crater& c) { return std::tie(c.x, c.z, c.radius, c.depth, c.rimHeight); };
    std::sort(m_craters.begin(), m_craters.end(),
              [&](const Crater& a, const Crater& b) { return order(a) < order(b); });
}

double CraterSet::offsetAt(double x, double z) const {
    double sum = 0;
    for (const Crater& crater : m_craters)
        sum += crater.offsetAt(x, z);
    return sum;
}

void CraterSet::range(const Rect& rect, double& low, double& high) const {
    low = high = 0;
    for (const Crater& crater : m_craters) {
        const double near =
            length(nearest(crater.x, rect.minX, rect.maxX), nearest(crater.z, rect.minZ, rect.maxZ)) /
            crater.radius;
        const double far =
            length(farthest(crater.x, rect.minX, rect.maxX), farthest(crater.z, rect.minZ, rect.maxZ)) /
            crater.radius;
        // It rises to the rim and falls after.
        const double a = profile(crater, near), b = profile(crater, far);
        low += std::min({a, b, 0.0});
        high += near <= 1 && far >= 1 ? crater.rimHeight : std::max({a, b, 0.0});
    }
    const double room = 1e-9 * (high - low);
    low -= room;
    high += room;
}

double CraterSet::deviation(double strideX, double strideZ) const {
    double sum = 0;
    for (const Crater& crater : m_craters)
        sum += crater.deviation(strideX, strideZ);
    return sum;
}

TilePtr applyCraters(const TilePtr& tile, const TileLayout& layout, std::span<const Crater> craters,
                     std::int32_t finestLevel) {
    const TileKey& key = tile->key;
    KARST_ASSERT(key.level >= 0 && tile->side == layout.tileSide());
    const CraterSet set(craters, layout, key);
    if (set.empty()) return tile;

    auto changed = std::make_shared<HeightTile>(*tile);
    changed->revision += set.size();
    const int cells = static_cast<int>(layout.tileCells);
    const double stride = static_cast<double>(std::uint64_t{1} << key.level);
    float largest = 0;
    std::size_t index = 0;
    for (int j = -kTileApron; j <= cells + kTileApron; ++j) {
        const double z = layout.originZ + (static_cast<double>(key.z) * cells + j) * stride * layout.spacingZ;
        for (int i = -kTileApron; i <= cells + kTileApron; ++i, ++index) {
            const double x =
                layout.originX + (static_cast<double>(key.x) * cells + i) * stride * layout.spacingX;
            float& sample = changed->samples[index];
            const double offset = set.offsetAt(x, z);
            if (offset != 0) sample = withOffset(double{sample}, offset);
            largest = std::max(largest, std::abs(sample));
        }
    }

    double low, high;
    set.range(layout.footprint(key), low, high);
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    changed->bounds.min = std::nextafter(static_cast<float>(changed->bounds.min + low), -kInfinity);
    changed->bounds.max = std::nextafter(static_cast<float>(changed->bounds.max + high), kInfinity);

    const double ofFinest = set.deviation(layout.strideX(finestLevel), layout.strideZ(finestLevel));
    // Two samples' roundings, the finest surface's and this lattice's.
    const double rounding = double{largest} * 0x1p-23;
    for (std::size_t i = 0; i < changed->errors.size(); ++i) {
        const std::int32_t level = changed->firstErrorLevel + static_cast<std::int32_t>(i);
        if (level <= finestLevel) continue;
        changed->errors[i] +=
            set.deviation(layout.strideX(level), layout.strideZ(level)) + ofFinest + rounding;
    }
    return changed;
}

}  // namespace karst::heightfield
