#include "golden/gpu_test.h"

#include <cstdlib>
#include <string>

namespace karst::test {

namespace {

Result<app::VulkanContext>& sharedContext() {
    static Result<app::VulkanContext> context =
        app::VulkanContext::create({.name = "karst tests", .validation = app::Validation::Synchronization});
    return context;
}

}  // namespace

void GpuTest::SetUp() {
    auto& context = sharedContext();
    if (!context) {
        const char* required = std::getenv("KARST_REQUIRE_GPU");
        const bool mayMiss =
            context.error().code == ErrorCode::DeviceLost && !(required && std::string(required) == "1");
        if (mayMiss) GTEST_SKIP() << context.error().message;
        FAIL() << context.error().message;
    }
    m_context = &context.value();
    m_messagesBefore = m_context->messages().count();
}

void GpuTest::TearDown() {
    if (!m_context) return;
    const auto messages = m_context->messages().all();
    for (std::size_t i = m_messagesBefore; i < messages.size(); ++i)
        ADD_FAILURE() << messages[i];
}

}  // namespace karst::test
