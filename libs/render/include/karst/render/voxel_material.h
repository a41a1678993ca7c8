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
};

/// By material id.
using VoxelPalette = std::array<VoxelMaterial, 256>;

/// How the water looks. Waves move the drawn sheets only.
struct WaterLook {
    Vec3f color = {0.010f, 0.050f, 0.075f};    ///< linear RGB, where it is deep
    Vec3f shallow = {0.035f, 0.105f, 0.105f};  ///< where it is shallow
    /// Where the pass knows how deep the water is (WaterGround): the length of a look through it, in world
    /// units, after which 1/e of what lies under it is seen; above 0.
    float clearDepth = 3.0f;
    /// Where it does not know, 0..1, seen from right above: far from the shore, and at it.
    float opacity = 0.85f;
    float shallowOpacity = 0.35f;
    Vec3f foam = {0.65f, 0.70f, 0.72f};  ///< of falling water
    float foamAmount = 0.7f;             ///< 0..1
    float waveHeight = 0.12f;            ///< world units, from the still level to the highest crest
    float waveLength = 9.0f;             ///< world units, of the longest wave; above 0
    float waveSpeed = 1.0f;              ///< 1: as in deep water where a world unit is a metre
};

/// Looks made from the colours of a table, which are those of a map: on the ground they are darker and
/// greyer. Materials that the standard table names get a grain and a roughness that fit.
VoxelPalette paletteOf(const voxel::MaterialTable& materials);

/// The colour that a surface of these materials and weights (255 = 1) has where noise adds nothing: linear
/// RGB.
Vec3f blendPalette(const VoxelPalette& palette, const std::array<voxel::MaterialId, 4>& materials,
                   const std::array<std::uint8_t, 4>& weights);

}  // namespace karst::render
