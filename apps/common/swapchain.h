#pragma once

#include <karst/base/result.h>
#include <vulkan/vulkan.h>

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "common/host_buffer.h"
#include "common/image_file.h"
#include "common/vulkan_context.h"

namespace karst::app {

/// The pictures of a window's surface, in an _UNORM format, and the command buffers that draw them: begin a
/// frame, record, end it. The context must outlive it.
///
/// Threads: one at a time.
class Swapchain {
  public:
    /// Frames that the CPU may be ahead of the GPU.
    static constexpr std::uint32_t kFramesInFlight = 2;

    /// Takes the surface over. Fails with DeviceLost where the device cannot draw into it.
    static Result<Swapchain> create(VulkanContext& context, VkSurfaceKHR surface, VkExtent2D size);
    Swapchain(Swapchain&&) noexcept;
    Swapchain& operator=(Swapchain&&) = delete;
    ~Swapchain();

    struct Frame {
        VkCommandBuffer commands = VK_NULL_HANDLE;  ///< begun
        VkImage image = VK_NULL_HANDLE;             ///< its contents are dropped
        VkImageView view = VK_NULL_HANDLE;
        VkExtent2D extent{};
        std::uint32_t slot = 0;   ///< 0 .. kFramesInFlight - 1; the GPU is done with the slot's last frame
        std::uint32_t index = 0;  ///< of the image
    };

    /// Waits until the frame kFramesInFlight ago is done. `size`: of the window, in pixels. Nothing where
    /// there is no picture to draw just now (an icon, a resize): try again.
    Result<std::optional<Frame>> begin(VkExtent2D size);

    /// Recorded barriers that lead the image from nothing to a colour attachment, and from there to the
    /// screen. The first orders after the moment when the image is there.
    void recordToAttachment(const Frame& frame) const;
    void recordToPresent(const Frame& frame);

    /// Between the two: has the picture copied for takeCapture().
    void requestCapture() { m_captureWanted = true; }
    bool capturePending() const { return m_captureWanted; }

    /// Submits and shows the frame.
    Result<void> end(const Frame& frame);

    /// The picture of the last frame that was captured; waits for the GPU. Nothing where none was.
    Result<std::optional<Image>> takeCapture();

    VkFormat format() const { return m_format; }
    VkExtent2D extent() const { return m_extent; }

  private:
    struct Slot {
        VkCommandPool pool = VK_NULL_HANDLE;
        VkCommandBuffer commands = VK_NULL_HANDLE;
        VkFence done = VK_NULL_HANDLE;
        VkSemaphore acquired = VK_NULL_HANDLE;
    };
    struct Picture {
        VkImage image = VK_NULL_HANDLE;
        VkImageView view = VK_NULL_HANDLE;
        VkSemaphore drawn = VK_NULL_HANDLE;
    };

    explicit Swapchain(VulkanContext& context, VkSurfaceKHR surface)
        : m_context(&context), m_surface(surface) {}
    Result<void> chooseFormat();
    Result<void> createSlots();
    Result<void> createChain(VkExtent2D size);
    void destroyPictures();
    Result<void> reserveCapture(VkExtent2D extent);

    VulkanContext* m_context;
    VkSurfaceKHR m_surface = VK_NULL_HANDLE;
    VkSwapchainKHR m_chain = VK_NULL_HANDLE;
    VkFormat m_format = VK_FORMAT_UNDEFINED;
    VkColorSpaceKHR m_colorSpace = VK_COLOR_SPACE_SRGB_NONLINEAR_KHR;
    VkExtent2D m_extent{};
    std::array<Slot, kFramesInFlight> m_slots;
    std::vector<Picture> m_pictures;
    std::uint32_t m_next = 0;
    bool m_stale = false, m_canCopy = false;
    bool m_captureWanted = false, m_captured = false;
    HostBuffer m_capture;  // the picture that was copied, and its size
    VkExtent2D m_captureExtent{};
};

}  // namespace karst::app
