#include <common/one_shot.h>
#include <common/vulkan_context.h>
#include <gmock/gmock.h>
#include <golden/gpu_test.h>
#include <karst_test/test_support.h>

#include <cstdlib>
#include <optional>
#include <string>

namespace karst::app {

namespace {

/// A variable of the environment for as long as it lives.
class ScopedVariable {
  public:
    ScopedVariable(const char* name, const char* value) : m_name(name) {
        if (const char* before = std::getenv(name)) m_before = before;
        ::setenv(name, value, 1);
    }
    ~ScopedVariable() {
        if (m_before) {
            ::setenv(m_name, m_before->c_str(), 1);
        } else {
            ::unsetenv(m_name);
        }
    }
    ScopedVariable(const ScopedVariable&) = delete;
    ScopedVariable& operator=(const ScopedVariable&) = delete;

  private:
    const char* m_name;
    std::optional<std::string> m_before;
};

TEST(VulkanContext, WithoutADriverSaysWhatToInstall) {
    const test::TempFolder folder;
    const std::string nothing = (folder.path() / "none.json").string();
    const ScopedVariable files("VK_DRIVER_FILES", nothing.c_str());
    const ScopedVariable olderName("VK_ICD_FILENAMES", nothing.c_str());
    const auto context = VulkanContext::create();
    ASSERT_FALSE(context);
    EXPECT_EQ(context.error().code, ErrorCode::DeviceLost);
    EXPECT_THAT(context.error().message, testing::HasSubstr("install a Vulkan 1.3 driver"));
    EXPECT_THAT(context.error().message, testing::HasSubstr("mesa-vulkan-drivers"));
}

class VulkanContextTest : public test::GpuTest {};

TEST_F(VulkanContextTest, NamesTheDevicesWhereNoneIsTheOneWanted) {
    const ScopedVariable wanted("KARST_DEVICE", "no such device");
    const auto other = VulkanContext::create();
    ASSERT_FALSE(other);
    EXPECT_EQ(other.error().code, ErrorCode::NotFound);
    EXPECT_THAT(other.error().message, testing::AllOf(testing::HasSubstr("no such device"),
                                                      testing::HasSubstr(context().deviceName())));
}

TEST_F(VulkanContextTest, TakesTheWantedDevice) {
    const std::string part = context().deviceName().substr(0, 4);
    const ScopedVariable wanted("KARST_DEVICE", part.c_str());
    const auto other = VulkanContext::create();
    ASSERT_TRUE(other) << other.error().message;
    EXPECT_THAT(other->deviceName(), testing::HasSubstr(part));
}

// If the layer's messages did not arrive, no test that draws could fail by them.
TEST(VulkanContext, CollectsValidationMessages) {
    auto context = VulkanContext::create({.validation = Validation::Synchronization});
    if (!context) GTEST_SKIP() << context.error().message;
    EXPECT_EQ(context->messages()->count(), 0u);
    VkBufferCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
    info.size = 0;  // not allowed
    info.usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT;
    VkBuffer buffer = VK_NULL_HANDLE;
    if (vkCreateBuffer(context->device(), &info, nullptr, &buffer) == VK_SUCCESS)
        vkDestroyBuffer(context->device(), buffer, nullptr);
    ASSERT_GE(context->messages()->count(), 1u);
    EXPECT_THAT(context->messages()->all()[0], testing::HasSubstr("VUID-VkBufferCreateInfo-size"));
}

TEST(VulkanContext, KeptMessagesTellWhatWasNotDestroyed) {
    std::shared_ptr<const ValidationMessages> messages;
    {
        auto context = VulkanContext::create({.validation = Validation::On});
        if (!context) GTEST_SKIP() << context.error().message;
        messages = context->messages();
        VkBufferCreateInfo info{};
        info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
        info.size = 64;
        info.usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT;
        VkBuffer left = VK_NULL_HANDLE;
        ASSERT_EQ(vkCreateBuffer(context->device(), &info, nullptr, &left), VK_SUCCESS);
        EXPECT_EQ(messages->count(), 0u);
    }
    ASSERT_GE(messages->count(), 1u);
    EXPECT_THAT(messages->all()[0], testing::HasSubstr("vkDestroyDevice"));
}

TEST_F(VulkanContextTest, AnErrorWhileRecordingIsReturned) {
    const auto result = submitAndWait(context(), [](VkCommandBuffer) -> Result<void> {
        return makeError(ErrorCode::TooLarge, "too much");
    });
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code, ErrorCode::TooLarge);
}

}  // namespace

}  // namespace karst::app
