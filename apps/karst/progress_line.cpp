#include "progress_line.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace karst::tool {
namespace {

constexpr double kTerminalEvery = 0.2, kLineEvery = 5, kSilent = 2;  // seconds

std::string duration(double seconds) {
    char text[48];
    const auto whole = static_cast<long>(std::min(seconds, 1e8) + 0.5);
    if (whole < 60) {
        std::snprintf(text, sizeof text, "%ld s", whole);
    } else if (whole < 3600) {
        std::snprintf(text, sizeof text, "%ld min %02ld s", whole / 60, whole % 60);
    } else {
        std::snprintf(text, sizeof text, "%ld h %02ld min", whole / 3600, whole / 60 % 60);
    }
    return text;
}

}  // namespace

ProgressLine::ProgressLine(std::string what, const Clock& clock)
    : m_what(std::move(what)),
      m_clock(&clock),
      m_terminal(::isatty(STDERR_FILENO) == 1),
      m_begun(clock.nowNanoseconds()) {}

void ProgressLine::show(double share) {
    if (m_first < 0) m_first = share;
    const std::uint64_t now = m_clock->nowNanoseconds();
    const double passed = static_cast<double>(now - m_begun) * 1e-9;
    const double since = static_cast<double>(now - m_shown) * 1e-9;
    if (since < (m_terminal ? kTerminalEvery : kLineEvery) || (!m_terminal && passed < kSilent)) return;
    m_shown = now;
    std::string left;
    if (share > m_first && passed > 1) {
        left = ", " + duration(passed / (share - m_first) * (1 - share)) + " left";
    }
    const int percent = static_cast<int>(std::clamp(share, 0.0, 1.0) * 100);
    if (!m_terminal) {
        std::fprintf(stderr, "karst %s: %d %%%s\n", m_what.c_str(), percent, left.c_str());
        return;
    }
    constexpr int kWidth = 30;
    const int filled = percent * kWidth / 100;
    const std::string bar = std::string(static_cast<std::size_t>(filled), '#') +
                            std::string(static_cast<std::size_t>(kWidth - filled), '.');
    std::fprintf(stderr, "\r\033[K%s [%s] %d %%%s", m_what.c_str(), bar.c_str(), percent, left.c_str());
    std::fflush(stderr);
    m_drawn = true;
}

void ProgressLine::end() {
    if (m_drawn) std::fprintf(stderr, "\r\033[K");
    std::fflush(stderr);
    m_drawn = false;
}

}  // namespace karst::tool
