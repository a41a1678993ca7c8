#include <gtest/gtest.h>
#include <karst/base/allocator.h>
#include <karst_test/test_support.h>

#include <cstdint>
#include <cstring>

namespace karst {
namespace {

// Counts what is out, and refuses to take back anything with another size or alignment than it gave.
class CountingAllocator final : public Allocator {
  public:
    void* allocate(std::size_t bytes, std::size_t alignment) override {
        void* memory = heapAllocator().allocate(bytes, alignment);
        m_out.push_back({memory, bytes, alignment});
        ++m_calls;
        return memory;
    }
    void deallocate(void* memory, std::size_t bytes, std::size_t alignment) override {
        for (std::size_t i = 0; i < m_out.size(); ++i) {
            if (m_out[i].memory != memory) continue;
            EXPECT_EQ(m_out[i].bytes, bytes);
            EXPECT_EQ(m_out[i].alignment, alignment);
            m_out.erase(m_out.begin() + static_cast<std::ptrdiff_t>(i));
            heapAllocator().deallocate(memory, bytes, alignment);
            return;
        }
        ADD_FAILURE() << "memory that this allocator did not give";
    }
    std::size_t out() const { return m_out.size(); }
    std::size_t calls() const { return m_calls; }

  private:
    struct Block {
        void* memory;
        std::size_t bytes, alignment;
    };
    std::vector<Block> m_out;
    std::size_t m_calls = 0;
};

TEST(Allocator, HeapKeepsAlignmentAndContents) {
    test::Random random(1);
    for (int i = 0; i < 500; ++i) {
        const std::size_t alignment = std::size_t{1} << random.integer(0, 12);
        const auto bytes = static_cast<std::size_t>(random.integer(1, 5000));
        void* memory = heapAllocator().allocate(bytes, alignment);
        ASSERT_NE(memory, nullptr);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % alignment, 0u) << bytes << " by " << alignment;
        std::memset(memory, 0x5a, bytes);
        heapAllocator().deallocate(memory, bytes, alignment);
    }
}

TEST(Allocator, VectorTakesAllItsMemoryFromIt) {
    CountingAllocator counting;
    {
        Vector<int> v(counting);
        for (int i = 0; i < 1000; ++i)
            v.push_back(i);
        EXPECT_EQ(counting.out(), 1u);
        EXPECT_EQ(v.get_allocator().allocator(), &counting);
        const Vector<int> copy = v;
        EXPECT_EQ(copy.get_allocator().allocator(), &counting);
        EXPECT_EQ(counting.out(), 2u);
        EXPECT_EQ(copy, v);
    }
    EXPECT_EQ(counting.out(), 0u);
}

TEST(Allocator, MoveAssignmentTakesMemoryAndAllocatorAlong) {
    CountingAllocator counting;
    {
        Vector<int> from({1, 2, 3}, counting);
        const int* data = from.data();
        const std::size_t calls = counting.calls();
        Vector<int> to(100, 7);  // on the heap
        to = std::move(from);
        EXPECT_EQ(to.data(), data);
        EXPECT_EQ(to.get_allocator().allocator(), &counting);
        EXPECT_EQ(counting.calls(), calls);
        Vector<int> other(5, 1);
        std::swap(to, other);
        EXPECT_EQ(other.data(), data);
        EXPECT_EQ(to.get_allocator().allocator(), &heapAllocator());
    }
    EXPECT_EQ(counting.out(), 0u);
}

TEST(Allocator, EqualOnlyWhereTheyShareAnAllocator) {
    CountingAllocator counting;
    EXPECT_TRUE(StdAllocator<int>() == StdAllocator<double>());
    EXPECT_FALSE(StdAllocator<int>(counting) == StdAllocator<int>());
    EXPECT_TRUE(StdAllocator<int>(StdAllocator<char>(counting)) == StdAllocator<int>(counting));
}

}  // namespace
}  // namespace karst
