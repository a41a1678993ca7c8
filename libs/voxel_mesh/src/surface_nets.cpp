#include <karst/voxel_mesh/surface_nets.h>

#include <cstring>

#include "cube_vertices.h"
#include "sign_rows.h"
#include "split_cubes.h"
#include "surface_nets_rows.h"

namespace karst::voxel_mesh {
namespace {

// Past the worst case, for writers of several elements at once.
constexpr std::size_t kSlack = 16;

Result<void> check(const FieldView& field, const SurfaceNetsOptions& options,
                   const SurfaceNetsBuffers& buffers) {
    const auto bad = [](const char* what, std::size_t value) {
        return makeError(ErrorCode::InvalidArgument, "extractSurface: %s %zu", what, value);
    };
    if (!field.samples)
        return makeError(ErrorCode::InvalidArgument, "extractSurface: a field without samples");
    if (field.size != 4 && field.size != 8 && field.size != 16 && field.size != 32)
        return bad("not a field's size:", static_cast<std::size_t>(field.size));
    if (field.padding != 1 && field.padding != 2)
        return bad("not a field's padding:", static_cast<std::size_t>(field.padding));
    if (field.padding < 2 && options.normals == NormalMethod::CentralDifferences)
        return bad("central differences need a padding of 2, not", 1);
    if (field.padding < 2 && options.manifold) return bad("a manifold surface needs a padding of 2, not", 1);
    const SurfaceNetsCapacity capacity = surfaceNetsCapacity(field.size, options.manifold);
    if (buffers.positions.size() < capacity.vertices)
        return bad("too few positions:", buffers.positions.size());
    if (buffers.normals.size() < capacity.vertices) return bad("too few normals:", buffers.normals.size());
    if (buffers.cubes.size() < capacity.vertices) return bad("too few cubes:", buffers.cubes.size());
    if (buffers.quads.size() < capacity.quads) return bad("too few quads:", buffers.quads.size());
    if (buffers.splits.size() < capacity.splits) return bad("too few splits:", buffers.splits.size());
    return {};
}

// The places of the set bits of each byte, and how many there are.
struct BitPlaces {
    std::uint16_t places[256][8] = {};
    std::uint8_t counts[256] = {};
};

constexpr BitPlaces makeBitPlaces() {
    BitPlaces out;
    for (int byte = 0; byte < 256; ++byte) {
        for (int bit = 0; bit < 8; ++bit) {
            if (byte >> bit & 1) out.places[byte][out.counts[byte]++] = static_cast<std::uint16_t>(bit);
        }
    }
    return out;
}

constexpr BitPlaces kBitPlaces = makeBitPlaces();

using Places = std::uint16_t __attribute__((vector_size(16)));

// Appends first + k for each set bit k. Writes up to 8 elements too far.
std::uint16_t* appendPlaces(std::uint16_t* out, std::uint32_t bits, std::uint32_t first) {
    for (int k = 0; k < 4; ++k, bits >>= 8, first += 8) {
        const std::uint32_t byte = bits & 255;
        Places places;
        std::memcpy(&places, kBitPlaces.places[byte], sizeof(places));
        places += static_cast<std::uint16_t>(first);
        std::memcpy(out, &places, sizeof(places));
        out += kBitPlaces.counts[byte];
    }
    return out;
}

// The owned edges that cross in a layer of samples, a row of edges a word: bit x + 1 is the edge from sample
// x. Rows from z = -1 to size; those outside 0 <= z < size are empty.
struct LayerEdges {
    std::uint64_t x[34], y[34], z[34];

    void clear() { std::memset(this, 0, sizeof(*this)); }

    void find(const SignRows& rows, int size, int atY) {
        const std::uint64_t owned = ((std::uint64_t{1} << size) - 1) << 1;
        const std::uint64_t* here = rows.layer(atY);
        const std::uint64_t* above = rows.layer(atY + 1);
        for (int r = 1; r <= size; ++r) {
            x[r] = (here[r] ^ here[r] >> 1) & owned;
            y[r] = (here[r] ^ above[r]) & owned;
            z[r] = (here[r] ^ here[r + 1]) & owned;
        }
    }
};

// The edge of a quad as each of its cubes has it, by the edge's axis; see cube_sheets.h.
constexpr int kEdgesAlongX[4] = {3, 1, 0, 2}, kEdgesAlongY[4] = {7, 5, 4, 6},
              kEdgesAlongZ[4] = {11, 10, 8, 9};

// A run over one field, from the lowest layer of cubes up.
template <bool kManifold>
class Extraction {
  public:
    Extraction(const FieldView& field, const SurfaceNetsBuffers& buffers)
        : m_field(field),
          m_splits(field, buffers.splits),
          m_cubes(buffers.cubes.data()),
          m_nextCube(m_cubes),
          m_nextQuad(buffers.quads.data()),
          m_stride(static_cast<std::uint32_t>(field.stride())) {}

    void run(const SignRows& rows) {
        m_edges[0].clear();
        m_edges[1].clear();
        const int size = m_field.size;
        for (int y = -1; y < size; ++y) {
            LayerEdges& here = m_edges[y & 1];
            LayerEdges& above = m_edges[~y & 1];
            if (y + 1 < size)
                above.find(rows, size, y + 1);
            else
                above.clear();
            m_layer = static_cast<std::uint32_t>(m_field.fieldIndex(-m_field.padding, y, -m_field.padding));
            addCubes(here, above, rows, y);
            if (y >= 0) addQuads(here);
        }
    }

    const SplitCubes& splits() const { return m_splits; }
    std::size_t vertexCount() const { return static_cast<std::size_t>(m_nextCube - m_cubes); }
    const SurfaceQuad* quadEnd() const { return m_nextQuad; }

  private:
    // The cubes at which some owned edge crosses, between the layers of `here` and `above`.
    void addCubes(const LayerEdges& here, const LayerEdges& above, const SignRows& rows, int y) {
        std::uint64_t used[33];
        const int count = m_field.size + 1;
        for (int r = 0; r < count; ++r) {
            const std::uint64_t both = here.y[r] | here.y[r + 1] | here.z[r] | above.z[r];
            used[r] = here.x[r] | here.x[r + 1] | above.x[r] | above.x[r + 1] | both | both >> 1;
        }
        std::uint16_t* next = m_nextCube;
        std::uint32_t first = m_layer + static_cast<std::uint32_t>((m_field.padding - 1) * (m_stride + 1));
        for (int r = 0; r < count; ++r, first += m_stride) {
            if (used[r] == 0) continue;
            *next = static_cast<std::uint16_t>(first);
            next += used[r] & 1;
            next = appendPlaces(next, static_cast<std::uint32_t>(used[r] >> 1), first + 1);
        }
        std::uint32_t* numbers = m_numbers[m_layerParity ^= 1];
        std::uint32_t number = static_cast<std::uint32_t>(m_nextCube - m_cubes);
        for (const std::uint16_t* cube = m_nextCube; cube != next; ++cube)
            numbers[*cube - m_layer] = number++;
        m_nextCube = next;
        if constexpr (kManifold) m_nextCube = m_splits.findLayer(rows, y, used, numbers, next, number);
    }

    void addQuads(const LayerEdges& edges) {
        const std::uint32_t* here = m_numbers[m_layerParity];
        const std::uint32_t* below = m_numbers[m_layerParity ^ 1];
        const std::uint32_t s = m_stride;
        addQuads(edges.x, kEdgesAlongX, [=](std::uint32_t i) {
            return SurfaceQuad{{below[i - s], here[i - s], here[i], below[i]}};
        });
        addQuads(edges.z, kEdgesAlongZ, [=](std::uint32_t i) {
            return SurfaceQuad{{below[i - 1], below[i], here[i], here[i - 1]}};
        });
        addQuads(edges.y, kEdgesAlongY, [=](std::uint32_t i) {
            return SurfaceQuad{{here[i - s - 1], here[i - 1], here[i], here[i - s]}};
        });
    }

    // `around` gives the quad of an edge whose lower sample is solid.
    template <class Around>
    void addQuads(const std::uint64_t* edges, const int (&ofCubes)[4], Around around) {
        std::uint16_t places[32 * 32 + 8];
        std::uint16_t* end = places;
        std::uint32_t first = static_cast<std::uint32_t>(m_field.padding * (m_stride + 1));
        for (int r = 1; r <= m_field.size; ++r, first += m_stride) {
            if (edges[r] == 0) continue;
            end = appendPlaces(end, static_cast<std::uint32_t>(edges[r] >> 1), first);
        }
        const std::uint8_t* samples = m_field.samples + m_layer;
        SurfaceQuad* out = m_nextQuad;
        for (const std::uint16_t* place = places; place != end; ++place, ++out) {
            const std::uint32_t i = *place;
            const SurfaceQuad quad = around(i);
            // The other way round where the lower sample is air.
            const std::uint32_t air = (samples[i] >> 7) - 1u;
            const std::uint32_t swap = (quad.vertices[1] ^ quad.vertices[3]) & air;
            out->vertices[0] = quad.vertices[0];
            out->vertices[1] = quad.vertices[1] ^ swap;
            out->vertices[2] = quad.vertices[2];
            out->vertices[3] = quad.vertices[3] ^ swap;
            if constexpr (kManifold) {
                const auto& [a, b, c, d] = quad.vertices;
                if ((a | b | c | d) & kSplit) m_splits.resolve(*out, ofCubes, air != 0);
            }
        }
        m_nextQuad = out;
    }

    FieldView m_field;
    SplitCubes m_splits;
    std::uint16_t* m_cubes;
    std::uint16_t* m_nextCube;
    SurfaceQuad* m_nextQuad;
    std::uint32_t m_stride;
    std::uint32_t m_layer = 0;  // index of the first sample of the current layer
    int m_layerParity = 0;
    LayerEdges m_edges[2];
    // The numbers of the vertices of the last two layers of cubes, by their place in the layer.
    std::uint32_t m_numbers[2][36 * 36];
};

template <bool kManifold>
void extractMixed(const FieldView& field, const SurfaceNetsOptions& options,
                  const SurfaceNetsBuffers& buffers, const SignRows& rows, RawSurface& surface) {
    Extraction<kManifold> extraction(field, buffers);
    extraction.run(rows);
    const std::size_t vertexCount = extraction.vertexCount();
    const std::size_t quadCount = static_cast<std::size_t>(extraction.quadEnd() - buffers.quads.data());
    // Blocks are computed whole.
    for (std::size_t i = vertexCount; i % 8 != 0; ++i)
        buffers.cubes[i] = buffers.cubes[vertexCount - 1];
    computeCubeVertices(widestLanes(), field, options.normals, options.unitNormals, buffers.cubes.data(),
                        nullptr, vertexCount, buffers.positions.data(), buffers.normals.data());
    if constexpr (kManifold) extraction.splits().computeVertices(options, buffers);
    surface.positions = buffers.positions.first(vertexCount);
    surface.normals = buffers.normals.first(vertexCount);
    surface.cubes = buffers.cubes.first(vertexCount);
    surface.quads = buffers.quads.first(quadCount);
}

}  // namespace

SurfaceNetsCapacity surfaceNetsCapacity(std::int32_t size, bool manifold) {
    const std::size_t n = static_cast<std::size_t>(size), cubes = (n + 1) * (n + 1) * (n + 1);
    return {cubes * (manifold ? 4 : 1) + kSlack, 3 * n * n * n + kSlack, manifold ? cubes : 0};
}

Result<RawSurface> extractSurface(const FieldView& field, const SurfaceNetsOptions& options,
                                  const SurfaceNetsBuffers& buffers) {
    SignRows rows;
    return extractSurface(field, options, buffers, rows);
}

Result<RawSurface> extractSurface(const FieldView& field, const SurfaceNetsOptions& options,
                                  const SurfaceNetsBuffers& buffers, SignRows& rows) {
    if (auto ok = check(field, options, buffers); !ok) return ok.error();

    RawSurface surface;
    surface.unitNormals = options.unitNormals;
    surface.content = findSignRows(field, rows);
    if (surface.content != FieldContent::Mixed) return surface;
    if (options.manifold)
        extractMixed<true>(field, options, buffers, rows, surface);
    else
        extractMixed<false>(field, options, buffers, rows, surface);
    return surface;
}

SurfaceNetsWorkspace::SurfaceNetsWorkspace(bool manifold, Allocator& allocator) : m_allocator(allocator) {
    const SurfaceNetsCapacity capacity = surfaceNetsCapacity(voxel::kChunkSize, manifold);
    const std::size_t quads = capacity.quads * sizeof(SurfaceQuad),
                      vectors = capacity.vertices * sizeof(Vec3f);
    const std::size_t splits = capacity.splits * sizeof(SplitCube);
    m_bytes = quads + splits + 2 * vectors + capacity.vertices * sizeof(std::uint16_t);
    m_memory = m_allocator.allocate(m_bytes, 64);
    auto* bytes = static_cast<std::byte*>(m_memory);
    m_buffers.quads = {reinterpret_cast<SurfaceQuad*>(bytes), capacity.quads};
    m_buffers.splits = {reinterpret_cast<SplitCube*>(bytes + quads), capacity.splits};
    bytes += quads + splits;
    m_buffers.positions = {reinterpret_cast<Vec3f*>(bytes), capacity.vertices};
    m_buffers.normals = {reinterpret_cast<Vec3f*>(bytes + vectors), capacity.vertices};
    m_buffers.cubes = {reinterpret_cast<std::uint16_t*>(bytes + 2 * vectors), capacity.vertices};
}

SurfaceNetsWorkspace::~SurfaceNetsWorkspace() {
    m_allocator.deallocate(m_memory, m_bytes, 64);
}

}  // namespace karst::voxel_mesh
