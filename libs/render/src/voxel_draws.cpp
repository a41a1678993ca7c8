#include <cstddef>
#include <cstring>

#include "pass_pipeline.h"
#include "voxel_pool_impl.h"

namespace karst::render {

namespace {

// A few triangles that are clipped away cost less than one more draw.
constexpr std::uint32_t kJoinGap = 32;

}  // namespace

void VoxelPool::Impl::prepare(Kind kind, const Frustum* frustum, VoxelDrawList& out) {
    out = VoxelDrawList{std::move(out.commands)};
    out.commands.clear();
    ranges.clear();
    for (const GeometryHeap::Shown& shown : heaps[kind]->shown()) {
        if (frustum && !frustum->mayTouch(shown.bounds)) continue;
        ranges.push_back(shown.range);
        out.chunkTriangles += shown.range.count;
    }
    out.chunks = static_cast<std::uint32_t>(ranges.size());
    // Without room for many commands there are few.
    const std::uint32_t room = multiDrawIndirect ? commandCapacity - commandsUsed : 0;
    const bool indirect = room >= kVoxelMaxCalls;
    joinRanges(ranges, barriers[kind], {kJoinGap, indirect ? room : kVoxelMaxCalls}, joined);
    std::uint32_t block = 0;
    for (const TriangleRange& range : joined) {
        while (block < range.block)
            out.firstCommand[++block] = static_cast<std::uint32_t>(out.commands.size());
        out.commands.push_back({range.count * 3, 1, range.first * 3, 0, 0});
        out.drawnTriangles += range.count;
    }
    while (block < VoxelDrawList::kBlocks)
        out.firstCommand[++block] = static_cast<std::uint32_t>(out.commands.size());

    const auto count = static_cast<std::uint32_t>(out.commands.size());
    if (indirect && count <= room && count > 0) {
        const GpuBuffer& buffer = commands[frameIndex()];
        out.buffer = buffer.buffer;
        out.offset = std::uint64_t{commandsUsed} * sizeof(VoxelDrawCommand);
        std::memcpy(buffer.mapped + out.offset, out.commands.data(), count * sizeof(VoxelDrawCommand));
        commandsUsed += count;
        for (std::uint32_t b = 0; b < VoxelDrawList::kBlocks; ++b)
            out.calls += out.firstCommand[b + 1] > out.firstCommand[b] ? 1 : 0;
    } else {
        out.calls = count;
    }
}

void VoxelPool::Impl::recordDraws(VkCommandBuffer buffer, Kind kind, const VoxelDrawList& list) const {
    for (std::uint32_t block = 0; block < VoxelDrawList::kBlocks; ++block) {
        const std::uint32_t first = list.firstCommand[block], end = list.firstCommand[block + 1];
        if (first == end) continue;
        const VkDeviceSize zero = 0;
        fn.CmdBindVertexBuffers(buffer, 0, 1, &heaps[kind]->vertices(block).buffer, &zero);
        fn.CmdBindIndexBuffer(buffer, heaps[kind]->indices(block).buffer, 0, VK_INDEX_TYPE_UINT32);
        if (list.buffer) {
            fn.CmdDrawIndexedIndirect(buffer, list.buffer, list.offset + first * sizeof(VoxelDrawCommand),
                                      end - first, sizeof(VoxelDrawCommand));
            continue;
        }
        for (std::uint32_t i = first; i < end; ++i)
            fn.CmdDrawIndexed(buffer, list.commands[i].indexCount, 1, list.commands[i].firstIndex, 0, 0);
    }
}

void VoxelPool::Impl::recordVisibility(VkCommandBuffer buffer, VkPipelineLayout layout,
                                       const VoxelDrawList& list) const {
    const VkDescriptorSet blocks = geometrySet();
    fn.CmdBindDescriptorSets(buffer, VK_PIPELINE_BIND_POINT_GRAPHICS, layout, 2, 1, &blocks, 0, nullptr);
    for (std::uint32_t block = 0; block < VoxelDrawList::kBlocks; ++block) {
        const std::uint32_t first = list.firstCommand[block], end = list.firstCommand[block + 1];
        if (first == end) continue;
        constexpr std::uint32_t kBlockAt = kOwnPushOffset + offsetof(gpu::GpuVoxelPush, originCell) + 12;
        fn.CmdPushConstants(buffer, layout, kPushStages, kBlockAt, sizeof(block), &block);
        // An indexed command's words say the same without indices: its offset of vertices, 0, is read as the
        // first instance.
        static_assert(
            offsetof(VoxelDrawCommand, firstIndex) == offsetof(VkDrawIndirectCommand, firstVertex) &&
            offsetof(VoxelDrawCommand, vertexOffset) == offsetof(VkDrawIndirectCommand, firstInstance));
        if (list.buffer) {
            fn.CmdDrawIndirect(buffer, list.buffer, list.offset + first * sizeof(VoxelDrawCommand),
                               end - first, sizeof(VoxelDrawCommand));
            continue;
        }
        for (std::uint32_t i = first; i < end; ++i)
            fn.CmdDraw(buffer, list.commands[i].indexCount, 1, list.commands[i].firstIndex, 0);
    }
}

void VoxelPool::prepare(const Frustum* frustum, VoxelDraws& out) {
    m_impl->prepare(Impl::kSolid, frustum, out.solid);
    m_impl->prepare(Impl::kWater, frustum, out.water);
}

}  // namespace karst::render
