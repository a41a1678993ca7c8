#include <gtest/gtest.h>
#include <karst/base/function_ref.h>

#include <memory>

namespace karst {
namespace {

int twice(int x) {
    return 2 * x;
}

int callInt(FunctionRef<int(int)> f, int x) {
    return f(x);
}

TEST(FunctionRef, CallsLambdasFunctionsPointersAndObjects) {
    int calls = 0;
    EXPECT_EQ(callInt([&](int x) { return x + ++calls; }, 10), 11);
    EXPECT_EQ(calls, 1);
    EXPECT_EQ(callInt(twice, 4), 8);
    EXPECT_EQ(callInt(&twice, 5), 10);
    struct Counter {
        int total = 0;
        int operator()(int x) { return total += x; }
    } counter;
    EXPECT_EQ(callInt(counter, 3), 3);
    EXPECT_EQ(callInt(counter, 4), 7);
    EXPECT_EQ(counter.total, 7);
    const auto constant = [](int) { return 42; };
    EXPECT_EQ(callInt(constant, 0), 42);
}

TEST(FunctionRef, AVoidOneDropsWhatTheCallableReturns) {
    int seen = 0;
    const auto returning = [&](int x) {
        seen = x;
        return x;
    };
    const FunctionRef<void(int)> f = returning;
    f(9);
    EXPECT_EQ(seen, 9);
}

TEST(FunctionRef, PassesReferencesAndMoveOnlyArgumentsThrough) {
    const auto increment = [](int& x) -> int& {
        ++x;
        return x;
    };
    const FunctionRef<int&(int&)> byReference = increment;
    int value = 1;
    EXPECT_EQ(&byReference(value), &value);
    EXPECT_EQ(value, 2);
    const auto take = [](std::unique_ptr<int> p) { return *p; };
    const FunctionRef<int(std::unique_ptr<int>)> moveOnly = take;
    EXPECT_EQ(moveOnly(std::make_unique<int>(5)), 5);
}

TEST(FunctionRef, ACopyCallsTheSameObject) {
    int calls = 0;
    const auto body = [&] { ++calls; };
    const FunctionRef<void()> first = body;
    const FunctionRef<void()> second = first;
    second();
    first();
    EXPECT_EQ(calls, 2);
}

}  // namespace
}  // namespace karst
