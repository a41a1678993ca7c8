#include <karst/base/hash.h>
#include <karst/heightfield/surface.h>

#include <algorithm>

namespace karst::heightfield {

std::shared_ptr<const Surface::State> Surface::makeState(State state) {
    std::size_t size = 16;
    while (size < state.tiles.size() * 2)
        size *= 2;
    state.table.assign(size, Slot{});
    for (std::size_t i = 0; i < state.tiles.size(); ++i) {
        const std::uint64_t key = state.tiles[i]->key.packed();
        std::size_t slot = mix64(key) & (size - 1);
        while (state.table[slot].key != 0)
            slot = (slot + 1) & (size - 1);
        state.table[slot] = {key, static_cast<std::uint32_t>(i)};
    }
    return std::make_shared<const State>(std::move(state));
}

Result<Surface> Surface::fromTiles(const TileLayout& layout, std::vector<TilePtr> tiles,
                                   std::int32_t collisionLevel) {
    if (Result<void> valid = validate(layout); !valid) return valid.error();
    if (collisionLevel > layout.rootLevel() ||
        collisionLevel < -static_cast<std::int32_t>(TileLayout::kMaxDetailLevels)) {
        return makeError(ErrorCode::InvalidArgument, "surface: collision level %d is not one of the layout's",
                         collisionLevel);
    }
    for (const TilePtr& tile : tiles) {
        if (tile == nullptr) return makeError(ErrorCode::InvalidArgument, "surface: a tile is null");
        if (Result<void> valid = validate(*tile, layout); !valid) return valid.error();
    }
    std::sort(tiles.begin(), tiles.end(), [](const TilePtr& a, const TilePtr& b) { return a->key < b->key; });
    for (std::size_t i = 1; i < tiles.size(); ++i) {
        const TileKey& key = tiles[i]->key;
        if (key == tiles[i - 1]->key) {
            return makeError(ErrorCode::InvalidArgument, "surface: tile %d/%u-%u comes twice", key.level,
                             key.x, key.z);
        }
    }
    return publish(layout, std::move(tiles), collisionLevel, newLineage(), 1);
}

Surface Surface::publish(const TileLayout& layout, std::vector<TilePtr> sortedTiles,
                         std::int32_t collisionLevel, SurfaceLineage lineage, std::uint64_t revision) {
    Surface surface;
    surface.m_state =
        makeState({layout, std::move(sortedTiles), {}, collisionLevel, std::move(lineage), revision});
    return surface;
}

std::span<const TilePtr> Surface::tiles() const {
    if (m_state == nullptr) return {};
    return m_state->tiles;
}

std::int64_t Surface::indexOf(const TileKey& key) const {
    if (m_state == nullptr) return -1;
    // What packed() tells apart, which holds all of a valid layout.
    if (((key.x | key.z) >> 29) != 0 || key.level < -8 || key.level >= 56) return -1;
    const std::uint64_t packed = key.packed();
    const std::size_t mask = m_state->table.size() - 1;
    for (std::size_t at = mix64(packed) & mask;; at = (at + 1) & mask) {
        const Slot& slot = m_state->table[at];
        if (slot.key == packed) return slot.index;
        if (slot.key == 0) return -1;
    }
}

const HeightTile* Surface::find(const TileKey& key) const {
    const std::int64_t index = indexOf(key);
    return index < 0 ? nullptr : m_state->tiles[static_cast<std::size_t>(index)].get();
}

TilePtr Surface::share(const TileKey& key) const {
    const std::int64_t index = indexOf(key);
    return index < 0 ? nullptr : m_state->tiles[static_cast<std::size_t>(index)];
}

}  // namespace karst::heightfield
