#include <karst/heightfield_stream/detail_resolver.h>

namespace karst::heightfield {
namespace {

class DetailResolver final : public TileResolver {
  public:
    explicit DetailResolver(std::optional<TileDetail> detail) : m_detail(std::move(detail)) {}

    Result<void> check(const Crater& crater) const override { return validate(crater); }

    bool reaches(const Crater& crater, const TileLayout& layout, const TileKey& key) const override {
        return heightfield::reaches(crater, layout, key);
    }

    TilePtr resolveStored(const TileLayout& layout, const TilePtr& stored, std::span<const Crater> craters,
                          std::uint64_t revision) const override {
        return atRevision(resolveStoredTile(stored, layout, craters, m_detail ? &*m_detail : nullptr),
                          revision);
    }

    Result<TilePtr> synthesise(const TileLayout&, const TileKey& key, StoredTiles stored,
                               std::span<const Crater> craters, std::uint64_t revision) const override {
        const TileKey above = TileDetail::ancestorOf(key);
        const HeightTile* ancestor = stored(above);
        if (!m_detail || key.level < m_detail->finestLevel() || ancestor == nullptr) {
            return makeError(ErrorCode::InvalidArgument, "detail tile %d/%u-%u: %s", key.level, key.x, key.z,
                             !m_detail             ? "the resolver makes no detail"
                             : ancestor == nullptr ? "its level-0 tile is not resident"
                                                   : "finer than the resolver's levels");
        }
        return atRevision(m_detail->synthesise(key, *ancestor, craters, stored), revision);
    }

  private:
    // Detail and craters count revisions of their own; a streamer's rise with each of its changes.
    static TilePtr atRevision(TilePtr tile, std::uint64_t revision) {
        if (tile->revision == revision) return tile;
        auto copy = std::make_shared<HeightTile>(*tile);
        copy->revision = revision;
        return copy;
    }

    std::optional<TileDetail> m_detail;
};

}  // namespace

Result<std::shared_ptr<const TileResolver>> makeDetailResolver(
    const TileLayout& layout, const std::optional<TileDetailOptions>& detail) {
    std::optional<TileDetail> made;
    if (detail) {
        Result<TileDetail> created = TileDetail::create(layout, *detail);
        if (!created) return created.error();
        made = *created;
    }
    return std::shared_ptr<const TileResolver>(std::make_shared<DetailResolver>(std::move(made)));
}

}  // namespace karst::heightfield
