#include <karst/base/byte_writer.h>
#include <karst/voxel_mesh/gltf_writer.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "number_text.h"

namespace karst::voxel_mesh {
namespace {

constexpr std::uint32_t kVertexBytes = 32;  // position 12, normal 12, colour 4 x 16 bits

struct Extent {
    Vec3f min, max;
};

std::uint16_t normalized16(float value) {
    return static_cast<std::uint16_t>(std::lround(std::clamp(value, 0.0f, 1.0f) * 65535.0f));
}

Extent writeVertices(ByteWriter& out, const SurfaceMesh& mesh, float cellSize,
                     const std::array<Vec3f, 256>& colors) {
    constexpr float kMost = std::numeric_limits<float>::max();
    Extent extent{{kMost, kMost, kMost}, {-kMost, -kMost, -kMost}};
    for (const SurfaceVertex& vertex : mesh.vertices) {
        const Vec3f p = vertex.position * cellSize, n = vertex.normal;
        const Vec3f color = blendColors(vertex, colors);
        extent.min = {std::min(extent.min.x, p.x), std::min(extent.min.y, p.y), std::min(extent.min.z, p.z)};
        extent.max = {std::max(extent.max.x, p.x), std::max(extent.max.y, p.y), std::max(extent.max.z, p.z)};
        for (const float value : {p.x, p.y, p.z, n.x, n.y, n.z})
            out.f32(value);
        for (const float value : {color.x, color.y, color.z, 1.0f})
            out.u16(normalized16(value));
    }
    return extent;
}

// The JSON of one file; commas and brackets are set where each list ends.
class GltfText {
  public:
    void addSurface(const SurfaceExport& surfaces, const PlacedSurface& surface, const Extent& extent,
                    std::uint64_t firstVertex, std::uint64_t firstIndex);
    std::string finish(std::uint64_t vertexBytes, std::uint64_t indexBytes);

  private:
    void accessor(int view, std::uint64_t offset, int type, std::uint64_t count, const char* shape,
                  const std::string& more);

    std::string m_nodes, m_meshes, m_accessors, m_roots;
    std::uint32_t m_count = 0;
};

void appendVector(std::string& out, double x, double y, double z) {
    out += '[';
    appendNumber(out, x);
    out += ',';
    appendNumber(out, y);
    out += ',';
    appendNumber(out, z);
    out += ']';
}

void GltfText::accessor(int view, std::uint64_t offset, int type, std::uint64_t count, const char* shape,
                        const std::string& more) {
    if (!m_accessors.empty()) m_accessors += ',';
    m_accessors += "{\"bufferView\":" + std::to_string(view) + ",\"byteOffset\":" + std::to_string(offset) +
                   ",\"componentType\":" + std::to_string(type) + ",\"count\":" + std::to_string(count) +
                   ",\"type\":\"" + shape + "\"" + more + "}";
}

void GltfText::addSurface(const SurfaceExport& surfaces, const PlacedSurface& surface, const Extent& extent,
                          std::uint64_t firstVertex, std::uint64_t firstIndex) {
    constexpr int kFloat = 5126, kUnsignedShort = 5123, kUnsignedInt = 5125;
    const std::string number = std::to_string(m_count), comma = m_count == 0 ? "" : ",";
    const voxel::ChunkCoord c = surface.chunk;
    const WorldPosition corner = surfaces.placement.cellCorner(voxel::firstCell(c)) - surfaces.origin;
    m_roots += comma + number;
    m_nodes += comma + "{\"name\":\"chunk " + std::to_string(c.x) + " " + std::to_string(c.y) + " " +
               std::to_string(c.z) + "\",\"mesh\":" + number + ",\"translation\":";
    appendVector(m_nodes, corner.x, corner.y, corner.z);
    m_nodes += '}';

    const std::uint32_t first = m_count * 4;
    m_meshes += comma + "{\"primitives\":[{\"attributes\":{\"POSITION\":" + std::to_string(first) +
                ",\"NORMAL\":" + std::to_string(first + 1) + ",\"COLOR_0\":" + std::to_string(first + 2) +
                "},\"indices\":" + std::to_string(first + 3) + ",\"material\":0}]}";

    const std::uint64_t vertices = surface.mesh->vertices.size(), offset = firstVertex * kVertexBytes;
    std::string range = ",\"min\":";
    appendVector(range, extent.min.x, extent.min.y, extent.min.z);
    range += ",\"max\":";
    appendVector(range, extent.max.x, extent.max.y, extent.max.z);
    accessor(0, offset, kFloat, vertices, "VEC3", range);
    accessor(0, offset + 12, kFloat, vertices, "VEC3", "");
    accessor(0, offset + 24, kUnsignedShort, vertices, "VEC4", ",\"normalized\":true");
    accessor(1, firstIndex * 4, kUnsignedInt, surface.mesh->indices.size(), "SCALAR", "");
    ++m_count;
}

std::string GltfText::finish(std::uint64_t vertexBytes, std::uint64_t indexBytes) {
    std::string text = "{\"asset\":{\"version\":\"2.0\",\"generator\":\"Karst\"},\"scene\":0,\"scenes\":[{";
    if (m_count == 0) return text + "\"name\":\"empty\"}]}";
    text += "\"nodes\":[" + m_roots + "]}],\"nodes\":[" + m_nodes + "],\"meshes\":[" + m_meshes +
            "],\"materials\":[{\"name\":\"terrain\",\"pbrMetallicRoughness\":{\"metallicFactor\":0,"
            "\"roughnessFactor\":1}}],\"accessors\":[" +
            m_accessors + "],\"bufferViews\":[{\"buffer\":0,\"byteOffset\":0,\"byteLength\":" +
            std::to_string(vertexBytes) + ",\"byteStride\":" + std::to_string(kVertexBytes) +
            ",\"target\":34962},{\"buffer\":0,\"byteOffset\":" + std::to_string(vertexBytes) +
            ",\"byteLength\":" + std::to_string(indexBytes) +
            ",\"target\":34963}],\"buffers\":[{\"byteLength\":" + std::to_string(vertexBytes + indexBytes) +
            "}]}";
    return text;
}

}  // namespace

Result<std::vector<std::byte>> writeGlb(const SurfaceExport& surfaces) {
    if (auto good = validate(surfaces); !good) return good.error();
    const std::array<Vec3f, 256> colors = linearColors(surfaces.materials);
    const float cellSize = static_cast<float>(surfaces.placement.cellSize);
    std::uint64_t vertexCount = 0, indexCount = 0;
    for (const PlacedSurface& surface : surfaces.surfaces) {
        if (surface.mesh->empty()) continue;
        vertexCount += surface.mesh->vertices.size();
        indexCount += surface.mesh->indices.size();
    }
    const std::uint64_t binaryBytes = vertexCount * kVertexBytes + indexCount * 4;
    constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();
    const auto tooLarge = [&] {
        return makeError(
            ErrorCode::TooLarge, "glb: %llu vertices and %llu indices do not fit the format's 4 GiB",
            static_cast<unsigned long long>(vertexCount), static_cast<unsigned long long>(indexCount));
    };
    if (binaryBytes > kMost) return tooLarge();

    GltfText text;
    std::vector<std::byte> binary;
    binary.reserve(binaryBytes);
    ByteWriter out(binary);
    std::uint64_t firstVertex = 0, firstIndex = 0;
    for (const PlacedSurface& surface : surfaces.surfaces) {
        if (surface.mesh->empty()) continue;
        const Extent extent = writeVertices(out, *surface.mesh, cellSize, colors);
        text.addSurface(surfaces, surface, extent, firstVertex, firstIndex);
        firstVertex += surface.mesh->vertices.size();
        firstIndex += surface.mesh->indices.size();
    }
    for (const PlacedSurface& surface : surfaces.surfaces) {
        for (const std::uint32_t index : surface.mesh->indices)
            out.u32(index);
    }

    std::string json = text.finish(vertexCount * kVertexBytes, indexCount * 4);
    json.append((4 - json.size() % 4) % 4, ' ');
    const std::uint64_t total = 12 + 8 + json.size() + (binary.empty() ? 0 : 8 + binary.size());
    if (total > kMost) return tooLarge();
    std::vector<std::byte> file;
    file.reserve(total);
    ByteWriter head(file);
    head.u32(0x46546C67);  // "glTF"
    head.u32(2);
    head.u32(static_cast<std::uint32_t>(total));
    head.u32(static_cast<std::uint32_t>(json.size()));
    head.u32(0x4E4F534A);  // "JSON"
    head.bytes(std::as_bytes(std::span(json)));
    if (!binary.empty()) {
        head.u32(static_cast<std::uint32_t>(binary.size()));
        head.u32(0x004E4942);  // "BIN"
        head.bytes(binary);
    }
    return file;
}

}  // namespace karst::voxel_mesh
