#include "golden/gpu_test.h"

#include <dlfcn.h>
#include <link.h>

#include <cstdlib>
#include <memory>
#include <string>

namespace karst::test {

namespace {

using Context = Result<app::VulkanContext>;
std::unique_ptr<Context> sharedContext;

#if defined(__SANITIZE_ADDRESS__)
constexpr bool kSanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif
#else
constexpr bool kSanitized = false;
#endif

// Keeps the driver and the layer loaded to the end, so that the leak checker can tell their leaks by name.
void pinLoadedLibraries() {
    const auto pin = [](dl_phdr_info* info, std::size_t, void*) {
        if (info->dlpi_name[0] != 0) ::dlopen(info->dlpi_name, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
        return 0;
    };
    ::dl_iterate_phdr(pin, nullptr);
}

// Ends the device before the test program ends; what was made and not destroyed is a failure too.
class DeviceEnd : public testing::Environment {
  public:
    void TearDown() override {
        if (!sharedContext || !sharedContext->ok()) return;
        const auto messages = sharedContext->value().messages();
        const std::size_t before = messages->count();
        sharedContext.reset();
        const auto all = messages->all();
        for (std::size_t i = before; i < all.size(); ++i)
            ADD_FAILURE() << all[i];
    }
};

const testing::Environment* const deviceEnd = testing::AddGlobalTestEnvironment(new DeviceEnd);

}  // namespace

void GpuTest::SetUp() {
    if (!sharedContext) {
        sharedContext = std::make_unique<Context>(app::VulkanContext::create(
            {.name = "karst tests", .validation = app::Validation::Synchronization}));
        if (kSanitized) pinLoadedLibraries();
    }
    Context& context = *sharedContext;
    if (!context) {
        const char* required = std::getenv("KARST_REQUIRE_GPU");
        const bool mayMiss =
            context.error().code == ErrorCode::DeviceLost && !(required && std::string(required) == "1");
        if (mayMiss) GTEST_SKIP() << context.error().message;
        FAIL() << context.error().message;
    }
    m_context = &context.value();
    m_messagesBefore = m_context->messages()->count();
}

void GpuTest::TearDown() {
    if (!m_context) return;
    const auto messages = m_context->messages()->all();
    for (std::size_t i = m_messagesBefore; i < messages.size(); ++i)
        ADD_FAILURE() << messages[i];
}

}  // namespace karst::test

// Leaks of drivers and layers are theirs.
extern "C" const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_suppressions() {
    return "leak:libvulkan\nleak:libLLVM\nleak:libVkLayer\nleak:_icd\nleak:libnvidia\n";
}
