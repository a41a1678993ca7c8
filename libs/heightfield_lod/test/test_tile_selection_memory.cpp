#include "random_pyramid.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace {

std::atomic<std::size_t> allocations{0};

void* counted(std::size_t bytes, std::size_t alignment) {
    ++allocations;
    void* memory = std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
    if (memory == nullptr) std::abort();
    return memory;
}

}  // namespace

// Every way memory can be taken in this program is counted.
void* operator new(std::size_t bytes) {
    return counted(bytes, alignof(std::max_align_t));
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
    return counted(bytes, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
    return counted(bytes, alignof(std::max_align_t));
}
void* operator new(std::size_t bytes, std::align_val_t alignment, const std::nothrow_t&) noexcept {
    return counted(bytes, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t bytes) {
    return counted(bytes, alignof(std::max_align_t));
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

namespace karst::heightfield {
namespace {

TEST(TileSelectionMemory, H11_AllocatesNothingWhenWarm) {
    test::Random random(12);
    PyramidShape shape;
    shape.levels = 4;
    shape.detailLevels = 1;
    const RandomPyramid pyramid(shape, random);
    const Surface some = pyramid.some(random, 0.8);
    std::vector<TileView> views;
    for (int i = 0; i < 50; ++i)
        views.push_back(pyramid.randomView(random));
    TileSelector selector;
    const std::vector<float> coarsest(pyramid.tiles.size(), 1.5f);
    std::size_t nodes = 0, before = 0;
    for (int round = 0; round < 2; ++round) {
        before = allocations;
        for (const TileView& view : views) {
            for (const Surface* surface : {&pyramid.surface, &some}) {
                const TileSelection selection = selector.select(*surface, view, 1);
                nodes += selection.nodes.size();
                nodes += selector.coarsen(std::span(coarsest).first(selection.nodes.size())).nodes.size();
            }
        }
        if (round == 0) {
            EXPECT_GT(allocations, before);  // the counter counts
        }
    }
    EXPECT_EQ(allocations, before);
    EXPECT_GT(nodes, 1000u);
}

}  // namespace
}  // namespace karst::heightfield
