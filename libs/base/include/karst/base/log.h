#pragma once

#include <string_view>

namespace karst {

enum class LogLevel { Debug, Info, Warning, Error };

/// Takes messages. write() may be called from any thread, also from several at once.
class Logger {
  public:
    virtual ~Logger() = default;
    virtual void write(LogLevel level, std::string_view message) = 0;
};

/// Drops everything. Thread-safe, without state.
Logger& nullLogger();

/// One line per message on stderr. Thread-safe, without state.
Logger& stderrLogger();

}  // namespace karst
