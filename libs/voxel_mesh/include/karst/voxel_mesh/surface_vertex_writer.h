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
/// gives all to the strongest of the first quad that gave it this set. A vertex whose quads have different
/// sets is there once for each set: its copies lie side by side, in the order in which the sets first appear
/// in the quads.
///
/// Normals that come raw are normalised; where they are (almost) 0 the gradient within the cube stands in,
/// and straight up where that is 0 too, as with SurfaceNetsOptions::unitNormals, which is the fast way.
///
/// Up to 8 materials in a field and 64 sets in a surface are fast; more are slower and as right.
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
    struct Set {
        std::uint32_t ids = 0;  // four material ids, the first in the low byte
        bool mixed = false;     // more than one
    };
    // A quad with more materials than its set has room for.
    struct CutQuad {
        std::uint32_t quad = 0;
        std::uint8_t strongest = 0;  // a place in the set
    };

    std::uint32_t setNumber(std::uint32_t ids);
    std::uint32_t setOfQuad(std::uint32_t quad);
    void findSets();
    void findCopies();
    std::uint32_t copyOf(std::uint32_t vertex, std::uint32_t set) const;
    void writeVertices(std::span<SurfaceVertex> vertices) const;
    void writeCutWeights(std::span<SurfaceVertex> vertices) const;

    FieldView m_field;
    RawSurface m_raw;
    float m_scale = 1;
    Vector<std::uint8_t> m_plane;      // by sample: which of the field's materials it is, a bit each
    Vector<std::uint8_t> m_present;    // by raw vertex: those of its samples
    Vector<Set> m_sets;                // by number
    Vector<std::uint32_t> m_setTable;  // hash table of one more than a set's number
    Vector<std::uint32_t> m_quadSets;  // by quad: the set's number
    Vector<CutQuad> m_cuts;
    Vector<std::uint64_t> m_used;  // by raw vertex: the sets of its quads, a bit each; of few sets only
    Vector<std::uint32_t> m_firstCopies;  // by raw vertex, and one past the last
    Vector<std::uint32_t> m_sources;      // by output vertex: the raw one
    Vector<std::uint32_t> m_sourceSets;   // by output vertex
    Vector<std::uint64_t> m_pairs;        // of many sets: raw vertex and set of each corner
};

}  // namespace karst::voxel_mesh
