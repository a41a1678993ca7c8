#pragma once

#include <karst/heightfield/height_tile.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace karst::heightfield {

/// What snapshots of one streamer share. Two are the same lineage exactly if they hold the same object.
using SurfaceLineage = std::shared_ptr<const char>;

/// A snapshot of the tiles that are resident: immutable, cheap to copy, safe to read from any thread, and it
/// keeps its tiles after the streamer that published it is gone (spec row H10).
///
/// Snapshots of one streamer share a lineage; revision rises with each. A tile is resident only with its
/// parent, and the roots always are (a streamer publishes nothing before), except in snapshots that fromTiles
/// was given without them.
class Surface {
  public:
    Surface() = default;  ///< without tiles; empty()

    /// A snapshot that never changes, of its own new lineage. Refuses tiles that are null, not of the layout,
    /// of a wrong size, or given twice. `collisionLevel` is the level that heightAt and colliders use, at
    /// most the root level.
    static Result<Surface> fromTiles(const TileLayout& layout, std::vector<TilePtr> tiles,
                                     std::int32_t collisionLevel = 0);

    /// For streamers: tiles sorted by key.
    static Surface publish(const TileLayout& layout, std::vector<TilePtr> sortedTiles,
                           std::int32_t collisionLevel, SurfaceLineage lineage, std::uint64_t revision);

    static SurfaceLineage newLineage() { return std::make_shared<const char>('\0'); }

    bool empty() const { return m_state == nullptr; }
    const TileLayout& layout() const { return m_state->layout; }
    SurfaceLineage lineage() const { return m_state ? m_state->lineage : nullptr; }
    std::uint64_t revision() const { return m_state ? m_state->revision : 0; }
    std::int32_t collisionLevel() const { return m_state->collisionLevel; }

    /// Sorted by TileKey::operator<: coarsest first.
    std::span<const TilePtr> tiles() const;
    /// Null where the tile is not resident.
    const HeightTile* find(const TileKey& key) const;
    TilePtr share(const TileKey& key) const;

  private:
    struct Slot {
        std::uint64_t key = 0;  // packed; 0 is no tile's and marks an empty slot
        std::uint32_t index = 0;
    };
    struct State {
        TileLayout layout;
        std::vector<TilePtr> tiles;
        std::vector<Slot> table;  // open addressing; a look-up reads no tile
        std::int32_t collisionLevel = 0;
        SurfaceLineage lineage;
        std::uint64_t revision = 0;
    };
    static std::shared_ptr<const State> makeState(State state);
    std::int64_t indexOf(const TileKey& key) const;

    std::shared_ptr<const State> m_state;
};

}  // namespace karst::heightfield
