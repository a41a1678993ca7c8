#pragma once

#include <karst/heightfield/tile_source.h>

#include <deque>
#include <unordered_map>
#include <vector>

namespace karst::heightfield {

/// Stored tiles that are all in memory (spec row H7). A load finishes at the next poll(), in the order of the
/// requests; tiles that it does not hold are NotFound. Threads: as TileSource.
class MemoryTileSource final : public TileSource {
  public:
    /// Tiles are valid and not null; of two with one key the later counts.
    explicit MemoryTileSource(const std::vector<TilePtr>& tiles);

    void request(const TileKey& key) override;
    std::optional<Finished> poll() override;
    void cancel(const TileKey& key) override;

  private:
    std::unordered_map<std::uint64_t, TilePtr> m_tiles;  // by TileKey::packed()
    std::deque<TileKey> m_requests;
};

}  // namespace karst::heightfield
