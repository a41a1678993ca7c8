#pragma once

#include <karst/base/result.h>
#include <vulkan/vulkan.h>

#include <cstdint>
#include <memory>
#include <vector>

struct GLFWwindow;

namespace karst::app {

struct WindowDesc {
    const char* title = "karst";
    int width = 1280, height = 720;  ///< of the content, screen coordinates
};

/// A window of the desktop that Vulkan draws into. One at a time in a process.
///
/// Threads: the main one.
class Window {
  public:
    /// NotFound where there is no display to open a window on, DeviceLost where the Vulkan loader is absent
    /// or cannot draw into windows.
    static Result<Window> create(const WindowDesc& desc);
    Window(Window&&) noexcept;
    Window& operator=(Window&&) = delete;
    ~Window();

    GLFWwindow* handle() const;
    /// Of the instance that is to draw into windows here.
    std::vector<const char*> instanceExtensions() const;
    /// Can this queue family of this device show pictures in windows here?
    static bool canPresent(VkInstance instance, VkPhysicalDevice device, std::uint32_t queueFamily);
    /// The caller's to destroy, before the window and the instance.
    Result<VkSurfaceKHR> createSurface(VkInstance instance) const;

    /// Pixels; 0 x 0 while the window is an icon.
    VkExtent2D framebufferSize() const;
    bool shouldClose() const;
    void close();
    /// Takes in what the user did; calls the callbacks.
    void poll();
    /// The same, waiting up to so many seconds for something to happen.
    void wait(double seconds);

  private:
    struct State;
    explicit Window(std::unique_ptr<State> state);
    std::unique_ptr<State> m_state;
};

}  // namespace karst::app
