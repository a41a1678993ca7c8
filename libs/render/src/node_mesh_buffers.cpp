#include <karst/render/node_mesh_buffers.h>

#include <array>
#include <cstring>
#include <vector>

#include "byte_ranges.h"
#include "gpu_buffer.h"

namespace karst::render {

namespace {

constexpr std::uint32_t kMaxFramesInFlight = 8;

// One of the two buffers. Each frame's staging has the device buffer's own offsets, so that two writes to one
// place need no order on the GPU.
struct Half {
    const char* what = "";
    GpuBuffer gpu;
    std::array<GpuBuffer, kMaxFramesInFlight> staging;
    ByteRanges changed;
};

}  // namespace

struct NodeMeshBuffers::Impl {
    DeviceFunctions fn;
    std::uint32_t framesInFlight = 0;
    std::uint32_t frame = 0;
    Half vertices, indices;
    std::vector<VkBufferCopy> copies;

    explicit Impl(const DeviceFunctions& functions) : fn(functions) {}
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;
    ~Impl() {
        for (Half* half : {&vertices, &indices}) {
            destroyBuffer(fn, half->gpu);
            for (GpuBuffer& staging : half->staging)
                destroyBuffer(fn, staging);
        }
    }

    Result<void> createHalf(Half& half, const char* what, const char* stagingName, std::uint64_t bytes,
                            VkBufferUsageFlags usage) {
        half.what = what;
        auto gpu = createBuffer(fn, what, bytes,
                                usage | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
                                    VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT,
                                MemoryKind::Device);
        if (!gpu) return gpu.error();
        half.gpu = *gpu;
        for (std::uint32_t i = 0; i < framesInFlight; ++i) {
            auto staging = createBuffer(fn, stagingName, bytes, VK_BUFFER_USAGE_TRANSFER_SRC_BIT,
                                        MemoryKind::HostVisible);
            if (!staging) return staging.error();
            half.staging[i] = *staging;
        }
        return {};
    }

    Result<void> upload(Half& half, std::uint64_t offset, std::span<const std::byte> bytes) {
        if (offset % 4 != 0 || bytes.size() % 4 != 0) {
            return makeError(ErrorCode::InvalidArgument,
                             "%s: upload of %zu bytes at %llu: both must be multiples of 4", half.what,
                             bytes.size(), static_cast<unsigned long long>(offset));
        }
        if (offset > half.gpu.bytes || bytes.size() > half.gpu.bytes - offset) {
            return makeError(ErrorCode::InvalidArgument,
                             "%s: upload of %zu bytes at %llu leaves the buffer of %llu", half.what,
                             bytes.size(), static_cast<unsigned long long>(offset),
                             static_cast<unsigned long long>(half.gpu.bytes));
        }
        if (bytes.empty()) return {};
        std::memcpy(half.staging[frame].mapped + offset, bytes.data(), bytes.size());
        half.changed.add({offset, offset + bytes.size()});
        return {};
    }

    void recordCopies(VkCommandBuffer commands, Half& half, UploadStats& stats) {
        if (half.changed.ranges().empty()) return;
        copies.clear();
        for (const ByteRange& range : half.changed.ranges()) {
            copies.push_back({range.begin, range.begin, range.end - range.begin});
            stats.bytes += range.end - range.begin;
        }
        stats.ranges += static_cast<std::uint32_t>(copies.size());
        fn.CmdCopyBuffer(commands, half.staging[frame].buffer, half.gpu.buffer,
                         static_cast<std::uint32_t>(copies.size()), copies.data());
        half.changed.clear();
    }
};

NodeMeshBuffers::NodeMeshBuffers(std::unique_ptr<Impl> impl) : m_impl(std::move(impl)) {}
NodeMeshBuffers::NodeMeshBuffers(NodeMeshBuffers&&) noexcept = default;
NodeMeshBuffers& NodeMeshBuffers::operator=(NodeMeshBuffers&&) noexcept = default;
NodeMeshBuffers::~NodeMeshBuffers() = default;

Result<NodeMeshBuffers> NodeMeshBuffers::create(const VulkanDevice& device, const NodeMeshBuffersDesc& desc) {
    if (desc.vertexBytes == 0 || desc.vertexBytes % 4 != 0 || desc.indexBytes == 0 ||
        desc.indexBytes % 4 != 0) {
        return makeError(
            ErrorCode::InvalidArgument,
            "node mesh buffers: vertexBytes %llu and indexBytes %llu must be multiples of 4 above 0",
            static_cast<unsigned long long>(desc.vertexBytes),
            static_cast<unsigned long long>(desc.indexBytes));
    }
    if (desc.framesInFlight < 1 || desc.framesInFlight > kMaxFramesInFlight) {
        return makeError(ErrorCode::InvalidArgument, "node mesh buffers: framesInFlight %u is not in 1..%u",
                         desc.framesInFlight, kMaxFramesInFlight);
    }
    auto fn = DeviceFunctions::load(device);
    if (!fn) return fn.error();
    auto impl = std::make_unique<Impl>(*fn);
    impl->framesInFlight = desc.framesInFlight;
    auto made = impl->createHalf(impl->vertices, "karst node vertices", "karst node vertex staging",
                                 desc.vertexBytes, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT);
    if (made) {
        made = impl->createHalf(impl->indices, "karst node indices", "karst node index staging",
                                desc.indexBytes, VK_BUFFER_USAGE_INDEX_BUFFER_BIT);
    }
    if (!made) return made.error();
    return NodeMeshBuffers(std::move(impl));
}

Result<void> NodeMeshBuffers::uploadVertices(std::uint64_t offsetBytes, std::span<const std::byte> bytes) {
    return m_impl->upload(m_impl->vertices, offsetBytes, bytes);
}

Result<void> NodeMeshBuffers::uploadIndices(std::uint64_t offsetBytes, std::span<const std::byte> bytes) {
    return m_impl->upload(m_impl->indices, offsetBytes, bytes);
}

UploadStats NodeMeshBuffers::recordUploads(VkCommandBuffer commands) {
    Impl& impl = *m_impl;
    UploadStats stats;
    if (impl.vertices.changed.ranges().empty() && impl.indices.changed.ranges().empty()) return stats;
    constexpr VkPipelineStageFlags2 kReadStages =
        VK_PIPELINE_STAGE_2_VERTEX_ATTRIBUTE_INPUT_BIT | VK_PIPELINE_STAGE_2_INDEX_INPUT_BIT;
    // Earlier draws are done reading, and earlier copies done writing, before these copies write.
    recordBarrier(impl.fn, commands, kReadStages | VK_PIPELINE_STAGE_2_COPY_BIT,
                  VK_ACCESS_2_TRANSFER_WRITE_BIT, VK_PIPELINE_STAGE_2_COPY_BIT,
                  VK_ACCESS_2_TRANSFER_WRITE_BIT);
    impl.recordCopies(commands, impl.vertices, stats);
    impl.recordCopies(commands, impl.indices, stats);
    recordBarrier(impl.fn, commands, VK_PIPELINE_STAGE_2_COPY_BIT, VK_ACCESS_2_TRANSFER_WRITE_BIT,
                  kReadStages, VK_ACCESS_2_VERTEX_ATTRIBUTE_READ_BIT | VK_ACCESS_2_INDEX_READ_BIT);
    impl.frame = (impl.frame + 1) % impl.framesInFlight;
    return stats;
}

VkBuffer NodeMeshBuffers::vertexBuffer() const {
    return m_impl->vertices.gpu.buffer;
}
VkBuffer NodeMeshBuffers::indexBuffer() const {
    return m_impl->indices.gpu.buffer;
}
std::uint64_t NodeMeshBuffers::vertexBytes() const {
    return m_impl->vertices.gpu.bytes;
}
std::uint64_t NodeMeshBuffers::indexBytes() const {
    return m_impl->indices.gpu.bytes;
}

}  // namespace karst::render
