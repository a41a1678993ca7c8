#pragma once

#include <karst/base/clock.h>
#include <karst/base/frustum.h>
#include <karst/base/result.h>
#include <karst/render/device.h>
#include <karst/render/voxel_material.h>
#include <karst/voxel/grid_snapshot.h>
#include <karst/voxel_mesh/surface_vertex.h>
#include <karst/voxel_mesh/water_mesh.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace karst::render {

struct VoxelPoolDesc {
    voxel::GridPlacement placement = {};  ///< of the grid whose chunks are shown
    /// Device memory that surfaces, and water, may take: it is taken in three blocks (a quarter, a quarter, a
    /// half) as it is needed. 64 KiB .. 1.5 GiB each.
    std::uint64_t solidBytes = std::uint64_t{512} << 20;
    std::uint64_t waterBytes = std::uint64_t{64} << 20;
    std::uint32_t maxChunks = 16384;  ///< 1 .. 65536
    /// What one recordUploads copies at most (4 KiB .. 256 MiB), and the time after which it begins no
    /// further chunk.
    std::uint64_t uploadBudgetBytes = std::uint64_t{4} << 20;
    std::uint64_t uploadNanoseconds = 2'000'000;
    /// How many recordUploads the GPU may be behind: the commands of a frame must have finished before the
    /// recordUploads framesInFlight calls later. 1..8.
    std::uint32_t framesInFlight = 2;
    /// How far a WaterPass's waves may move water, in world units: boxes of water are widened by it.
    double waveReach = 1.0;
    const Clock* clock = &steadyClock();
};

/// Light that reaches a vertex, 255 = all, where the host works it out beforehand.
struct VoxelVertexLight {
    std::uint8_t sun = 255, sky = 255;
};

/// What one recordUploads did.
struct VoxelUploadStats {
    std::uint32_t chunks = 0;        ///< that look new from now on
    std::uint32_t withdrawn = 0;     ///< chunks that are gone from now on
    std::uint32_t waiting = 0;       ///< chunks whose meshes still wait
    std::uint32_t withoutRoom = 0;   ///< of those, looked at in vain: the memory is full, they wait for room
    std::uint64_t bytes = 0;         ///< copied
    std::uint64_t waitingBytes = 0;  ///< to be copied yet
    std::uint64_t nanoseconds = 0;   ///< of the CPU
};

struct VoxelPoolStats {
    std::size_t chunks = 0;  ///< with a place in the pool
    std::size_t shownSolid = 0, shownWater = 0;
    std::uint64_t triangles = 0;     ///< shown, solid and water
    std::uint64_t usedBytes = 0;     ///< of blocks: shown, on their way, and not yet free again
    std::uint64_t blockBytes = 0;    ///< device memory taken for blocks
    std::uint64_t stagingBytes = 0;  ///< memory that the host sees
    std::uint32_t blocks = 0;
    std::uint32_t freeRanges = 0;  ///< pieces that the free parts of the blocks are in
};

/// One indirect draw command, as Vulkan has it.
struct VoxelDrawCommand {
    std::uint32_t indexCount = 0, instanceCount = 1, firstIndex = 0;
    std::int32_t vertexOffset = 0;
    std::uint32_t firstInstance = 0;
};
static_assert(sizeof(VoxelDrawCommand) == sizeof(VkDrawIndexedIndirectCommand));

/// What one view draws of the solid ground or of the water.
struct VoxelDrawList {
    static constexpr std::uint32_t kBlocks = 3;
    std::vector<VoxelDrawCommand> commands;        ///< by block
    std::uint32_t firstCommand[kBlocks + 1] = {};  ///< of each block
    /// Where the commands stand in the frame's buffer; null where they are drawn one by one.
    VkBuffer buffer = VK_NULL_HANDLE;
    VkDeviceSize offset = 0;
    std::uint32_t chunks = 0;          ///< that reach the view
    std::uint64_t chunkTriangles = 0;  ///< of those
    std::uint64_t drawnTriangles = 0;  ///< and of what lies between them and is drawn along
    std::uint32_t calls = 0;           ///< draw calls that a pass will record: at most 4
};

struct VoxelDraws {
    VoxelDrawList solid, water;
};

/// The surfaces and water of voxel chunks on the GPU. Chunks are parts of at most three large blocks for the
/// ground and three for the water, so that a pass draws them in at most four calls: with indirect draws of
/// many commands where the host says so (VulkanDevice::multiDrawIndirect), else by drawing along what lies
/// between.
///
/// A frame: publish and withdraw; recordUploads, outside of a rendering scope; prepare once for each view;
/// the passes' record. What publish and withdraw said shows from the recordUploads on that has all of a
/// chunk's bytes on the GPU: the nearest chunk first, within the budget; until then the old mesh is drawn. A
/// chunk's ground and water that were published together change together. The place of an old mesh is used
/// again framesInFlight recordUploads later.
///
/// The GPU must be done with all that was recorded with it before it is destroyed.
///
/// Threads: one at a time.
class VoxelPool {
  public:
    /// Fails with InvalidArgument for a value outside its range, DeviceLost where memory is out.
    static Result<VoxelPool> create(const VulkanDevice& device, const VoxelPoolDesc& desc);
    VoxelPool(VoxelPool&&) noexcept;
    VoxelPool& operator=(VoxelPool&&) noexcept;
    ~VoxelPool();

    /// `chunk` is to look like this: a surface with its skirt, and water; what is null stays as it is, an
    /// empty one is taken away. Both are read during the call only. `light` is empty or one for each vertex
    /// of `solid`. Refused, the chunk staying as it is, with TooLarge where the meshes do not fit into the
    /// memory or no chunk more fits, InvalidArgument where a mesh is none. An eighth of the memory is kept
    /// free for replacing.
    Result<void> publish(voxel::ChunkCoord chunk, const voxel_mesh::SurfaceMesh* solid,
                         const voxel_mesh::WaterMesh* water, std::span<const VoxelVertexLight> light = {});
    /// Takes a chunk away; nothing where it is not here.
    void withdraw(voxel::ChunkCoord chunk);
    void withdrawAll();

    /// How the materials look, from the next recordUploads on. At first as paletteOf the standard table.
    void setPalette(const VoxelPalette& palette);
    /// Likewise of the water. Refused, by name, where waves are higher than waveReach or of no length.
    Result<void> setWater(const WaterLook& look);

    /// Begins a frame. Fails with DeviceLost where a block cannot be had; what was shown stays.
    Result<VoxelUploadStats> recordUploads(VkCommandBuffer commands, WorldPosition camera);

    /// What reaches the frustum, by the chunks' boxes; all of it where `frustum` is null. `out` is used
    /// again, and is good for recording until the next recordUploads.
    void prepare(const Frustum* frustum, VoxelDraws& out);

    VoxelPoolStats stats() const;
    const voxel::GridPlacement& placement() const;

  private:
    friend class GroundShading;
    friend class VoxelPass;
    friend class WaterPass;
    struct Impl;
    explicit VoxelPool(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> m_impl;
};

}  // namespace karst::render
