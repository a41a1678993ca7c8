#pragma once

#include <karst/base/allocator.h>

#include <cstdint>
#include <mutex>
#include <vector>

namespace karst {

/// An Allocator for many pieces of a few sizes that are read at random, as the samples of resident tiles are.
/// It cuts them from blocks of 2 MiB at multiples of 2 MiB and asks the system to map these with large pages
/// (Linux's madvise), so that reading a piece that lay untouched costs no walk through page tables first.
///
/// A block holds pieces of one size, and goes back to the system when its last piece has come back; one is
/// kept for the next need. Pieces outside kSmallestPiece..kLargestPiece come from heapAllocator().
/// Threads: any. Everything must have come back when the heap ends.
class PageHeap final : public Allocator {
  public:
    static constexpr std::size_t kBlockBytes = std::size_t{2} << 20;
    static constexpr std::size_t kSmallestPiece = 512, kLargestPiece = std::size_t{256} << 10;
    static constexpr std::size_t kAlignment = 64;  ///< of every piece; none may need more

    PageHeap() = default;
    ~PageHeap() override;
    PageHeap(const PageHeap&) = delete;
    PageHeap& operator=(const PageHeap&) = delete;

    void* allocate(std::size_t bytes, std::size_t alignment) override;
    void deallocate(void* memory, std::size_t bytes, std::size_t alignment) override;

    /// Held from the system in blocks.
    std::size_t blockBytes() const;

  private:
    struct Block;
    struct Size {
        std::size_t piece;  ///< bytes
        Block* open;        ///< the first of the blocks with room
    };
    Size& sizeOf(std::size_t bytes);
    static void open(Size& size, Block& block);
    static void close(Size& size, Block& block);
    Block& makeBlock(std::size_t piece);

    mutable std::mutex m_mutex;
    std::vector<Size> m_sizes;
    void* m_spare = nullptr;
    std::size_t m_blocks = 0;  ///< the spare one included
};

/// The process's own, as heapAllocator() is: for what is shared between owners of any lifetime. Never ends.
Allocator& pageHeap();

/// Lets standard containers use pageHeap().
template <class T>
class PagedAllocator {
  public:
    using value_type = T;

    PagedAllocator() = default;
    template <class U>
    PagedAllocator(const PagedAllocator<U>&) {}

    T* allocate(std::size_t count) {
        return static_cast<T*>(pageHeap().allocate(count * sizeof(T), alignof(T)));
    }
    void deallocate(T* memory, std::size_t count) {
        pageHeap().deallocate(memory, count * sizeof(T), alignof(T));
    }
    template <class U>
    bool operator==(const PagedAllocator<U>&) const {
        return true;
    }
};

template <class T>
using PagedVector = std::vector<T, PagedAllocator<T>>;

}  // namespace karst
