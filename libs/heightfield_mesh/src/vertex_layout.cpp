#include <karst/heightfield_mesh/vertex_layout.h>

#include "octahedral.h"

namespace karst::heightfield {

VertexLayout VertexLayout::compact() {
    VertexLayout layout;
    layout.strideWords = 4;
    layout.position = 0;
    layout.normal = 3;
    layout.normalFormat = NormalFormat::Octahedral16;
    return layout;
}

VertexLayout VertexLayout::positionNormal() {
    VertexLayout layout;
    layout.strideWords = 6;
    layout.position = 0;
    layout.normal = 3;
    return layout;
}

VertexLayout VertexLayout::engine23() {
    VertexLayout layout;
    layout.strideWords = 23;
    layout.position = 0;
    layout.normal = 3;
    layout.tangent = 6;
    layout.uv0 = 10;
    layout.uv1 = 12;
    layout.color = 14;
    return layout;
}

Result<void> validate(const VertexLayout& layout) {
    constexpr std::uint32_t kMostWords = 64;
    if (layout.strideWords == 0 || layout.strideWords > kMostWords) {
        return makeError(ErrorCode::InvalidArgument, "vertex layout: stride of %u words is not 1 to %u",
                         layout.strideWords, kMostWords);
    }
    if (layout.position == VertexLayout::kAbsent) {
        return makeError(ErrorCode::InvalidArgument, "vertex layout: no position");
    }
    struct Attribute {
        const char* name;
        std::uint32_t offset, words;
    };
    const std::uint32_t normalWords = layout.normalFormat == NormalFormat::Float3 ? 3 : 1;
    const Attribute attributes[] = {{"position", layout.position, 3}, {"normal", layout.normal, normalWords},
                                    {"tangent", layout.tangent, 4},   {"uv0", layout.uv0, 2},
                                    {"uv1", layout.uv1, 2},           {"color", layout.color, 4}};
    std::uint64_t taken = 0;
    for (const Attribute& a : attributes) {
        if (a.offset == VertexLayout::kAbsent) continue;
        if (a.offset >= layout.strideWords || a.words > layout.strideWords - a.offset) {
            return makeError(ErrorCode::InvalidArgument,
                             "vertex layout: %s at word %u of %u words leaves the stride of %u", a.name,
                             a.offset, a.words, layout.strideWords);
        }
        const std::uint64_t words = ((std::uint64_t{1} << a.words) - 1) << a.offset;
        if ((taken & words) != 0) {
            return makeError(ErrorCode::InvalidArgument,
                             "vertex layout: %s at word %u overlaps another attribute", a.name, a.offset);
        }
        taken |= words;
    }
    return {};
}

std::uint32_t octahedralNormal(float gradientX, float gradientZ) {
    return packOctahedral(gradientX, gradientZ);
}

}  // namespace karst::heightfield
