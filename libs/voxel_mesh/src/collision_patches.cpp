#include "collision_patches.h"

#include <algorithm>

namespace karst::voxel_mesh {
namespace {

float along(Vec3f v, std::uint32_t axis) {
    return axis == 0 ? v.x : axis == 1 ? v.z : v.y;
}

/// Of which axes a point is in the middle of its cube, a bit each. Coordinates are above -2.
unsigned middles(const PaddedPoint& point) {
    const Float4 above = point.load() + 4.0f;
    const Int4 middle = above - __builtin_convertvector(__builtin_convertvector(above, Int4), Float4) == 0.5f;
#if defined(__SSE2__)
    return static_cast<unsigned>(_mm_movemask_ps((__m128)middle)) & 7;
#else
    return static_cast<unsigned>((middle[0] & 1) | (middle[1] & 2) | (middle[2] & 4));
#endif
}

/// Bit n: has n two or more bits?
constexpr unsigned kTwoOrMore = 0b11101000;

/// 1 + the axis along which the cube's vertex is regular if it is in the middle across, or 0.
std::uint8_t regularAxis(const FieldView& field, std::uint16_t cube) {
    const std::uint8_t* s = field.samples + cube;
    const std::int32_t sz = field.stride(), sy = sz * sz;
    // Bit x + 2 z + 4 y.
    unsigned signs = 0;
    for (std::int32_t i = 0; i < 8; ++i)
        signs |= static_cast<unsigned>(s[(i & 1) + (i >> 1 & 1) * sz + (i >> 2) * sy] >> 7) << i;
    switch (signs) {
        case 0xaa:
        case 0x55:
            return 1;
        case 0xcc:
        case 0x33:
            return 2;
        case 0xf0:
        case 0x0f:
            return 3;
        default:
            return 0;
    }
}

}  // namespace

void PatchFinder::find(const FieldView& field, const RawSurface& surface,
                       std::span<const PaddedPoint> points) {
    m_patches.clear();
    m_patchQuads.clear();
    m_inPatch.assign(surface.quads.size(), 0);
    m_flat.clear();
    if (findRegular(field, surface, points)) findFlatQuads(surface);
    std::size_t begin = 0;
    for (std::size_t i = 1; i <= m_flat.size(); ++i) {
        if (i < m_flat.size() && m_flat[i].place >> 10 == m_flat[begin].place >> 10) continue;
        // Fewer than six cannot make a patch.
        if (i - begin >= 6) cover(surface, begin, i);
        begin = i;
    }
}

/// False where too few vertices are for a patch.
bool PatchFinder::findRegular(const FieldView& field, const RawSurface& surface,
                              std::span<const PaddedPoint> points) {
    const std::size_t vertices = points.size();
    m_regular.assign(vertices, 0);
    std::size_t count = 0;
    for (std::size_t i = 0; i < vertices; ++i) {
        if ((kTwoOrMore >> middles(points[i]) & 1) == 0) continue;
        m_regular[i] = regularAxis(field, surface.cubes[i]);
        count += m_regular[i] != 0 ? 1 : 0;
    }
    return count >= 12;
}

void PatchFinder::findFlatQuads(const RawSurface& surface) {
    constexpr std::uint32_t padding = kFieldPadding, stride = voxel::kChunkSize + 2 * padding;
    for (std::size_t i = 0; i < surface.quads.size(); ++i) {
        const auto& v = surface.quads[i].vertices;
        const std::uint8_t axis = m_regular[v[0]];
        if (axis == 0 || m_regular[v[1]] != axis || m_regular[v[2]] != axis || m_regular[v[3]] != axis)
            continue;
        // The third vertex is in the cube of the edge's lower sample.
        const std::uint32_t lower = surface.cubes[v[2]];
        const std::uint32_t x = lower % stride - padding, z = lower / stride % stride - padding,
                            y = lower / (stride * stride) - padding;
        const std::uint32_t layer = axis == 1 ? x : axis == 2 ? z : y;
        const std::uint32_t row = axis == 3 ? z : y, column = axis == 1 ? z : x;
        m_flat.push_back({static_cast<std::uint32_t>(axis - 1) << 15 | layer << 10 | row << 5 | column,
                          static_cast<std::uint32_t>(i)});
    }
    std::sort(m_flat.begin(), m_flat.end(),
              [](const FlatQuad& a, const FlatQuad& b) { return a.place < b.place; });
}

/// Covers the flat quads of one axis and layer with rectangles.
void PatchFinder::cover(const RawSurface& surface, std::size_t begin, std::size_t end) {
    const std::uint32_t axis = m_flat[begin].place >> 15;
    for (std::size_t i = begin; i < end; ++i)
        m_layer[m_flat[i].place >> 5 & 31][m_flat[i].place & 31] =
            static_cast<std::int32_t>(m_flat[i].quad) + 1;
    for (std::size_t i = begin; i < end; ++i) {
        const std::uint32_t row = m_flat[i].place >> 5 & 31, column = m_flat[i].place & 31;
        if (m_layer[row][column] == 0) continue;
        float low = along(surface.positions[surface.quads[m_flat[i].quad].vertices[0]], axis), high = low;
        // Takes in a quad's heights where they keep to the plane.
        const auto fits = [&](std::uint32_t r, std::uint32_t c, float& least, float& most) {
            if (m_layer[r][c] == 0) return false;
            for (const std::uint32_t vertex :
                 surface.quads[static_cast<std::size_t>(m_layer[r][c] - 1)].vertices) {
                least = std::min(least, along(surface.positions[vertex], axis));
                most = std::max(most, along(surface.positions[vertex], axis));
            }
            return most - least <= kFlatness;
        };
        if (!fits(row, column, low, high)) continue;
        std::uint32_t columns = 1, rows = 1;
        while (column + columns < 32) {
            float least = low, most = high;
            if (!fits(row, column + columns, least, most)) break;
            low = least;
            high = most;
            ++columns;
        }
        while (row + rows < 32) {
            float least = low, most = high;
            bool whole = true;
            for (std::uint32_t c = 0; c < columns && whole; ++c)
                whole = fits(row + rows, column + c, least, most);
            if (!whole) break;
            low = least;
            high = most;
            ++rows;
        }
        const bool worthIt = columns >= 2 && rows >= 2 && columns + rows >= 5;
        if (!worthIt) continue;
        m_patches.push_back({axis, rows, columns, static_cast<std::uint32_t>(m_patchQuads.size())});
        for (std::uint32_t r = row; r < row + rows; ++r) {
            for (std::uint32_t c = column; c < column + columns; ++c) {
                const auto quad = static_cast<std::uint32_t>(m_layer[r][c] - 1);
                m_patchQuads.push_back(quad);
                m_inPatch[quad] = 1;
                m_layer[r][c] = 0;
            }
        }
    }
    for (std::size_t i = begin; i < end; ++i)
        m_layer[m_flat[i].place >> 5 & 31][m_flat[i].place & 31] = 0;
}

}  // namespace karst::voxel_mesh
