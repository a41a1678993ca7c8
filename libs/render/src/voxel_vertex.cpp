#include "voxel_vertex.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace karst::render {

namespace {

// Nothing where the lattice does not reach (or the number is none).
bool packPlace(Vec3f p, int level, GpuVoxelVertex& out) {
    std::uint64_t bits = 0;
    const float coordinates[3] = {p.x, p.y, p.z};
    for (int i = 0; i < 3; ++i) {
        // Exact: a float times a power of two, and rounding that does not depend on the chunk.
        const double steps = std::floor(static_cast<double>(coordinates[i]) * kVoxelLattice + 0.5) +
                             static_cast<double>(kVoxelReach) * kVoxelLattice;
        if (!(steps >= 0 && steps < static_cast<double>(kVoxelSpan) * kVoxelLattice)) return false;
        bits |= static_cast<std::uint64_t>(steps) << (20 * i);
    }
    bits |= static_cast<std::uint64_t>(level) << 60;
    out.place[0] = static_cast<std::uint32_t>(bits);
    out.place[1] = static_cast<std::uint32_t>(bits >> 32);
    return true;
}

// The octahedron about y: (x, z) of what is above, folded over for what is below.
void packNormal(Vec3f n, GpuVoxelVertex& out) {
    const float sum = std::abs(n.x) + std::abs(n.y) + std::abs(n.z);
    float u = sum > 0 ? n.x / sum : 0, v = sum > 0 ? n.z / sum : 0;
    if (n.y < 0) {
        const float a = (1 - std::abs(v)) * (u < 0 ? -1.0f : 1.0f);
        v = (1 - std::abs(u)) * (v < 0 ? -1.0f : 1.0f);
        u = a;
    }
    out.normal[0] = static_cast<std::int16_t>(std::lround(std::clamp(u, -1.0f, 1.0f) * 32767.0f));
    out.normal[1] = static_cast<std::int16_t>(std::lround(std::clamp(v, -1.0f, 1.0f) * 32767.0f));
}

std::uint32_t fourBytes(const std::array<std::uint8_t, 4>& b) {
    return b[0] | std::uint32_t{b[1]} << 8 | std::uint32_t{b[2]} << 16 | std::uint32_t{b[3]} << 24;
}

Result<void> checkIndices(const char* what, std::span<const std::uint32_t> indices, std::size_t vertices) {
    if (indices.size() % 3 != 0) {
        return makeError(ErrorCode::InvalidArgument, "voxel pool: %zu indices of %s are no triangles",
                         indices.size(), what);
    }
    std::uint32_t highest = 0;
    for (const std::uint32_t index : indices)
        highest = std::max(highest, index);
    if (!indices.empty() && highest >= vertices) {
        return makeError(ErrorCode::InvalidArgument, "voxel pool: index %u of %s, which has %zu vertices",
                         highest, what, vertices);
    }
    return {};
}

void grow(EncodedMesh& mesh, const GpuVoxelVertex& vertex) {
    const Vec3f p = decodePlace(vertex);
    if (mesh.vertices.empty()) mesh.min = mesh.max = p;
    mesh.min = {std::min(mesh.min.x, p.x), std::min(mesh.min.y, p.y), std::min(mesh.min.z, p.z)};
    mesh.max = {std::max(mesh.max.x, p.x), std::max(mesh.max.y, p.y), std::max(mesh.max.z, p.z)};
    mesh.vertices.push_back(vertex);
}

Error outside(const char* what, std::size_t vertex, Vec3f p) {
    return makeError(ErrorCode::InvalidArgument,
                     "voxel pool: vertex %zu of %s at (%g, %g, %g) is not within %d .. %d cells", vertex,
                     what, static_cast<double>(p.x), static_cast<double>(p.y), static_cast<double>(p.z),
                     -kVoxelReach, kVoxelSpan - kVoxelReach);
}

}  // namespace

Vec3f decodePlace(const GpuVoxelVertex& vertex) {
    const std::uint64_t bits = vertex.place[0] | std::uint64_t{vertex.place[1]} << 32;
    const auto coordinate = [&](int i) {
        const auto steps = static_cast<int>(bits >> (20 * i) & 0xfffff);
        return static_cast<float>(steps - kVoxelReach * kVoxelLattice) / kVoxelLattice;
    };
    return {coordinate(0), coordinate(1), coordinate(2)};
}

Result<EncodedMesh> encodeSurface(const voxel_mesh::SurfaceMesh& mesh,
                                  std::span<const VoxelVertexLight> light, std::uint16_t slot) {
    if (mesh.level < 0 || mesh.level > 3) {
        return makeError(ErrorCode::InvalidArgument, "voxel pool: level %d is not in 0..3", mesh.level);
    }
    if (!light.empty() && light.size() != mesh.vertices.size()) {
        return makeError(ErrorCode::InvalidArgument, "voxel pool: light of %zu vertices for a surface of %zu",
                         light.size(), mesh.vertices.size());
    }
    if (auto good = checkIndices("a surface", mesh.indices, mesh.vertices.size()); !good) return good.error();
    EncodedMesh out;
    if (mesh.indices.empty()) return out;
    out.indices = mesh.indices;
    out.vertices.reserve(mesh.vertices.size());
    for (std::size_t i = 0; i < mesh.vertices.size(); ++i) {
        const voxel_mesh::SurfaceVertex& from = mesh.vertices[i];
        GpuVoxelVertex to;
        if (!packPlace(from.position, mesh.level, to)) return outside("a surface", i, from.position);
        packNormal(from.normal, to);
        to.materials = fourBytes(from.materials);
        to.weights = fourBytes(from.weights);
        to.slot = slot;
        if (!light.empty()) {
            to.light[0] = light[i].sun;
            to.light[1] = light[i].sky;
        }
        grow(out, to);
    }
    return out;
}

Result<EncodedMesh> encodeWater(const voxel_mesh::WaterMesh& mesh, std::uint16_t slot) {
    if (auto good = checkIndices("water", mesh.indices, mesh.vertices.size()); !good) return good.error();
    EncodedMesh out;
    if (mesh.indices.empty()) return out;
    out.indices = mesh.indices;
    out.vertices.reserve(mesh.vertices.size());
    for (std::size_t i = 0; i < mesh.vertices.size(); ++i) {
        const voxel_mesh::WaterVertex& from = mesh.vertices[i];
        GpuVoxelVertex to;
        if (!packPlace(from.position, 0, to)) return outside("water", i, from.position);
        packNormal(from.normal, to);
        to.weights = static_cast<std::uint32_t>(std::lround(std::clamp(from.waveFade, 0.0f, 1.0f) * 255.0f));
        to.slot = slot;
        grow(out, to);
    }
    return out;
}

}  // namespace karst::render
