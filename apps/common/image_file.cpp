#include "common/image_file.h"

#include <png.h>

#include <algorithm>
#include <cstdlib>

namespace karst::app {

namespace {

constexpr png_uint_32 kMaxSide = 16384;

bool fits(const Image& image) {
    return image.width > 0 && image.height > 0 &&
           image.rgba.size() ==
               static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height) * 4;
}

}  // namespace

std::array<std::uint8_t, 4> Image::pixel(int x, int y) const {
    const std::size_t at =
        (static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x)) * 4;
    return {rgba[at], rgba[at + 1], rgba[at + 2], rgba[at + 3]};
}

Result<void> writePng(const std::filesystem::path& path, const Image& image) {
    if (!fits(image)) {
        return makeError(ErrorCode::InvalidArgument, "%s: %zu bytes are no image of %d x %d", path.c_str(),
                         image.rgba.size(), image.width, image.height);
    }
    png_image png{};
    png.version = PNG_IMAGE_VERSION;
    png.width = static_cast<png_uint_32>(image.width);
    png.height = static_cast<png_uint_32>(image.height);
    png.format = PNG_FORMAT_RGBA;
    if (png_image_write_to_file(&png, path.c_str(), 0, image.rgba.data(), 0, nullptr) == 0) {
        return makeError(ErrorCode::Io,
                         "%s: writing the PNG failed: %s; name a file that can be written in a folder "
                         "that exists",
                         path.c_str(), png.message);
    }
    return {};
}

Result<Image> readPng(const std::filesystem::path& path) {
    std::error_code missing;
    if (!std::filesystem::exists(path, missing)) {
        return makeError(ErrorCode::NotFound, "%s: no such file", path.c_str());
    }
    png_image png{};
    png.version = PNG_IMAGE_VERSION;
    if (png_image_begin_read_from_file(&png, path.c_str()) == 0) {
        return makeError(ErrorCode::CorruptData, "%s: reading the PNG failed: %s", path.c_str(), png.message);
    }
    if (png.width > kMaxSide || png.height > kMaxSide) {
        Error error = makeError(ErrorCode::TooLarge, "%s: %u x %u is above %u on a side", path.c_str(),
                                png.width, png.height, kMaxSide);
        png_image_free(&png);
        return error;
    }
    png.format = PNG_FORMAT_RGBA;
    Image image;
    image.width = static_cast<int>(png.width);
    image.height = static_cast<int>(png.height);
    image.rgba.resize(PNG_IMAGE_SIZE(png));
    if (png_image_finish_read(&png, nullptr, image.rgba.data(), 0, nullptr) == 0) {
        return makeError(ErrorCode::CorruptData, "%s: reading the PNG failed: %s", path.c_str(), png.message);
    }
    return image;
}

Result<ImageDifference> compareImages(const Image& a, const Image& b, int tolerance) {
    if (a.width != b.width || a.height != b.height || !fits(a) || !fits(b)) {
        return makeError(ErrorCode::InvalidArgument, "images of %d x %d and %d x %d cannot be compared",
                         a.width, a.height, b.width, b.height);
    }
    ImageDifference out;
    double sum = 0;
    for (std::size_t i = 0; i < a.rgba.size(); i += 4) {
        int largest = 0;
        for (std::size_t c = 0; c < 3; ++c) {
            const int difference = std::abs(int{a.rgba[i + c]} - int{b.rgba[i + c]});
            largest = std::max(largest, difference);
            sum += difference;
        }
        out.maxDifference = std::max(out.maxDifference, largest);
        if (largest > tolerance) ++out.pixelsOver;
    }
    const double pixels = static_cast<double>(a.rgba.size() / 4);
    out.fractionOver = static_cast<double>(out.pixelsOver) / pixels;
    out.meanDifference = sum / (pixels * 3);
    return out;
}

}  // namespace karst::app
