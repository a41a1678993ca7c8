#include <karst/render/render_view.h>

namespace karst::render {

WorldPosition sceneOrigin(const CameraView& camera) {
    // Through a volatile: GCC 12 drops the rounding of (double)(float)x where it vectorises it.
    const volatile float x = static_cast<float>(camera.position.x), y = static_cast<float>(camera.position.y),
                         z = static_cast<float>(camera.position.z);
    return {x, y, z};
}

RenderView cameraView(const CameraView& camera) {
    return {camera.viewProjection(sceneOrigin(camera)), camera.frustum(), 0, true};
}

}  // namespace karst::render
