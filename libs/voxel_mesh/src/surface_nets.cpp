#include <karst/voxel_mesh/surface_nets.h>

#include <cmath>
#include <utility>

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
    return {};
}

float quantised(float x) {
    // Adding a number between 128 and 256 leaves 16 bits of fraction.
    return (x + 192.0f) - 192.0f;
}

float lerp(float a, float b, float t) {
    return a + t * (b - a);
}

// What a cube's vertex is made of. `s` is its lowest sample; corner k is at x = k & 1, z = k >> 1 & 1, y = k
// >> 2.
struct CubeVertex {
    Vec3f local, normal;
};

CubeVertex cubeVertex(const std::uint8_t* s, int stride, NormalMethod method) {
    const int dz = stride, dy = stride * stride;
    float c[8], m[8];
    bool solid[8];
    for (int k = 0; k < 8; ++k) {
        c[k] = static_cast<float>(s[(k & 1) + (k >> 1 & 1) * dz + (k >> 2) * dy]) - 127.5f;
        m[k] = std::fabs(c[k]);
        solid[k] = c[k] > 0;
    }
    int count = 0, atX = 0, atY = 0, atZ = 0;
    const auto crossing = [&](int a, int b) {
        if (solid[a] == solid[b]) return 0.0f;
        ++count;
        const int step = b - a;
        if (step != 1) atX += a & 1;
        if (step != 2) atZ += a >> 1 & 1;
        if (step != 4) atY += a >> 2;
        return m[a] / (m[a] + m[b]);
    };
    const float x0 = crossing(0, 1), x1 = crossing(2, 3), x2 = crossing(4, 5), x3 = crossing(6, 7);
    const float y0 = crossing(0, 4), y1 = crossing(1, 5), y2 = crossing(2, 6), y3 = crossing(3, 7);
    const float z0 = crossing(0, 2), z1 = crossing(1, 3), z2 = crossing(4, 6), z3 = crossing(5, 7);
    const float inverse = 1.0f / static_cast<float>(count);
    CubeVertex out;
    out.local.x = quantised((((x0 + x1) + (x2 + x3)) + static_cast<float>(atX)) * inverse);
    out.local.y = quantised((((y0 + y1) + (y2 + y3)) + static_cast<float>(atY)) * inverse);
    out.local.z = quantised((((z0 + z1) + (z2 + z3)) + static_cast<float>(atZ)) * inverse);
    const float u = out.local.x, v = out.local.y, w = out.local.z;
    if (method == NormalMethod::CubeGradient) {
        out.normal.x = lerp(lerp(c[0] - c[1], c[2] - c[3], w), lerp(c[4] - c[5], c[6] - c[7], w), v);
        out.normal.y = lerp(lerp(c[0] - c[4], c[1] - c[5], u), lerp(c[2] - c[6], c[3] - c[7], u), w);
        out.normal.z = lerp(lerp(c[0] - c[2], c[1] - c[3], u), lerp(c[4] - c[6], c[5] - c[7], u), v);
        return out;
    }
    // Along one axis the difference is interpolated between the cube's two samples, then across.
    const auto along = [&](int corner, int step, float t) {
        const std::uint8_t* p = s + (corner & 1) + (corner >> 1 & 1) * dz + (corner >> 2) * dy;
        const float before = p[-step], low = p[0], high = p[step], after = p[2 * step];
        return lerp(before - high, low - after, t);
    };
    out.normal.x =
        0.5f * lerp(lerp(along(0, 1, u), along(2, 1, u), w), lerp(along(4, 1, u), along(6, 1, u), w), v);
    out.normal.y =
        0.5f * lerp(lerp(along(0, dy, v), along(1, dy, v), u), lerp(along(2, dy, v), along(3, dy, v), u), w);
    out.normal.z =
        0.5f * lerp(lerp(along(0, dz, w), along(1, dz, w), u), lerp(along(4, dz, w), along(5, dz, w), u), v);
    return out;
}

}  // namespace

SurfaceNetsCapacity surfaceNetsCapacity(std::int32_t size, bool manifold) {
    const std::size_t n = static_cast<std::size_t>(size), cubes = (n + 1) * (n + 1) * (n + 1);
    return {cubes * (manifold ? 4 : 1) + kSlack, 3 * n * n * n + kSlack};
}

Result<RawSurface> extractSurface(const FieldView& field, const SurfaceNetsOptions& options,
                                  const SurfaceNetsBuffers& buffers) {
    if (auto ok = check(field, options, buffers); !ok) return ok.error();
    if (options.manifold) return makeError(ErrorCode::Unsupported, "extractSurface: manifold");
    const int size = field.size, stride = field.stride();
    const auto solid = [&](std::size_t i) { return field.samples[i] >= 128; };

    RawSurface surface;
    bool anySolid = false, anyAir = false;
    for (int y = -1; y <= size; ++y) {
        for (int z = -1; z <= size; ++z) {
            for (int x = -1; x <= size; ++x)
                (solid(field.fieldIndex(x, y, z)) ? anySolid : anyAir) = true;
        }
    }
    if (!anySolid || !anyAir) {
        surface.content = anySolid ? FieldContent::AllSolid : FieldContent::AllAir;
        return surface;
    }
    surface.content = FieldContent::Mixed;

    // Two layers of cubes by their place in the layer: the number of their vertex.
    std::uint32_t ring[2][36 * 36];
    const std::size_t step[3] = {1, static_cast<std::size_t>(stride) * stride,
                                 static_cast<std::size_t>(stride)};
    const std::size_t layerSize = step[1];
    std::uint32_t vertexCount = 0, quadCount = 0;
    const auto owned = [&](int x, int y, int z, int axis) {
        if (x < 0 || y < 0 || z < 0 || x >= size || y >= size || z >= size) return false;
        const std::size_t i = field.fieldIndex(x, y, z);
        return solid(i) != solid(i + step[axis]);
    };
    for (int y = -1; y < size; ++y) {
        for (int z = -1; z < size; ++z) {
            for (int x = -1; x < size; ++x) {
                bool used = false;
                for (int a = 0; a < 2; ++a) {
                    for (int b = 0; b < 2; ++b)
                        used = used || owned(x, y + a, z + b, 0) || owned(x + a, y, z + b, 1) ||
                               owned(x + a, y + b, z, 2);
                }
                if (!used) continue;
                const std::size_t cube = field.fieldIndex(x, y, z);
                const CubeVertex vertex = cubeVertex(field.samples + cube, stride, options.normals);
                const Vec3f corner{static_cast<float>(x), static_cast<float>(y), static_cast<float>(z)};
                buffers.positions[vertexCount] = corner + vertex.local;
                buffers.normals[vertexCount] = vertex.normal;
                buffers.cubes[vertexCount] = static_cast<std::uint16_t>(cube);
                ring[y & 1][cube % layerSize] = vertexCount++;
            }
        }
        for (const int axis : {0, 2, 1}) {
            for (int z = 0; z < size; ++z) {
                for (int x = 0; x < size; ++x) {
                    if (!owned(x, y, z, axis)) continue;
                    const std::size_t i = field.fieldIndex(x, y, z);
                    // The two axes after this one, in the right-handed order.
                    const std::size_t second = step[(axis + 1) % 3], third = step[(axis + 2) % 3];
                    const auto vertexOf = [&](std::size_t cube) {
                        return ring[(cube / layerSize - field.padding) & 1][cube % layerSize];
                    };
                    SurfaceQuad quad{{vertexOf(i - second - third), vertexOf(i - third), vertexOf(i),
                                      vertexOf(i - second)}};
                    if (!solid(i)) std::swap(quad.vertices[1], quad.vertices[3]);
                    buffers.quads[quadCount++] = quad;
                }
            }
        }
    }
    surface.positions = buffers.positions.first(vertexCount);
    surface.normals = buffers.normals.first(vertexCount);
    surface.cubes = buffers.cubes.first(vertexCount);
    surface.quads = buffers.quads.first(quadCount);
    return surface;
}

SurfaceNetsWorkspace::SurfaceNetsWorkspace(bool manifold, Allocator& allocator) : m_allocator(allocator) {
    const SurfaceNetsCapacity capacity = surfaceNetsCapacity(voxel::kChunkSize, manifold);
    const std::size_t quads = capacity.quads * sizeof(SurfaceQuad),
                      vectors = capacity.vertices * sizeof(Vec3f);
    m_bytes = quads + 2 * vectors + capacity.vertices * sizeof(std::uint16_t);
    m_memory = m_allocator.allocate(m_bytes, 64);
    auto* bytes = static_cast<std::byte*>(m_memory);
    m_buffers.quads = {reinterpret_cast<SurfaceQuad*>(bytes), capacity.quads};
    m_buffers.positions = {reinterpret_cast<Vec3f*>(bytes + quads), capacity.vertices};
    m_buffers.normals = {reinterpret_cast<Vec3f*>(bytes + quads + vectors), capacity.vertices};
    m_buffers.cubes = {reinterpret_cast<std::uint16_t*>(bytes + quads + 2 * vectors), capacity.vertices};
}

SurfaceNetsWorkspace::~SurfaceNetsWorkspace() {
    m_allocator.deallocate(m_memory, m_bytes, 64);
}

}  // namespace karst::voxel_mesh
