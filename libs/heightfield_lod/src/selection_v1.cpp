#include "height_morph.h"
#include "screen_detail.h"

#include <karst/heightfield_lod/selection_v1.h>

namespace karst::heightfield {

std::uint32_t TerrainPatchesV1::levels() const {
    std::uint32_t levels = 0;
    while ((patchCells >> levels) > 1)
        ++levels;
    return levels;
}

Result<void> validateTerrainView(const TileView& view) {
    return validate(view);
}

Result<void> validate(const TerrainPatchesV1& terrain) {
    const std::uint32_t cells = terrain.patchCells;
    if (cells < 2 || cells > TileLayout::kMaxTileCells || (cells & (cells - 1)) != 0) {
        return makeError(ErrorCode::InvalidArgument,
                         "terrain: patch cells %u are not a power of two from 2 to %u", cells,
                         TileLayout::kMaxTileCells);
    }
    if (!(terrain.spacingX > 0 && terrain.spacingZ > 0) || !std::isfinite(terrain.spacingX) ||
        !std::isfinite(terrain.spacingZ)) {
        return makeError(ErrorCode::InvalidArgument, "terrain: spacing (%g, %g) must be finite and above 0",
                         terrain.spacingX, terrain.spacingZ);
    }
    if (terrain.patchesX < 1 || terrain.patchesZ < 1 ||
        std::uint64_t{terrain.patchesX} * terrain.patchesZ != terrain.patches.size()) {
        return makeError(ErrorCode::InvalidArgument, "terrain: %zu patches are not %u x %u",
                         terrain.patches.size(), terrain.patchesX, terrain.patchesZ);
    }
    for (std::size_t i = 0; i < terrain.patches.size(); ++i) {
        const TerrainPatchV1& patch = terrain.patches[i];
        if (patch.bounds.empty() || !isFinite(patch.bounds.min) || !isFinite(patch.bounds.max))
            return makeError(ErrorCode::InvalidArgument, "terrain: patch %zu has no finite bounds", i);
        if (patch.errors.size() != terrain.levels() + 1) {
            return makeError(ErrorCode::InvalidArgument, "terrain: patch %zu has %zu errors, not %u", i,
                             patch.errors.size(), terrain.levels() + 1);
        }
        double before = 0;
        for (const double error : patch.errors) {
            if (!std::isfinite(error) || error < before) {
                return makeError(ErrorCode::InvalidArgument,
                                 "terrain: patch %zu has an error table that is not monotone at %g", i,
                                 error);
            }
            before = error;
        }
    }
    return {};
}

void selectTerrain(const TerrainPatchesV1& terrain, const TileView& view, std::span<TerrainPatchLodV1> out) {
    KARST_ASSERT(validate(view).ok() && validate(terrain).ok());
    KARST_ASSERT(out.size() == terrain.patches.size());
    const std::uint32_t levels = terrain.levels();
    const DetailView ready = DetailView::make(view, std::max(terrain.spacingX, terrain.spacingZ), levels);
    for (std::size_t i = 0; i < out.size(); ++i) {
        const TerrainPatchV1& patch = terrain.patches[i];
        const double detail = screenDetail(ready, patch.bounds, 0, levels,
                                           [&](std::uint32_t level) { return patch.errors[level]; });
        out[i].detail = static_cast<float>(std::max(detail, 0.0));
    }
    reconcileTerrainEdges(terrain.patchesX, terrain.patchesZ, out);
}

void reconcileTerrainEdges(std::uint32_t patchesX, std::uint32_t patchesZ,
                           std::span<TerrainPatchLodV1> patches) {
    KARST_ASSERT(patches.size() == std::size_t{patchesX} * patchesZ);
    for (std::size_t z = 0; z < patchesZ; ++z) {
        for (std::size_t x = 0; x < patchesX; ++x) {
            TerrainPatchLodV1* patch = &patches[z * patchesX + x];
            const auto shared = [&](bool inside, std::ptrdiff_t step) {
                return inside ? std::max(patch->detail, patch[step].detail) : patch->detail;
            };
            const auto row = static_cast<std::ptrdiff_t>(patchesX);
            patch->edges[kSideLowX] = shared(x > 0, -1);
            patch->edges[kSideHighX] = shared(x + 1 < patchesX, 1);
            patch->edges[kSideLowZ] = shared(z > 0, -row);
            patch->edges[kSideHighZ] = shared(z + 1 < patchesZ, row);
        }
    }
}

double sampleMorphedHeight(const TerrainPatchesV1& terrain, const TerrainHeightsV1& heights,
                           const TerrainPatchLodV1& lod, std::uint32_t patchX, std::uint32_t patchZ, double u,
                           double v) {
    const std::size_t rowSamples = std::size_t{terrain.patchesX} * terrain.patchCells + 1;
    const std::size_t first = (std::size_t{patchZ} * rowSamples + patchX) * terrain.patchCells;
    const auto fetch = [&](int i, int j) {
        return double{
            heights.samples[first + static_cast<std::size_t>(j) * rowSamples + static_cast<std::size_t>(i)]};
    };
    const double edges[4] = {double{lod.edges[0]}, double{lod.edges[1]}, double{lod.edges[2]},
                             double{lod.edges[3]}};
    return HeightMorph(fetch, terrain.patchCells, double{lod.detail}, edges).heightAt(u, v);
}

}  // namespace karst::heightfield
