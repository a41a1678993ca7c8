#include <device_functions.h>
#include <golden/gpu_test.h>

#include <cstring>

namespace karst::render {

namespace {

class DeviceFunctionsTest : public test::GpuTest {};

TEST_F(DeviceFunctionsTest, LoadsFromTheHostsDevice) {
    const auto fn = DeviceFunctions::load(device());
    ASSERT_TRUE(fn) << fn.error().message;
    EXPECT_NE(fn->SetDebugUtilsObjectNameEXT, nullptr) << "the tests' instance enables debug utils";
}

TEST_F(DeviceFunctionsTest, RefusesANullHandleByName) {
    VulkanDevice broken = device();
    broken.physicalDevice = VK_NULL_HANDLE;
    const auto fn = DeviceFunctions::load(broken);
    ASSERT_FALSE(fn);
    EXPECT_EQ(fn.error().code, ErrorCode::InvalidArgument);
    EXPECT_NE(fn.error().message.find("physicalDevice"), std::string::npos) << fn.error().message;
}

TEST_F(DeviceFunctionsTest, NamesAFunctionThatTheDeviceLacks) {
    VulkanDevice old = device();
    old.getDeviceProcAddr = [](VkDevice d, const char* name) -> PFN_vkVoidFunction {
        return std::strcmp(name, "vkCmdPipelineBarrier2") == 0 ? nullptr : vkGetDeviceProcAddr(d, name);
    };
    const auto fn = DeviceFunctions::load(old);
    ASSERT_FALSE(fn);
    EXPECT_EQ(fn.error().code, ErrorCode::DeviceLost);
    EXPECT_NE(fn.error().message.find("vkCmdPipelineBarrier2"), std::string::npos) << fn.error().message;
}

}  // namespace

}  // namespace karst::render
