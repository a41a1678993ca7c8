#include <karst/heightfield/memory_tile_source.h>

#include <algorithm>

namespace karst::heightfield {

MemoryTileSource::MemoryTileSource(const std::vector<TilePtr>& tiles) {
    for (const TilePtr& tile : tiles) {
        KARST_ASSERT(tile != nullptr);
        m_tiles[tile->key.packed()] = tile;
    }
}

void MemoryTileSource::request(const TileKey& key) {
    if (std::find(m_requests.begin(), m_requests.end(), key) == m_requests.end()) m_requests.push_back(key);
}

std::optional<TileSource::Finished> MemoryTileSource::poll() {
    if (m_requests.empty()) return std::nullopt;
    const TileKey key = m_requests.front();
    m_requests.pop_front();
    const auto found = m_tiles.find(key.packed());
    if (found != m_tiles.end() && found->second->key == key) return Finished{key, found->second};
    return Finished{
        key, makeError(ErrorCode::NotFound, "tile %d/%u-%u: is not in memory", key.level, key.x, key.z)};
}

void MemoryTileSource::cancel(const TileKey& key) {
    std::erase(m_requests, key);
}

}  // namespace karst::heightfield
