#pragma once

#include <karst/base/camera_view.h>
#include <karst/render/voxel_material.h>
#include <karst/voxel/grid_snapshot.h>
#include <karst/voxel_mesh/surface_vertex.h>
#include <karst/voxel_mesh/water_mesh.h>

#include <cmath>
#include <optional>
#include <vector>

namespace karst::render {

/// What a pixel of voxel ground or water shows, worked out on the CPU from the chunks' meshes.
class VoxelRays {
  public:
    struct Hit {
        double along = 0;  ///< distance along the camera's axis
        Vec3f normal;
        Vec3f albedo;
    };

    explicit VoxelRays(const voxel::GridPlacement& placement, const VoxelPalette& palette = {})
        : m_placement(placement), m_palette(palette) {}

    void add(voxel::ChunkCoord chunk, const voxel_mesh::SurfaceMesh& mesh) {
        add(chunk, mesh.vertices, mesh.indices, [&](const voxel_mesh::SurfaceVertex& v) {
            return blendPalette(m_palette, v.materials, v.weights);
        });
    }
    void add(voxel::ChunkCoord chunk, const voxel_mesh::WaterMesh& mesh) {
        add(chunk, mesh.vertices, mesh.indices, [](const voxel_mesh::WaterVertex&) { return Vec3f{}; });
    }

    /// The nearest thing at a place of the picture, in pixels from its upper left corner.
    std::optional<Hit> at(const CameraView& camera, int side, double x, double y) const {
        const double tan = std::tan(camera.verticalFov / 2);
        const Vec3d ray = camera.forward + camera.right() * ((2 * x / side - 1) * tan * camera.aspect) -
                          camera.up * ((2 * y / side - 1) * tan);
        std::optional<Hit> best;
        for (const std::array<Corner, 3>& t : m_triangles) {
            const Vec3d a = t[0].position - camera.position, ab = t[1].position - t[0].position,
                        ac = t[2].position - t[0].position, p = cross(ray, ac);
            const double area = dot(ab, p);
            if (area == 0) continue;
            const double u = dot(a * -1.0, p) / area;
            const Vec3d q = cross(a * -1.0, ab);
            const double v = dot(ray, q) / area, along = dot(ac, q) / area;
            if (u < 0 || v < 0 || u + v > 1 || along < camera.nearPlane) continue;
            if (best && best->along <= along) continue;
            const auto mix = [&](Vec3f Corner::*part) {
                return t[0].*part * static_cast<float>(1 - u - v) + t[1].*part * static_cast<float>(u) +
                       t[2].*part * static_cast<float>(v);
            };
            best = Hit{along, normalized(mix(&Corner::normal)), mix(&Corner::albedo)};
        }
        return best;
    }

    /// Likewise at the middle of a pixel; nothing where the pixel's corners show things of another distance.
    std::optional<Hit> inside(const CameraView& camera, int side, int x, int y) const {
        const auto middle = at(camera, side, x + 0.5, y + 0.5);
        for (int i = 0; middle && i < 4; ++i) {
            const auto corner = at(camera, side, x + i % 2, y + i / 2);
            if (!corner || std::abs(corner->along - middle->along) > 0.05 * middle->along)
                return std::nullopt;
        }
        return middle;
    }

  private:
    struct Corner {
        WorldPosition position;
        Vec3f normal, albedo;
    };

    template <class Vertex, class Color>
    void add(voxel::ChunkCoord chunk, const std::vector<Vertex>& vertices,
             const std::vector<std::uint32_t>& indices, const Color& colorOf) {
        const Vec3d first{32.0 * chunk.x, 32.0 * chunk.y, 32.0 * chunk.z};
        for (std::size_t i = 0; i < indices.size(); i += 3) {
            std::array<Corner, 3> triangle;
            for (std::size_t k = 0; k < 3; ++k) {
                const Vertex& v = vertices[indices[i + k]];
                const Vec3d cells = first + Vec3d{v.position.x, v.position.y, v.position.z};
                triangle[k] = {m_placement.origin + cells * m_placement.cellSize, v.normal, colorOf(v)};
            }
            m_triangles.push_back(triangle);
        }
    }

    voxel::GridPlacement m_placement;
    VoxelPalette m_palette;
    std::vector<std::array<Corner, 3>> m_triangles;
};

}  // namespace karst::render
