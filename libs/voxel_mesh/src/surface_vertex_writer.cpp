#include <karst/voxel_mesh/surface_vertex_writer.h>

#include <cmath>

#include "material_sets.h"

namespace karst::voxel_mesh {
namespace {

// Below this squared length a normal says nothing: it is what rounding left of 0.
constexpr float kNoNormal = 0x1p-20f;

Vec3f cubeGradient(const FieldView& field, std::size_t cube, Vec3f position) {
    const int dz = field.stride(), dy = dz * dz;
    const std::uint8_t* s = field.samples + cube;
    const auto c = [&](int k) { return static_cast<float>(s[(k & 1) + (k >> 1 & 1) * dz + (k >> 2) * dy]); };
    const auto mix = [](float a, float b, float t) { return a + t * (b - a); };
    const float u = position.x - std::floor(position.x), v = position.y - std::floor(position.y),
                w = position.z - std::floor(position.z);
    return {mix(mix(c(0) - c(1), c(2) - c(3), w), mix(c(4) - c(5), c(6) - c(7), w), v),
            mix(mix(c(0) - c(4), c(1) - c(5), u), mix(c(2) - c(6), c(3) - c(7), u), w),
            mix(mix(c(0) - c(2), c(1) - c(3), u), mix(c(4) - c(6), c(5) - c(7), u), v)};
}

Vec3f unitNormal(const FieldView& field, std::size_t cube, Vec3f position, Vec3f normal) {
    if (!(dot(normal, normal) > kNoNormal)) normal = cubeGradient(field, cube, position);
    if (!(dot(normal, normal) > kNoNormal)) return {0, 1, 0};
    const float l = length(normal);
    return {normal.x / l, normal.y / l, normal.z / l};
}

}  // namespace

SurfaceVertexWriter::SurfaceVertexWriter(Allocator& allocator)
    : m_quadSets(allocator),
      m_quadStrongest(allocator),
      m_sets(allocator),
      m_strongest(allocator),
      m_firstDuplicate(allocator),
      m_duplicates(allocator),
      m_patches(allocator) {}

void SurfaceVertexWriter::duplicate(std::uint32_t corner, std::uint32_t vertex, std::uint32_t set,
                                    std::uint8_t strongest) {
    std::uint32_t* link = &m_firstDuplicate[vertex];
    while (*link != 0 && m_duplicates[*link - 1].set != set)
        link = &m_duplicates[*link - 1].next;
    std::uint32_t found = *link;
    if (found == 0) {
        found = static_cast<std::uint32_t>(m_duplicates.size() + 1);
        *link = found;
        m_duplicates.push_back({vertex, set, 0, strongest});
    }
    m_patches.push_back({corner, static_cast<std::uint32_t>(m_raw.positions.size()) + found - 1});
}

Result<SurfaceCounts> SurfaceVertexWriter::prepare(const FieldView& field, const RawSurface& raw, int level) {
    if (level < 0 || level >= kMeshLevels)
        return makeError(ErrorCode::InvalidArgument, "SurfaceVertexWriter: no level %d", level);
    if (!field.materials && !raw.quads.empty())
        return makeError(ErrorCode::InvalidArgument, "SurfaceVertexWriter: a field without materials");
    m_field = field;
    m_raw = raw;
    m_scale = static_cast<float>(1 << level);
    const std::size_t vertices = raw.positions.size(), quads = raw.quads.size();
    m_sets.resize(vertices);
    m_strongest.resize(vertices);
    m_firstDuplicate.assign(vertices, 0);
    m_quadSets.resize(quads);
    m_quadStrongest.resize(quads);
    m_duplicates.clear();
    m_patches.clear();

    // From the last quad to the first, so that a vertex ends with the set of its first quad.
    for (std::size_t q = quads; q-- > 0;) {
        MaterialSums sums;
        for (const std::uint32_t v : raw.quads[q].vertices)
            sums.add(field, raw.cubes[v]);
        const MaterialSums::Choice choice = sums.choose();
        m_quadSets[q] = choice.set;
        m_quadStrongest[q] = choice.strongest;
        for (const std::uint32_t v : raw.quads[q].vertices) {
            m_sets[v] = choice.set;
            m_strongest[v] = choice.strongest;
        }
    }
    for (std::size_t q = 0; q < quads; ++q) {
        for (std::uint32_t k = 0; k < 4; ++k) {
            const std::uint32_t v = raw.quads[q].vertices[k];
            if (m_sets[v] != m_quadSets[q])
                duplicate(static_cast<std::uint32_t>(4 * q) + k, v, m_quadSets[q], m_quadStrongest[q]);
        }
    }
    return SurfaceCounts{static_cast<std::uint32_t>(vertices + m_duplicates.size()),
                         static_cast<std::uint32_t>(6 * quads)};
}

Result<void> SurfaceVertexWriter::write(std::span<SurfaceVertex> vertices,
                                        std::span<std::uint32_t> indices) const {
    const std::size_t rawVertices = m_raw.positions.size(), quads = m_raw.quads.size();
    if (vertices.size() != rawVertices + m_duplicates.size())
        return makeError(ErrorCode::InvalidArgument, "SurfaceVertexWriter: room for %zu vertices, not %zu",
                         vertices.size(), rawVertices + m_duplicates.size());
    if (indices.size() != 6 * quads)
        return makeError(ErrorCode::InvalidArgument, "SurfaceVertexWriter: room for %zu indices, not %zu",
                         indices.size(), 6 * quads);
    const auto make = [&](std::size_t v, std::uint32_t set, std::uint8_t strongest) {
        SurfaceVertex out;
        const Vec3f position = m_raw.positions[v];
        out.position = Vec3f{position.x + 0.5f, position.y + 0.5f, position.z + 0.5f} * m_scale;
        out.normal = unitNormal(m_field, m_raw.cubes[v], position, m_raw.normals[v]);
        for (int k = 0; k < 4; ++k)
            out.materials[k] = materialAt(set, k);
        out.weights = materialWeights(m_field, m_raw.cubes[v], set, strongest);
        return out;
    };
    for (std::size_t v = 0; v < rawVertices; ++v)
        vertices[v] = make(v, m_sets[v], m_strongest[v]);
    for (std::size_t d = 0; d < m_duplicates.size(); ++d) {
        const Duplicate& duplicate = m_duplicates[d];
        vertices[rawVertices + d] = make(duplicate.vertex, duplicate.set, duplicate.strongest);
    }
    // Corner k of a quad is at these places of its six indices.
    constexpr int kFirst[4] = {0, 1, 2, 5}, kSecond[4] = {3, 1, 4, 5};
    for (std::size_t q = 0; q < quads; ++q) {
        for (int k = 0; k < 4; ++k)
            indices[6 * q + kFirst[k]] = indices[6 * q + kSecond[k]] = m_raw.quads[q].vertices[k];
    }
    for (const Patch& patch : m_patches) {
        const std::size_t q = patch.corner / 4;
        indices[6 * q + kFirst[patch.corner % 4]] = indices[6 * q + kSecond[patch.corner % 4]] = patch.vertex;
    }
    return {};
}

Result<void> SurfaceVertexWriter::writeMesh(const FieldView& field, const RawSurface& raw, int level,
                                            SurfaceMesh& mesh) {
    auto counts = prepare(field, raw, level);
    if (!counts) return counts.error();
    mesh.level = level;
    mesh.vertices.resize(counts->vertexCount);
    mesh.indices.resize(counts->indexCount);
    return write(mesh.vertices, mesh.indices);
}

}  // namespace karst::voxel_mesh
