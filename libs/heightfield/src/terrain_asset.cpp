#include <karst/base/byte_reader.h>
#include <karst/base/checksum.h>
#include <karst/heightfield/terrain_asset.h>

#include <algorithm>
#include <cmath>

namespace karst::heightfield {

std::uint32_t TerrainManifest::levels() const {
    std::uint32_t levels = 0;
    while ((patchCells >> levels) > 1)
        ++levels;
    return levels;
}

Bounds TerrainAsset::patchBounds(std::uint32_t x, std::uint32_t z) const {
    const double width = manifest.patchCells * manifest.spacingX,
                 depth = manifest.patchCells * manifest.spacingZ;
    const TerrainBounds& heightBounds = patch(x, z).bounds;
    return {{manifest.originX + x * width, double{heightBounds.min}, manifest.originZ + z * depth},
            {manifest.originX + (x + 1.0) * width, double{heightBounds.max},
             manifest.originZ + (z + 1.0) * depth}};
}

Result<TerrainAsset> decodeTerrain(TerrainManifest manifest, std::span<const std::byte> heights) {
    const std::uint64_t size = manifest.heightsBytes();
    if (heights.size() != size) {
        return makeError(ErrorCode::CorruptData, "terrain: heights: %zu bytes are not the manifest's %llu",
                         heights.size(), static_cast<unsigned long long>(size));
    }
    const std::uint64_t found = xxh64(heights);
    if (found != manifest.checksum) {
        return makeError(ErrorCode::CorruptData, "terrain: heights: xxh64 is %016llx, not %016llx",
                         static_cast<unsigned long long>(found),
                         static_cast<unsigned long long>(manifest.checksum));
    }
    TerrainAsset asset;
    asset.manifest = std::move(manifest);
    const TerrainManifest& has = asset.manifest;
    asset.heights.resize(std::size_t{has.samplesX()} * has.samplesZ());
    ByteReader reader(heights);
    TileLayout quantised;
    quantised.quantisation = has.range;
    for (float& height : asset.heights) {
        height =
            has.sampleType == TerrainSampleType::Float32 ? reader.f32() : quantised.dequantise(reader.u16());
        if (!std::isfinite(height)) {
            return makeError(ErrorCode::CorruptData, "terrain: heights: sample %zu is not finite",
                             static_cast<std::size_t>(&height - asset.heights.data()));
        }
    }
    const std::uint32_t cells = has.patchCells;
    for (std::uint32_t z = 0; z < has.patchesZ; ++z) {
        for (std::uint32_t x = 0; x < has.patchesX; ++x) {
            const TerrainBounds& bounds = asset.patch(x, z).bounds;
            for (std::uint32_t j = z * cells; j <= (z + 1) * cells; ++j) {
                for (std::uint32_t i = x * cells; i <= (x + 1) * cells; ++i) {
                    const float height = asset.height(i, j);
                    if (height >= bounds.min && height <= bounds.max) continue;
                    return makeError(ErrorCode::CorruptData,
                                     "terrain: patch %u-%u: bounds %g..%g do not hold sample (%u, %u), %g", x,
                                     z, double{bounds.min}, double{bounds.max}, i, j, double{height});
                }
            }
        }
    }
    return asset;
}

std::optional<double> sampleTerrain(const TerrainAsset& asset, double x, double z) {
    const TerrainManifest& manifest = asset.manifest;
    const double u = (x - manifest.originX) / manifest.spacingX,
                 v = (z - manifest.originZ) / manifest.spacingZ;
    const std::uint32_t cellsX = manifest.samplesX() - 1, cellsZ = manifest.samplesZ() - 1;
    if (!(u >= 0 && u <= cellsX && v >= 0 && v <= cellsZ)) return std::nullopt;
    // The last sample belongs to the cell before it.
    const std::uint32_t i = std::min(static_cast<std::uint32_t>(u), cellsX - 1);
    const std::uint32_t j = std::min(static_cast<std::uint32_t>(v), cellsZ - 1);
    return sampleHeightTriangle(double{asset.height(i, j)}, double{asset.height(i + 1, j)},
                                double{asset.height(i, j + 1)}, double{asset.height(i + 1, j + 1)}, u - i,
                                v - j);
}

Result<Surface> surfaceFromAsset(const TerrainAsset& asset) {
    const TerrainManifest& manifest = asset.manifest;
    TileLayout layout;
    layout.tileCells = manifest.patchCells;
    layout.rootsX = manifest.patchesX;
    layout.rootsZ = manifest.patchesZ;
    layout.originX = manifest.originX;
    layout.originZ = manifest.originZ;
    layout.spacingX = manifest.spacingX;
    layout.spacingZ = manifest.spacingZ;
    layout.quantisation = manifest.range;
    if (manifest.sampleType == TerrainSampleType::Float32) {
        layout.quantisation = manifest.patches.front().bounds;
        for (const TerrainPatch& patch : manifest.patches) {
            layout.quantisation.min = std::min(layout.quantisation.min, patch.bounds.min);
            layout.quantisation.max = std::max(layout.quantisation.max, patch.bounds.max);
        }
    }
    layout.samplesX = manifest.samplesX();
    layout.samplesZ = manifest.samplesZ();
    const int lastX = static_cast<int>(layout.samplesX) - 1, lastZ = static_cast<int>(layout.samplesZ) - 1;
    const int cells = static_cast<int>(layout.tileCells);
    std::vector<TilePtr> tiles;
    tiles.reserve(manifest.patches.size());
    for (std::uint32_t z = 0; z < manifest.patchesZ; ++z) {
        for (std::uint32_t x = 0; x < manifest.patchesX; ++x) {
            auto tile = std::make_shared<HeightTile>();
            tile->key = {0, x, z};
            tile->side = layout.tileSide();
            tile->bounds = asset.patch(x, z).bounds;
            tile->errors = asset.patch(x, z).errors;
            tile->samples.reserve(std::size_t{tile->side} * tile->side);
            for (int j = -kTileApron; j <= cells + kTileApron; ++j) {
                const int row = std::clamp(static_cast<int>(z) * cells + j, 0, lastZ);
                for (int i = -kTileApron; i <= cells + kTileApron; ++i) {
                    const int column = std::clamp(static_cast<int>(x) * cells + i, 0, lastX);
                    tile->samples.push_back(
                        asset.height(static_cast<std::uint32_t>(column), static_cast<std::uint32_t>(row)));
                }
            }
            tiles.push_back(std::move(tile));
        }
    }
    return Surface::fromTiles(layout, std::move(tiles));
}

}  // namespace karst::heightfield
