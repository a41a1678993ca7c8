#include "common/window.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

#include "common/vulkan_context.h"

namespace karst::app {

namespace {

std::string lastProblem() {
    const char* text = nullptr;
    glfwGetError(&text);
    return text ? text : "no reason given";
}

}  // namespace

struct Window::State {
    bool library = false;
    GLFWwindow* window = nullptr;

    ~State() {
        if (window) glfwDestroyWindow(window);
        if (library) glfwTerminate();
    }
};

Window::Window(std::unique_ptr<State> state) : m_state(std::move(state)) {}
Window::Window(Window&&) noexcept = default;
Window::~Window() = default;

Result<Window> Window::create(const WindowDesc& desc) {
    auto state = std::make_unique<State>();
    if (glfwInit() != GLFW_TRUE) {
        return makeError(ErrorCode::NotFound,
                         "no display to open a window on (%s): start it in a desktop session, or set DISPLAY",
                         lastProblem().c_str());
    }
    state->library = true;
    if (glfwVulkanSupported() != GLFW_TRUE) {
        return makeError(ErrorCode::DeviceLost,
                         "vulkan: no loader or no driver that draws into windows (%s): install a Vulkan 1.3 "
                         "driver (a GPU's own, or the software one, mesa-vulkan-drivers)",
                         lastProblem().c_str());
    }
    glfwWindowHint(GLFW_CLIENT_API, GLFW_NO_API);
    state->window = glfwCreateWindow(desc.width, desc.height, desc.title, nullptr, nullptr);
    if (!state->window) {
        return makeError(ErrorCode::NotFound, "a window of %d x %d cannot be opened: %s", desc.width,
                         desc.height, lastProblem().c_str());
    }
    return Window(std::move(state));
}

GLFWwindow* Window::handle() const {
    return m_state->window;
}

std::vector<const char*> Window::instanceExtensions() const {
    std::uint32_t count = 0;
    const char** names = glfwGetRequiredInstanceExtensions(&count);
    return {names, names + count};
}

bool Window::canPresent(VkInstance instance, VkPhysicalDevice device, std::uint32_t queueFamily) {
    return glfwGetPhysicalDevicePresentationSupport(instance, device, queueFamily) == GLFW_TRUE;
}

Result<VkSurfaceKHR> Window::createSurface(VkInstance instance) const {
    VkSurfaceKHR surface = VK_NULL_HANDLE;
    const VkResult code = glfwCreateWindowSurface(instance, m_state->window, nullptr, &surface);
    if (code != VK_SUCCESS) return vulkanError("glfwCreateWindowSurface", code);
    return surface;
}

VkExtent2D Window::framebufferSize() const {
    int width = 0, height = 0;
    glfwGetFramebufferSize(m_state->window, &width, &height);
    return {static_cast<std::uint32_t>(width), static_cast<std::uint32_t>(height)};
}

bool Window::shouldClose() const {
    return glfwWindowShouldClose(m_state->window) == GLFW_TRUE;
}

void Window::close() {
    glfwSetWindowShouldClose(m_state->window, GLFW_TRUE);
}

void Window::poll() {
    glfwPollEvents();
}

void Window::wait(double seconds) {
    glfwWaitEventsTimeout(seconds);
}

}  // namespace karst::app
