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
    std::optional<Finished> finished;
    finished.emplace().key = key;
    const auto found = m_tiles.find(key.packed());
    if (found != m_tiles.end() && found->second->key == key) {
        finished->tile = found->second;
    } else {
        finished->tile =
            makeError(ErrorCode::NotFound, "tile %d/%u-%u: is not in memory", key.level, key.x, key.z);
    }
    return finished;
}

void MemoryTileSource::cancel(const TileKey& key) {
    std::erase(m_requests, key);
}

}  // namespace karst::heightfield
