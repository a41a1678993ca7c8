#include "message.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>

namespace karst::importer {

std::string shown(std::string_view text) {
    constexpr std::size_t kMost = 40;
    std::string out;
    for (const char c : text.substr(0, kMost))
        out += c >= ' ' && c <= '~' ? c : '?';
    if (text.size() > kMost) out += "...";
    return out;
}

void logMessage(const Externals& externals, LogLevel level, const char* format, ...) {
    std::va_list args;
    va_start(args, format);
    char text[1024];
    std::vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    externals.log->write(level, text);
}

std::string lowerCase(std::string_view text) {
    std::string out(text);
    std::transform(out.begin(), out.end(), out.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return out;
}

std::string_view fileName(std::string_view path) {
    const std::size_t slash = path.find_last_of("/\\");
    return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

std::string extensionOf(std::string_view path) {
    const std::string_view name = fileName(path);
    const std::size_t dot = name.rfind('.');
    return dot == std::string_view::npos ? std::string() : lowerCase(name.substr(dot + 1));
}

}  // namespace karst::importer
