#include <karst/base/assert.h>
#include <karst/base/page_heap.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace karst {

/// Stands at the block's begin; the pieces follow.
struct PageHeap::Block {
    Block *previous, *next;  ///< with room
    void* back;              ///< the pieces that have come back, each with the next's address in it
    std::uint32_t fresh;     ///< pieces from the first on that were handed out at any time
    std::uint32_t used, count;
};

namespace {

constexpr std::size_t kHeadBytes = PageHeap::kAlignment;

[[noreturn]] void outOfMemory() {
    std::fprintf(stderr, "karst: out of memory asking for %zu bytes\n", PageHeap::kBlockBytes);
    std::abort();
}

#if defined(__linux__)

void* takeBlock() {
    // Twice as much, of which what does not lie at the right place goes back.
    constexpr std::size_t kBytes = PageHeap::kBlockBytes;
    void* area = mmap(nullptr, 2 * kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (area == MAP_FAILED) outOfMemory();
    auto* first = static_cast<std::byte*>(area);
    const std::size_t before = (kBytes - reinterpret_cast<std::uintptr_t>(first) % kBytes) % kBytes;
    if (before > 0) munmap(first, before);
    munmap(first + before + kBytes, kBytes - before);
    // A system without large pages refuses: small ones do as well.
    static_cast<void>(madvise(first + before, kBytes, MADV_HUGEPAGE));
    return first + before;
}

void giveBlock(void* block) {
    munmap(block, PageHeap::kBlockBytes);
}

#else

void* takeBlock() {
    return heapAllocator().allocate(PageHeap::kBlockBytes, PageHeap::kBlockBytes);
}

void giveBlock(void* block) {
    heapAllocator().deallocate(block, PageHeap::kBlockBytes, PageHeap::kBlockBytes);
}

#endif

bool isPiece(std::size_t bytes) {
    return bytes >= PageHeap::kSmallestPiece && bytes <= PageHeap::kLargestPiece;
}

}  // namespace

PageHeap::~PageHeap() {
    KARST_ASSERT(m_blocks == (m_spare != nullptr ? 1u : 0u));
    if (m_spare != nullptr) giveBlock(m_spare);
}

PageHeap::Size& PageHeap::sizeOf(std::size_t bytes) {
    const std::size_t piece = (bytes + kAlignment - 1) / kAlignment * kAlignment;
    const auto at = std::lower_bound(m_sizes.begin(), m_sizes.end(), piece,
                                     [](const Size& size, std::size_t p) { return size.piece < p; });
    if (at != m_sizes.end() && at->piece == piece) return *at;
    return *m_sizes.insert(at, {piece, nullptr});
}

void PageHeap::open(Size& size, Block& block) {
    block.previous = nullptr;
    block.next = size.open;
    if (block.next != nullptr) block.next->previous = &block;
    size.open = &block;
}

void PageHeap::close(Size& size, Block& block) {
    (block.previous != nullptr ? block.previous->next : size.open) = block.next;
    if (block.next != nullptr) block.next->previous = block.previous;
}

PageHeap::Block& PageHeap::makeBlock(std::size_t piece) {
    void* memory = m_spare;
    m_spare = nullptr;
    if (memory == nullptr) {
        memory = takeBlock();
        ++m_blocks;
    }
    const auto count = static_cast<std::uint32_t>((kBlockBytes - kHeadBytes) / piece);
    return *new (memory) Block{nullptr, nullptr, nullptr, 0, 0, count};
}

void* PageHeap::allocate(std::size_t bytes, std::size_t alignment) {
    if (!isPiece(bytes)) return heapAllocator().allocate(bytes, alignment);
    KARST_ASSERT(alignment <= kAlignment);
    const std::scoped_lock lock(m_mutex);
    Size& size = sizeOf(bytes);
    if (size.open == nullptr) open(size, makeBlock(size.piece));
    Block& block = *size.open;
    void* memory = block.back;
    if (memory != nullptr) {
        block.back = *static_cast<void**>(memory);
    } else {
        memory = reinterpret_cast<std::byte*>(&block) + kHeadBytes + block.fresh++ * size.piece;
    }
    if (++block.used == block.count) close(size, block);
    return memory;
}

void PageHeap::deallocate(void* memory, std::size_t bytes, std::size_t alignment) {
    if (!isPiece(bytes)) return heapAllocator().deallocate(memory, bytes, alignment);
    void* leaving = nullptr;
    {
        const std::scoped_lock lock(m_mutex);
        auto& block = *reinterpret_cast<Block*>(static_cast<std::byte*>(memory) -
                                                reinterpret_cast<std::uintptr_t>(memory) % kBlockBytes);
        Size& size = sizeOf(bytes);
        new (memory) void*(block.back);
        block.back = memory;
        if (block.used-- == block.count) open(size, block);
        if (block.used > 0) return;
        close(size, block);
        if (m_spare == nullptr) {
            m_spare = &block;
            return;
        }
        --m_blocks;
        leaving = &block;
    }
    giveBlock(leaving);
}

std::size_t PageHeap::blockBytes() const {
    const std::scoped_lock lock(m_mutex);
    return m_blocks * kBlockBytes;
}

#if defined(__SANITIZE_ADDRESS__)
#define KARST_PLAIN_PAGE_HEAP 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define KARST_PLAIN_PAGE_HEAP 1
#endif
#endif

Allocator& pageHeap() {
#ifdef KARST_PLAIN_PAGE_HEAP
    return heapAllocator();  // which watches the ends of each piece
#else
    static PageHeap& heap = *new PageHeap;
    return heap;
#endif
}

}  // namespace karst
