#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "height_ground.h"
#include "loader.h"

// Ground for tests without a window.
namespace karst::test {

/// Opens as the viewer does; null, and a failure of the test, where it cannot be.
inline std::unique_ptr<viewer::Ground> openGround(const viewer::OpenRequest& request,
                                                  const Externals& externals = {}) {
    viewer::Loader loader(externals);
    loader.start(request);
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (std::chrono::steady_clock::now() < end) {
        auto opened = loader.take();
        if (opened && *opened) return std::move(opened->value());
        if (opened) {
            ADD_FAILURE() << opened->error().message;
            return nullptr;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    ADD_FAILURE() << request.file << " did not open";
    return nullptr;
}

inline std::unique_ptr<viewer::HeightGround> openHeights(const std::string& file,
                                                         const std::string& craters = "") {
    viewer::OpenRequest request;
    request.file = file;
    request.craters = craters;
    auto ground = openGround(request);
    auto* heights = dynamic_cast<viewer::HeightGround*>(ground.get());
    if (heights) static_cast<void>(ground.release());
    return std::unique_ptr<viewer::HeightGround>(heights);
}

/// Updates until nothing more comes; false where that takes a minute.
inline bool settle(viewer::Ground& ground, const viewer::Viewpoint& viewpoint) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (std::chrono::steady_clock::now() < end) {
        if (!ground.update(viewpoint)) return false;
        if (ground.ready() && ground.settled()) return true;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return false;
}

}  // namespace karst::test
