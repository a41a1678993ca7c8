#include "ground_picture.h"

// In place of the sources that draw where the part render is not built.

namespace karst::tool {

namespace {

Error cannotDraw() {
    return makeError(ErrorCode::Unsupported,
                     "this build of karst cannot draw: configure with -DKARST_BUILD_RENDER=ON");
}

}  // namespace

void defaultView(const Bounds&, GroundView&) {}

Result<void> drawRaster(const heightfield::HeightRaster&, const GroundView&, const std::string&,
                        const Externals&) {
    return cannotDraw();
}

Result<void> drawPackage(const PackageDrawing&, const Externals&) {
    return cannotDraw();
}

bool looksLikePackage(const std::string&) {
    return false;
}

}  // namespace karst::tool
