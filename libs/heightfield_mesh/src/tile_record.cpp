#include <karst/base/assert.h>
#include <karst/heightfield_mesh/tile_record.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tile_ground.h"

namespace karst::heightfield {
namespace {

constexpr int kDetailLevels = static_cast<int>(TileLayout::kMaxDetailLevels);
std::int64_t nearestCell(double place, double spacing, std::uint64_t cells) {
    const double cell = std::round(place / spacing * (1 << kDetailLevels));
    return static_cast<std::int64_t>(
        std::clamp(cell, 0.0, static_cast<double>(cells << static_cast<std::uint32_t>(kDetailLevels))));
}

// A detail in the middle of a level: its lower and upper entries.
std::int32_t wholeLevel(double detail) {
    return static_cast<std::int32_t>(std::floor(detail));
}

}  // namespace

TileAnchor tileAnchor(const TileLayout& layout, const Vec3d& eye) {
    return {nearestCell(eye.x - layout.originX, layout.spacingX, layout.cellsX()),
            nearestCell(eye.z - layout.originZ, layout.spacingZ, layout.cellsZ()), static_cast<float>(eye.y)};
}

Vec3d anchorPosition(const TileLayout& layout, const TileAnchor& anchor) {
    constexpr double kFinest = 1.0 / (1 << kDetailLevels);
    return {layout.originX + static_cast<double>(anchor.x) * kFinest * layout.spacingX, double{anchor.height},
            layout.originZ + static_cast<double>(anchor.z) * kFinest * layout.spacingZ};
}

CornerReconciler::Slot& CornerReconciler::slotAt(std::uint64_t key) {
    std::size_t at = static_cast<std::size_t>((key * 0x9e3779b97f4a7c15u) >> 32) & (m_table.size() - 1);
    while (m_table[at].key != 0 && m_table[at].key != key)
        at = (at + 1) & (m_table.size() - 1);
    if (m_table[at].key == 0) {
        constexpr float kInfinite = std::numeric_limits<float>::infinity();
        m_table[at] = {key, -kInfinite, kInfinite};
    }
    return m_table[at];
}

std::span<const NodeCorners> CornerReconciler::reconcile(const TileLayout& layout,
                                                         std::span<const TileNode> nodes) {
    std::size_t room = 64;
    while (room < nodes.size() * 8)
        room *= 2;
    m_table.assign(room, Slot{});
    m_corners.resize(nodes.size());
    // A corner's place among the corners of the tiles of level -4; never 0.
    const auto keyOf = [](const TileNode& node, std::uint32_t corner) {
        const auto shift = static_cast<std::uint32_t>(node.key.level + kDetailLevels);
        const std::uint64_t x = std::uint64_t{node.key.x + (corner & 1u)} << shift;
        const std::uint64_t z = std::uint64_t{node.key.z + (corner >> 1)} << shift;
        return (x << 32 | z) + 1;
    };
    const auto levels = static_cast<float>(layout.tileLevels());
    for (const TileNode& node : nodes) {
        const float most = static_cast<float>(node.key.level) + levels;
        for (std::uint32_t corner = 0; corner < 4; ++corner) {
            const float detail = std::max(node.edges[(corner & 1u) != 0 ? kSideHighX : kSideLowX],
                                          node.edges[(corner >> 1) != 0 ? kSideHighZ : kSideLowZ]);
            Slot& slot = slotAt(keyOf(node, corner));
            slot.detail = std::max(slot.detail, detail);
            slot.most = std::min(slot.most, most);
        }
    }
    for (std::size_t n = 0; n < nodes.size(); ++n) {
        for (std::uint32_t corner = 0; corner < 4; ++corner) {
            const Slot& slot = slotAt(keyOf(nodes[n], corner));
            m_corners[n].detail[corner] = std::min(slot.detail, slot.most);
        }
    }
    return m_corners;
}

TileRecord makeTileRecord(const TileLayout& layout, const HeightTile& tile, const TileNode& node,
                          const NodeCorners& corners, const TileAnchor& anchor, std::uint32_t layer) {
    KARST_ASSERT(layer < 65536 && tile.key == node.key);
    const auto shift = static_cast<std::uint32_t>(node.key.level + kDetailLevels);
    const std::int64_t span = static_cast<std::int64_t>(layout.tileCells) << shift;
    const auto level = static_cast<float>(node.key.level);
    TileRecord record;
    record.x = static_cast<std::int32_t>(node.key.x * span - anchor.x);
    record.z = static_cast<std::int32_t>(node.key.z * span - anchor.z);
    record.bits = layer | shift << 16 | layout.tileLevels() << 21;
    if (hasGaps(layout, tile)) record.bits |= 1u << 24;
    record.detail = node.detail - level;
    record.error = static_cast<float>(tileErrorAt(tile, double{node.detail}));
    for (std::uint32_t corner = 0; corner < 4; ++corner) {
        const float detail = std::clamp(corners.detail[corner] - level, 0.0f, 8.0f);
        const std::uint64_t steps = static_cast<std::uint64_t>(detail * 65536.0f) << corner * 24 % 32;
        record.corners[corner * 24 / 32] |= static_cast<std::uint32_t>(steps);
        if (steps >> 32 != 0) record.corners[corner * 24 / 32 + 1] |= static_cast<std::uint32_t>(steps >> 32);
    }
    for (std::uint32_t side = 0; side < 4; ++side)
        record.edges[side] = node.edges[side] - level;
    return record;
}

double tileErrorAt(const HeightTile& tile, double detail) {
    const std::int32_t level = wholeLevel(detail);
    const double low = tile.errorAt(level);
    return low + (detail - level) * (tile.errorAt(level + 1) - low);
}

float coarsestDetail(const HeightTile& tile, std::uint32_t tileLevels, double error) {
    const std::int32_t first = tile.key.level;
    const std::int32_t last = first + static_cast<std::int32_t>(tileLevels);
    if (!(tile.errorAt(first) <= error)) return static_cast<float>(first);
    for (std::int32_t level = first; level < last; ++level) {
        const double low = tile.errorAt(level), high = tile.errorAt(level + 1);
        if (high <= error) continue;
        return static_cast<float>(level + (error - low) / (high - low));
    }
    return static_cast<float>(last);
}

}  // namespace karst::heightfield
