#include <gtest/gtest.h>
#include <karst/base/externals.h>

#include <string>
#include <thread>
#include <vector>

namespace karst {
namespace {

TEST(Log, StderrHasALineWithTheLevelForEachMessage) {
    testing::internal::CaptureStderr();
    stderrLogger().write(LogLevel::Debug, "one");
    stderrLogger().write(LogLevel::Info, "two");
    stderrLogger().write(LogLevel::Warning, std::string_view("three and more", 5));
    stderrLogger().write(LogLevel::Error, "100% of %s");
    EXPECT_EQ(testing::internal::GetCapturedStderr(),
              "karst: debug: one\nkarst: info: two\nkarst: warning: three\nkarst: error: 100% of %s\n");
}

TEST(Log, LinesFromSeveralThreadsDoNotMix) {
    testing::internal::CaptureStderr();
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([] {
            for (int i = 0; i < 100; ++i)
                stderrLogger().write(LogLevel::Info, "message");
        });
    }
    for (std::thread& thread : threads)
        thread.join();
    std::string expected;
    for (int i = 0; i < 400; ++i)
        expected += "karst: info: message\n";
    EXPECT_EQ(testing::internal::GetCapturedStderr(), expected);
}

TEST(Log, NullSaysNothing) {
    testing::internal::CaptureStderr();
    nullLogger().write(LogLevel::Error, "unheard");
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(Externals, DefaultsAreUsable) {
    const Externals externals;
    EXPECT_EQ(externals.allocator, &heapAllocator());
    EXPECT_EQ(externals.jobs, &inlineJobSystem());
    EXPECT_EQ(externals.log, &nullLogger());
    EXPECT_EQ(externals.clock, &steadyClock());
}

}  // namespace
}  // namespace karst
