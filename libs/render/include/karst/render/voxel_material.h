#pragma once

#include <karst/base/math.h>
#include <karst/voxel/material_table.h>

#include <array>

namespace karst::render {

/// How one solid material looks. A pixel shows the four materials of its triangle by their weights.
struct VoxelMaterial {
    Vec3f color = {0.2f, 0.2f, 0.2f};  ///< linear RGB
    float roughness = 0.9f;            ///< 0 (a mirror) .. 1
    float mottle = 0.35f;              ///< how much noise lightens and darkens it, 0..1
    float bump = 0.12f;                ///< how far noise bends its normals, 0..1
    /// How much wider than the scene's finest noise (TerrainMaterialRules::detailSize) its grain is, in
    /// powers of two: 0..8.
    int grain = 0;
    Vec3f glow = {0, 0, 0};  ///< light that it gives off, linear RGB
};

/// By material id.
using VoxelPalette = std::array<VoxelMaterial, 256>;

/// Looks made from the colours of a table, which are those of a map: on the ground they are darker and
/// greyer. Materials that the standard table names get a grain and a roughness that fit.
VoxelPalette paletteOf(const voxel::MaterialTable& materials);

/// The colour that a surface of these materials and weights (255 = 1) has where noise adds nothing: linear
/// RGB.
Vec3f blendPalette(const VoxelPalette& palette, const std::array<voxel::MaterialId, 4>& materials,
                   const std::array<std::uint8_t, 4>& weights);

}  // namespace karst::render
