#include <karst/heightfield_stream/interest.h>

#include <algorithm>
#include <cmath>

namespace karst::heightfield {

Result<void> validate(const CollisionInterest& interest) {
    if (!std::isfinite(interest.x) || !std::isfinite(interest.z)) {
        return makeError(ErrorCode::InvalidArgument, "collision interest: centre (%g, %g) is not finite",
                         interest.x, interest.z);
    }
    if (!(interest.radius >= 0) || !std::isfinite(interest.radius)) {
        return makeError(ErrorCode::InvalidArgument,
                         "collision interest: radius %g must be finite and not negative", interest.radius);
    }
    return {};
}

Result<void> validate(const Interest& interest) {
    if (const auto* view = std::get_if<TileView>(&interest)) return validate(*view);
    return validate(*std::get_if<CollisionInterest>(&interest));
}

bool reaches(const CollisionInterest& interest, const Rect& rect) {
    const double dx = std::max({rect.minX - interest.x, 0.0, interest.x - rect.maxX});
    const double dz = std::max({rect.minZ - interest.z, 0.0, interest.z - rect.maxZ});
    return std::hypot(dx, dz) <= interest.radius;
}

}  // namespace karst::heightfield
