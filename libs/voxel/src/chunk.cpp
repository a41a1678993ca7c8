#include <karst/base/assert.h>
#include <karst/voxel/chunk.h>

#include <algorithm>
#include <new>

#include "block_difference.h"

namespace karst::voxel {
namespace {

// Rows start at cache lines.
constexpr std::size_t kCellAlignment = 64;

}  // namespace

Chunk* Chunk::makeArray(Allocator& allocator) {
    Chunk* chunk = new (allocator.allocate(sizeof(Chunk), alignof(Chunk))) Chunk(allocator);
    chunk->m_cells = static_cast<Cell*>(allocator.allocate(kCellArrayBytes, kCellAlignment));
    return chunk;
}

ChunkRef Chunk::makeUniform(Cell cell, Allocator& allocator) {
    Chunk* chunk = new (allocator.allocate(sizeof(Chunk), alignof(Chunk))) Chunk(allocator);
    chunk->m_uniform = canonical(cell);
    return ChunkRef(chunk);
}

ChunkRef Chunk::make(std::span<const Cell> cells, Allocator& allocator) {
    KARST_ASSERT(cells.size() == kChunkCellCount);
    const Cell first = canonical(cells[0]);
    if (std::all_of(cells.begin(), cells.end(), [&](Cell cell) { return canonical(cell) == first; })) {
        return makeUniform(first, allocator);
    }
    Chunk* chunk = makeArray(allocator);
    std::transform(cells.begin(), cells.end(), chunk->m_cells, [](Cell cell) { return canonical(cell); });
    return ChunkRef(chunk);
}

void Chunk::copyTo(std::span<Cell> out) const {
    KARST_ASSERT(out.size() == kChunkCellCount);
    readBlock(this, kWholeChunk, out.data());
}

std::size_t Chunk::memoryBytes() const {
    return sizeof(Chunk) + (m_cells ? kCellArrayBytes : 0);
}

void ChunkRef::release() {
    // Released so that whoever finds itself alone has all reads of the others behind it.
    if (m_chunk->m_references.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
    Allocator& allocator = *m_chunk->m_allocator;
    if (m_chunk->m_cells) allocator.deallocate(m_chunk->m_cells, kCellArrayBytes, kCellAlignment);
    m_chunk->~Chunk();
    allocator.deallocate(m_chunk, sizeof(Chunk), alignof(Chunk));
}

}  // namespace karst::voxel
