#pragma once

#include <karst/base/result.h>
#include <karst/heightfield_mesh/node_pool.h>
#include <karst/heightfield_mesh/vertex_layout.h>
#include <karst/render/device.h>
#include <karst/render/node_mesh_buffers.h>

#include <cstdint>
#include <memory>

namespace karst::render {

/// What one record wrote.
struct NodeWriteStats {
    std::uint32_t nodes = 0;         ///< whose vertices were written
    std::uint32_t runs = 0;          ///< of indices
    std::uint64_t uploadBytes = 0;   ///< tables, changed heights and holes, from the CPU
    std::uint64_t writtenBytes = 0;  ///< vertices and indices, by the GPU
};

/// Writes the node mesh on the GPU (spec row N3): one thread a vertex, straight into the pool's buffers, from
/// heights that stay on the device. writeNodeVertices and writeNodeIndices are its reference: the same bytes,
/// but for the normals' last bit where a device divides or takes roots less exactly, and, where the drawn
/// rect cuts through cells, for the last bit of the edge's heights and normals.
///
/// Memory on the device: 4 bytes a texel and 1 bit a cell, at most the device's maxStorageBufferRange.
///
/// Threads: one at a time. The GPU must be done with all that was recorded with it before it is destroyed.
class NodeMeshWriter {
  public:
    /// `framesInFlight`: the commands of a record must have finished before the one that many calls later;
    /// 1..8. Fails with InvalidArgument for an invalid layout, buffers that are too small for the pool and
    /// rasters too large for the device, by name; DeviceLost where memory is out. The buffers must outlive
    /// it.
    static Result<NodeMeshWriter> create(const VulkanDevice& device, const NodeMeshBuffers& buffers,
                                         const heightfield::NodePool& pool,
                                         const heightfield::HeightRaster& raster,
                                         const heightfield::VertexLayout& layout,
                                         std::uint32_t framesInFlight = 2);
    NodeMeshWriter(NodeMeshWriter&&) noexcept;
    NodeMeshWriter& operator=(NodeMeshWriter&&) noexcept;
    ~NodeMeshWriter();

    /// Records the upload of what changed in the raster and the writing of what the pool's last update lists,
    /// between barriers that order both after earlier draws and before later ones; outside of a rendering
    /// scope. The raster is the one of that update.
    Result<NodeWriteStats> record(VkCommandBuffer commands, const heightfield::NodePool& pool,
                                  const heightfield::HeightRaster& raster,
                                  const heightfield::NodePoolUpdate& update);

  private:
    struct Impl;
    explicit NodeMeshWriter(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> m_impl;
};

}  // namespace karst::render
