#include <karst/base/allocator.h>

#include <cstdio>
#include <cstdlib>
#include <new>

namespace karst {
namespace {

class HeapAllocator final : public Allocator {
  public:
    void* allocate(std::size_t bytes, std::size_t alignment) override {
        void* memory = ::operator new (bytes, std::align_val_t{alignment}, std::nothrow);
        if (memory == nullptr) {
            std::fprintf(stderr, "karst: out of memory asking for %zu bytes\n", bytes);
            std::abort();
        }
        return memory;
    }
    void deallocate(void* memory, std::size_t, std::size_t alignment) override {
        ::operator delete (memory, std::align_val_t{alignment});
    }
};

}  // namespace

Allocator& heapAllocator() {
    static HeapAllocator allocator;
    return allocator;
}

}  // namespace karst
