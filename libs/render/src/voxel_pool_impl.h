#pragma once

#include <karst/render/voxel_pool.h>

#include <array>
#include <deque>
#include <optional>
#include <unordered_map>

#include "../shaders/voxel_types.h"
#include "geometry_heap.h"
#include "upload_ring.h"

namespace karst::render {

/// Draw calls of a pass at most: of three blocks, and one more where a mesh on its way parts a block.
inline constexpr std::uint32_t kVoxelMaxCalls = 4;

struct ChunkCoordHash {
    std::size_t operator()(voxel::ChunkCoord c) const;
};

/// Set 1 of what draws a pool: which chunk a slot is (binding 0, for the vertex stage) and how materials and
/// water look (binding 1). Those of two calls are compatible.
Result<VkDescriptorSetLayout> createVoxelSetLayout(const DeviceFunctions& fn);
/// The blocks of the ground as storage: of each its indices, then its vertices. Likewise.
Result<VkDescriptorSetLayout> createGeometrySetLayout(const DeviceFunctions& fn);

struct VoxelPool::Impl {
    enum Kind : std::size_t { kSolid, kWater };

    /// A mesh pair that is to be shown: places are taken when its turn comes, then its bytes travel.
    struct Pending {
        std::optional<EncodedMesh> mesh[2];  // nothing where it stays as it is
        HeapPlace place[2];
        bool placed = false;
        std::uint64_t done = 0;  // bytes that were copied, in the order of copyPending
        std::uint64_t bytes() const;
    };
    struct Entry {
        voxel::ChunkCoord coord;
        Bounds bounds[2];  // in the world, of what is shown or is to be shown
        std::optional<HeapPlace> shown[2];
        std::unique_ptr<Pending> pending;
        std::uint32_t vertices[2] = {}, triangles[2] = {};  // once all that waits is shown
        bool used = false, withdrawn = false;
        bool listed = false;    // in `changed`
        bool recorded = false;  // the GPU knows which chunk it is
    };
    struct Copy {
        VkBuffer from = VK_NULL_HANDLE, to = VK_NULL_HANDLE;
        VkBufferCopy region{};
    };

    DeviceFunctions fn;
    VoxelPoolDesc desc;
    bool multiDrawIndirect = false;
    std::array<std::unique_ptr<GeometryHeap>, 2> heaps;
    GpuBuffer records, looksBuffer;
    UploadRing staging;
    std::array<GpuBuffer, UploadRing::kMaxFramesInFlight> commands;
    std::uint32_t commandCapacity = 0, commandsUsed = 0;
    std::uint64_t frame = 0;
    VkDescriptorSetLayout setLayout = VK_NULL_HANDLE;
    VkDescriptorPool setPool = VK_NULL_HANDLE;
    VkDescriptorSet set = VK_NULL_HANDLE;
    // By how many blocks there are, less one: none is written twice.
    VkDescriptorSetLayout geometryLayout = VK_NULL_HANDLE;
    VkDescriptorPool geometryPool = VK_NULL_HANDLE;
    std::array<VkDescriptorSet, GeometryHeap::kBlocks> geometrySets{};
    bool storageFits = false;

    std::unordered_map<voxel::ChunkCoord, std::uint32_t, ChunkCoordHash> slots;
    std::vector<Entry> entries;                                        // by slot
    std::vector<std::uint32_t> freeSlots;                              // the lowest last
    std::deque<std::pair<std::uint32_t, std::uint64_t>> retiredSlots;  // and the frame
    std::vector<std::uint32_t> changed;     // slots with something that waits, or that are withdrawn
    std::optional<std::uint32_t> underWay;  // the slot with a part of its bytes copied
    std::uint64_t vertices[2] = {}, triangles[2] = {};  // once all that waits is shown
    gpu::GpuVoxelLooks looks;
    bool newLooks = true;
    double wavePeriod = 1;                   // world units after which the waves repeat
    std::vector<TriangleRange> barriers[2];  // not to be drawn through
    std::vector<Copy> copies;
    std::vector<std::pair<double, std::uint32_t>> turns;
    std::vector<TriangleRange> ranges, joined;

    Impl(const DeviceFunctions& functions, const VoxelPoolDesc& poolDesc);
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;
    ~Impl();

    Result<void> createBuffers();
    Result<void> createSet();
    /// Refuses where a block is more than the device reads as storage.
    Result<void> checkStorage() const;
    /// Makes the set of as many blocks as there are now.
    Result<void> updateGeometrySet();
    /// Null where there is no ground.
    VkDescriptorSet geometrySet() const;
    std::uint32_t frameIndex() const { return static_cast<std::uint32_t>(frame % desc.framesInFlight); }

    // voxel_pool.cpp
    Result<void> publish(voxel::ChunkCoord chunk, std::optional<EncodedMesh> (&mesh)[2], std::uint32_t slot);
    void withdraw(std::uint32_t slot);
    void list(std::uint32_t slot);
    void dropPlaces(std::uint32_t slot);
    void count(Entry& entry, Kind kind, std::size_t vertexCount, std::size_t triangleCount);
    Bounds worldBounds(voxel::ChunkCoord chunk, const EncodedMesh& mesh, Kind kind) const;

    // voxel_uploads.cpp
    void freeRetired();
    void takeAway(VoxelUploadStats& stats);
    void sortTurns(WorldPosition camera);
    Result<bool> placePending(std::uint32_t slot, VoxelUploadStats& stats);
    void copyPending(std::uint32_t slot);
    void showPending(std::uint32_t slot);
    void leave(std::uint32_t slot);
    void recordCopies(VkCommandBuffer buffer);

    // voxel_draws.cpp
    void prepare(Kind kind, const Frustum* frustum, VoxelDrawList& out);
    void recordDraws(VkCommandBuffer buffer, Kind kind, const VoxelDrawList& list) const;
    /// Without indices, for what tells triangles apart.
    void recordVisibility(VkCommandBuffer buffer, VkPipelineLayout layout, const VoxelDrawList& list) const;
};

}  // namespace karst::render
