#pragma once

#include <karst/base/result.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace karst {

/// Bytes of a file in a package: relative path with '/', and the part of it.
struct ByteRange {
    static constexpr std::uint64_t kToEnd = ~std::uint64_t{0};

    std::string path;
    std::uint64_t offset = 0;
    std::uint64_t size = kToEnd;  ///< kToEnd: all that follows the offset
};

/// Bytes that come later: from files on another thread, over a network, or out of a test's script.
///
/// Threads: one at a time (the streamer's). No call blocks on I/O.
class ByteSource {
  public:
    struct Finished {
        std::uint64_t id = 0;
        /// Fewer bytes than asked for are an error, never a short vector. NotFound where there is no such
        /// file.
        Result<std::vector<std::byte>> bytes = std::vector<std::byte>{};
    };

    virtual ~ByteSource() = default;

    /// Begins a read and returns its number, never 0 and never used twice.
    virtual std::uint64_t request(const ByteRange& range) = 0;

    /// The next finished read, in any order; nothing where none is. Each request finishes once, with bytes or
    /// an error, unless it was cancelled.
    virtual std::optional<Finished> poll() = 0;

    /// Gives up a read. It does not come out of poll() afterwards. Unknown numbers are ignored.
    virtual void cancel(std::uint64_t id) = 0;
};

}  // namespace karst
