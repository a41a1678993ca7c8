#pragma once

#include <gtest/gtest.h>
#include <karst/heightfield_mesh/node_mesh.h>
#include <karst_test/test_support.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace karst::heightfield {

inline HeightRaster makeRaster(int columns, int rows, double spacing, std::uint64_t seed, double originX = 0,
                               double originZ = 0, double ratio = 1) {
    test::Random random(seed);
    Vector<float> heights(static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows));
    for (float& h : heights)
        h = static_cast<float>(random.range(0, 100 * spacing));
    HeightRasterDesc desc;
    desc.columns = columns;
    desc.rows = rows;
    desc.rect = {originX, originZ, originX + columns * spacing, originZ + rows * spacing * ratio};
    desc.heightRange = HeightRange{static_cast<float>(-10 * spacing), static_cast<float>(110 * spacing)};
    Result<HeightRaster> raster = HeightRaster::create(desc, std::move(heights));
    EXPECT_TRUE(raster.ok()) << (raster.ok() ? "" : raster.error().message);
    return std::move(raster).value();
}

inline HeightRaster randomRaster(test::Random& random) {
    int columns = 0, rows = 0;
    switch (random.integer(0, 5)) {
        case 0:
            columns = rows = 1 << random.integer(0, 9);
            break;
        case 1:
            columns = random.integer(1, 6);
            rows = random.integer(1, 6);
            break;
        case 2:
            columns = 100;
            rows = 370;
            break;
        case 3:
            columns = random.chance(0.5) ? 97 : 211;
            rows = random.chance(0.5) ? 101 : 397;
            break;
        default:
            columns = random.integer(1, 500);
            rows = random.integer(1, 500);
            break;
    }
    const double spacing = random.chance(0.5)   ? 1.0
                           : random.chance(0.5) ? 10.0
                                                : std::pow(10, random.range(-1, 2));
    const double ratio = random.chance(0.7) ? 1.0 : random.range(0.6, 1.7);
    return makeRaster(columns, rows, spacing, random.next(), random.range(-500, 500), random.range(-500, 500),
                      ratio);
}

inline NodeCutOptions randomOptions(test::Random& random) {
    NodeCutOptions options;
    options.maxNodes = static_cast<std::uint32_t>(random.chance(0.3) ? random.integer(4, 80) : 600);
    options.nodeVerts = random.chance(0.3) ? 33 : random.chance(0.5) ? 9 : random.chance(0.5) ? 17 : 5;
    options.splitDistance = random.chance(0.5) ? 2.0 : random.range(1.5, 3.5);
    options.morphFraction = random.chance(0.7) ? 0.14 : random.range(0, 0.5);
    return options;
}

inline WorldPosition randomCamera(test::Random& random, const HeightRaster& raster) {
    const Rect& r = raster.rect();
    return {random.range(r.minX - 0.2 * r.width(), r.maxX + 0.2 * r.width()),
            random.chance(0.7) ? random.range(raster.heightRange().min, raster.heightRange().max)
                               : raster.heightRange().max + r.width() * random.range(0, 3),
            random.range(r.minZ - 0.2 * r.depth(), r.maxZ + 0.2 * r.depth())};
}

/// A pool's mesh in memory, as a host holds it. Compact layout.
struct DrawnMesh {
    NodeMesh mesh;
    std::vector<std::uint32_t> vertices, indices;

    static DrawnMesh make(const HeightRaster& raster, const NodeCutOptions& options,
                          const VertexLayout& layout = VertexLayout::compact(),
                          const Externals& externals = {}) {
        Result<NodeMesh> mesh = NodeMesh::create(raster, options, layout, externals);
        EXPECT_TRUE(mesh.ok()) << (mesh.ok() ? "" : mesh.error().message);
        DrawnMesh drawn{std::move(mesh).value(), {}, {}};
        drawn.vertices.assign(drawn.mesh.vertexWords(), 0xdeadbeefu);
        drawn.indices.assign(drawn.mesh.pool().indexCapacity(), 0xffffffffu);
        return drawn;
    }

    NodePoolUpdate update(const HeightRaster& raster, const WorldPosition& camera) {
        const Result<NodePoolUpdate> done = mesh.update(raster, camera, vertices, indices);
        EXPECT_TRUE(done.ok()) << (done.ok() ? "" : done.error().message);
        return *done;
    }

    const NodePool& pool() const { return mesh.pool(); }
    int verts() const { return static_cast<int>(pool().grid().nodeVerts()); }

    Vec3f vertex(std::uint32_t index) const {
        const std::uint32_t* v = vertices.data() + std::size_t{index} * mesh.layout().strideWords;
        return {bitCast<float>(v[0]), bitCast<float>(v[1]), bitCast<float>(v[2])};
    }
    std::uint32_t normalWord(std::uint32_t index) const {
        return vertices[std::size_t{index} * mesh.layout().strideWords + 3];
    }
    std::uint32_t indexOf(std::uint32_t slot, int i, int j) const {
        return slot * pool().verticesPerSlot() + static_cast<std::uint32_t>(j * verts() + i);
    }
    Vec3f position(std::uint32_t slot, int i, int j) const { return vertex(indexOf(slot, i, j)); }

    /// Vertices `from` .. `to` of one edge (0 low X, 1 high X, 2 low Z, 3 high Z), one entry for vertices
    /// that coincide.
    std::vector<Vec3f> edge(std::uint32_t slot, int side, int from, int to) const {
        std::vector<Vec3f> line;
        const int last = verts() - 1;
        for (int k = from; k <= to; ++k) {
            const Vec3f p = side == 0   ? position(slot, 0, k)
                            : side == 1 ? position(slot, last, k)
                            : side == 2 ? position(slot, k, 0)
                                        : position(slot, k, last);
            if (line.empty() || !(line.back() == p)) line.push_back(p);
        }
        return line;
    }
};

}  // namespace karst::heightfield
