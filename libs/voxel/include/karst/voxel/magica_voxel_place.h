#pragma once

#include <karst/voxel/grid.h>
#include <karst/voxel/magica_voxel.h>

#include <array>

namespace karst::voxel {

/// Which material each colour of a palette becomes; kAir leaves the colour's cells out.
using PaletteMaterials = std::array<MaterialId, 256>;

struct MagicaVoxelMaterials {
    MaterialTable table;
    PaletteMaterials ids{};
};

/// A table of air and one solid material, "color <index>", for each colour that a placed cell has.
MagicaVoxelMaterials materialsOf(const MagicaVoxelScene& scene);

/// For each colour that a placed cell has, the solid material of `table` whose colour is nearest (of equals
/// the lower id). An error where the table has no solid material.
Result<PaletteMaterials> nearestMaterials(const MagicaVoxelScene& scene, const MaterialTable& table);

/// Fills the scene's cells, each whole, as one edit: the lowest corner of scene.bounds() goes to cell `at`.
/// What the scene leaves empty stays as it is. Errors, before anything changes: a cell beyond kCellLimit, a
/// material that the grid's table has not.
Result<EditSummary> placeMagicaVoxel(Grid& grid, const MagicaVoxelScene& scene, CellCoord at,
                                     const PaletteMaterials& ids);

}  // namespace karst::voxel
