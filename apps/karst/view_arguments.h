#pragma once

#include "command.h"
#include "ground_view.h"

#include <karst/base/math.h>

#include <optional>

namespace karst::tool {

/// The options of a picture's camera.
struct ViewArguments {
    std::optional<Vec3d> camera, lookAt;
    double fovDegrees = 45;
    GroundView view;  ///< its size at once; its angle after finishView

    bool given() const { return camera || lookAt; }
    /// Puts what was given over a view that was made for the ground.
    void place(GroundView& made) const {
        if (camera) made.eye = *camera;
        if (lookAt) made.target = *lookAt;
    }
};

/// --camera, --look-at, --fov and --size; the texts say where the camera stands and looks without them.
void addViewArguments(Arguments& parser, ViewArguments& arguments, const std::string& standsAt,
                      const std::string& looksAt);
/// After the parsing: sets the view's angle, or says what is wrong.
Result<void> finishView(ViewArguments& arguments);

}  // namespace karst::tool
