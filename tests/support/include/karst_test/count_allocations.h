#pragma once

// Replaces operator new of the whole program by one that counts, by whatever way memory is asked for. Include
// it in exactly one source of a test binary: what it defines is not inline.

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace karst::test {

/// Allocations so far, of all threads.
inline std::atomic<std::size_t> allocations{0};

inline void* allocateCounted(std::size_t bytes, std::size_t alignment) {
    allocations.fetch_add(1, std::memory_order_relaxed);
    if (bytes == 0) bytes = 1;
    void* const memory = alignment <= alignof(std::max_align_t)
                             ? std::malloc(bytes)
                             : std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
    if (memory == nullptr) std::abort();
    return memory;
}

}  // namespace karst::test

void* operator new(std::size_t bytes) {
    return karst::test::allocateCounted(bytes, 1);
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
    return karst::test::allocateCounted(bytes, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
    return karst::test::allocateCounted(bytes, 1);
}
void* operator new(std::size_t bytes, std::align_val_t alignment, const std::nothrow_t&) noexcept {
    return karst::test::allocateCounted(bytes, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t bytes) {
    return karst::test::allocateCounted(bytes, 1);
}
void operator delete(void* memory) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
    std::free(memory);
}
void operator delete(void* memory, const std::nothrow_t&) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::align_val_t, const std::nothrow_t&) noexcept {
    std::free(memory);
}
void operator delete[](void* memory) noexcept {
    std::free(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
    std::free(memory);
}
