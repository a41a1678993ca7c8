#include <gtest/gtest.h>
#include <karst/base/thread_pool.h>
#include <karst_test/count_allocations.h>
#include <karst_test/test_support.h>

#include <atomic>
#include <limits>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

namespace karst {
namespace {

// Runs one parallelFor and checks that its ranges cover 0..count exactly once, none longer than the grain.
void expectCoversOnce(JobSystem& jobs, std::size_t count, std::size_t grain) {
    std::vector<std::atomic<int>> visits(count);
    std::atomic<int> wrong{0};
    jobs.parallelFor(count, grain, [&](std::size_t begin, std::size_t end) {
        if (begin >= end || end > count || end - begin > grain) ++wrong;
        for (std::size_t i = begin; i < std::min(end, count); ++i)
            visits[i].fetch_add(1, std::memory_order_relaxed);
    });
    EXPECT_EQ(wrong, 0) << count << " by " << grain;
    for (std::size_t i = 0; i < count; ++i)
        ASSERT_EQ(visits[i], 1) << i << " of " << count << " by " << grain;
}

TEST(ThreadPool, CountsItsCallerAsAWorker) {
    EXPECT_EQ(ThreadPool(1).workerCount(), 1u);
    EXPECT_EQ(ThreadPool(4).workerCount(), 4u);
    EXPECT_GE(ThreadPool().workerCount(), 1u);
}

TEST(ThreadPool, CoversEveryIndexOnce) {
    test::Random random(13);
    for (const std::uint32_t workers : {1u, 2u, 3u, 8u}) {
        ThreadPool pool(workers);
        for (const std::size_t count : {0u, 1u, 2u, 63u, 64u, 65u, 1000u}) {
            for (const std::size_t grain : {1u, 2u, 63u, 64u, 65u, 999u, 1000u, 1001u})
                expectCoversOnce(pool, count, grain);
            expectCoversOnce(pool, count, std::numeric_limits<std::size_t>::max());
        }
        for (int i = 0; i < 300; ++i) {
            expectCoversOnce(pool, static_cast<std::size_t>(random.integer(0, 300)),
                             static_cast<std::size_t>(random.integer(1, 40)));
        }
    }
}

TEST(ThreadPool, HugeCountsDoNotWrapAround) {
    constexpr std::size_t kMost = std::numeric_limits<std::size_t>::max();
    ThreadPool pool(4);
    for (int i = 0; i < 100; ++i) {
        std::atomic<int> calls{0};
        std::atomic<std::size_t> covered{0};
        pool.parallelFor(kMost, kMost / 3, [&](std::size_t begin, std::size_t end) {
            ++calls;
            covered += end - begin;
        });
        ASSERT_EQ(calls, 3);
        ASSERT_EQ(covered, kMost);
    }
}

// Each level starts more work from within a body, with random sizes that both runs agree on.
std::size_t nested(JobSystem& jobs, std::uint64_t seed, int depth) {
    test::Random random(seed);
    const auto count = static_cast<std::size_t>(random.integer(0, 24));
    const auto grain = static_cast<std::size_t>(random.integer(1, 6));
    std::atomic<std::size_t> total{0};
    jobs.parallelFor(count, grain, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            std::size_t sum = i * static_cast<std::size_t>(depth + 1);
            if (depth > 0) sum += nested(jobs, seed * 31 + i, depth - 1);
            total.fetch_add(sum, std::memory_order_relaxed);
        }
    });
    return total;
}

TEST(ThreadPool, NestsAsDeepAsOneLikes) {
    ThreadPool pool(4);
    for (std::uint64_t seed = 0; seed < 60; ++seed)
        ASSERT_EQ(nested(pool, seed, 2), nested(inlineJobSystem(), seed, 2)) << seed;
}

TEST(ThreadPool, ServesSeveralCallersAtOnce) {
    ThreadPool pool(3);
    std::vector<std::thread> callers;
    std::atomic<int> wrong{0};
    for (std::uint64_t caller = 0; caller < 4; ++caller) {
        callers.emplace_back([&, caller] {
            test::Random random(caller);
            for (int i = 0; i < 200; ++i) {
                const auto count = static_cast<std::size_t>(random.integer(0, 200));
                const auto grain = static_cast<std::size_t>(random.integer(1, 30));
                std::vector<int> visits(count, 0);  // ranges are disjoint, so plain integers will do
                pool.parallelFor(count, grain, [&](std::size_t begin, std::size_t end) {
                    for (std::size_t k = begin; k < end; ++k)
                        ++visits[k];
                });
                for (const int v : visits)
                    wrong += v == 1 ? 0 : 1;
                const std::uint64_t seed = caller * 1000 + static_cast<std::uint64_t>(i);
                if (i % 20 == 0 && nested(pool, seed, 1) != nested(inlineJobSystem(), seed, 1)) ++wrong;
            }
        });
    }
    for (std::thread& caller : callers)
        caller.join();
    EXPECT_EQ(wrong, 0);
}

TEST(ThreadPool, PoolsComeAndGo) {
    for (int i = 0; i < 100; ++i) {
        ThreadPool pool(1 + static_cast<std::uint32_t>(i) % 4);
        if (i % 3 != 0) expectCoversOnce(pool, 20, 1);
    }
}

TEST(ThreadPool, UsesItsThreads) {
    ThreadPool pool(3);
    std::mutex mutex;
    std::set<std::thread::id> seen;
    std::atomic<int> arrived{0};
    // Each of the three ranges waits for the others, so they can only end on three threads.
    pool.parallelFor(3, 1, [&](std::size_t, std::size_t) {
        {
            const std::lock_guard lock(mutex);
            seen.insert(std::this_thread::get_id());
        }
        ++arrived;
        while (arrived < 3)
            std::this_thread::yield();
    });
    EXPECT_EQ(seen.size(), 3u);
}

TEST(ThreadPool, AllocatesNothing) {
    ThreadPool pool(4);
    std::atomic<std::size_t> total{0};
    const auto round = [&] {
        pool.parallelFor(200, 3, [&](std::size_t begin, std::size_t end) {
            pool.parallelFor(end - begin, 1, [&](std::size_t b, std::size_t e) {
                total.fetch_add(e - b, std::memory_order_relaxed);
            });
        });
    };
    round();  // threads that start late may allocate for themselves
    const std::size_t before = test::allocations;
    EXPECT_GT(before, 0u);  // the counter counts
    for (int i = 0; i < 200; ++i)
        round();
    EXPECT_EQ(test::allocations, before);
    EXPECT_EQ(total, 201u * 200u);
}

}  // namespace
}  // namespace karst
