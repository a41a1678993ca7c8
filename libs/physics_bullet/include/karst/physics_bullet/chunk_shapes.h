#pragma once

#include <BulletCollision/CollisionShapes/btBvhTriangleMeshShape.h>
#include <BulletCollision/CollisionShapes/btTriangleIndexVertexArray.h>
#include <BulletCollision/CollisionShapes/btTriangleInfoMap.h>
#include <karst/physics_bullet/terrain_concave_shape.h>
#include <karst/voxel_mesh/collision_surface.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace karst::physics_bullet {

/// The collision surface of one chunk as a Bullet mesh shape, for hosts that want one static body for each
/// chunk instead of TerrainBody. Its zero is the first corner of the chunk, lengths are world units. The
/// shape carries a btTriangleInfoMap in which all edges that a body cannot catch on are marked: with
/// gContactAddedCallback calling btAdjustInternalEdgeContacts and the body's flag CF_CUSTOM_MATERIAL_CALLBACK
/// set, bodies slide over them without a bump. Immutable; keep it while a body has the shape. Making one
/// builds Bullet's tree, which TerrainBody does without. Source: spec rows V24, V26.
class ChunkShape {
  public:
    /// `surface` has at least one triangle; `cellSize` is the grid's.
    ChunkShape(voxel_mesh::CollisionSurfacePtr surface, double cellSize) : m_surface(std::move(surface)) {
        for (const Vec3f& v : m_surface->vertices())
            m_vertices.push_back(toBullet(toFloat(toDouble(v) * cellSize)));
        for (const voxel_mesh::CollisionTriangle& t : m_surface->triangles())
            m_indices.insert(m_indices.end(), t.vertices.begin(), t.vertices.end());
        btIndexedMesh mesh;
        mesh.m_numTriangles = static_cast<int>(m_indices.size() / 3);
        mesh.m_triangleIndexBase = reinterpret_cast<const unsigned char*>(m_indices.data());
        mesh.m_triangleIndexStride = 3 * sizeof(m_indices[0]);
        mesh.m_numVertices = static_cast<int>(m_vertices.size());
        mesh.m_vertexBase = reinterpret_cast<const unsigned char*>(m_vertices.data());
        mesh.m_vertexStride = sizeof(btVector3);
        mesh.m_indexType = PHY_INTEGER;
        mesh.m_vertexType = sizeof(btScalar) == sizeof(double) ? PHY_DOUBLE : PHY_FLOAT;
        m_mesh.addIndexedMesh(mesh, PHY_INTEGER);
        m_shape = std::make_unique<btBvhTriangleMeshShape>(&m_mesh, true);
        fillEdges();
        m_shape->setTriangleInfoMap(&m_edges);
    }
    ChunkShape(const ChunkShape&) = delete;
    ChunkShape& operator=(const ChunkShape&) = delete;

    btBvhTriangleMeshShape& shape() const { return *m_shape; }
    const btTriangleInfoMap& edges() const { return m_edges; }
    const voxel_mesh::CollisionSurfacePtr& surface() const { return m_surface; }

  private:
    /// An angle of 0 tells Bullet that the ground is flat across an edge, so that a contact there is given
    /// the triangle's normal; one of 2 pi that nothing lies beyond it, so that contacts stay as they are.
    /// Bullet leaves edges of no entry as they are as well.
    void fillEdges() {
        const auto& triangles = m_surface->triangles();
        for (std::size_t i = 0; i < triangles.size(); ++i) {
            btTriangleInfo info;
            const unsigned active = triangles[i].activeEdges;
            if ((active & 1u) == 0) info.m_edgeV0V1Angle = 0;
            if ((active & 2u) == 0) info.m_edgeV1V2Angle = 0;
            if ((active & 4u) == 0) info.m_edgeV2V0Angle = 0;
            if (active == 7) continue;
            // As btInternalEdgeUtility names the triangle of part 0.
            m_edges.insert(btHashInt(static_cast<int>(i)), info);
        }
    }

    voxel_mesh::CollisionSurfacePtr m_surface;
    std::vector<btVector3> m_vertices;
    std::vector<std::int32_t> m_indices;
    btTriangleIndexVertexArray m_mesh;
    btTriangleInfoMap m_edges;
    std::unique_ptr<btBvhTriangleMeshShape> m_shape;
};

using ChunkShapePtr = std::shared_ptr<const ChunkShape>;

/// Shapes by the surfaces that they are of: the same surface object gives the same shape object for as long
/// as somebody holds the shape, so a host compares shapes by their address and replaces only the bodies whose
/// shape is another one. Threads: one at a time.
class ChunkShapeCache {
  public:
    explicit ChunkShapeCache(double cellSize) : m_cellSize(cellSize) {}

    /// Null for a surface that is null or has no triangle.
    ChunkShapePtr shape(const voxel_mesh::CollisionSurfacePtr& surface) {
        if (surface == nullptr || surface->triangles().empty()) return nullptr;
        // A shape keeps its surface alive, so the address of a live entry is that surface's.
        std::weak_ptr<const ChunkShape>& entry = m_shapes[surface.get()];
        if (ChunkShapePtr known = entry.lock()) return known;
        const auto made = std::make_shared<const ChunkShape>(surface, m_cellSize);
        entry = made;
        return made;
    }
    /// Forgets shapes that nobody holds any more. Returns how many are left.
    std::size_t trim() {
        std::erase_if(m_shapes, [](const auto& entry) { return entry.second.expired(); });
        return m_shapes.size();
    }

  private:
    double m_cellSize;
    std::map<const voxel_mesh::CollisionSurface*, std::weak_ptr<const ChunkShape>> m_shapes;
};

}  // namespace karst::physics_bullet
