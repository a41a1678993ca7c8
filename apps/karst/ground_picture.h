#pragma once

#include <common/image_file.h>
#include <karst/base/externals.h>
#include <karst/heightfield/height_raster.h>

#include <cstdint>

namespace karst::tool {

struct GroundView {
    int width = 1280, height = 720;
    Vec3d eye, target;
    double verticalFov = 0.8;  ///< radians
};

struct GroundPicture {
    app::Image image;
    std::uint32_t nodes = 0;
    std::uint64_t vertices = 0, triangles = 0;
    std::uint32_t draws = 0;
    std::string device;
};

/// Draws a raster as a node mesh, one indexed draw, without a window. Fails where there is no Vulkan 1.3
/// device.
Result<GroundPicture> drawGround(const heightfield::HeightRaster& raster, const GroundView& view,
                                 const Externals& externals);

}  // namespace karst::tool
