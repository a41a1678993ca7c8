#include "driven_viewer.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <thread>

namespace karst::test {

namespace fs = std::filesystem;

namespace {

constexpr double kPatience = 120;  // seconds
constexpr double kPause = 0.03;

using Clock = std::chrono::steady_clock;

void sleepFor(double seconds) {
    std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

bool installed(const std::string& program) {
    const char* path = std::getenv("PATH");
    std::string rest = path ? path : "";
    while (!rest.empty()) {
        const std::size_t end = std::min(rest.find(':'), rest.size());
        if (::access((rest.substr(0, end) + "/" + program).c_str(), X_OK) == 0) return true;
        rest.erase(0, end + 1);
    }
    return false;
}

}  // namespace

Process::Process(const std::vector<std::string>& command, const fs::path& output,
                 const std::vector<std::string>& environment)
    : m_output(output) {
    std::vector<char*> list;
    for (const std::string& argument : command)
        list.push_back(const_cast<char*>(argument.c_str()));
    list.push_back(nullptr);
    // Before anybody reads it: what a process before this one wrote is not this one's.
    const int file = ::open(output.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_APPEND | O_CLOEXEC, 0666);
    m_child = ::fork();
    if (m_child != 0) ::close(file);
    if (m_child != 0) return;
    for (const std::string& variable : environment)
        ::putenv(const_cast<char*>(variable.c_str()));
    ::dup2(file, 1);
    ::dup2(file, 2);
    ::execvp(list[0], list.data());
    ::_exit(127);
}

Process::~Process() {
    if (!running()) return;
    ::kill(m_child, SIGTERM);
    wait(10);
}

bool Process::running() {
    if (m_code) return false;
    int status = 0;
    if (::waitpid(m_child, &status, WNOHANG) == 0) return true;
    m_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return false;
}

void Process::signal(int number) {
    if (running()) ::kill(m_child, number);
}

int Process::wait(double seconds) {
    const auto end = Clock::now() + std::chrono::duration<double>(seconds);
    while (running() && Clock::now() < end)
        sleepFor(kPause);
    if (running()) {
        ::kill(m_child, SIGKILL);
        ::waitpid(m_child, nullptr, 0);
        m_code = -1;
    }
    return *m_code;
}

std::string Process::output() const {
    std::ifstream in(m_output, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

std::unique_ptr<VirtualDisplay> VirtualDisplay::start(const fs::path& folder) {
    if (!installed("Xvfb") || !installed("xdotool")) return nullptr;
    auto display = std::make_unique<VirtualDisplay>();
    // The server looks for a free number and writes it to its standard output.
    display->m_server =
        std::make_unique<Process>(std::vector<std::string>{"Xvfb", "-displayfd", "1", "-screen", "0",
                                                           "640x480x24", "-nolisten", "tcp", "-noreset"},
                                  folder / "xvfb.log");
    const auto end = Clock::now() + std::chrono::duration<double>(kPatience);
    while (display->m_server->running() && Clock::now() < end) {
        const std::string said = display->m_server->output();
        std::size_t line = 0;
        while (line < said.size()) {
            const std::size_t stop = said.find('\n', line);
            if (stop == std::string::npos) break;
            const std::string text = said.substr(line, stop - line);
            if (!text.empty() && text.find_first_not_of("0123456789") == std::string::npos) {
                display->m_name = ":" + text;
                return display;
            }
            line = stop + 1;
        }
        sleepFor(kPause);
    }
    return nullptr;
}

namespace {

std::vector<std::string> viewerCommand(const fs::path& folder, std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), KARST_VIEWER);
    for (const std::string& more : {std::string("--validation"), std::string("--size"),
                                    std::string("320,240"), std::string("--pictures"), folder.string()})
        arguments.push_back(more);
    return arguments;
}

}  // namespace

DrivenViewer::DrivenViewer(const VirtualDisplay& display, const fs::path& folder,
                           std::vector<std::string> arguments)
    : m_display(display.name()),
      m_folder(folder),
      m_process(viewerCommand(folder, std::move(arguments)), folder / "viewer.log",
                {"DISPLAY=" + display.name()}) {}

int DrivenViewer::count(const std::string& text) const {
    const std::string all = output();
    int found = 0;
    for (std::size_t at = all.find(text); at != std::string::npos; at = all.find(text, at + 1))
        ++found;
    return found;
}

bool DrivenViewer::waitFor(const std::string& text, int times) {
    const auto end = Clock::now() + std::chrono::duration<double>(kPatience);
    while (count(text) < times) {
        if (!m_process.running() || Clock::now() > end) return false;
        sleepFor(kPause);
    }
    return true;
}

void DrivenViewer::type(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "xdotool");
    Process(arguments, m_folder / "xdotool.log", {"DISPLAY=" + m_display}).wait(kPatience);
}

void DrivenViewer::hold(const std::string& key, double seconds) {
    type({"keydown", key});
    rest(seconds);
    type({"keyup", key});
}

void DrivenViewer::pointAt(int x, int y) {
    type({"mousemove", std::to_string(x), std::to_string(y)});
}

void DrivenViewer::holdButton(int button, double seconds) {
    type({"mousedown", std::to_string(button)});
    rest(seconds);
    type({"mouseup", std::to_string(button)});
}

void DrivenViewer::drag(int fromX, int fromY, int toX, int toY) {
    pointAt(fromX, fromY);
    type({"mousedown", "3"});
    shoot();  // a frame has seen the button
    pointAt(toX, toY);
    shoot();
    type({"mouseup", "3"});
}

void DrivenViewer::toWindow(std::vector<std::string> command) {
    for (const char* part : {"Karst viewer", "--name", "search"})
        command.insert(command.begin(), part);
    type(std::move(command));
}

void DrivenViewer::resize(int width, int height) {
    toWindow({"windowsize", std::to_string(width), std::to_string(height)});
}

void DrivenViewer::hide(bool hidden) {
    toWindow({hidden ? "windowunmap" : "windowmap"});
    if (!hidden) toWindow({"windowfocus"});
}

void DrivenViewer::rest(double seconds) {
    sleepFor(seconds);
}

DrivenViewer::Shot DrivenViewer::shoot() {
    const int before = count("screenshot ");
    press("F12");
    Shot shot;
    if (!waitFor("screenshot ", before + 1)) return shot;
    std::string said = output();
    // The line may not be whole yet.
    for (int i = 0; i < 100 && said.find('\n', said.rfind("screenshot ")) == std::string::npos; ++i) {
        sleepFor(kPause);
        said = output();
    }
    const std::string line = said.substr(said.rfind("screenshot "));
    char path[512] = {};
    if (std::sscanf(line.c_str(), "screenshot %511s camera %lf,%lf,%lf yaw %lf pitch %lf edits %u", path,
                    &shot.camera.x, &shot.camera.y, &shot.camera.z, &shot.yaw, &shot.pitch,
                    &shot.edits) != 7) {
        return shot;
    }
    auto picture = app::readPng(path);
    if (picture) shot.picture = std::move(*picture);
    return shot;
}

int DrivenViewer::quit() {
    press("ctrl+q");
    return m_process.wait(kPatience);
}

}  // namespace karst::test
