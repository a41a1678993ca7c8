#include <embedded_shaders.h>
#include <karst/render/node_mesh_writer.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "../shaders/gpu_types.h"
#include "compute_pipeline.h"
#include "debug_label.h"
#include "descriptor_set.h"
#include "gpu_buffer.h"
#include "node_write_tables.h"

namespace karst::render {

using heightfield::HeightRaster;
using heightfield::NodePool;
using heightfield::NodePoolUpdate;
using heightfield::NormalFormat;
using heightfield::VertexLayout;

namespace {

constexpr std::uint32_t kMaxFramesInFlight = 8;
constexpr std::uint32_t kBindings = 5;  // heights, holes, tables, vertices, indices
constexpr std::uint32_t kGroup = 64;    // threads a workgroup, as in the shaders

// What one frame in flight reads besides the raster.
struct Frame {
    GpuBuffer tables;
    VkDescriptorSet set = VK_NULL_HANDLE;
    std::vector<GpuBuffer> staging;  // freed when the frame's turn comes back
};

std::uint64_t holeWordsOf(const HeightRaster& raster) {
    const std::uint64_t cells =
        (static_cast<std::uint64_t>(raster.columns()) + 1) * (static_cast<std::uint64_t>(raster.rows()) + 1);
    return (cells + 63) / 64 * 2;
}

std::uint32_t groups(std::uint32_t threads) {
    return (threads + kGroup - 1) / kGroup;
}

}  // namespace

struct NodeMeshWriter::Impl {
    DeviceFunctions fn;
    VertexLayout layout;
    NodeWriteTables tables;
    std::uint32_t maxNodes = 0, framesInFlight = 0, frame = 0;
    GpuBuffer heights, holes;
    VkBuffer vertices = VK_NULL_HANDLE, indices = VK_NULL_HANDLE;
    std::array<Frame, kMaxFramesInFlight> frames;
    VkDescriptorSetLayout setLayout = VK_NULL_HANDLE;
    VkDescriptorPool pool = VK_NULL_HANDLE;
    ComputePipeline vertexPipeline, indexPipeline;
    std::uint64_t generation = 0;  // of the raster, as far as it is uploaded
    bool holesUploaded = false;

    Impl(const DeviceFunctions& functions, std::uint32_t nodeVerts) : fn(functions), tables(nodeVerts) {}
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;
    ~Impl() {
        destroyComputePipeline(fn, vertexPipeline);
        destroyComputePipeline(fn, indexPipeline);
        if (pool) fn.DestroyDescriptorPool(fn.device, pool, nullptr);
        if (setLayout) fn.DestroyDescriptorSetLayout(fn.device, setLayout, nullptr);
        for (Frame& one : frames) {
            destroyBuffer(fn, one.tables);
            for (GpuBuffer& buffer : one.staging)
                destroyBuffer(fn, buffer);
        }
        destroyBuffer(fn, heights);
        destroyBuffer(fn, holes);
    }

    Result<void> createBuffers(const HeightRaster& raster) {
        VkPhysicalDeviceProperties properties{};
        fn.GetPhysicalDeviceProperties(fn.physicalDevice, &properties);
        const std::uint64_t heightBytes = std::uint64_t{raster.heights().size()} * 4;
        if (heightBytes > properties.limits.maxStorageBufferRange) {
            return makeError(ErrorCode::InvalidArgument,
                             "node mesh writer: a raster of %d x %d texels takes %llu bytes, and the device "
                             "reads buffers of at most %u",
                             raster.columns(), raster.rows(), static_cast<unsigned long long>(heightBytes),
                             properties.limits.maxStorageBufferRange);
        }
        const VkBufferUsageFlags usage =
            VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
        auto made = createBuffer(fn, "karst node heights", heightBytes, usage, MemoryKind::Device);
        if (!made) return made.error();
        heights = *made;
        made = createBuffer(fn, "karst node holes", holeWordsOf(raster) * 4, usage, MemoryKind::Device);
        if (!made) return made.error();
        holes = *made;
        const std::uint64_t tableBytes =
            std::uint64_t{maxNodes} * (tables.vertexWords + tables.indexWords) * 4;
        for (std::uint32_t i = 0; i < framesInFlight; ++i) {
            made = createBuffer(fn, "karst node tables", tableBytes, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT,
                                MemoryKind::HostVisible);
            if (!made) return made.error();
            frames[i].tables = *made;
        }
        return {};
    }

    Result<void> createSets() {
        constexpr const char* kName = "karst node mesh writer";
        std::array<DescriptorBinding, kBindings> bindings;
        bindings.fill({VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, VK_SHADER_STAGE_COMPUTE_BIT});
        auto made = createSetLayout(fn, kName, bindings);
        if (!made) return made.error();
        setLayout = *made;
        auto room = createDescriptorPool(fn, kName, bindings, framesInFlight);
        if (!room) return room.error();
        pool = *room;
        for (std::uint32_t f = 0; f < framesInFlight; ++f) {
            auto set = allocateSet(fn, kName, pool, setLayout);
            if (!set) return set.error();
            frames[f].set = *set;
            const VkBuffer buffers[kBindings] = {heights.buffer, holes.buffer, frames[f].tables.buffer,
                                                 vertices, indices};
            std::array<DescriptorValue, kBindings> values;
            for (std::uint32_t i = 0; i < kBindings; ++i)
                values[i] = DescriptorValue::whole(buffers[i]);
            writeSet(fn, frames[f].set, bindings, values);
        }
        return {};
    }

    Result<void> createPipelines() {
        const bool compact = layout == VertexLayout::compact();
        auto made =
            createComputePipeline(fn, "karst node vertices",
                                  {kNodeVerticesComp, kNodeVerticesCompBytes, compact ? VK_TRUE : VK_FALSE},
                                  {&setLayout, 1}, sizeof(gpu::GpuNodeWrite));
        if (!made) return made.error();
        vertexPipeline = *made;
        made = createComputePipeline(fn, "karst node indices",
                                     {kNodeIndicesComp, kNodeIndicesCompBytes, VK_FALSE}, {&setLayout, 1},
                                     sizeof(gpu::GpuNodeWrite));
        if (!made) return made.error();
        indexPipeline = *made;
        return {};
    }

    Result<std::byte*> stage(VkDeviceSize bytes) {
        auto buffer = createBuffer(fn, "karst node height staging", bytes, VK_BUFFER_USAGE_TRANSFER_SRC_BIT,
                                   MemoryKind::HostVisible);
        if (!buffer) return buffer.error();
        frames[frame].staging.push_back(*buffer);
        return buffer->mapped;
    }

    // Copies of a rectangle of texels, row by row, and of the holes' words under its cells.
    Result<std::uint64_t> recordRaster(VkCommandBuffer commands, const HeightRaster& raster) {
        if (generation == raster.generation()) return 0;
        GridRect area = raster.changedSince(generation);
        if (generation == 0) area = {0, 0, raster.columns(), raster.rows()};
        std::uint64_t sent = 0;
        const auto width = static_cast<std::size_t>(area.width()),
                   depth = static_cast<std::size_t>(area.depth());
        if (width > 0 && depth > 0) {
            auto to = stage(width * depth * 4);
            if (!to) return to.error();
            const auto pitch = static_cast<std::size_t>(raster.columns());
            std::vector<VkBufferCopy> copies(width == pitch ? 1 : depth);
            const std::size_t first =
                static_cast<std::size_t>(area.minZ) * pitch + static_cast<std::size_t>(area.minX);
            for (std::size_t row = 0; row < depth; ++row) {
                std::memcpy(*to + row * width * 4, raster.heights().data() + first + row * pitch, width * 4);
                if (copies.size() > 1) copies[row] = {row * width * 4, (first + row * pitch) * 4, width * 4};
            }
            if (copies.size() == 1) copies[0] = {0, first * 4, width * depth * 4};
            fn.CmdCopyBuffer(commands, frames[frame].staging.back().buffer, heights.buffer,
                             static_cast<std::uint32_t>(copies.size()), copies.data());
            sent += width * depth * 4;
        }
        const auto words = raster.holeBits();
        if (!words.empty() && (!holesUploaded || depth > 0)) {
            // A cell is a change of the texels at its corners: its row is one of theirs or the one before.
            const auto row = static_cast<std::size_t>(raster.columns()) + 1;
            const std::size_t begin = holesUploaded ? static_cast<std::size_t>(area.minZ) * row / 64 : 0;
            const std::size_t end =
                holesUploaded ? std::min(words.size(),
                                         ((static_cast<std::size_t>(area.minZ) + depth + 1) * row + 63) / 64)
                              : words.size();
            auto to = stage((end - begin) * 8);
            if (!to) return to.error();
            std::memcpy(*to, words.data() + begin, (end - begin) * 8);
            const VkBufferCopy copy{0, begin * 8, (end - begin) * 8};
            fn.CmdCopyBuffer(commands, frames[frame].staging.back().buffer, holes.buffer, 1, &copy);
            holesUploaded = true;
            sent += copy.size;
        }
        generation = raster.generation();
        return sent;
    }

    gpu::GpuNodeWrite pushOf(const NodePool& nodes, const HeightRaster& raster) const {
        gpu::GpuNodeWrite push{};
        push.verts = nodes.grid().nodeVerts();
        push.columns = static_cast<std::uint32_t>(raster.columns());
        push.hasHoles = raster.hasHoles() ? 1 : 0;
        push.strideWords = layout.strideWords;
        push.position = layout.position;
        push.normal = layout.normal;
        push.octahedral = layout.normalFormat == NormalFormat::Octahedral16 ? 1 : 0;
        push.tangent = layout.tangent;
        push.uv0 = layout.uv0;
        push.uv1 = layout.uv1;
        push.color = layout.color;
        push.perX = static_cast<float>(1.0 / raster.spacingX());
        push.perZ = static_cast<float>(1.0 / raster.spacingZ());
        push.minX = static_cast<float>(raster.rect().minX);
        push.minZ = static_cast<float>(raster.rect().minZ);
        push.perWidth = static_cast<float>(1.0 / raster.rect().width());
        push.perDepth = static_cast<float>(1.0 / raster.rect().depth());
        return push;
    }

    void dispatch(VkCommandBuffer commands, const ComputePipeline& pipeline, const gpu::GpuNodeWrite& push,
                  std::uint32_t threads, std::uint32_t nodes) {
        if (nodes == 0) return;
        fn.CmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline.pipeline);
        fn.CmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline.layout, 0, 1,
                                 &frames[frame].set, 0, nullptr);
        fn.CmdPushConstants(commands, pipeline.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(push), &push);
        fn.CmdDispatch(commands, groups(threads), nodes, 1);
    }
};

NodeMeshWriter::NodeMeshWriter(std::unique_ptr<Impl> impl) : m_impl(std::move(impl)) {}
NodeMeshWriter::NodeMeshWriter(NodeMeshWriter&&) noexcept = default;
NodeMeshWriter& NodeMeshWriter::operator=(NodeMeshWriter&&) noexcept = default;
NodeMeshWriter::~NodeMeshWriter() = default;

Result<NodeMeshWriter> NodeMeshWriter::create(const VulkanDevice& device, const NodeMeshBuffers& buffers,
                                              const NodePool& pool, const HeightRaster& raster,
                                              const VertexLayout& layout, std::uint32_t framesInFlight) {
    if (auto good = heightfield::validate(layout); !good) return good.error();
    if (framesInFlight < 1 || framesInFlight > kMaxFramesInFlight) {
        return makeError(ErrorCode::InvalidArgument, "node mesh writer: framesInFlight %u is not in 1..%u",
                         framesInFlight, kMaxFramesInFlight);
    }
    const std::uint64_t vertexBytes = std::uint64_t{pool.vertexCapacity()} * layout.strideWords * 4;
    const std::uint64_t indexBytes = std::uint64_t{pool.indexCapacity()} * 4;
    if (buffers.vertexBytes() < vertexBytes || buffers.indexBytes() < indexBytes) {
        return makeError(ErrorCode::InvalidArgument,
                         "node mesh writer: buffers of %llu and %llu bytes, and the pool needs %llu and %llu",
                         static_cast<unsigned long long>(buffers.vertexBytes()),
                         static_cast<unsigned long long>(buffers.indexBytes()),
                         static_cast<unsigned long long>(vertexBytes),
                         static_cast<unsigned long long>(indexBytes));
    }
    auto fn = DeviceFunctions::load(device);
    if (!fn) return fn.error();
    auto impl = std::make_unique<Impl>(*fn, pool.grid().nodeVerts());
    impl->layout = layout;
    impl->maxNodes = pool.maxNodes();
    impl->framesInFlight = framesInFlight;
    impl->vertices = buffers.vertexBuffer();
    impl->indices = buffers.indexBuffer();
    if (auto made = impl->createBuffers(raster); !made) return made.error();
    if (auto made = impl->createSets(); !made) return made.error();
    if (auto made = impl->createPipelines(); !made) return made.error();
    return NodeMeshWriter(std::move(impl));
}

Result<NodeWriteStats> NodeMeshWriter::record(VkCommandBuffer commands, const NodePool& pool,
                                              const HeightRaster& raster, const NodePoolUpdate& update) {
    Impl& impl = *m_impl;
    const std::uint64_t heightBytes = std::uint64_t{raster.heights().size()} * 4;
    if (heightBytes != impl.heights.bytes || pool.maxNodes() != impl.maxNodes ||
        NodeWriteTables(pool.grid().nodeVerts()).vertexWords != impl.tables.vertexWords) {
        return makeError(
            ErrorCode::InvalidArgument,
            "node mesh writer: made for a raster of %llu bytes and a pool of %u nodes, given one of "
            "%llu and one of %u",
            static_cast<unsigned long long>(impl.heights.bytes), impl.maxNodes,
            static_cast<unsigned long long>(heightBytes), pool.maxNodes());
    }
    NodeWriteStats stats;
    if (!update.changed && impl.generation == raster.generation()) return stats;

    impl.frame = (impl.frame + 1) % impl.framesInFlight;
    Frame& frame = impl.frames[impl.frame];
    for (GpuBuffer& buffer : frame.staging)
        destroyBuffer(impl.fn, buffer);
    frame.staging.clear();

    const DebugLabel label(impl.fn, commands, "karst node mesh writer");
    constexpr VkPipelineStageFlags2 kReadStages =
        VK_PIPELINE_STAGE_2_VERTEX_ATTRIBUTE_INPUT_BIT | VK_PIPELINE_STAGE_2_INDEX_INPUT_BIT;
    constexpr VkPipelineStageFlags2 kCompute = VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT;
    constexpr VkPipelineStageFlags2 kCopy = VK_PIPELINE_STAGE_2_COPY_BIT;
    // Earlier draws and writers are done before anything is written.
    recordBarrier(impl.fn, commands, kReadStages | kCompute | kCopy,
                  VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT | VK_ACCESS_2_TRANSFER_WRITE_BIT, kCompute | kCopy,
                  VK_ACCESS_2_SHADER_STORAGE_READ_BIT | VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT |
                      VK_ACCESS_2_TRANSFER_WRITE_BIT);
    auto sent = impl.recordRaster(commands, raster);
    if (!sent) return sent.error();
    if (*sent > 0) {
        recordBarrier(impl.fn, commands, kCopy, VK_ACCESS_2_TRANSFER_WRITE_BIT, kCompute,
                      VK_ACCESS_2_SHADER_STORAGE_READ_BIT);
    }

    std::vector<std::uint32_t> table(std::max(impl.tables.vertexWords, impl.tables.indexWords));
    auto* out = frame.tables.mapped;
    for (const std::uint32_t slot : update.remeshedSlots) {
        impl.tables.writeVertexTable(pool, raster, slot, table.data());
        std::memcpy(out, table.data(), std::size_t{impl.tables.vertexWords} * 4);
        out += std::size_t{impl.tables.vertexWords} * 4;
    }
    const auto firstIndexWord = static_cast<std::uint32_t>((out - frame.tables.mapped) / 4);
    for (const std::uint32_t run : update.rewrittenRuns) {
        impl.tables.writeIndexTable(pool, raster.hasHoles(), run, table.data());
        std::memcpy(out, table.data(), std::size_t{impl.tables.indexWords} * 4);
        out += std::size_t{impl.tables.indexWords} * 4;
    }

    stats.nodes = static_cast<std::uint32_t>(update.remeshedSlots.size());
    stats.runs = static_cast<std::uint32_t>(update.rewrittenRuns.size());
    stats.uploadBytes = *sent + static_cast<std::uint64_t>(out - frame.tables.mapped);
    stats.writtenBytes = std::uint64_t{stats.nodes} * pool.verticesPerSlot() * impl.layout.strideWords * 4 +
                         std::uint64_t{stats.runs} * pool.indicesPerRun() * 4;
    gpu::GpuNodeWrite push = impl.pushOf(pool, raster);
    push.wordsPerNode = impl.tables.vertexWords;
    impl.dispatch(commands, impl.vertexPipeline, push, pool.verticesPerSlot(), stats.nodes);
    push.firstWord = firstIndexWord;
    push.wordsPerNode = impl.tables.indexWords;
    impl.dispatch(commands, impl.indexPipeline, push, pool.indicesPerRun() / 2, stats.runs);
    recordBarrier(impl.fn, commands, kCompute, VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT, kReadStages | kCopy,
                  VK_ACCESS_2_VERTEX_ATTRIBUTE_READ_BIT | VK_ACCESS_2_INDEX_READ_BIT |
                      VK_ACCESS_2_TRANSFER_READ_BIT | VK_ACCESS_2_TRANSFER_WRITE_BIT);
    return stats;
}

}  // namespace karst::render
