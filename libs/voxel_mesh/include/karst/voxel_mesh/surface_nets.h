#pragma once

#include <karst/base/allocator.h>
#include <karst/base/math.h>
#include <karst/base/result.h>
#include <karst/voxel_mesh/padded_field.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace karst::voxel_mesh {

/// Surface Nets (Gibson 1998, in the dual form with one vertex a cube): the surface is where the samples
/// cross 127.5. Each cube of 8 samples with both signs has one vertex, the mean of the crossings of its 12
/// edges; each crossing sample edge makes a quad of the vertices of the 4 cubes around it, wound
/// counter-clockwise seen from the air. A field owns the edges whose lower sample is in 0 <= x, y, z < size,
/// and uses the cubes from -1 to size - 1. Positions are in samples: sample (x, y, z) sits at x, y, z. They
/// are rounded to multiples of 2^-16, so that the same vertex made by two chunks is the same to the bit after
/// adding whole chunk sizes.

enum class NormalMethod : std::uint8_t {
    CentralDifferences,  ///< of the field at the cube's 8 samples, interpolated at the vertex; needs padding
                         ///< 2
    CubeGradient,  ///< the gradient of the cube's trilinear interpolation at the vertex; padding 1 will do
};

struct SurfaceNetsOptions {
    NormalMethod normals = NormalMethod::CentralDifferences;
    /// A cube that holds several sheets gets a vertex for each, so that no edge of the mesh has more than two
    /// triangles (Nielson, Dual Marching Cubes, 2004). Needs padding 2. Without it, about 9 % of the edges of
    /// fields of random bytes have four or more triangles, and some 0.15 % of rolling ground with caves; with
    /// it none. It costs under 20 % on such ground, and several times the rest where most cubes are split, as
    /// in random fields.
    bool manifold = false;
    /// Normals of length 1. Where the gradient is (almost) 0 the one within the cube stands in, and straight
    /// up where that is 0 too.
    bool unitNormals = false;
};

/// The most that a field of 32^3 can give.
inline constexpr std::uint32_t kMaxCubes = 33 * 33 * 33;
inline constexpr std::uint32_t kMaxQuads = 3 * 32 * 32 * 32;

/// The vertices around a crossing edge, counter-clockwise seen from the air. The first is in the cube with
/// the lowest coordinates and the third in the one with the highest; the triangles are 0 1 2 and 0 2 3.
struct SurfaceQuad {
    std::array<std::uint32_t, 4> vertices{};
    bool operator==(const SurfaceQuad&) const = default;
};

/// Room that the buffers of extractSurface must have: the worst case and a few elements over, so that nothing
/// is checked on the way.
struct SurfaceNetsCapacity {
    std::size_t vertices = 0;
    std::size_t quads = 0;
    std::size_t splits = 0;
};
/// `size` is that of the field: 4, 8, 16 or 32.
SurfaceNetsCapacity surfaceNetsCapacity(std::int32_t size, bool manifold);

/// A cube with several vertices; only of use during extraction.
struct SplitCube {
    std::uint32_t orders = 0;        ///< which of its vertices an edge belongs to, two bits an edge
    std::uint32_t vertex = 0;        ///< the first
    std::uint32_t firstFurther = 0;  ///< the second; others follow
    std::uint16_t crossing = 0;      ///< a bit for each edge that crosses
    std::uint16_t count = 0;
};

/// Where extractSurface writes. What lies past the counts that it returns is undefined afterwards.
struct SurfaceNetsBuffers {
    std::span<Vec3f> positions;      ///< SurfaceNetsCapacity::vertices, in samples
    std::span<Vec3f> normals;        ///< the same; out of the solid
    std::span<std::uint16_t> cubes;  ///< the same; FieldView::fieldIndex of the cube's lowest sample
    std::span<SurfaceQuad> quads;    ///< SurfaceNetsCapacity::quads
    std::span<SplitCube> splits;     ///< SurfaceNetsCapacity::splits: none unless manifold
};

/// What extractSurface wrote: parts of the caller's buffers.
struct RawSurface {
    FieldContent content = FieldContent::AllAir;
    bool unitNormals = false;
    std::span<const Vec3f> positions;
    std::span<const Vec3f> normals;
    std::span<const std::uint16_t> cubes;
    std::span<const SurfaceQuad> quads;
};

/// Extracts the surface that `field` owns. Every vertex belongs to some quad. Vertices are in the order of
/// their cubes (y, then z, then x; further vertices of cubes after the others of their layer), quads in the
/// order of their edge's lower sample's y, then x edges before z edges before y edges, then z, then x.
/// Normals are the negated gradient in 1 / 255 a sample, unless unit normals are asked for; their length can
/// be 0 where the field is symmetric. InvalidArgument: a size or padding that FieldView does not allow, no
/// samples, a padding that the options do not suffice with (central differences and manifold need 2), or
/// buffers smaller than surfaceNetsCapacity says. Any thread.
Result<RawSurface> extractSurface(const FieldView& field, const SurfaceNetsOptions& options,
                                  const SurfaceNetsBuffers& buffers);

/// Buffers for extractSurface with room for any field. Make one per thread and use it again: pages that no
/// field needed are never touched.
class SurfaceNetsWorkspace {
  public:
    explicit SurfaceNetsWorkspace(bool manifold = false, Allocator& allocator = heapAllocator());
    ~SurfaceNetsWorkspace();
    SurfaceNetsWorkspace(const SurfaceNetsWorkspace&) = delete;
    SurfaceNetsWorkspace& operator=(const SurfaceNetsWorkspace&) = delete;

    const SurfaceNetsBuffers& buffers() const { return m_buffers; }

  private:
    Allocator& m_allocator;
    std::size_t m_bytes;
    void* m_memory;
    SurfaceNetsBuffers m_buffers;
};

}  // namespace karst::voxel_mesh
