#include "geometry_heap.h"

#include <karst/base/assert.h>

#include <algorithm>

namespace karst::render {

namespace {

constexpr std::uint32_t kVertexBytes = sizeof(GpuVoxelVertex);
// A device need not take indices above 2^24 - 1.
constexpr std::uint32_t kMaxBlockVertices = 1u << 24;

constexpr VkBufferUsageFlags kUsage = VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;

bool before(const TriangleRange& a, const TriangleRange& b) {
    return a.block != b.block ? a.block < b.block : a.first < b.first;
}

}  // namespace

GeometryHeap::GeometryHeap(const DeviceFunctions& fn, const char* name, std::uint64_t bytes,
                           std::uint32_t frames)
    : m_fn(fn), m_name(name), m_bytes(bytes), m_frames(frames) {}

GeometryHeap::~GeometryHeap() {
    for (Block& block : m_blocks) {
        destroyBuffer(m_fn, block.vertexBuffer);
        destroyBuffer(m_fn, block.indexBuffer);
    }
}

// A vertex for each two triangles, as surfaces of cells have: 24 bytes of each.
std::uint32_t GeometryHeap::blockTriangles(std::uint32_t block) const {
    const std::uint64_t bytes = block < 2 ? m_bytes / 4 : m_bytes / 2;
    const std::uint64_t vertices =
        std::min<std::uint64_t>(bytes / (kVertexBytes + 2 * kTriangleBytes), kMaxBlockVertices);
    return static_cast<std::uint32_t>(vertices) * 2;
}

Result<void> GeometryHeap::addBlock() {
    const std::uint32_t triangles = blockTriangles(blockCount());
    Block block;
    auto vertexBuffer = createBuffer(m_fn, m_name, std::uint64_t{triangles / 2} * kVertexBytes,
                                     VK_BUFFER_USAGE_VERTEX_BUFFER_BIT | kUsage, MemoryKind::Device);
    if (!vertexBuffer) return vertexBuffer.error();
    auto indexBuffer = createBuffer(m_fn, m_name, std::uint64_t{triangles} * kTriangleBytes,
                                    VK_BUFFER_USAGE_INDEX_BUFFER_BIT | kUsage, MemoryKind::Device);
    if (!indexBuffer) {
        destroyBuffer(m_fn, *vertexBuffer);
        return indexBuffer.error();
    }
    block.vertexBuffer = *vertexBuffer;
    block.indexBuffer = *indexBuffer;
    block.vertices = RangeAllocator(triangles / 2);
    block.triangles = RangeAllocator(triangles);
    m_blocks.push_back(std::move(block));
    return {};
}

bool GeometryHeap::fitsABlock(std::uint32_t vertices, std::uint32_t triangles) const {
    const std::uint32_t largest = blockTriangles(kBlocks - 1);
    return triangles <= largest && vertices <= largest / 2;
}

bool GeometryHeap::holds(std::uint64_t vertices, std::uint64_t triangles) const {
    std::uint64_t all = 0;
    for (std::uint32_t block = 0; block < kBlocks; ++block)
        all += blockTriangles(block);
    return triangles <= all / 8 * 7 && vertices <= all / 16 * 7;
}

Result<GeometryHeap::Fit> GeometryHeap::place(std::uint32_t vertices, std::uint32_t triangles,
                                              HeapPlace& out) {
    if (!fitsABlock(vertices, triangles)) return Fit::Never;
    for (std::uint32_t block = 0; block < kBlocks; ++block) {
        if (block == m_blocks.size()) {
            if (auto made = addBlock(); !made) return made.error();
        }
        Block& b = m_blocks[block];
        const auto v = b.vertices.allocate(vertices);
        if (!v) continue;
        const auto t = b.triangles.allocate(triangles);
        if (!t) {
            b.vertices.free(*v);
            continue;
        }
        out = {block, *v, *t};
        return Fit::Placed;
    }
    return Fit::Full;
}

void GeometryHeap::unplace(const HeapPlace& place) {
    m_blocks[place.block].vertices.free(place.vertices);
    m_blocks[place.block].triangles.free(place.triangles);
}

void GeometryHeap::show(const HeapPlace& place, const Bounds& bounds) {
    m_added.push_back({{place.block, place.triangles.offset, place.triangles.size}, bounds});
}

void GeometryHeap::retire(const HeapPlace& place) {
    m_cleared.push_back({place.block, place.triangles.offset, place.triangles.size});
    m_retired.push_back({place, m_frame});
}

void GeometryHeap::beginFrame() {
    ++m_frame;
    while (!m_retired.empty() && m_retired.front().frame + m_frames <= m_frame) {
        const HeapPlace& place = m_retired.front().place;
        m_blocks[place.block].vertices.free(place.vertices);
        m_blocks[place.block].triangles.free(place.triangles);
        m_retired.pop_front();
    }
}

bool GeometryHeap::recordClears(VkCommandBuffer commands) {
    bool any = false;
    for (Block& block : m_blocks) {
        if (!block.fresh) continue;
        block.fresh = false;
        any = true;
        m_fn.CmdFillBuffer(commands, block.vertexBuffer.buffer, 0, VK_WHOLE_SIZE, 0);
        m_fn.CmdFillBuffer(commands, block.indexBuffer.buffer, 0, VK_WHOLE_SIZE, 0);
    }
    for (const TriangleRange& range : m_cleared) {
        any = true;
        m_fn.CmdFillBuffer(commands, m_blocks[range.block].indexBuffer.buffer,
                           std::uint64_t{range.first} * kTriangleBytes,
                           std::uint64_t{range.count} * kTriangleBytes, 0);
    }
    return any;
}

void GeometryHeap::endChanges() {
    if (!m_cleared.empty()) {
        std::sort(m_cleared.begin(), m_cleared.end(), before);
        std::erase_if(m_shown, [&](const Shown& shown) {
            return std::binary_search(m_cleared.begin(), m_cleared.end(), shown.range, before);
        });
        m_cleared.clear();
    }
    if (!m_added.empty()) {
        const auto earlier = [](const Shown& a, const Shown& b) { return before(a.range, b.range); };
        std::sort(m_added.begin(), m_added.end(), earlier);
        const auto middle = static_cast<std::ptrdiff_t>(m_shown.size());
        m_shown.insert(m_shown.end(), m_added.begin(), m_added.end());
        std::inplace_merge(m_shown.begin(), m_shown.begin() + middle, m_shown.end(), earlier);
        m_added.clear();
    }
}

std::uint64_t GeometryHeap::largestBufferBytes() const {
    static_assert(kVertexBytes == 2 * kTriangleBytes);  // so that both buffers of a block are as large
    return std::uint64_t{blockTriangles(kBlocks - 1)} * kTriangleBytes;
}

std::uint64_t GeometryHeap::usedBytes() const {
    std::uint64_t bytes = 0;
    for (const Block& block : m_blocks) {
        bytes += std::uint64_t{block.vertices.capacity() - block.vertices.freeSize()} * kVertexBytes;
        bytes += std::uint64_t{block.triangles.capacity() - block.triangles.freeSize()} * kTriangleBytes;
    }
    return bytes;
}

std::uint64_t GeometryHeap::blockBytes() const {
    std::uint64_t bytes = 0;
    for (const Block& block : m_blocks)
        bytes += block.vertexBuffer.bytes + block.indexBuffer.bytes;
    return bytes;
}

std::uint32_t GeometryHeap::freeRanges() const {
    std::uint32_t ranges = 0;
    for (const Block& block : m_blocks)
        ranges += block.vertices.freeRanges() + block.triangles.freeRanges();
    return ranges;
}

}  // namespace karst::render
