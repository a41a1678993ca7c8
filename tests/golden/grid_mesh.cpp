#include "golden/grid_mesh.h"

#include <algorithm>
#include <cmath>

namespace karst::test {

using heightfield::NormalFormat;

namespace {

// The documented encoding of vertex_layout.h, written a second time so that the decoder is checked by it.
std::uint32_t octahedralWord(Vec3f n) {
    const float sum = std::abs(n.x) + std::abs(n.y) + std::abs(n.z);
    const auto half = [](float v) {
        return static_cast<std::uint32_t>(static_cast<std::uint16_t>(std::lround(v * 32767.0f)));
    };
    return half(n.x / sum) | half(n.z / sum) << 16;
}

void put(std::uint32_t* words, Vec3f v) {
    words[0] = bitCast<std::uint32_t>(v.x);
    words[1] = bitCast<std::uint32_t>(v.y);
    words[2] = bitCast<std::uint32_t>(v.z);
}

}  // namespace

void GridMesh::cutHole(int x0, int z0, int x1, int z1) {
    for (int z = z0; z < z1; ++z) {
        for (int x = x0; x < x1; ++x) {
            const auto quad = indices.begin() + (std::ptrdiff_t{z} * (columns - 1) + x) * 6;
            std::fill_n(quad, 6, *quad);
        }
    }
}

GridMesh makeGridMesh(const GridMeshDesc& desc, FunctionRef<double(double x, double z)> height) {
    GridMesh mesh;
    mesh.layout = desc.layout;
    mesh.columns = desc.columns;
    mesh.rows = desc.rows;
    const auto stride = static_cast<std::size_t>(desc.layout.strideWords);
    mesh.vertices.resize(static_cast<std::size_t>(desc.columns) * static_cast<std::size_t>(desc.rows) *
                         stride);
    std::uint32_t* vertex = mesh.vertices.data();
    for (int j = 0; j < desc.rows; ++j) {
        for (int i = 0; i < desc.columns; ++i, vertex += stride) {
            const double x = desc.minX + i * desc.spacing, z = desc.minZ + j * desc.spacing;
            const double s = desc.spacing;
            const double gx = (height(x + s, z) - height(x - s, z)) / (2 * s);
            const double gz = (height(x, z + s) - height(x, z - s)) / (2 * s);
            const Vec3f normal = toFloat(normalized(Vec3d{-gx, 1, -gz}));
            put(vertex + desc.layout.position, toFloat(Vec3d{x, height(x, z), z}));
            if (desc.layout.normalFormat == NormalFormat::Octahedral16) {
                vertex[desc.layout.normal] = octahedralWord(normal);
            } else {
                put(vertex + desc.layout.normal, normal);
            }
        }
    }
    for (int j = 0; j + 1 < desc.rows; ++j) {
        for (int i = 0; i + 1 < desc.columns; ++i) {
            const auto h00 = static_cast<std::uint32_t>(j * desc.columns + i);
            const std::uint32_t h10 = h00 + 1, h01 = h00 + static_cast<std::uint32_t>(desc.columns),
                                h11 = h01 + 1;
            mesh.indices.insert(mesh.indices.end(), {h00, h01, h10, h11, h10, h01});
        }
    }
    return mesh;
}

double hills(double x, double z) {
    const auto bump = [&](double cx, double cz, double radius, double top) {
        const double d2 = ((x - cx) * (x - cx) + (z - cz) * (z - cz)) / (radius * radius);
        return top * std::exp(-d2);
    };
    const double ridge =
        0.18 * std::exp(-8 * (z + 0.3 * x - 0.1) * (z + 0.3 * x - 0.1)) * (1 + 0.4 * std::sin(9 * x));
    return bump(-0.35, -0.4, 0.32, 0.75) + bump(0.45, -0.15, 0.25, 0.5) + bump(0.1, 0.55, 0.3, 0.3) + ridge;
}

}  // namespace karst::test
