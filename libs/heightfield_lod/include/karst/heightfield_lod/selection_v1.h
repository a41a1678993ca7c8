#pragma once

#include <karst/base/bounds.h>
#include <karst/heightfield_lod/tile_selection.h>

#include <cstdint>
#include <span>

// Version 1 selection (spec row H2): a fixed grid of equal patches over one height grid, each drawn at a
// fractional level of its own. It is kept as the reference that pyramids of one level select exactly as (row
// H14).

namespace karst::heightfield {

/// A patch of a version 1 terrain, as its manifest states it.
struct TerrainPatchV1 {
    Bounds bounds;                   ///< its footprint and the heights of its samples
    std::span<const double> errors;  ///< entry i: largest error of drawing it at level i; monotone
};

/// The patches of a version 1 terrain, row by row along +X.
struct TerrainPatchesV1 {
    std::uint32_t patchCells = 64;  ///< cells along a patch's side; a power of two, 2 .. 128
    std::uint32_t patchesX = 1, patchesZ = 1;
    double spacingX = 1, spacingZ = 1;  ///< of the samples, world units
    std::span<const TerrainPatchV1> patches;

    /// log2(patchCells): the coarsest level of a patch, two triangles.
    std::uint32_t levels() const;
};

/// The heights of a version 1 terrain, row by row along +X: patchesX * patchCells + 1 samples a row. Sample
/// (0, 0) stands at the origin.
struct TerrainHeightsV1 {
    double originX = 0, originZ = 0;
    std::span<const float> samples;
};

/// How a patch is drawn: detail 0 .. levels(), and the detail of each side, by TileSide.
struct TerrainPatchLodV1 {
    float detail = 0;
    float edges[4] = {};

    bool operator==(const TerrainPatchLodV1&) const = default;
};

/// Refuses by name what validate(TileView) refuses.
Result<void> validateTerrainView(const TileView& view);

/// Refuses by name sizes that are out of range or do not fit each other, empty bounds and error tables that
/// are not monotone, finite and of levels() + 1 entries.
Result<void> validate(const TerrainPatchesV1& terrain);

/// Chooses the detail of each patch: the coarsest whose error, between table entries in proportion, is within
/// the view's tolerance at the nearest point of the bounds, with cells of at most kMaxCellPixels and the
/// target disk at level 0. Then reconciles the edges. `out`: one entry a patch, in their order. The terrain
/// and the view must be valid. Allocates nothing. Threads: any.
void selectTerrain(const TerrainPatchesV1& terrain, const TileView& view, std::span<TerrainPatchLodV1> out);

/// Gives each edge the coarser detail of the two patches that share it. `patches`: row by row.
void reconcileTerrainEdges(std::uint32_t patchesX, std::uint32_t patchesZ,
                           std::span<TerrainPatchLodV1> patches);

/// Height that is drawn at a point of patch (patchX, patchZ): the vertex stage's reference. (u, v): 0 ..
/// patchCells, in cells from the patch's low corner.
double sampleMorphedHeight(const TerrainPatchesV1& terrain, const TerrainHeightsV1& heights,
                           const TerrainPatchLodV1& lod, std::uint32_t patchX, std::uint32_t patchZ, double u,
                           double v);

}  // namespace karst::heightfield
