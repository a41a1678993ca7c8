#pragma once

#include <karst/base/allocator.h>
#include <karst/base/result.h>
#include <karst/voxel_mesh/surface_nets.h>
#include <karst/voxel_mesh/surface_vertex.h>

#include <cstdint>
#include <span>

namespace karst::voxel_mesh {

struct SurfaceCounts {
    std::uint32_t vertexCount = 0;
    std::uint32_t indexCount = 0;
};

/// Makes a raw surface ready to upload: unit normals, positions in cells, materials and weights (V14), a
/// triangle list.
///
/// Materials: a sample counts for its material with its value (0..255). A vertex sums over the 8 samples of
/// its cube; a quad adds up its four vertices, takes the at most 4 materials with the largest sums (the lower
/// id where sums are equal) and sorts them by id. A vertex divides 255 among the materials of the set by its
/// own sums, rounded down; the largest (the first of equals) takes the rest. A vertex without any of them
/// gives all to the quad's strongest. A vertex whose quads have different sets is there once for each set;
/// the vertices of the raw surface come first and in their order, the further ones follow in the order of the
/// quads that need them.
///
/// Normals are normalised; where the raw one is (almost) 0 the gradient within the cube stands in, and
/// straight up where that is 0 too.
///
/// One object per thread, to be used again: it keeps its memory. It refers to what prepare() was given until
/// write() is done.
class SurfaceVertexWriter {
  public:
    explicit SurfaceVertexWriter(Allocator& allocator = heapAllocator());

    /// Finds the material sets of `raw`, which came from `field`, and says how much write() will write.
    /// `field` must have materials. `level` (0..3) scales samples to cells. InvalidArgument: no materials, a
    /// level out of range.
    Result<SurfaceCounts> prepare(const FieldView& field, const RawSurface& raw, int level);

    /// Writes what prepare() counted; memory of a GPU will do, nothing is read back. InvalidArgument: a span
    /// of another size.
    Result<void> write(std::span<SurfaceVertex> vertices, std::span<std::uint32_t> indices) const;

    /// Both in one, into vectors that are used again.
    Result<void> writeMesh(const FieldView& field, const RawSurface& raw, int level, SurfaceMesh& mesh);

  private:
    struct Duplicate {
        std::uint32_t vertex = 0;  // of the raw surface
        std::uint32_t set = 0;
        std::uint32_t next = 0;  // the vertex's next duplicate: one more than its index, 0 = none
        std::uint8_t strongest = 0;
    };
    struct Patch {
        std::uint32_t corner = 0;  // quad * 4 + corner
        std::uint32_t vertex = 0;  // the output vertex
    };

    void duplicate(std::uint32_t corner, std::uint32_t vertex, std::uint32_t set, std::uint8_t strongest);

    FieldView m_field;
    RawSurface m_raw;
    float m_scale = 1;
    // A set is four material ids, the first in the low byte; `strongest` is a place in it.
    Vector<std::uint32_t> m_quadSets;
    Vector<std::uint8_t> m_quadStrongest;
    Vector<std::uint32_t> m_sets;  // of the first quad of each raw vertex
    Vector<std::uint8_t> m_strongest;
    Vector<std::uint32_t> m_firstDuplicate;  // by raw vertex: one more than its index, 0 = none
    Vector<Duplicate> m_duplicates;
    Vector<Patch> m_patches;
};

}  // namespace karst::voxel_mesh
