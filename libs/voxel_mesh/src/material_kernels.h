#pragma once

// The inner loops of SurfaceVertexWriter, for several elements at once.

#include <karst/voxel_mesh/surface_nets.h>

#include "cube_vertices.h"

#include <cstddef>
#include <cstdint>

namespace karst::voxel_mesh {

/// The materials of a field in the order in which they were met.
struct Palette {
    static constexpr int kMost = 8;
    voxel::MaterialId ids[kMost] = {};
    int count = 0;
};

/// plane[i] gets the bit of sample i's material in `palette`, which it fills, or 0 where the sample is 0.
/// False where the field has more than Palette::kMost materials.
bool paintPlane(Lanes lanes, const FieldView& field, std::size_t begin, std::size_t end, Palette& palette,
                std::uint8_t* plane);

/// A block of vertices, by vertex: the cube's samples and their materials, four bytes a word, and the set.
struct WeightBlock {
    static constexpr std::size_t kSize = 64;
    std::uint32_t samples[2][kSize];
    std::uint32_t materials[2][kSize];
    std::uint32_t sets[kSize];
    std::uint32_t weights[kSize];  ///< out: the first in the low byte; 255 for the first where all sums are 0
};

/// Fills the weights of the first `count` vertices, and of up to 7 more.
void computeWeights(Lanes lanes, WeightBlock& block, std::size_t count);

/// The bits of all words together.
std::size_t countCopies(Lanes lanes, const std::uint64_t* used, std::size_t vertices);

/// Writes two triangles a quad of the copies that have the quad's set.
void writeIndices(Lanes lanes, const SurfaceQuad* quads, const std::uint32_t* quadSets, std::size_t count,
                  const std::uint64_t* used, const std::uint32_t* firstCopies, std::uint32_t* indices);

}  // namespace karst::voxel_mesh
