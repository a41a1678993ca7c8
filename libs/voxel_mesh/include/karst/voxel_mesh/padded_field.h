#pragma once

#include <karst/voxel/grid_snapshot.h>

#include <cstddef>
#include <cstdint>
#include <span>

namespace karst::voxel_mesh {

/// Levels of meshing detail: level L has 32 >> L samples along a chunk's edge, each standing for a block of
/// (1 << L)^3 cells and sitting in that block's middle.
inline constexpr int kMeshLevels = 4;
inline constexpr std::int32_t samplesPerAxis(int level) {
    return voxel::kChunkSize >> level;
}

/// Samples beyond the chunk that a field holds on each side: one for the cubes of border quads, one more for
/// central differences.
inline constexpr std::int32_t kFieldPadding = 2;

/// 8-bit samples of a chunk and of what lies around it: samples[fieldIndex(x, y, z)] for -padding <= x, y, z
/// < size + padding, x fastest, then z, then y. A sample is solid where it is at least 128 (a fraction of 0.5
/// or more); 127.5 is the surface, so that no sample lies on it.
struct FieldView {
    const std::uint8_t* samples = nullptr;
    /// The material of each sample's solid part, in the same order; may be null where no materials are
    /// wanted. Only read where the sample is not 0.
    const voxel::MaterialId* materials = nullptr;
    std::int32_t size = voxel::kChunkSize;  ///< 4, 8, 16 or 32
    std::int32_t padding = kFieldPadding;   ///< 1 or 2

    std::int32_t stride() const { return size + 2 * padding; }
    std::size_t sampleCount() const { return static_cast<std::size_t>(stride()) * stride() * stride(); }
    std::size_t fieldIndex(std::int32_t x, std::int32_t y, std::int32_t z) const {
        const std::int32_t s = stride();
        return static_cast<std::size_t>((x + padding) + s * ((z + padding) + s * (y + padding)));
    }
};

/// What a field says about its chunk before extraction.
enum class FieldContent : std::uint8_t {
    AllAir,    ///< no sample that extraction reads is solid: no surface
    AllSolid,  ///< every one is: no surface
    Mixed,
};

/// Room for the largest field (36^3).
inline constexpr std::size_t kMaxFieldSamples = 36 * 36 * 36;

}  // namespace karst::voxel_mesh
