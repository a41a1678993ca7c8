#pragma once

// The materials of quads and vertices (V14). A set is four ids in rising order in one word, the first in the
// low byte, unused places repeating the last.

#include <karst/voxel_mesh/padded_field.h>

#include <array>
#include <cstdint>

namespace karst::voxel_mesh {

/// The set of 1 to 4 different ids, which get sorted.
std::uint32_t materialSet(voxel::MaterialId (&ids)[4], int count);

/// The sums of what samples say for materials: up to 32 samples.
class MaterialSums {
  public:
    /// The 8 samples of the cube whose lowest sample is at index `cube`.
    void add(const FieldView& field, std::size_t cube);

    /// The set of the at most 4 largest sums, and the place in it of the largest. At least one is not 0.
    struct Choice {
        std::uint32_t set = 0;
        std::uint8_t strongest = 0;
        bool cut = false;  ///< some material had no place
    };
    Choice choose() const;

  private:
    std::array<std::uint32_t, 32> m_sums;
    std::array<voxel::MaterialId, 32> m_ids;
    int m_count = 0;
};

inline voxel::MaterialId materialAt(std::uint32_t set, int place) {
    return static_cast<voxel::MaterialId>(set >> (8 * place));
}

/// 255 divided by the sums in `set`: rounded down, the rest to the first of the largest. All to `strongest`
/// where all are 0.
std::array<std::uint8_t, 4> materialWeights(const FieldView& field, std::size_t cube, std::uint32_t set,
                                            std::uint8_t strongest);

}  // namespace karst::voxel_mesh
