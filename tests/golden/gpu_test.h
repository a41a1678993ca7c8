#pragma once

#include <common/vulkan_context.h>
#include <gtest/gtest.h>

namespace karst::test {

/// A test with a Vulkan device, validation and synchronization validation on: any message of the layer fails
/// the test. Skips where the machine has no Vulkan 1.3 device, unless $KARST_REQUIRE_GPU is 1.
class GpuTest : public testing::Test {
  protected:
    void SetUp() override;
    void TearDown() override;
    app::VulkanContext& context() { return *m_context; }
    render::VulkanDevice device() { return m_context->description(); }

  private:
    app::VulkanContext* m_context = nullptr;  // one for the process
    std::size_t m_messagesBefore = 0;
};

}  // namespace karst::test
