#pragma once

#include <cstddef>
#include <type_traits>
#include <vector>

namespace karst {

/// Where memory comes from. Implementations must be callable from any thread.
/// (Interfaces of this library have no out-of-line virtual function, so that code compiled with RTTI can
/// derive from them although the library is compiled without.)
class Allocator {
  public:
    virtual ~Allocator() = default;

    /// `bytes` > 0, `alignment` a power of two. Never returns null: where memory is out, the process ends.
    virtual void* allocate(std::size_t bytes, std::size_t alignment) = 0;

    /// Takes the same size and alignment as the call that made `memory`.
    virtual void deallocate(void* memory, std::size_t bytes, std::size_t alignment) = 0;
};

/// The C++ heap. Thread-safe, without state.
Allocator& heapAllocator();

/// Lets standard containers use an Allocator.
template <class T>
class StdAllocator {
  public:
    using value_type = T;
    // A container that takes another's memory takes its allocator with it.
    using propagate_on_container_move_assignment = std::true_type;
    using propagate_on_container_swap = std::true_type;

    StdAllocator() : m_allocator(&heapAllocator()) {}
    StdAllocator(Allocator& allocator) : m_allocator(&allocator) {}
    template <class U>
    StdAllocator(const StdAllocator<U>& other) : m_allocator(other.allocator()) {}

    T* allocate(std::size_t count) {
        return static_cast<T*>(m_allocator->allocate(count * sizeof(T), alignof(T)));
    }
    void deallocate(T* memory, std::size_t count) {
        m_allocator->deallocate(memory, count * sizeof(T), alignof(T));
    }
    Allocator* allocator() const { return m_allocator; }

    template <class U>
    bool operator==(const StdAllocator<U>& other) const {
        return m_allocator == other.allocator();
    }

  private:
    Allocator* m_allocator;
};

template <class T>
using Vector = std::vector<T, StdAllocator<T>>;

}  // namespace karst
