#pragma once

#include <karst/base/function_ref.h>
#include <karst/base/math.h>
#include <karst/heightfield_mesh/vertex_layout.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace karst::test {

/// A plain grid of vertices over a height function, triangles counter-clockwise from above.
struct GridMesh {
    heightfield::VertexLayout layout;
    int columns = 0, rows = 0;            ///< vertices
    std::vector<std::uint32_t> vertices;  ///< columns * rows * layout.strideWords
    std::vector<std::uint32_t> indices;   ///< (columns - 1) * (rows - 1) * 6

    std::span<const std::byte> vertexBytes() const { return std::as_bytes(std::span(vertices)); }
    std::span<const std::byte> indexBytes() const { return std::as_bytes(std::span(indices)); }
    std::uint32_t indexCount() const { return static_cast<std::uint32_t>(indices.size()); }

    /// Makes the quads [x0, x1) x [z0, z1) degenerate: six copies of one index each.
    void cutHole(int x0, int z0, int x1, int z1);
};

struct GridMeshDesc {
    heightfield::VertexLayout layout;
    int columns = 129, rows = 129;
    double minX = 0, minZ = 0;
    double spacing = 1;
};

GridMesh makeGridMesh(const GridMeshDesc& desc, FunctionRef<double(double x, double z)> height);

/// A few hills and a ridge in 0..1 over the square -1..1.
double hills(double x, double z);

}  // namespace karst::test
