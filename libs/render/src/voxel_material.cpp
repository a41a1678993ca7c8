#include <karst/render/voxel_material.h>

#include <karst/voxel_mesh/surface_export.h>

#include <cstddef>
#include <string_view>

namespace karst::render {

namespace {

constexpr float kGroundShade = 0.6f;
constexpr float kGroundGrey = 0.4f;

Vec3f groundColor(Vec3f color) {
    const float grey = dot(color, Vec3f{0.2126f, 0.7152f, 0.0722f}) * kGroundGrey;
    return (color * (1 - kGroundGrey) + Vec3f{grey, grey, grey}) * kGroundShade;
}

struct Named {
    std::string_view name;
    float roughness, mottle, bump;
    int grain;
};
constexpr Named kNamed[] = {
    {"grass", 0.95f, 0.45f, 0.16f, 0},     {"ground", 0.95f, 0.35f, 0.14f, 0},
    {"rock", 0.80f, 0.35f, 0.22f, 2},      {"sand", 0.90f, 0.12f, 0.05f, 0},
    {"snow", 0.60f, 0.05f, 0.05f, 1},      {"mud", 0.50f, 0.30f, 0.08f, 1},
    {"clay", 0.75f, 0.20f, 0.07f, 2},      {"gravel", 0.90f, 0.55f, 0.30f, 0},
    {"limestone", 0.80f, 0.25f, 0.16f, 2}, {"basalt", 0.70f, 0.35f, 0.24f, 1},
    {"ice", 0.20f, 0.10f, 0.04f, 2},       {"wood", 0.80f, 0.30f, 0.06f, 1},
};

}  // namespace

VoxelPalette paletteOf(const voxel::MaterialTable& materials) {
    const std::array<Vec3f, 256> colors = voxel_mesh::linearColors(materials);
    VoxelPalette palette;
    for (std::size_t id = 0; id < palette.size(); ++id) {
        VoxelMaterial& material = palette[id];
        material.color = groundColor(colors[id]);
        if (id >= materials.size()) continue;
        for (const Named& named : kNamed) {
            if (named.name != materials[static_cast<voxel::MaterialId>(id)].name) continue;
            material.roughness = named.roughness;
            material.mottle = named.mottle;
            material.bump = named.bump;
            material.grain = named.grain;
        }
    }
    return palette;
}

Vec3f blendPalette(const VoxelPalette& palette, const std::array<voxel::MaterialId, 4>& materials,
                   const std::array<std::uint8_t, 4>& weights) {
    Vec3f sum;
    for (std::size_t i = 0; i < 4; ++i)
        sum = sum + palette[materials[i]].color * (static_cast<float>(weights[i]) / 255.0f);
    return sum;
}

}  // namespace karst::render
