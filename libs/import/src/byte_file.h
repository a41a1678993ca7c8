#pragma once

#include <karst/base/result.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace karst::importer {

/// Bytes of a file, or of memory in tests and fuzzers. One thread at a time.
class ByteFile {
  public:
    virtual ~ByteFile() = default;
    virtual std::uint64_t size() const = 0;

    /// Fills `out` from `offset`; an error where the bytes end before that.
    virtual Result<void> read(std::uint64_t offset, std::span<std::byte> out) = 0;
};

/// A file by a path that GDAL's virtual file system understands: an ordinary one, or /vsizip/....
Result<std::unique_ptr<ByteFile>> openFile(const std::string& path);

/// Whether there is such a file (not a folder).
bool fileExists(const std::string& path);

/// A view of memory that must stay.
std::unique_ptr<ByteFile> memoryBytes(std::span<const std::byte> bytes);

/// The whole of a small text file; TooLarge beyond `most` bytes.
Result<std::string> readText(const std::string& path, std::size_t most);

}  // namespace karst::importer
