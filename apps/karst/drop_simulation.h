#pragma once

#include <karst/base/rect.h>

#include <cstddef>
#include <vector>

#include "drop_ground.h"

namespace karst::tool {

struct DropOptions {
    int balls = 100, boxes = 100;
    std::optional<Rect> area;      ///< where they start; else the middle half of the ground
    std::optional<double> height;  ///< where they start; else above the ground of each place
    double size = 1;               ///< the middle radius or half edge
    double seconds = 20;
    int digs = 0;  ///< under bodies, while they fall
    double digRadius = 4;
    std::uint64_t seed = 1;
};

struct Milliseconds {
    double median = 0, worst = 0;
    std::size_t count = 0;
};

struct DropReport {
    int resting = 0, moving = 0;
    int left = 0;   ///< over the edge of the ground, or through a hole of it
    int fell = 0;   ///< through the ground
    int stuck = 0;  ///< lie still without ground or a body under them, or deep in the ground
    int digs = 0, woken = 0;
    double firstUpdate = 0;           ///< milliseconds until the ground was there
    std::uint32_t replaced = 0;       ///< pieces of the shape after that
    Milliseconds steps, updates;      ///< of the world; from a dig or a move to ground that bodies meet
    std::vector<DroppedBody> bodies;  ///< those still there
    Bounds bounds;                    ///< around them
};

/// Drops balls and boxes in a Bullet world, 60 steps a second.
Result<DropReport> simulateDrop(DropGround& ground, const DropOptions& options);

}  // namespace karst::tool
