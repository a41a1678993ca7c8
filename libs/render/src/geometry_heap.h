#pragma once

#include <karst/base/bounds.h>

#include <cstdint>
#include <deque>
#include <vector>

#include "draw_ranges.h"
#include "gpu_buffer.h"
#include "range_allocator.h"
#include "voxel_vertex.h"

namespace karst::render {

/// The place of a mesh in a heap.
struct HeapPlace {
    std::uint32_t block = 0;
    RangeAllocator::Range vertices, triangles;
};

/// Vertices and triangles of many meshes in a few blocks, each one vertex and one index buffer. Indices count
/// from the block's first vertex, and what is free of an index buffer is filled with zeros: triangles of no
/// area, so that any run of triangles in a block may be drawn, apart from those that are on their way.
class GeometryHeap {
  public:
    static constexpr std::uint32_t kBlocks = 3;
    static constexpr std::uint32_t kTriangleBytes = 12;

    /// `name` must stay.
    GeometryHeap(const DeviceFunctions& fn, const char* name, std::uint64_t bytes, std::uint32_t frames);
    GeometryHeap(const GeometryHeap&) = delete;
    GeometryHeap& operator=(const GeometryHeap&) = delete;
    ~GeometryHeap();

    enum class Fit { Placed, Full, Never };
    /// Takes a further block where it must. Never: no block is that large.
    Result<Fit> place(std::uint32_t vertices, std::uint32_t triangles, HeapPlace& out);
    /// Gives back a place that nothing was recorded for.
    void unplace(const HeapPlace& place);
    /// Whether meshes of so many vertices and triangles in all leave room for replacing, if not in pieces.
    bool holds(std::uint64_t vertices, std::uint64_t triangles) const;
    bool fitsABlock(std::uint32_t vertices, std::uint32_t triangles) const;

    /// A mesh whose bytes are all recorded: it is drawn from endChanges() on.
    void show(const HeapPlace& place, const Bounds& bounds);
    /// A mesh that is not drawn any more, or never was: its triangles are cleared by the next recordClears,
    /// its place is free again `frames` calls of beginFrame later.
    void retire(const HeapPlace& place);

    void beginFrame();
    /// True where something was recorded: a barrier must follow before anything is copied.
    bool recordClears(VkCommandBuffer commands);
    void endChanges();

    struct Shown {
        TriangleRange range;
        Bounds bounds;
    };
    /// Sorted by place.
    const std::vector<Shown>& shown() const { return m_shown; }

    std::uint32_t blockCount() const { return static_cast<std::uint32_t>(m_blocks.size()); }
    const GpuBuffer& vertices(std::uint32_t block) const { return m_blocks[block].vertexBuffer; }
    const GpuBuffer& indices(std::uint32_t block) const { return m_blocks[block].indexBuffer; }
    /// Of any block, whether it is there yet or not.
    std::uint64_t largestBufferBytes() const;
    std::uint64_t usedBytes() const;
    std::uint64_t blockBytes() const;
    std::uint32_t freeRanges() const;

  private:
    struct Block {
        GpuBuffer vertexBuffer, indexBuffer;
        RangeAllocator vertices, triangles;
        bool fresh = true;  // holds anything yet
    };
    struct Retired {
        HeapPlace place;
        std::uint64_t frame = 0;
    };

    std::uint32_t blockTriangles(std::uint32_t block) const;
    Result<void> addBlock();

    DeviceFunctions m_fn;
    const char* m_name;
    std::uint64_t m_bytes;
    std::uint32_t m_frames;
    std::uint64_t m_frame = 0;
    std::vector<Block> m_blocks;
    std::vector<Shown> m_shown, m_added;
    std::vector<TriangleRange> m_cleared;
    std::deque<Retired> m_retired;
};

}  // namespace karst::render
