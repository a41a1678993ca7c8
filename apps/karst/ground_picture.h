#pragma once

#include <karst/base/externals.h>
#include <karst/heightfield/crater.h>
#include <karst/heightfield/height_raster.h>

#include <string>
#include <vector>

#include "ground_view.h"

namespace karst::tool {

/// Draws a raster as a node mesh, one indexed draw, and says on stdout what it drew. Fails where there is no
/// Vulkan 1.3 device.
Result<void> drawRaster(const heightfield::HeightRaster& raster, const GroundView& view,
                        const std::string& output, const Externals& externals);

struct PackageDrawing {
    std::string package;  ///< a folder, a file, or an http:// or https:// URL of either
    /// A .png; of several pictures, each gets its number before the ending. Empty: into the video alone.
    std::string output;
    std::string video;  ///< what a VideoFile can be named; empty: none
    int framesPerSecond = 30;
    GroundView view;
    bool hasEye = false, hasTarget = false;
    double tolerance = 1;  ///< pixels
    std::uint32_t detailLevels = 0;
    std::vector<heightfield::Crater> craters;
    std::vector<Vec3d> path;      ///< where the camera goes on to
    int pictures = 1;             ///< along the path, the first at the eye
    double timeoutSeconds = 120;  ///< for each picture to settle
};

/// Streams a package for the camera until nothing more comes, and draws it; along a path, again and again.
Result<void> drawPackage(const PackageDrawing& drawing, const Externals& externals);

/// Is it a package, by its name and what lies there?
bool looksLikePackage(const std::string& file);

}  // namespace karst::tool
