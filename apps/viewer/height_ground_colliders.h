#pragma once

#include "height_ground.h"

namespace karst::viewer {

/// Colliders of streamed heights near a place. The ground must outlive them.
Result<std::unique_ptr<GroundColliders>> makeHeightColliders(const HeightGround& ground,
                                                             WorldPosition origin);

}  // namespace karst::viewer
