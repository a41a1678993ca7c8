#pragma once

#include <karst/base/allocator.h>
#include <karst/voxel/cell.h>

#include <atomic>
#include <cstdint>
#include <span>
#include <utility>

namespace karst::voxel {

class ChunkRef;

/// The 32 x 32 x 32 cells of a chunk: an array of 64 KiB in the order of cellIndex(), or one record while all
/// cells are equal. Reference-counted (ChunkRef); immutable while shared. Readable from any thread.
class Chunk {
  public:
    Chunk(const Chunk&) = delete;
    Chunk& operator=(const Chunk&) = delete;

    /// All cells are `uniformCell()`; there is no array.
    bool uniform() const { return m_cells == nullptr; }
    Cell uniformCell() const { return m_uniform; }
    /// The array, or empty for a uniform chunk.
    std::span<const Cell> cells() const {
        return m_cells ? std::span<const Cell>(m_cells, kChunkCellCount) : std::span<const Cell>();
    }
    /// `index` as cellIndex() gives it.
    Cell cell(std::int32_t index) const { return m_cells ? m_cells[index] : m_uniform; }
    /// Writes all 32768 cells.
    void copyTo(std::span<Cell> out) const;
    /// What the chunk takes in memory, its own record included.
    std::size_t memoryBytes() const;

    /// All cells equal to canonical(`cell`).
    static ChunkRef makeUniform(Cell cell, Allocator& allocator);
    /// `cells` holds 32768; they are made canonical, and an array of equal cells becomes a uniform chunk.
    static ChunkRef make(std::span<const Cell> cells, Allocator& allocator);

  private:
    friend class ChunkRef;
    friend class Grid;
    explicit Chunk(Allocator& allocator) : m_allocator(&allocator) {}
    ~Chunk() = default;
    /// A chunk of one reference, with an array that is not written yet.
    static Chunk* makeArray(Allocator& allocator);
    /// Nobody else refers to it, and what others read of it has happened before.
    bool unshared() const { return m_references.load(std::memory_order_acquire) == 1; }

    mutable std::atomic<std::uint32_t> m_references{1};
    Cell m_uniform;
    Cell* m_cells = nullptr;
    Allocator* m_allocator;
};

/// A counted reference to a chunk, or null. Copying counts; different references to one chunk may be used
/// from different threads.
class ChunkRef {
  public:
    ChunkRef() = default;
    ChunkRef(const ChunkRef& other) : m_chunk(other.m_chunk) {
        if (m_chunk) m_chunk->m_references.fetch_add(1, std::memory_order_relaxed);
    }
    ChunkRef(ChunkRef&& other) noexcept : m_chunk(std::exchange(other.m_chunk, nullptr)) {}
    ChunkRef& operator=(ChunkRef other) noexcept {
        std::swap(m_chunk, other.m_chunk);
        return *this;
    }
    ~ChunkRef() {
        if (m_chunk) release();
    }

    const Chunk* get() const { return m_chunk; }
    const Chunk& operator*() const { return *m_chunk; }
    const Chunk* operator->() const { return m_chunk; }
    explicit operator bool() const { return m_chunk != nullptr; }
    /// The same shared chunk, not equal cells.
    bool operator==(const ChunkRef& other) const { return m_chunk == other.m_chunk; }

  private:
    friend class Chunk;
    friend class Grid;
    explicit ChunkRef(Chunk* owned) : m_chunk(owned) {}
    void release();

    Chunk* m_chunk = nullptr;
};

}  // namespace karst::voxel
