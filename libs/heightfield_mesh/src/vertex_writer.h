#pragma once

#include <karst/base/math.h>
#include <karst/heightfield_mesh/vertex_layout.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "octahedral.h"

namespace karst::heightfield {

inline void putFloat(std::uint32_t* out, float value) {
    *out = bitCast<std::uint32_t>(value);
}

/// One vertex in any layout: position, the surface's gradient there (rise per unit), and its place across the
/// ground.
inline void writeVertex(const VertexLayout& layout, const Vec3f& position, float gx, float gz, float u,
                        float v, std::uint32_t* out) {
    std::fill_n(out, layout.strideWords, 0u);
    putFloat(out + layout.position, position.x);
    putFloat(out + layout.position + 1, position.y);
    putFloat(out + layout.position + 2, position.z);
    if (layout.normal != VertexLayout::kAbsent) {
        if (layout.normalFormat == NormalFormat::Octahedral16) {
            out[layout.normal] = packOctahedral(gx, gz);
        } else {
            const float inverse = 1.0f / std::sqrt(gx * gx + 1.0f + gz * gz);
            putFloat(out + layout.normal, -gx * inverse);
            putFloat(out + layout.normal + 1, inverse);
            putFloat(out + layout.normal + 2, -gz * inverse);
        }
    }
    if (layout.tangent != VertexLayout::kAbsent) {
        const float inverse = 1.0f / std::sqrt(1.0f + gx * gx);
        putFloat(out + layout.tangent, inverse);
        putFloat(out + layout.tangent + 1, gx * inverse);
        putFloat(out + layout.tangent + 3, 1.0f);
    }
    for (const std::uint32_t uv : {layout.uv0, layout.uv1}) {
        if (uv == VertexLayout::kAbsent) continue;
        putFloat(out + uv, u);
        putFloat(out + uv + 1, v);
    }
    if (layout.color != VertexLayout::kAbsent) {
        for (std::uint32_t c = 0; c < 4; ++c)
            putFloat(out + layout.color + c, 1.0f);
    }
}

}  // namespace karst::heightfield
