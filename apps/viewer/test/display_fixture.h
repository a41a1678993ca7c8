#pragma once

#include <gtest/gtest.h>
#include <karst_test/test_support.h>

#include "driven_viewer.h"

namespace karst::test {

/// What the viewer says once.
inline const char* const kLoaded = "everything in view is loaded";

/// A virtual display and a folder for one test.
class DisplayTest : public testing::Test {
  protected:
    void SetUp() override {
        m_display = VirtualDisplay::start(path());
        if (!m_display) GTEST_SKIP() << "no Xvfb or no xdotool: install the packages xvfb and xdotool";
    }
    std::filesystem::path path() const { return m_folder.path(); }
    std::string file(const std::string& name) const { return (path() / name).string(); }
    const VirtualDisplay& display() const { return *m_display; }
    /// Of all pixels, those that differ by more than a little.
    static double difference(const app::Image& a, const app::Image& b) {
        const auto compared = app::compareImages(a, b, 6);
        return compared ? compared->fractionOver : 1;
    }
    /// Of all pixels, those that are not as the upper left one, within a little.
    static double variety(const app::Image& image) {
        if (image.rgba.empty()) return 0;
        app::Image flat = image;
        for (std::size_t i = 0; i < flat.rgba.size(); ++i)
            flat.rgba[i] = image.rgba[i % 4];
        return difference(image, flat);
    }

  private:
    TempFolder m_folder;
    std::unique_ptr<VirtualDisplay> m_display;
};

}  // namespace karst::test
