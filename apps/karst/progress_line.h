#pragma once

#include <karst/base/clock.h>

#include <cstdint>
#include <string>

namespace karst::tool {

/// Says on stderr how far a long task is and how long it will take: a bar that is redrawn on a terminal, else
/// a line every few seconds. Tasks of less than two seconds say nothing elsewhere than on a terminal.
class ProgressLine {
  public:
    ProgressLine(std::string what, const Clock& clock);
    ~ProgressLine() { end(); }
    ProgressLine(const ProgressLine&) = delete;
    ProgressLine& operator=(const ProgressLine&) = delete;

    /// `share` 0..1 of the task is done. The first call's share is where it began.
    void show(double share);
    /// Takes the bar from the terminal.
    void end();

  private:
    std::string m_what;
    const Clock* m_clock;
    bool m_terminal;
    bool m_drawn = false;
    std::uint64_t m_begun, m_shown = 0;
    double m_first = -1;
};

}  // namespace karst::tool
