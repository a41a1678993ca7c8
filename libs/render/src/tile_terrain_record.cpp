#include <karst/base/assert.h>
#include <karst/render/tile_terrain.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "debug_label.h"
#include "tile_pass_impl.h"
#include "tile_terrain_impl.h"

// What a terrain of tiles keeps on the GPU beside its layers, and what it records.

namespace karst::render {

using namespace heightfield;

TileTerrain::Impl::~Impl() {
    release();
    destroyBuffer(fn, uniforms);
    for (GpuBuffer& buffer : staging)
        destroyBuffer(fn, buffer);
    if (sampler) fn.DestroySampler(fn.device, sampler, nullptr);
    if (setLayout) fn.DestroyDescriptorSetLayout(fn.device, setLayout, nullptr);
}

// Writes the frame's layers, records and, once, indices where they are copied from.
Result<void> TileTerrain::Impl::stage() {
    const TileLayout& layout = surface.layout();
    if (grid.cells != layout.tileCells) {
        grid = createTerrainGrid(layout.tileCells);
        retired.add(indices);
        auto made = createBuffer(fn, "karst tile lattice", grid.indices.size() * sizeof(std::uint16_t),
                                 VK_BUFFER_USAGE_INDEX_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                                 MemoryKind::Device);
        if (!made) return made.error();
        indices = *made;
        indicesAreNew = true;
    }
    const VkDeviceSize recordBytes = records.size() * sizeof(TileRecord);
    if (recordBytes > recordBuffer.bytes) {
        const VkDeviceSize room = std::max<VkDeviceSize>(recordBytes * 2, 256 * sizeof(TileRecord));
        auto made = createBuffer(fn, "karst tile records", room,
                                 VK_BUFFER_USAGE_VERTEX_BUFFER_BIT | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
                                     VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                                 MemoryKind::Device);
        if (!made) return made.error();
        retired.add(recordBuffer);
        recordBuffer = *made;
        setGeneration = 0;
    }
    const std::span<const TilePool::Upload> uploads = pool.uploads();
    const std::size_t layerBytes = pool.layerBytes();
    recordsAt = uploads.size() * layerBytes;
    indicesAt = recordsAt + recordBytes;
    const VkDeviceSize total = indicesAt + (indicesAreNew ? indices.bytes : 0);
    GpuBuffer& buffer = staging[frame];
    if (total > buffer.bytes) {
        destroyBuffer(fn, buffer);  // the GPU is done with this frame's last turn
        const VkDeviceSize room = std::max<VkDeviceSize>(total + total / 2, 65536);
        auto made = createBuffer(fn, "karst tile staging", room, VK_BUFFER_USAGE_TRANSFER_SRC_BIT,
                                 MemoryKind::HostVisible);
        if (!made) return made.error();
        buffer = *made;
    }
    desc.externals.jobs->parallelFor(uploads.size(), 4, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
            pool.writeUpload(layout, i, {buffer.mapped + i * layerBytes, layerBytes});
    });
    if (recordBytes > 0) std::memcpy(buffer.mapped + recordsAt, records.data(), recordBytes);
    if (indicesAreNew) std::memcpy(buffer.mapped + indicesAt, grid.indices.data(), indices.bytes);
    return updateSet();
}

// A set of its own for each image that the pool has had and each buffer of records, so that frames in flight
// keep theirs.
Result<void> TileTerrain::Impl::updateSet() {
    if (pool.view() == VK_NULL_HANDLE || recordBuffer.buffer == VK_NULL_HANDLE ||
        (set && setGeneration == pool.generation()))
        return {};
    retired.add(setPool);
    set = VK_NULL_HANDLE;
    auto room = createDescriptorPool(fn, kTileSetName, kTileBindings, 1);
    if (!room) return room.error();
    setPool = *room;
    auto made = allocateSet(fn, kTileSetName, setPool, setLayout);
    if (!made) return made.error();
    set = *made;
    writeSet(
        fn, set, kTileBindings,
        std::array{DescriptorValue::of(VK_NULL_HANDLE, pool.view()), DescriptorValue::whole(uniforms.buffer),
                   DescriptorValue::of(sampler, pool.slopesView()),
                   DescriptorValue::whole(recordBuffer.buffer)});
    setGeneration = pool.generation();
    return {};
}

// Earlier draws are done reading, and earlier copies done writing, before these copies write; and these are
// done before later draws read.
void TileTerrain::Impl::barrier(VkCommandBuffer commands, bool before) {
    constexpr VkPipelineStageFlags2 kReads =
        VK_PIPELINE_STAGE_2_VERTEX_ATTRIBUTE_INPUT_BIT | VK_PIPELINE_STAGE_2_INDEX_INPUT_BIT |
        VK_PIPELINE_STAGE_2_VERTEX_SHADER_BIT | VK_PIPELINE_STAGE_2_FRAGMENT_SHADER_BIT |
        VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT;
    VkMemoryBarrier2 memory{VK_STRUCTURE_TYPE_MEMORY_BARRIER_2};
    if (before) {
        memory.srcStageMask = kReads | VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT;
        memory.srcAccessMask = VK_ACCESS_2_TRANSFER_WRITE_BIT;
        memory.dstStageMask = VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT;
        memory.dstAccessMask = VK_ACCESS_2_TRANSFER_WRITE_BIT;
    } else {
        memory.srcStageMask = VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT;
        memory.srcAccessMask = VK_ACCESS_2_TRANSFER_WRITE_BIT;
        memory.dstStageMask = kReads;
        memory.dstAccessMask = VK_ACCESS_2_VERTEX_ATTRIBUTE_READ_BIT | VK_ACCESS_2_INDEX_READ_BIT |
                               VK_ACCESS_2_UNIFORM_READ_BIT | VK_ACCESS_2_SHADER_STORAGE_READ_BIT;
    }
    VkDependencyInfo info{VK_STRUCTURE_TYPE_DEPENDENCY_INFO};
    info.memoryBarrierCount = 1;
    info.pMemoryBarriers = &memory;
    fn.CmdPipelineBarrier2(commands, &info);
}

void TileTerrain::recordUploads(VkCommandBuffer commands) {
    Impl& impl = *m_impl;
    if (!impl.ready || impl.recorded) return;
    impl.recorded = true;
    const DeviceFunctions& fn = impl.fn;
    const DebugLabel label(fn, commands, "karst tile uploads");
    const VkBuffer staging = impl.staging[impl.frame].buffer;
    impl.pool.recordUploads(commands, staging, 0);
    impl.barrier(commands, true);
    fn.CmdUpdateBuffer(commands, impl.uniforms.buffer, 0, sizeof(impl.tiles), &impl.tiles);
    if (!impl.records.empty()) {
        const VkBufferCopy copy{impl.recordsAt, 0, impl.records.size() * sizeof(TileRecord)};
        fn.CmdCopyBuffer(commands, staging, impl.recordBuffer.buffer, 1, &copy);
    }
    if (impl.indicesAreNew) {
        const VkBufferCopy copy{impl.indicesAt, 0, impl.indices.bytes};
        fn.CmdCopyBuffer(commands, staging, impl.indices.buffer, 1, &copy);
        impl.indicesAreNew = false;
    }
    impl.barrier(commands, false);
}

TileDrawStats TileTerrain::record(VkCommandBuffer commands, const SceneUniforms& scene, std::size_t view,
                                  const TilePass& pass, VkRect2D area) const {
    const Impl& impl = *m_impl;
    TileDrawStats stats;
    if (!impl.ready || view >= impl.views.size() || impl.set == VK_NULL_HANDLE) return stats;
    KARST_ASSERT(impl.recorded);
    const DeviceFunctions& fn = impl.fn;
    const DebugLabel label(fn, commands, "karst tiles");
    const DrawnView& drawn = impl.views[view];
    const PassPipeline* bound = nullptr;
    const auto drawRun = [&](const TileRun& run, const TerrainIndexRange& range) {
        if (run.count == 0) return;
        const PassPipeline& pipeline = run.gaps ? pass.m_impl->gaps : pass.m_impl->solid;
        if (bound != &pipeline) {
            bindPass(fn, pipeline, commands, scene, drawn.view, area);
            fn.CmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline.layout, 1, 1,
                                     &impl.set, 0, nullptr);
        }
        if (bound == nullptr) {
            const VkDeviceSize offset = 0;
            fn.CmdBindVertexBuffers(commands, 0, 1, &impl.recordBuffer.buffer, &offset);
            fn.CmdBindIndexBuffer(commands, impl.indices.buffer, 0, VK_INDEX_TYPE_UINT16);
        }
        bound = &pipeline;
        fn.CmdDrawIndexed(commands, range.count, run.count, range.first, 0, run.first);
        ++stats.draws;
    };
    for (std::size_t level = 0; level < drawn.runs.size(); ++level) {
        const TileRun& run = drawn.runs[level];
        const TerrainIndexRange& range = impl.grid.ranges[level];
        drawRun(run, range);
        stats.tiles += run.count;
        stats.triangles += std::uint64_t{run.count} * (range.count / 3);
    }
    drawRun(drawn.seams, impl.grid.seams);
    return stats;
}

}  // namespace karst::render
