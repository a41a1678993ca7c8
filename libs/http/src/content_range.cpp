#include "content_range.h"

#include <charconv>

namespace karst::http {
namespace {

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t'))
        text.remove_prefix(1);
    while (!text.empty() &&
           (text.back() == ' ' || text.back() == '\t' || text.back() == '\r' || text.back() == '\n'))
        text.remove_suffix(1);
    return text;
}

// Takes digits off the front.
bool takeNumber(std::string_view& text, std::uint64_t& value) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{}) return false;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return true;
}

bool takeChar(std::string_view& text, char wanted) {
    if (text.empty() || text.front() != wanted) return false;
    text.remove_prefix(1);
    return true;
}

}  // namespace

std::optional<ContentRange> parseContentRange(std::string_view text) {
    text = trimmed(text);
    constexpr std::string_view kUnit = "bytes";
    if (text.size() < kUnit.size()) return std::nullopt;
    for (std::size_t i = 0; i < kUnit.size(); ++i) {
        if ((text[i] | 0x20) != kUnit[i]) return std::nullopt;
    }
    text.remove_prefix(kUnit.size());
    if (!takeChar(text, ' ')) return std::nullopt;
    text = trimmed(text);
    ContentRange range;
    if (!takeNumber(text, range.first) || !takeChar(text, '-') || !takeNumber(text, range.last) ||
        !takeChar(text, '/')) {
        return std::nullopt;
    }
    if (!takeChar(text, '*')) {
        if (!takeNumber(text, range.total) || range.last >= range.total) return std::nullopt;
    }
    if (!text.empty() || range.first > range.last) return std::nullopt;
    return range;
}

}  // namespace karst::http
