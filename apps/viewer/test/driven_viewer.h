#pragma once

#include <common/image_file.h>
#include <karst/base/math.h>
#include <sys/types.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace karst::test {

/// Runs a program with some of its environment set (NAME=value) and its output in a file.
class Process {
  public:
    Process(const std::vector<std::string>& command, const std::filesystem::path& output,
            const std::vector<std::string>& environment = {});
    /// Ends it, where it still runs.
    ~Process();
    Process(const Process&) = delete;
    Process& operator=(const Process&) = delete;

    bool running();
    /// Sends a signal.
    void signal(int number);
    /// The exit code; -1 where a signal ended it, or it had to be ended after so many seconds.
    int wait(double seconds);
    std::string output() const;

  private:
    std::filesystem::path m_output;
    pid_t m_child = -1;
    std::optional<int> m_code;
};

/// An X server without a screen, Xvfb.
class VirtualDisplay {
  public:
    /// Nothing where Xvfb or xdotool is not installed.
    static std::unique_ptr<VirtualDisplay> start(const std::filesystem::path& folder);
    const std::string& name() const { return m_name; }  ///< ":7"

  private:
    std::unique_ptr<Process> m_server;
    std::string m_name;
};

/// The viewer in a window of 320 x 240 on a virtual display, under the validation layer: keys and mouse go in
/// as a user's do, screenshots come out.
class DrivenViewer {
  public:
    static constexpr int kWidth = 320, kHeight = 240;

    DrivenViewer(const VirtualDisplay& display, const std::filesystem::path& folder,
                 std::vector<std::string> arguments);

    /// Until the viewer has said it, this often in all; false where it does not within two minutes.
    bool waitFor(const std::string& text, int times = 1);
    int count(const std::string& text) const;

    /// xdotool's names: "w", "F12", "ctrl+z".
    void press(const std::string& key) { type({"key", key}); }
    void hold(const std::string& key, double seconds);
    void pointAt(int x, int y);
    void holdButton(int button, double seconds);
    /// As a window manager does it.
    void resize(int width, int height);
    void hide(bool hidden);
    /// Drags with the right button.
    void drag(int fromX, int fromY, int toX, int toY);

    struct Shot {
        app::Image picture;
        Vec3d camera;
        double yaw = 0, pitch = 0;
        unsigned edits = 0;
    };
    /// With F12. An empty picture where none comes.
    Shot shoot();
    /// Lets the viewer draw on for a while.
    static void rest(double seconds);

    /// Ctrl+Q; the exit code.
    int quit();
    std::string output() const { return m_process.output(); }

  private:
    void type(std::vector<std::string> arguments);
    /// To this viewer's window, by xdotool's commands for windows.
    void toWindow(std::vector<std::string> command);

    std::string m_display;
    std::filesystem::path m_folder;
    Process m_process;
};

}  // namespace karst::test
