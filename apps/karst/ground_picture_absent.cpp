#include <common/image_file.h>

#include "ground_picture.h"

// In place of ground_picture.cpp where the part render is not built.

namespace karst::tool {

Result<GroundPicture> drawGround(const heightfield::HeightRaster&, const GroundView&, const Externals&) {
    return makeError(ErrorCode::Unsupported,
                     "this build of karst cannot draw: configure with -DKARST_BUILD_RENDER=ON");
}

}  // namespace karst::tool

namespace karst::app {

Result<void> writePng(const std::filesystem::path& path, const Image&) {
    return makeError(ErrorCode::Unsupported, "%s: this build of karst writes no pictures", path.c_str());
}

}  // namespace karst::app
