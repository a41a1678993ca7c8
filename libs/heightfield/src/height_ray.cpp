#include <karst/heightfield/height_ray.h>

namespace karst::heightfield {

RayHit castRay(const HeightRaster&, const HeightPyramid&, const Ray&, double) {
    return {};
}

}  // namespace karst::heightfield
