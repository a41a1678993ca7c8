#pragma once

#include <karst/base/math.h>
#include <karst/voxel/grid_snapshot.h>

#include <cstdint>
#include <vector>

namespace karst::voxel_mesh {

/// A vertex of the drawn water, 28 bytes.
struct WaterVertex {
    Vec3f position;  ///< in cells, from the chunk's first corner
    Vec3f normal;    ///< of the flat face: up, or out of an open side
    /// How far waves may move the vertex: 1 in open water, less towards the shore, 0 at the sheet's edge.
    /// Only a renderer moves it.
    float waveFade = 0;
    bool operator==(const WaterVertex&) const = default;
};
static_assert(sizeof(WaterVertex) == 28);

/// The water that one chunk draws: a triangle list, counter-clockwise seen from the air.
struct WaterMesh {
    std::vector<WaterVertex> vertices;
    std::vector<std::uint32_t> indices;

    bool empty() const { return indices.empty(); }
};

/// Cells beside a chunk that its water mesh depends on (and one above it): an edit within them asks for a new
/// one.
inline constexpr int kWaterReach = 5;

/// Makes the water meshes of chunks, cell by cell, whatever level the solid ground is drawn at:
/// - A water cell is open above where the cell above it is neither water nor a full solid. It has a sheet at
/// the
///   height that its occupied fraction gives.
/// - Solid cells beside it (of the eight in its layer) carry the sheet on at its height, and so do those
/// beyond as
///   long as the ground is not full in the layer and so may lie below the water, up to kWaterReach - 1 cells:
///   the ground's own surface cuts the outline.
/// - A side of a water cell towards an air cell is open and gets a face, from the cell's bottom to its sheet
/// (to
///   its top where water lies on it).
/// The height of a sheet's corner is the mean of the water cells around it that are open above; corners of a
/// still lake agree to the bit, also between chunks. Cells are only read: nothing here moves what buoyancy or
/// collision sees. Holds scratch memory; one per thread. Source: spec rows V29 to V31.
class WaterMesher {
  public:
    WaterMesher();
    /// Into `out`, whose memory is used again.
    void build(const voxel::GridSnapshot& grid, voxel::ChunkCoord chunk, WaterMesh& out);

  private:
    class Layer;
    /// Takes the cells in; false where none that counts is water.
    bool read(const voxel::GridSnapshot& grid, voxel::ChunkCoord chunk);
    std::vector<std::uint8_t> m_kind, m_occupancy;
};

/// False where a chunk draws no water for certain: neither it nor a neighbour in its layer of chunks holds
/// any.
bool mayDrawWater(const voxel::GridSnapshot& grid, voxel::ChunkCoord chunk);

}  // namespace karst::voxel_mesh
