#include <karst/voxel_mesh/surface_vertex_writer.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstring>

#include "cube_vertices.h"
#include "load_bytes.h"
#include "material_kernels.h"
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
    return normal * (1.0f / length(normal));
}

using Four = float __attribute__((vector_size(16)));
using FourWords = std::uint32_t __attribute__((vector_size(16)));

Four loadVector(const Vec3f* vector) {
    Four four;
    std::memcpy(&four, vector, sizeof(four));
    return four;
}

// Two stores of half a vertex each; of position and normal the first three lanes count.
inline void storeVertex(Four position, Four normal, float scale, std::uint32_t set, std::uint32_t weights,
                        SurfaceVertex* out) {
    const Four scaled = (position + 0.5f) * scale;
    const Four low = __builtin_shufflevector(scaled, normal, 0, 1, 2, 4);
    const Four bytes = (Four)FourWords{littleEndian(set), littleEndian(weights)};
    const Four high = __builtin_shufflevector(normal, bytes, 1, 2, 4, 5);
    auto* half = reinterpret_cast<std::byte*>(out);
    std::memcpy(half, &low, sizeof(low));
    std::memcpy(half + sizeof(low), &high, sizeof(high));
}

// The place of the lowest bit; of no bits, some place.
std::uint32_t lowestBit(std::uint64_t bits) {
    return static_cast<std::uint32_t>(__builtin_ctzll(bits | std::uint64_t{1} << 63));
}

constexpr std::uint32_t kNoSet = ~std::uint32_t{0};
constexpr std::size_t kFewSets = 64;

std::uint32_t hashOf(std::uint32_t ids) {
    return static_cast<std::uint32_t>(ids * std::uint64_t{0x9e3779b97f4a7c15u} >> 32);
}

// The set of at most 4 of the palette's materials.
std::uint32_t setOfPalette(const Palette& palette, std::uint32_t present) {
    voxel::MaterialId ids[4] = {};
    int count = 0;
    for (int k = 0; k < palette.count; ++k) {
        if (present >> k & 1) ids[count++] = palette.ids[k];
    }
    return materialSet(ids, count);
}

}  // namespace

SurfaceVertexWriter::SurfaceVertexWriter(Allocator& allocator)
    : m_plane(allocator),
      m_present(allocator),
      m_sets(allocator),
      m_setTable(allocator),
      m_quadSets(allocator),
      m_cuts(allocator),
      m_used(allocator),
      m_firstCopies(allocator),
      m_sources(allocator),
      m_sourceSets(allocator),
      m_pairs(allocator) {}

std::uint32_t SurfaceVertexWriter::setNumber(std::uint32_t ids) {
    if (2 * m_sets.size() >= m_setTable.size()) {
        m_setTable.assign(std::max<std::size_t>(256, 2 * m_setTable.size()), 0);
        for (std::size_t n = 0; n < m_sets.size(); ++n) {
            std::size_t slot = hashOf(m_sets[n].ids) & (m_setTable.size() - 1);
            while (m_setTable[slot] != 0)
                slot = (slot + 1) & (m_setTable.size() - 1);
            m_setTable[slot] = static_cast<std::uint32_t>(n + 1);
        }
    }
    std::size_t slot = hashOf(ids) & (m_setTable.size() - 1);
    while (m_setTable[slot] != 0) {
        if (m_sets[m_setTable[slot] - 1].ids == ids) return m_setTable[slot] - 1;
        slot = (slot + 1) & (m_setTable.size() - 1);
    }
    m_sets.push_back({ids, (ids & 255) != ids >> 24});
    m_setTable[slot] = static_cast<std::uint32_t>(m_sets.size());
    return m_setTable[slot] - 1;
}

// The general way, sample by sample.
std::uint32_t SurfaceVertexWriter::setOfQuad(std::uint32_t quad) {
    MaterialSums sums;
    for (const std::uint32_t v : m_raw.quads[quad].vertices)
        sums.add(m_field, m_raw.cubes[v]);
    const MaterialSums::Choice choice = sums.choose();
    if (choice.cut) m_cuts.push_back({quad, choice.strongest});
    return setNumber(choice.set);
}

void SurfaceVertexWriter::findSets() {
    const std::size_t vertices = m_raw.positions.size(), quads = m_raw.quads.size();
    m_quadSets.resize(quads);
    m_plane.resize(m_field.sampleCount());
    Palette palette;
    // Only the layers that hold the cubes.
    const std::size_t layer = static_cast<std::size_t>(m_field.stride()) * m_field.stride();
    const std::size_t begin = m_raw.cubes.front() / layer * layer,
                      end = (m_raw.cubes.back() / layer + 2) * layer;
    if (!paintPlane(widestLanes(), m_field, begin, end, palette, m_plane.data())) {
        for (std::size_t q = 0; q < quads; ++q)
            m_quadSets[q] = setOfQuad(static_cast<std::uint32_t>(q));
        return;
    }
    // Local pointers, as writes of bytes might change anything else.
    m_present.resize(vertices);
    std::uint8_t* present = m_present.data();
    const std::uint8_t* plane = m_plane.data();
    const std::uint16_t* cubes = m_raw.cubes.data();
    const std::size_t dz = static_cast<std::size_t>(m_field.stride()), dy = dz * dz;
    for (std::size_t v = 0; v < vertices; ++v) {
        const std::uint8_t* p = plane + cubes[v];
        const std::uint32_t bits = load16(p) | load16(p + dz) | load16(p + dy) | load16(p + dy + dz);
        present[v] = static_cast<std::uint8_t>(bits | bits >> 8);
    }
    // The sets of quads whose materials all have room.
    std::uint32_t numbers[256];
    std::fill_n(numbers, 256, kNoSet);
    std::uint32_t* quadSets = m_quadSets.data();
    for (std::size_t q = 0; q < quads; ++q) {
        const auto& [a, b, c, d] = m_raw.quads[q].vertices;
        const std::uint32_t all = present[a] | present[b] | present[c] | present[d];
        if (numbers[all] == kNoSet) {
            if (std::popcount(all) > 4) {
                quadSets[q] = setOfQuad(static_cast<std::uint32_t>(q));
                continue;
            }
            numbers[all] = setNumber(setOfPalette(palette, all));
        }
        quadSets[q] = numbers[all];
    }
}

void SurfaceVertexWriter::findCopies() {
    const std::size_t vertices = m_raw.positions.size(), quads = m_raw.quads.size();
    m_firstCopies.resize(vertices + 1);
    if (m_sets.size() <= kFewSets) {
        m_used.assign(vertices, 0);
        std::uint64_t* used = m_used.data();
        const SurfaceQuad* quad = m_raw.quads.data();
        for (const std::uint32_t set : m_quadSets) {
            const std::uint64_t bit = std::uint64_t{1} << set;
            const auto& [a, b, c, d] = (quad++)->vertices;
            used[a] |= bit;
            used[b] |= bit;
            used[c] |= bit;
            used[d] |= bit;
        }
        const std::size_t copies = countCopies(widestLanes(), used, vertices);
        m_sources.resize(copies + 1);
        m_sourceSets.resize(copies + 1);
        std::uint32_t *sources = m_sources.data(), *sets = m_sourceSets.data();
        std::uint32_t n = 0;
        for (std::uint32_t v = 0; v < vertices; ++v) {
            m_firstCopies[v] = n;
            // One or two copies without a branch.
            std::uint64_t bits = used[v];
            sources[n] = v;
            sets[n++] = lowestBit(bits);
            bits &= bits - 1;
            sources[n] = v;
            sets[n] = lowestBit(bits);
            n += bits != 0;
            bits &= bits - 1;
            for (; bits != 0; bits &= bits - 1) {
                sources[n] = v;
                sets[n++] = lowestBit(bits);
            }
        }
        m_sources.pop_back();
        m_sourceSets.pop_back();
        m_firstCopies[vertices] = n;
        return;
    }
    m_pairs.clear();
    for (std::size_t q = 0; q < quads; ++q) {
        for (const std::uint32_t v : m_raw.quads[q].vertices)
            m_pairs.push_back(std::uint64_t{v} << 32 | m_quadSets[q]);
    }
    std::sort(m_pairs.begin(), m_pairs.end());
    m_pairs.erase(std::unique(m_pairs.begin(), m_pairs.end()), m_pairs.end());
    m_sources.resize(m_pairs.size());
    m_sourceSets.resize(m_pairs.size());
    std::size_t next = 0;
    for (std::size_t n = 0; n < m_pairs.size(); ++n) {
        m_sources[n] = static_cast<std::uint32_t>(m_pairs[n] >> 32);
        m_sourceSets[n] = static_cast<std::uint32_t>(m_pairs[n]);
        while (next <= m_sources[n])
            m_firstCopies[next++] = static_cast<std::uint32_t>(n);
    }
    while (next <= vertices)
        m_firstCopies[next++] = static_cast<std::uint32_t>(m_pairs.size());
}

std::uint32_t SurfaceVertexWriter::copyOf(std::uint32_t vertex, std::uint32_t set) const {
    const auto begin = m_sourceSets.begin();
    const auto found =
        std::lower_bound(begin + m_firstCopies[vertex], begin + m_firstCopies[vertex + 1], set);
    return static_cast<std::uint32_t>(found - begin);
}

Result<SurfaceCounts> SurfaceVertexWriter::prepare(const FieldView& field, const RawSurface& raw, int level) {
    if (level < 0 || level >= kMeshLevels)
        return makeError(ErrorCode::InvalidArgument, "SurfaceVertexWriter: no level %d", level);
    if (!field.materials && !raw.quads.empty())
        return makeError(ErrorCode::InvalidArgument, "SurfaceVertexWriter: a field without materials");
    m_field = field;
    m_raw = raw;
    m_scale = static_cast<float>(1 << level);
    m_sets.clear();
    m_setTable.clear();
    m_cuts.clear();
    m_sources.clear();
    if (raw.quads.empty()) return SurfaceCounts{};
    findSets();
    findCopies();
    return SurfaceCounts{static_cast<std::uint32_t>(m_sources.size()),
                         static_cast<std::uint32_t>(6 * raw.quads.size())};
}

void SurfaceVertexWriter::writeVertices(std::span<SurfaceVertex> vertices) const {
    const std::size_t dz = static_cast<std::size_t>(m_field.stride()), dy = dz * dz;
    const std::uint16_t* cubes = m_raw.cubes.data();
    const Set* allSets = m_sets.data();
    const std::uint8_t* samples = m_field.samples;
    const voxel::MaterialId* materials = m_field.materials;
    const float scale = m_scale;
    // A vector is loaded with the number behind it, which the last one does not have.
    const std::size_t lastVector = m_raw.positions.size() - 1;
    WeightBlock block;
    std::uint32_t sets[WeightBlock::kSize], weights[WeightBlock::kSize], mixed[WeightBlock::kSize + 1];
    for (std::size_t first = 0; first < vertices.size(); first += WeightBlock::kSize) {
        const std::size_t count = std::min(WeightBlock::kSize, vertices.size() - first);
        const std::uint32_t* sources = m_sources.data() + first;
        const std::uint32_t* sourceSets = m_sourceSets.data() + first;
        // Only sets of several materials need work.
        std::uint32_t mixedCount = 0;
        for (std::uint32_t i = 0; i < count; ++i) {
            const Set set = allSets[sourceSets[i]];
            sets[i] = set.ids;
            weights[i] = 255;
            mixed[mixedCount] = i;
            mixedCount += set.mixed;
        }
        for (std::uint32_t m = 0; m < mixedCount; ++m) {
            const std::size_t cube = cubes[sources[mixed[m]]];
            const std::uint8_t* s = samples + cube;
            const voxel::MaterialId* id = materials + cube;
            block.samples[0][m] = load16(s) | load16(s + dz) << 16;
            block.samples[1][m] = load16(s + dy) | load16(s + dy + dz) << 16;
            block.materials[0][m] = load16(id) | load16(id + dz) << 16;
            block.materials[1][m] = load16(id + dy) | load16(id + dy + dz) << 16;
            block.sets[m] = sets[mixed[m]];
        }
        // Lanes are computed whole.
        for (std::uint32_t m = mixedCount; m % 8 != 0; ++m) {
            block.samples[0][m] = block.samples[1][m] = 0;
            block.materials[0][m] = block.materials[1][m] = block.sets[m] = 0;
        }
        computeWeights(widestLanes(), block, mixedCount);
        for (std::uint32_t m = 0; m < mixedCount; ++m)
            weights[mixed[m]] = block.weights[m];

        for (std::size_t i = 0; i < count; ++i) {
            const std::uint32_t v = sources[i];
            if (v < lastVector && m_raw.unitNormals) {
                storeVertex(loadVector(&m_raw.positions[v]), loadVector(&m_raw.normals[v]), scale, sets[i],
                            weights[i], &vertices[first + i]);
                continue;
            }
            const Vec3f& p = m_raw.positions[v];
            Vec3f n = m_raw.normals[v];
            if (!m_raw.unitNormals) n = unitNormal(m_field, cubes[v], p, n);
            storeVertex(Four{p.x, p.y, p.z}, Four{n.x, n.y, n.z}, scale, sets[i], weights[i],
                        &vertices[first + i]);
        }
    }
}

// A vertex without any material of its set: only a quad that left materials out has such.
void SurfaceVertexWriter::writeCutWeights(std::span<SurfaceVertex> vertices) const {
    // From the last to the first, so that the first one stays.
    for (std::size_t n = m_cuts.size(); n-- > 0;) {
        const CutQuad& cut = m_cuts[n];
        const std::uint32_t set = m_quadSets[cut.quad];
        for (const std::uint32_t v : m_raw.quads[cut.quad].vertices) {
            const auto weights = materialWeights(m_field, m_raw.cubes[v], m_sets[set].ids, cut.strongest);
            vertices[copyOf(v, set)].weights = weights;
        }
    }
}

Result<void> SurfaceVertexWriter::write(std::span<SurfaceVertex> vertices,
                                        std::span<std::uint32_t> indices) const {
    const std::size_t quads = m_raw.quads.size();
    if (vertices.size() != m_sources.size())
        return makeError(ErrorCode::InvalidArgument, "SurfaceVertexWriter: room for %zu vertices, not %zu",
                         vertices.size(), m_sources.size());
    if (indices.size() != 6 * quads)
        return makeError(ErrorCode::InvalidArgument, "SurfaceVertexWriter: room for %zu indices, not %zu",
                         indices.size(), 6 * quads);
    if (quads == 0) return {};
    writeVertices(vertices);
    writeCutWeights(vertices);
    if (m_sets.size() <= kFewSets) {
        writeIndices(widestLanes(), m_raw.quads.data(), m_quadSets.data(), quads, m_used.data(),
                     m_firstCopies.data(), indices.data());
        return {};
    }
    for (std::size_t q = 0; q < quads; ++q) {
        constexpr int kCorners[6] = {0, 1, 2, 0, 2, 3};
        for (int k = 0; k < 6; ++k)
            indices[6 * q + k] = copyOf(m_raw.quads[q].vertices[kCorners[k]], m_quadSets[q]);
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
