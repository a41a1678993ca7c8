#include <karst/voxel/material_table.h>

namespace karst::voxel {

struct MaterialTable::State {
    std::vector<Material> materials;
    std::array<MaterialKind, 256> kinds{};
};

MaterialTable::MaterialTable() : MaterialTable(standard()) {}

Result<MaterialTable> MaterialTable::create(std::span<const Material> materials) {
    constexpr std::size_t kMaxName = 64;
    if (materials.empty() || materials.size() > 256) {
        return makeError(ErrorCode::InvalidArgument, "material table: %zu entries, expected 1 to 256",
                         materials.size());
    }
    auto state = std::make_shared<State>();
    for (std::size_t i = 0; i < materials.size(); ++i) {
        const Material& material = materials[i];
        if (material.name.empty() || material.name.size() > kMaxName) {
            return makeError(ErrorCode::InvalidArgument,
                             "material %zu: a name of %zu bytes, expected 1 to %zu", i, material.name.size(),
                             kMaxName);
        }
        if ((material.kind == MaterialKind::Air) != (i == 0) || material.kind > MaterialKind::Water) {
            return makeError(ErrorCode::InvalidArgument,
                             "material %zu \"%s\": kind %d; entry 0 is air and no other may be", i,
                             material.name.c_str(), static_cast<int>(material.kind));
        }
        for (std::size_t j = 0; j < i; ++j) {
            if (materials[j].name == material.name) {
                return makeError(ErrorCode::InvalidArgument,
                                 "material %zu: the name \"%s\" is material %zu's", i, material.name.c_str(),
                                 j);
            }
        }
        state->kinds[i] = material.kind;
        state->materials.push_back(material);
    }
    return MaterialTable(std::shared_ptr<const State>(std::move(state)));
}

MaterialTable MaterialTable::standard() {
    const Material entries[] = {
        {"air", MaterialKind::Air, {0, 0, 0}},
        {"water", MaterialKind::Water, {58, 110, 148}},
        {"grass", MaterialKind::Solid, {98, 122, 58}},
        {"ground", MaterialKind::Solid, {112, 88, 62}},
        {"rock", MaterialKind::Solid, {122, 118, 112}},
        {"sand", MaterialKind::Solid, {204, 184, 138}},
        {"snow", MaterialKind::Solid, {236, 240, 246}},
        {"mud", MaterialKind::Solid, {86, 66, 50}},
        {"clay", MaterialKind::Solid, {158, 106, 78}},
        {"gravel", MaterialKind::Solid, {142, 136, 128}},
        {"limestone", MaterialKind::Solid, {196, 188, 166}},
        {"basalt", MaterialKind::Solid, {62, 60, 64}},
        {"ice", MaterialKind::Solid, {176, 208, 226}},
        {"wood", MaterialKind::Solid, {128, 94, 60}},
    };
    return create(entries).value();
}

std::size_t MaterialTable::size() const {
    return m_state->materials.size();
}

const Material& MaterialTable::operator[](MaterialId id) const {
    KARST_ASSERT(contains(id));
    return m_state->materials[id];
}

std::optional<MaterialId> MaterialTable::find(std::string_view name) const {
    for (std::size_t i = 0; i < size(); ++i) {
        if (m_state->materials[i].name == name) return static_cast<MaterialId>(i);
    }
    return std::nullopt;
}

const std::array<MaterialKind, 256>& MaterialTable::kinds() const {
    return m_state->kinds;
}

bool MaterialTable::operator==(const MaterialTable& other) const {
    return m_state == other.m_state || m_state->materials == other.m_state->materials;
}

}  // namespace karst::voxel
