#include "viewer.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>

#include "../karst/interruption.h"
#include "height_drawing.h"
#include "panels/panels.h"
#ifdef KARST_HAVE_SQLITE
#include "voxel_drawing.h"
#endif

namespace karst::viewer {

namespace {

using Seconds = std::chrono::duration<double>;
using Milliseconds = std::chrono::duration<double, std::milli>;
using Clock = std::chrono::steady_clock;

// One frame moves nothing further than this many seconds would.
constexpr double kLongestStep = 0.25;

/// Puts the time of a scope into a graph.
class Stopwatch {
  public:
    explicit Stopwatch(Graph& graph) : m_graph(graph) {}
    ~Stopwatch() { m_graph.push(Milliseconds(Clock::now() - m_begun).count()); }
    Stopwatch(const Stopwatch&) = delete;
    Stopwatch& operator=(const Stopwatch&) = delete;

  private:
    Graph& m_graph;
    Clock::time_point m_begun = Clock::now();
};

}  // namespace

Viewer::Viewer(const ViewerOptions& options) : m_options(options) {
    m_externals.jobs = &m_threads;
    m_externals.log = &stderrLogger();
    m_state.day.hour = options.hour;
}

Viewer::~Viewer() {
    m_loader.reset();
    m_play.reset();
    if (m_context) vkDeviceWaitIdle(m_context->device());
}

Result<std::unique_ptr<Viewer>> Viewer::create(const ViewerOptions& options) {
    std::unique_ptr<Viewer> viewer(new Viewer(options));
    if (auto made = viewer->createAll(); !made) return made.error();
    return viewer;
}

Result<void> Viewer::createAll() {
    auto window =
        app::Window::create({.title = "Karst viewer", .width = m_options.width, .height = m_options.height});
    if (!window) return window.error();
    m_window = std::make_unique<app::Window>(std::move(*window));
    m_input = std::make_unique<Input>(m_window->handle());
    app::VulkanContextDesc desc;
    desc.name = "karst_viewer";
    desc.validation = m_options.validation ? app::Validation::Synchronization : app::Validation::Off;
    desc.instanceExtensions = m_window->instanceExtensions();
    desc.deviceExtensions = {VK_KHR_SWAPCHAIN_EXTENSION_NAME};
    desc.accepts = app::Window::canPresent;
    auto context = app::VulkanContext::create(desc);
    // One that KARST_DEVICE does not name is not found: that is no lack of a display.
    if (!context) return Error{ErrorCode::DeviceLost, context.error().message};
    m_context = std::make_unique<app::VulkanContext>(std::move(*context));
    m_state.deviceName = m_context->deviceName();
    auto surface = m_window->createSurface(m_context->instance());
    if (!surface) return surface.error();
    auto swapchain = app::Swapchain::create(*m_context, *surface, m_window->framebufferSize());
    if (!swapchain) return swapchain.error();
    m_swapchain = std::make_unique<app::Swapchain>(std::move(*swapchain));
    m_gui = std::make_unique<Gui>(m_window->handle());
    VkPhysicalDeviceProperties properties{};
    vkGetPhysicalDeviceProperties(m_context->physicalDevice(), &properties);
    const bool software = properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
    const int samples = m_options.samples > 0 ? m_options.samples : software ? 1 : 4;
    auto renderer =
        FrameRenderer::create(*m_context, *m_swapchain, static_cast<VkSampleCountFlagBits>(samples));
    if (!renderer) return renderer.error();
    m_renderer = std::make_unique<FrameRenderer>(std::move(*renderer));
    auto bodies = BodyDrawing::create(m_renderer->drawingContext(m_externals));
    if (!bodies) return bodies.error();
    m_bodies = std::move(*bodies);
    m_state.canWireframe = m_context->description().fillModeNonSolid;
    m_state.shadows = !software;
    if (software && m_options.width * m_options.height > 640 * 360) {
        tell(m_state.deviceName +
             " draws in software, which is slow; a smaller window (--size 640,360) is faster");
    }
    m_loader = std::make_unique<Loader>(m_externals);
    if (!m_options.open.file.empty()) m_state.requests.open = m_options.open.file;
    return {};
}

Result<void> Viewer::run() {
    const tool::Interruption interruption;
    auto last = Clock::now();
    while (!m_window->shouldClose() && !tool::Interruption::wanted()) {
        const auto now = Clock::now();
        const double seconds = Seconds(now - last).count();
        last = now;
        m_state.times.graphs[FrameTimes::Whole].push(seconds * 1000);
        m_window->poll();
        if (auto drawn = frame(std::min(seconds, kLongestStep)); !drawn) return drawn;
        if (m_window->framebufferSize().width == 0) m_window->wait(0.2);
    }
    return {};
}

void Viewer::tell(const std::string& message, bool error) {
    m_state.message = message;
    m_state.messageIsError = error;
    std::fprintf(error ? stderr : stdout, "karst_viewer: %s\n", message.c_str());
    std::fflush(stdout);
}

Result<void> Viewer::frame(double seconds) {
    // The panels first: whether the mouse is theirs is asked for where it is now, not where it was.
    m_gui->beginFrame();
    m_input->beginFrame(m_gui->wantsKeyboard(), m_gui->wantsMouse());
    takeOpened();
    readKeys();
    moveCamera(seconds);
    m_seconds += seconds;
    if (m_ground) {
        if (auto updated = updateGround(seconds); !updated) return updated;
    }
    m_sinceUse += seconds;
    useTool();
    showPanels();
    answerRequests();
    return drawFrame(m_gui->endFrame());
}

Result<void> Viewer::updateGround(double seconds) {
    {
        const Stopwatch watch(m_state.times.graphs[FrameTimes::Physics]);
        const WalkWish wish{m_state.camera.walkWish(*m_input), m_input->held(Action::Fast),
                            m_input->pressed(Action::Up)};
        if (auto stepped = m_play->step(seconds, wish, m_state.camera.pose); !stepped) return stepped;
        const auto bodies = m_play->bodies();
        m_bodies->setBodies(bodies);
        m_state.walking = m_play->walking();
        m_state.bodies = static_cast<int>(bodies.size());
        m_state.bodiesAsleep = static_cast<int>(
            std::count_if(bodies.begin(), bodies.end(), [](const BodyPose& b) { return b.asleep; }));
        m_state.bodiesWaiting = static_cast<int>(
            std::count_if(bodies.begin(), bodies.end(), [](const BodyPose& b) { return b.waiting; }));
    }
    const Stopwatch watch(m_state.times.graphs[FrameTimes::Stream]);
    if (m_ground->ready() && !m_cameraPlaced) placeCamera();
    Viewpoint viewpoint;
    viewpoint.eye = m_state.camera.pose.position;
    viewpoint.projectionScale =
        std::max(1u, m_window->framebufferSize().height) / (2 * std::tan(m_state.verticalFov / 2));
    viewpoint.solid = m_play->solid();
    if (auto updated = m_ground->update(viewpoint); !updated) return updated;
    if (const std::string problem = m_ground->takeProblem(); !problem.empty()) tell(problem, true);
    if (m_cameraPlaced && !m_settledTold && settled()) {
        m_settledTold = true;
        tell(m_ground->name() + ": everything in view is loaded");
    }
    return {};
}

void Viewer::takeOpened() {
    auto opened = m_loader->take();
    if (!opened) return;
    if (!*opened) return tellError(opened->error());
    if (auto shown = show(std::move(opened->value())); !shown) tellError(shown.error());
}

Result<void> Viewer::show(std::unique_ptr<Ground> ground) {
    vkDeviceWaitIdle(m_context->device());
    m_play.reset();
    m_drawing.reset();
    m_ground = std::move(ground);
    m_play = std::make_unique<Play>(*m_ground);
    m_cameraPlaced = m_settledTold = m_stroke = false;
    m_pointed.reset();
    m_state.brush.tool = Tool::Look;
    m_state.figures.assign(m_ground->figures().size(), {});
    m_state.canWalk = true;
    const DrawingContext context = m_renderer->drawingContext(m_externals);
    if (auto* heights = dynamic_cast<HeightGround*>(m_ground.get())) {
        auto drawing = HeightDrawing::create(context, *heights);
        if (!drawing) return drawing.error();
        m_drawing = std::move(*drawing);
    }
#ifdef KARST_HAVE_SQLITE
    if (auto* voxels = dynamic_cast<VoxelGround*>(m_ground.get())) {
        auto drawing = VoxelDrawing::create(context, *voxels);
        if (!drawing) return drawing.error();
        m_drawing = std::move(*drawing);
        m_state.brush.material =
            static_cast<int>(voxels->grid().materials().find("grass").value_or(voxel::MaterialId{2}));
    }
#endif
    const std::string saveTo = m_ground->savePath();
    m_state.saveAs.fill(0);
    saveTo.copy(m_state.saveAs.data(), m_state.saveAs.size() - 1);
    tell(m_ground->name() + ": open");
    return {};
}

bool Viewer::settled() const {
    return m_ground && m_drawing && m_ground->settled() && m_drawing->settled();
}

void Viewer::placeCamera() {
    const Bounds bounds = m_ground->bounds();
    const Vec3d size = bounds.size();
    const double across = std::max({size.x * 0.6, size.z * 0.8, size.y});
    const double distance = std::max(1e-3, 0.5 * across / std::tan(m_state.verticalFov / 2));
    // From the south-east and above, so that most of the ground is in the picture and its relief shows.
    Vec3d target = bounds.center(), eye = target + normalized(Vec3d{0.55, 0.36, 1}) * distance;
    if (m_options.target) target = *m_options.target;
    if (m_options.camera) eye = *m_options.camera;
    m_options.camera.reset();
    m_options.target.reset();
    m_state.camera.pose = CameraPose::lookAt(eye, target);
    if (!m_cameraPlaced) {
        m_state.camera.speed = std::max(across / 25, 1.0);
        m_state.brush.radius = m_options.radius > 0 ? m_options.radius : m_ground->spacing() * 6;
    }
    m_cameraPlaced = true;
}

double Viewer::nearPlane() const {
    return std::clamp(1e-2 * m_ground->spacing(), 1e-3, 0.2);
}

void Viewer::showPanels() {
    const Stopwatch watch(m_state.times.graphs[FrameTimes::Panels]);
    if (m_loader->running()) showProgressPanel(m_loader->progress());
    if (m_state.showHelp) showHelpPanel(m_state);
    if (m_pointed) {
        const VkExtent2D size = m_window->framebufferSize();
        showBrush(m_state, *m_pointed, size.width, size.height);
    }
    if (!m_state.showPanels) return;
    if (beginColumn(Side::Left)) {
        showFilePanel(m_state, m_ground.get());
        if (m_ground) showToolPanel(m_state, *m_ground);
        if (m_ground) showDayPanel(m_state);
    }
    endColumn();
    if (m_ground) {
        const std::vector<Figure> figures = m_ground->figures();
        for (std::size_t i = 0; i < figures.size() && i < m_state.figures.size(); ++i)
            m_state.figures[i].push(figures[i].value);
    }
    if (beginColumn(Side::Right)) {
        if (m_ground) showLevelPanel(m_state, *m_ground, m_drawing ? m_drawing->stats() : DrawStats{});
        showStatsPanel(m_state);
    }
    endColumn();
    showStatusLine(m_state, m_ground.get());
}

}  // namespace karst::viewer
