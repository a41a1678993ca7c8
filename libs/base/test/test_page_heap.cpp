#include <gtest/gtest.h>
#include <karst/base/page_heap.h>
#include <karst_test/test_support.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <thread>
#include <vector>

namespace karst {
namespace {

struct Piece {
    std::byte* memory;
    std::size_t bytes;
    std::uint8_t mark;
};

bool holds(const Piece& piece) {
    const auto mark = std::byte{piece.mark};
    return std::all_of(piece.memory, piece.memory + piece.bytes, [=](std::byte b) { return b == mark; });
}

TEST(PageHeap, PiecesKeepTheirPlaceAndContentsInAnyOrder) {
    test::Random random(3);
    PageHeap heap;
    std::vector<Piece> out;
    const auto back = [&](std::size_t at) {
        ASSERT_TRUE(holds(out[at])) << out[at].bytes;
        heap.deallocate(out[at].memory, out[at].bytes, 4);
        out[at] = out.back();
        out.pop_back();
    };
    for (int i = 0; i < 1200; ++i) {
        if (!out.empty() && random.integer(0, i < 600 ? 2 : 4) >= 2) {
            back(static_cast<std::size_t>(random.integer(0, static_cast<int>(out.size()) - 1)));
            continue;
        }
        const int sizes[] = {17956, 704, 4900, 68644, 100, 512, 262144, 300000, random.integer(1, 20000)};
        const auto bytes = static_cast<std::size_t>(sizes[random.integer(0, 8)]);
        auto* memory = static_cast<std::byte*>(heap.allocate(bytes, 4));
        if (bytes >= PageHeap::kSmallestPiece && bytes <= PageHeap::kLargestPiece) {
            EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % PageHeap::kAlignment, 0u);
        }
        out.push_back({memory, bytes, static_cast<std::uint8_t>(i)});
        std::memset(memory, i & 255, bytes);
    }
    while (!out.empty())
        back(out.size() - 1);
    // All but the spare block is the system's again.
    EXPECT_EQ(heap.blockBytes(), PageHeap::kBlockBytes);
}

TEST(PageHeap, PiecesOfOneSizeFillABlock) {
    PageHeap heap;
    constexpr std::size_t kPiece = 17956;
    std::vector<void*> out;
    for (int i = 0; i < 116; ++i)
        out.push_back(heap.allocate(kPiece, 4));
    EXPECT_EQ(heap.blockBytes(), PageHeap::kBlockBytes);
    const auto blockOf = [](void* memory) {
        return reinterpret_cast<std::uintptr_t>(memory) / PageHeap::kBlockBytes;
    };
    for (void* memory : out) {
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % PageHeap::kAlignment, 0u);
        EXPECT_EQ(blockOf(memory), blockOf(out[0]));
    }
    void* more = heap.allocate(kPiece, 4);
    EXPECT_EQ(heap.blockBytes(), 2 * PageHeap::kBlockBytes);
    EXPECT_NE(blockOf(more), blockOf(out[0]));
    // A piece that comes back is the next to go out.
    heap.deallocate(out[50], kPiece, 4);
    EXPECT_EQ(heap.allocate(kPiece, 4), out[50]);
    heap.deallocate(more, kPiece, 4);
    for (void* memory : out)
        heap.deallocate(memory, kPiece, 4);
    EXPECT_EQ(heap.blockBytes(), PageHeap::kBlockBytes);
    // The spare block serves another size.
    void* other = heap.allocate(4900, 4);
    EXPECT_EQ(heap.blockBytes(), PageHeap::kBlockBytes);
    heap.deallocate(other, 4900, 4);
}

TEST(PageHeap, ManyThreadsShareOne) {
    PageHeap heap;
    std::vector<std::thread> threads;
    std::atomic<int> wrong{0};
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&, t] {
            test::Random random(static_cast<std::uint64_t>(t) + 10);
            std::vector<Piece> out;
            for (int i = 0; i < 3000; ++i) {
                if (out.size() < 40) {
                    const std::size_t bytes = i % 3 == 0 ? 68644 : 704;
                    auto* memory = static_cast<std::byte*>(heap.allocate(bytes, 8));
                    const auto mark = static_cast<std::uint8_t>(i * 4 + t);
                    std::memset(memory, mark, bytes);
                    out.push_back({memory, bytes, mark});
                } else {
                    const auto at = static_cast<std::size_t>(random.integer(0, 39));
                    wrong += holds(out[at]) ? 0 : 1;
                    heap.deallocate(out[at].memory, out[at].bytes, 8);
                    out[at] = out.back();
                    out.pop_back();
                }
            }
            for (const Piece& piece : out)
                heap.deallocate(piece.memory, piece.bytes, 8);
        });
    }
    for (std::thread& thread : threads)
        thread.join();
    EXPECT_EQ(wrong, 0);
    EXPECT_EQ(heap.blockBytes(), PageHeap::kBlockBytes);
}

TEST(PageHeap, VectorsUseTheProcessesOwn) {
    PagedVector<float> one(5000, 2.0f);
    const PagedVector<float> two = one;
    one.resize(6000, 3.0f);
    EXPECT_EQ(two, PagedVector<float>(5000, 2.0f));
    EXPECT_EQ(one[4999], 2.0f);
    EXPECT_EQ(one[5999], 3.0f);
}

}  // namespace
}  // namespace karst
