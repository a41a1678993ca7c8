#include "golden/golden.h"

#include <cstdlib>
#include <filesystem>

namespace karst::test {

testing::AssertionResult matchesGolden(const app::Image& image, const std::string& name,
                                       const GoldenTolerance& tolerance) {
    const std::filesystem::path golden = std::filesystem::path(KARST_GOLDEN_IMAGES) / (name + ".png");
    const char* update = std::getenv("KARST_UPDATE_GOLDEN");
    if (update && std::string(update) == "1") {
        const auto written = app::writePng(golden, image);
        if (!written) return testing::AssertionFailure() << written.error().message;
        return testing::AssertionSuccess() << "rewrote " << golden;
    }
    std::filesystem::create_directories(KARST_GOLDEN_OUTPUT);
    const std::filesystem::path drawn = std::filesystem::path(KARST_GOLDEN_OUTPUT) / (name + ".png");
    const auto fail = [&](const std::string& why) {
        const auto written = app::writePng(drawn, image);
        return testing::AssertionFailure()
               << why << "; the picture drawn: " << (written ? drawn.string() : written.error().message);
    };
    const auto expected = app::readPng(golden);
    if (!expected) return fail(expected.error().message);
    const auto difference = app::compareImages(image, expected.value(), tolerance.channel);
    if (!difference) return fail(golden.string() + ": " + difference.error().message);
    const app::ImageDifference& d = difference.value();
    if (d.fractionOver > tolerance.fraction || d.meanDifference > tolerance.mean) {
        return fail(golden.string() + ": " + std::to_string(d.fractionOver * 100) +
                    " % of the pixels differ by more than " + std::to_string(tolerance.channel) +
                    ", mean difference " + std::to_string(d.meanDifference) + ", greatest " +
                    std::to_string(d.maxDifference));
    }
    return testing::AssertionSuccess();
}

}  // namespace karst::test
