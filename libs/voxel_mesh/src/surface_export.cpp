#include <karst/voxel_mesh/surface_export.h>

#include <cmath>
#include <cstdarg>
#include <cstdio>

namespace karst::voxel_mesh {
namespace {

[[gnu::format(printf, 3, 4)]] Error surfaceError(const PlacedSurface& surface, std::size_t vertex,
                                                 const char* format, ...) {
    char text[160];
    std::va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return makeError(ErrorCode::InvalidArgument, "surface of chunk %d, %d, %d: vertex %zu: %s",
                     surface.chunk.x, surface.chunk.y, surface.chunk.z, vertex, text);
}

Result<void> validateVertex(const PlacedSurface& surface, std::size_t index, std::size_t materialCount) {
    const SurfaceVertex& vertex = surface.mesh->vertices[index];
    const Vec3f p = vertex.position, n = vertex.normal;
    if (!isFinite(toDouble(p))) return surfaceError(surface, index, "a position that is not finite");
    // Written so that a normal that is no number fails too.
    if (!(std::abs(length(n) - 1) < 1e-3f)) {
        return surfaceError(surface, index, "the normal %g, %g, %g is not of length 1", n.x, n.y, n.z);
    }
    int sum = 0;
    for (int i = 0; i < 4; ++i) {
        sum += vertex.weights[i];
        if (vertex.materials[i] >= materialCount) {
            return surfaceError(surface, index, "material %d, the table has %zu", vertex.materials[i],
                                materialCount);
        }
    }
    if (sum != 255) return surfaceError(surface, index, "weights that sum to %d instead of 255", sum);
    return {};
}

}  // namespace

Result<void> validate(const SurfaceExport& surfaces) {
    if (!(surfaces.placement.cellSize > 0) || !std::isfinite(surfaces.placement.cellSize) ||
        !isFinite(surfaces.placement.origin) || !isFinite(surfaces.origin)) {
        return makeError(ErrorCode::InvalidArgument, "surfaces: cells of %g at %g, %g, %g cannot be placed",
                         surfaces.placement.cellSize, surfaces.placement.origin.x,
                         surfaces.placement.origin.y, surfaces.placement.origin.z);
    }
    for (const PlacedSurface& surface : surfaces.surfaces) {
        const voxel::ChunkCoord c = surface.chunk;
        if (!surface.mesh) {
            return makeError(ErrorCode::InvalidArgument, "surface of chunk %d, %d, %d: no mesh", c.x, c.y,
                             c.z);
        }
        const SurfaceMesh& mesh = *surface.mesh;
        if (mesh.indices.size() % 3 != 0) {
            return makeError(ErrorCode::InvalidArgument,
                             "surface of chunk %d, %d, %d: %zu indices make no triangles", c.x, c.y, c.z,
                             mesh.indices.size());
        }
        for (const std::uint32_t index : mesh.indices) {
            if (index < mesh.vertices.size()) continue;
            return makeError(ErrorCode::InvalidArgument,
                             "surface of chunk %d, %d, %d: index %u, and there are %zu vertices", c.x, c.y,
                             c.z, index, mesh.vertices.size());
        }
        for (std::size_t i = 0; i < mesh.vertices.size(); ++i) {
            if (auto good = validateVertex(surface, i, surfaces.materials.size()); !good) return good;
        }
    }
    return {};
}

float srgbToLinear(float encoded) {
    return encoded <= 0.04045f ? encoded / 12.92f : std::pow((encoded + 0.055f) / 1.055f, 2.4f);
}

float linearToSrgb(float linear) {
    return linear <= 0.0031308f ? linear * 12.92f : 1.055f * std::pow(linear, 1 / 2.4f) - 0.055f;
}

std::array<Vec3f, 256> linearColors(const voxel::MaterialTable& materials) {
    std::array<Vec3f, 256> colors;
    colors.fill({0.5f, 0.5f, 0.5f});
    for (std::size_t i = 0; i < materials.size(); ++i) {
        const auto& color = materials[static_cast<voxel::MaterialId>(i)].color;
        const auto linear = [](std::uint8_t value) {
            return srgbToLinear(static_cast<float>(value) / 255.0f);
        };
        colors[i] = {linear(color[0]), linear(color[1]), linear(color[2])};
    }
    return colors;
}

}  // namespace karst::voxel_mesh
