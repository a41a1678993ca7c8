#pragma once

#include <karst/base/result.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <vector>

namespace karst::app {

/// 8-bit RGBA, sRGB-encoded, rows from the top.
struct Image {
    int width = 0;
    int height = 0;
    std::vector<std::uint8_t> rgba;  ///< width * height * 4

    std::array<std::uint8_t, 4> pixel(int x, int y) const;
};

/// Alpha is written as it is. Fails with Io, InvalidArgument for an image whose bytes do not fit its size.
Result<void> writePng(const std::filesystem::path& path, const Image& image);

/// Any PNG, brought to 8-bit RGBA. Fails with NotFound, CorruptData, or TooLarge past 16384 on a side.
Result<Image> readPng(const std::filesystem::path& path);

struct ImageDifference {
    std::size_t pixelsOver =
        0;                    ///< pixels with a channel (alpha aside) that differs by more than the tolerance
    double fractionOver = 0;  ///< of all pixels
    double meanDifference = 0;  ///< mean absolute difference of the colour channels, in steps of 255
    int maxDifference = 0;      ///< of any colour channel
};

/// Refuses images of different sizes, naming both.
Result<ImageDifference> compareImages(const Image& a, const Image& b, int tolerance);

}  // namespace karst::app
