#include "material_kernels.h"

#include <algorithm>
#include <cstring>

namespace karst::voxel_mesh {
namespace {

constexpr std::size_t kPlanePart = 512;

namespace four {
#define KARST_LANES 4
#define KARST_LANES_TARGET
#include "material_lanes.inl"
#undef KARST_LANES
#undef KARST_LANES_TARGET
}  // namespace four

#if defined(__x86_64__)
namespace eight {
#define KARST_LANES 8
#define KARST_LANES_TARGET __attribute__((target("avx2,popcnt")))
#include "material_lanes.inl"
#undef KARST_LANES
#undef KARST_LANES_TARGET
}  // namespace eight
#define KARST_BY_LANES(call) (lanes == Lanes::Eight ? eight::call : four::call)
#else
#define KARST_BY_LANES(call) (static_cast<void>(lanes), four::call)
#endif

// Adds the materials of a part; false where there is no room.
bool addMaterials(const std::uint8_t* samples, const std::uint8_t* materials, std::size_t count,
                  Palette& palette) {
    for (std::size_t i = 0; i < count; ++i) {
        if (samples[i] == 0) continue;
        const auto* end = palette.ids + palette.count;
        if (std::find(palette.ids, palette.ids + palette.count, materials[i]) != end) continue;
        if (palette.count == Palette::kMost) return false;
        palette.ids[palette.count++] = materials[i];
    }
    return true;
}

}  // namespace

bool paintPlane(Lanes lanes, const FieldView& field, std::size_t begin, std::size_t end, Palette& palette,
                std::uint8_t* plane) {
    std::size_t i = begin;
    for (; i + kPlanePart <= end; i += kPlanePart) {
        const std::uint8_t* samples = field.samples + i;
        const std::uint8_t* materials = field.materials + i;
        while (!KARST_BY_LANES(paintPart(samples, materials, palette, plane + i))) {
            if (!addMaterials(samples, materials, kPlanePart, palette)) return false;
        }
    }
    std::uint8_t samples[kPlanePart] = {}, materials[kPlanePart] = {}, last[kPlanePart];
    std::memcpy(samples, field.samples + i, end - i);
    std::memcpy(materials, field.materials + i, end - i);
    if (!addMaterials(samples, materials, end - i, palette)) return false;
    KARST_BY_LANES(paintPart(samples, materials, palette, last));
    std::memcpy(plane + i, last, end - i);
    return true;
}

void computeWeights(Lanes lanes, WeightBlock& block, std::size_t count) {
    KARST_BY_LANES(computeWeightLanes(block, count));
}

std::size_t countCopies(Lanes lanes, const std::uint64_t* used, std::size_t vertices) {
    return KARST_BY_LANES(countBits(used, vertices));
}

void writeIndices(Lanes lanes, const SurfaceQuad* quads, const std::uint32_t* quadSets, std::size_t count,
                  const std::uint64_t* used, const std::uint32_t* firstCopies, std::uint32_t* indices) {
    KARST_BY_LANES(writeTriangles(quads, quadSets, count, used, firstCopies, indices));
}

}  // namespace karst::voxel_mesh
