#pragma once

#include <common/image_file.h>
#include <gtest/gtest.h>

#include <string>

namespace karst::test {

/// How far a picture may be from its golden image. Drivers round differently: an edge pixel may flip.
struct GoldenTolerance {
    int channel = 8;          ///< a pixel differs where a colour channel is off by more steps of 255
    double fraction = 0.005;  ///< of the pixels may differ
    double mean = 0.5;        ///< mean difference over all channels and pixels, in steps of 255
};

/// Compares with tests/golden/images/<name>.png. On failure the picture drawn is in
/// <build>/golden/<name>.png. With KARST_UPDATE_GOLDEN=1 in the environment the golden image is rewritten
/// instead; look at it before committing it.
testing::AssertionResult matchesGolden(const app::Image& image, const std::string& name,
                                       const GoldenTolerance& tolerance = {});

}  // namespace karst::test
