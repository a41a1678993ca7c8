#include <karst/heightfield/height_pyramid.h>

namespace karst::heightfield {

HeightPyramid::HeightPyramid(const HeightRaster& raster, const Externals&) {
    update(raster);
}

void HeightPyramid::update(const HeightRaster& raster) {
    m_generation = raster.generation();
}

std::size_t HeightPyramid::memoryBytes() const {
    return 0;
}

}  // namespace karst::heightfield
