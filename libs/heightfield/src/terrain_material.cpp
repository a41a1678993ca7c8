#include <karst/heightfield/terrain_material.h>

#include <cmath>

namespace karst::heightfield {

double MaterialRamp::at(double value) const {
    if (zeroAt == oneAt) return value >= oneAt ? 1.0 : 0.0;
    const double t = (value - zeroAt) / (oneAt - zeroAt);
    if (!(t > 0)) return 0.0;
    if (t >= 1) return 1.0;
    return t * t * (3.0 - 2.0 * t);
}

MaterialWeights TerrainMaterialRules::weightsAt(double slope, double height) const {
    MaterialWeights weights{1, 0, 0, 0};
    for (std::uint32_t m = 1; m < materials; ++m) {
        const double cover = covers[m - 1].at(slope, height);
        for (std::uint32_t below = 0; below < m; ++below)
            weights[below] *= 1.0 - cover;
        weights[m] = cover;
    }
    return weights;
}

Result<void> validate(const TerrainMaterialRules& rules) {
    if (rules.materials < 1 || rules.materials > TerrainMaterialRules::kMaxMaterials) {
        return makeError(ErrorCode::InvalidArgument, "terrain materials: %u materials are not 1 to %u",
                         rules.materials, TerrainMaterialRules::kMaxMaterials);
    }
    for (std::uint32_t m = 1; m < rules.materials; ++m) {
        const auto check = [&](const std::optional<MaterialRamp>& ramp, const char* name) -> Result<void> {
            // A width past the largest double would make the ramp NaN.
            if (!ramp || std::isfinite(ramp->oneAt - ramp->zeroAt)) return {};
            return makeError(ErrorCode::InvalidArgument,
                             "terrain materials: material %u's %s ramp %g..%g is not finite", m, name,
                             ramp->zeroAt, ramp->oneAt);
        };
        if (Result<void> valid = check(rules.covers[m - 1].slope, "slope"); !valid) return valid;
        if (Result<void> valid = check(rules.covers[m - 1].height, "height"); !valid) return valid;
    }
    return {};
}

}  // namespace karst::heightfield
