#include <karst/physics/height_colliders.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace karst::physics {

using heightfield::TileKey;
using heightfield::TileLayout;

namespace {

/// Tiles along an axis that come within `radius` of `at`, in the lattice's own coordinates.
struct TileRange {
    std::int64_t first, last;
    TileRange(double at, double radius, double size, std::uint32_t least, std::uint32_t most) {
        const auto hold = [&](double tile) {
            return static_cast<std::int64_t>(
                std::clamp(std::floor(tile), static_cast<double>(least) - 1, static_cast<double>(most)));
        };
        first = std::max<std::int64_t>(hold((at - radius) / size), least);
        last = std::min<std::int64_t>(hold((at + radius) / size), std::int64_t{most} - 1);
    }
};

double outside(double at, double low, double high) {
    return std::max({low - at, at - high, 0.0});
}

}  // namespace

Result<HeightColliderUpdate> HeightColliders::update(const heightfield::Surface& surface,
                                                     std::span<const HeightColliderAnchor> anchors) {
    const TerrainShapeDefinition& def = m_shape->definition();
    for (std::size_t i = 0; i < anchors.size(); ++i) {
        const HeightColliderAnchor& anchor = anchors[i];
        if (!isFinite(anchor.position) || !(anchor.radius >= 0) || !std::isfinite(anchor.radius)) {
            return makeError(ErrorCode::InvalidArgument,
                             "height collider anchor %zu: position (%g, %g, %g), radius %g", i,
                             anchor.position.x, anchor.position.y, anchor.position.z, anchor.radius);
        }
    }
    HeightColliderUpdate result;
    std::vector<TileKey> wanted;
    if (!surface.empty()) {
        if (!(surface.layout() == def.heights) || surface.collisionLevel() != def.heightLevel) {
            return makeError(
                ErrorCode::InvalidArgument,
                "height colliders: a surface of another layout or collision level (%d) than the shape's (%d)",
                surface.collisionLevel(), def.heightLevel);
        }
        const TileLayout& layout = surface.layout();
        const double sizeX = layout.tileSizeX(def.heightLevel), sizeZ = layout.tileSizeZ(def.heightLevel);
        for (const HeightColliderAnchor& anchor : anchors) {
            const double x = anchor.position.x - def.heightOrigin.x - layout.originX;
            const double z = anchor.position.z - def.heightOrigin.z - layout.originZ;
            const TileRange xs(x, anchor.radius, sizeX, def.minTileX, def.maxTileX);
            const TileRange zs(z, anchor.radius, sizeZ, def.minTileZ, def.maxTileZ);
            for (std::int64_t tileZ = zs.first; tileZ <= zs.last; ++tileZ) {
                for (std::int64_t tileX = xs.first; tileX <= xs.last; ++tileX) {
                    const double dx = outside(x, static_cast<double>(tileX) * sizeX,
                                              static_cast<double>(tileX + 1) * sizeX);
                    const double dz = outside(z, static_cast<double>(tileZ) * sizeZ,
                                              static_cast<double>(tileZ + 1) * sizeZ);
                    if (dx * dx + dz * dz > anchor.radius * anchor.radius) continue;
                    const TileKey key{def.heightLevel, static_cast<std::uint32_t>(tileX),
                                      static_cast<std::uint32_t>(tileZ)};
                    if (layout.contains(key)) wanted.push_back(key);
                }
            }
        }
        std::sort(wanted.begin(), wanted.end());
        wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
    }

    std::vector<TileKey> present;
    for (const TileKey& key : wanted) {
        heightfield::TilePtr tile = surface.share(key);
        if (tile == nullptr) {
            ++result.missing;
            continue;
        }
        present.push_back(key);
        const HeightColliderTilePtr old = m_shape->tile(key.x, key.z);
        if (old != nullptr && old->tile() == tile) {
            ++result.kept;
            continue;
        }
        const auto made = std::make_shared<const HeightColliderTile>(std::move(tile), surface.layout());
        if (const auto set = m_shape->setTile(key.x, key.z, made); !set) return set.error();
        ++result.set;
    }
    for (const TileKey& key : m_present) {
        if (std::binary_search(present.begin(), present.end(), key)) continue;
        if (const auto set = m_shape->setTile(key.x, key.z, nullptr); !set) return set.error();
        ++result.cleared;
    }
    m_present = std::move(present);
    return result;
}

TerrainShapeDefinition shapeDefinitionFor(const heightfield::Surface& surface, WorldPosition heightOrigin) {
    TerrainShapeDefinition definition;
    definition.origin = definition.heightOrigin = heightOrigin;
    if (surface.empty()) return definition;
    definition.heights = surface.layout();
    definition.heightLevel = surface.collisionLevel();
    definition.maxTileX = surface.layout().tilesX(definition.heightLevel);
    definition.maxTileZ = surface.layout().tilesZ(definition.heightLevel);
    return definition;
}

}  // namespace karst::physics
