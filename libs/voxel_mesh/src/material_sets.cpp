#include "material_sets.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace karst::voxel_mesh {
namespace {

std::array<std::size_t, 8> corners(const FieldView& field, std::size_t cube) {
    const std::size_t dz = static_cast<std::size_t>(field.stride()), dy = dz * dz;
    return {cube,      cube + 1,      cube + dz,      cube + dz + 1,
            cube + dy, cube + dy + 1, cube + dy + dz, cube + dy + dz + 1};
}

}  // namespace

std::uint32_t materialSet(voxel::MaterialId (&ids)[4], int count) {
    for (int k = 1; k < count; ++k) {
        for (int place = k; place > 0 && ids[place - 1] > ids[place]; --place)
            std::swap(ids[place - 1], ids[place]);
    }
    std::uint32_t set = 0;
    for (int k = 0; k < 4; ++k)
        set |= std::uint32_t{ids[std::min(k, count - 1)]} << (8 * k);
    return set;
}

void MaterialSums::add(const FieldView& field, std::size_t cube) {
    for (const std::size_t i : corners(field, cube)) {
        const std::uint8_t value = field.samples[i];
        if (value == 0) continue;
        const voxel::MaterialId id = field.materials[i];
        int k = 0;
        while (k < m_count && m_ids[k] != id)
            ++k;
        if (k == m_count) {
            m_ids[k] = id;
            m_sums[k] = 0;
            ++m_count;
        }
        m_sums[k] += value;
    }
}

MaterialSums::Choice MaterialSums::choose() const {
    // Larger is better; of equal sums the lower id.
    std::array<std::uint32_t, 32> rank;
    for (int k = 0; k < m_count; ++k)
        rank[k] = m_sums[k] << 8 | (255u - m_ids[k]);
    const int kept = std::min(m_count, 4);
    std::partial_sort(rank.begin(), rank.begin() + kept, rank.begin() + m_count, std::greater<>());
    voxel::MaterialId ids[4] = {};
    for (int k = 0; k < kept; ++k)
        ids[k] = static_cast<voxel::MaterialId>(255u - (rank[k] & 255u));
    const voxel::MaterialId strongest = ids[0];
    Choice out;
    out.set = materialSet(ids, kept);
    out.strongest = static_cast<std::uint8_t>(std::find(ids, ids + kept, strongest) - ids);
    out.cut = m_count > 4;
    return out;
}

std::array<std::uint8_t, 4> materialWeights(const FieldView& field, std::size_t cube, std::uint32_t set,
                                            std::uint8_t strongest) {
    std::uint32_t sums[4] = {}, total = 0;
    for (const std::size_t i : corners(field, cube)) {
        for (int k = 0; k < 4; ++k) {
            if (materialAt(set, k) != field.materials[i]) continue;
            sums[k] += field.samples[i];
            total += field.samples[i];
            break;  // repeated ids stay at 0
        }
    }
    std::array<std::uint8_t, 4> weights{};
    if (total == 0) {
        weights[strongest] = 255;
        return weights;
    }
    std::uint32_t rest = 255;
    for (int k = 0; k < 4; ++k) {
        weights[k] = static_cast<std::uint8_t>(255 * sums[k] / total);
        rest -= weights[k];
    }
    const auto largest = std::max_element(sums, sums + 4) - sums;
    weights[largest] = static_cast<std::uint8_t>(weights[largest] + rest);
    return weights;
}

}  // namespace karst::voxel_mesh
