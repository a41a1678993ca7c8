#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace karst::http {

/// The value of a Content-Range header of a 206 answer: "bytes first-last/total".
struct ContentRange {
    static constexpr std::uint64_t kUnknown = ~std::uint64_t{0};

    std::uint64_t first = 0, last = 0;
    std::uint64_t total = kUnknown;  ///< of the whole file; kUnknown for "*"

    bool operator==(const ContentRange&) const = default;
};

/// Nothing where the text is not of that form, or the numbers cannot be.
std::optional<ContentRange> parseContentRange(std::string_view text);

}  // namespace karst::http
