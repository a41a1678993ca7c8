#include "height_ground_colliders.h"

#include <karst/physics/height_colliders.h>

#include <algorithm>
#include <cmath>

namespace karst::viewer {

namespace {

// Tiles that the shape has room for, to each side of its zero.
constexpr double kTilesAround = 64;

/// Tiles of the terrain along an axis that come within `radius` of a place; none outside of the terrain.
struct Span {
    std::uint32_t first, end;
    Span(double at, double radius, double size, std::uint32_t count) {
        const auto hold = [&](double tile) {
            return static_cast<std::uint32_t>(std::clamp(std::floor(tile), 0.0, static_cast<double>(count)));
        };
        first = hold((at - radius) / size);
        end = hold((at + radius) / size + 1);
    }
};

class StreamedHeightColliders final : public GroundColliders {
  public:
    StreamedHeightColliders(const HeightGround& ground, std::shared_ptr<physics::TerrainShape> shape)
        : m_ground(&ground), m_colliders(std::move(shape)) {}

    Result<std::uint32_t> update(std::span<const SolidPlace> places) override {
        m_anchors.clear();
        for (const SolidPlace& place : places)
            m_anchors.push_back({place.center, place.radius});
        const auto updated = m_colliders.update(m_ground->surface(), m_anchors);
        if (!updated) return updated.error();
        return updated->set + updated->cleared;
    }
    const std::shared_ptr<physics::TerrainShape>& shape() const override { return m_colliders.shape(); }

    bool solidAt(WorldPosition place, double radius) const override {
        const physics::TerrainShapeDefinition& definition = shape()->definition();
        const heightfield::TileLayout& layout = definition.heights;
        const Span xs(place.x - layout.originX, radius, layout.tileSizeX(definition.heightLevel),
                      layout.tilesX(definition.heightLevel));
        const Span zs(place.z - layout.originZ, radius, layout.tileSizeZ(definition.heightLevel),
                      layout.tilesZ(definition.heightLevel));
        for (std::uint32_t z = zs.first; z < zs.end; ++z) {
            for (std::uint32_t x = xs.first; x < xs.end; ++x) {
                if (x < definition.minTileX || x >= definition.maxTileX || z < definition.minTileZ ||
                    z >= definition.maxTileZ || !shape()->tile(x, z)) {
                    return false;
                }
            }
        }
        return true;
    }

    double reach() const override {
        const physics::TerrainShapeDefinition& definition = shape()->definition();
        const heightfield::TileLayout& layout = definition.heights;
        return (kTilesAround - 1) *
               std::min(layout.tileSizeX(definition.heightLevel), layout.tileSizeZ(definition.heightLevel));
    }

  private:
    const HeightGround* m_ground;
    physics::HeightColliders m_colliders;
    std::vector<physics::HeightColliderAnchor> m_anchors;
};

void limit(double at, double tileSize, std::uint32_t& min, std::uint32_t& max) {
    const double tile = std::floor(at / tileSize), last = max;
    min = static_cast<std::uint32_t>(std::clamp(tile - kTilesAround, 0.0, last - 1));
    max = static_cast<std::uint32_t>(std::clamp(tile + kTilesAround, 1.0, last));
}

}  // namespace

Result<std::unique_ptr<GroundColliders>> makeHeightColliders(const HeightGround& ground,
                                                             WorldPosition origin) {
    if (ground.surface().empty()) {
        return makeError(ErrorCode::NotFound, "%s: no tile has come yet", ground.name().c_str());
    }
    physics::TerrainShapeDefinition definition = physics::shapeDefinitionFor(ground.surface());
    definition.origin = origin;
    const heightfield::TileLayout& layout = definition.heights;
    limit(origin.x - layout.originX, layout.tileSizeX(definition.heightLevel), definition.minTileX,
          definition.maxTileX);
    limit(origin.z - layout.originZ, layout.tileSizeZ(definition.heightLevel), definition.minTileZ,
          definition.maxTileZ);
    auto shape = physics::TerrainShape::create(definition);
    if (!shape) return shape.error();
    return std::unique_ptr<GroundColliders>(std::make_unique<StreamedHeightColliders>(ground, *shape));
}

}  // namespace karst::viewer
