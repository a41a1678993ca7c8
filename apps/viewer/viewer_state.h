#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "camera_controller.h"
#include "ground.h"
#include "scene_look.h"

namespace karst::viewer {

/// The last values of something, for a graph.
struct Graph {
    std::array<float, 240> values{};
    std::size_t next = 0;

    void push(double value) {
        values[next] = static_cast<float>(value);
        next = (next + 1) % values.size();
    }
    float last() const { return values[(next + values.size() - 1) % values.size()]; }
};

/// What the picture shows instead of, or over, the ground as it is.
enum class DiagnosticMode : std::uint8_t {
    None,
    Levels,
    Borders,
    Normals,
    Error,
    Materials,
    Wireframe,
    Overdraw,
    Count
};
inline constexpr std::array<const char*, static_cast<std::size_t>(DiagnosticMode::Count)> kDiagnosticNames{
    "none", "levels", "borders", "normals", "error", "materials", "wireframe", "overdraw"};

/// How long the parts of a frame take, milliseconds.
struct FrameTimes {
    enum Part : std::uint8_t {
        Whole,
        Stream,
        Physics,
        Panels,
        Record,
        GpuUpload,
        GpuShadows,
        GpuSolid,
        GpuSky,
        GpuPanels,
        Count
    };
    static constexpr std::array<const char*, Count> kNames{
        "frame",      "CPU streaming", "CPU physics", "CPU panels",     "CPU recording",
        "GPU upload", "GPU shadows",   "GPU ground",  "GPU sky, water", "GPU panels"};
    std::array<Graph, Count> graphs;
};

/// The brush of the tools.
struct BrushSettings {
    Tool tool = Tool::Look;
    double radius = 10;  ///< world units
    float strength = 0.4f;
    int material = 0;
};

/// What keys and panels ask for; the viewer does it after the panels are drawn.
struct Requests {
    bool undo = false, redo = false, save = false, screenshot = false, drop = false, walk = false,
         clearBodies = false, wholeView = false, quit = false;
    std::string open, saveAs;  ///< files; empty: none
};

/// What the panels show and change.
struct ViewerState {
    CameraController camera;
    double verticalFov = 0.8;  ///< radians
    DayTime day;
    BrushSettings brush;
    bool showPanels = true, showHelp = false;
    bool walking = false, canWalk = false;
    int bodies = 0, bodiesAsleep = 0, bodiesWaiting = 0;
    DiagnosticMode diagnostic = DiagnosticMode::None;
    bool canWireframe = false, shadows = true;
    Requests requests;
    FrameTimes times;
    std::vector<Graph> figures;  ///< as the ground's figures
    std::string message;         ///< of what was done last
    bool messageIsError = false;
    std::string deviceName;
    std::array<char, 512> file{}, saveAs{};  ///< what stands in the panel's fields
};

}  // namespace karst::viewer
