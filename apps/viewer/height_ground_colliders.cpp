#include "height_ground_colliders.h"

#include <karst/physics/height_colliders.h>

#include <algorithm>
#include <cmath>

namespace karst::viewer {

namespace {

// Tiles that the shape has room for, to each side of its zero.
constexpr double kTilesAround = 64;

class StreamedHeightColliders final : public GroundColliders {
  public:
    StreamedHeightColliders(const HeightGround& ground, std::shared_ptr<physics::TerrainShape> shape)
        : m_ground(&ground), m_colliders(std::move(shape)) {}

    Result<std::uint32_t> update(WorldPosition center, double radius) override {
        const physics::HeightColliderAnchor anchor{center, radius};
        const auto updated = m_colliders.update(m_ground->surface(), {&anchor, 1});
        if (!updated) return updated.error();
        return updated->set + updated->cleared;
    }
    const std::shared_ptr<physics::TerrainShape>& shape() const override { return m_colliders.shape(); }

  private:
    const HeightGround* m_ground;
    physics::HeightColliders m_colliders;
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
