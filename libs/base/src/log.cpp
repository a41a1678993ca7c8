#include <karst/base/log.h>

#include <cstdio>

namespace karst {
namespace {

class NullLogger final : public Logger {
  public:
    void write(LogLevel, std::string_view) override {}
};

const char* name(LogLevel level) {
    switch (level) {
        case LogLevel::Debug:
            return "debug";
        case LogLevel::Info:
            return "info";
        case LogLevel::Warning:
            return "warning";
        case LogLevel::Error:
            return "error";
    }
    return "?";
}

class StderrLogger final : public Logger {
  public:
    void write(LogLevel level, std::string_view message) override {
        // One call, so that lines from several threads do not mix.
        std::fprintf(stderr, "karst: %s: %.*s\n", name(level), static_cast<int>(message.size()),
                     message.data());
    }
};

}  // namespace

Logger& nullLogger() {
    static NullLogger logger;
    return logger;
}

Logger& stderrLogger() {
    static StderrLogger logger;
    return logger;
}

}  // namespace karst
