#pragma once

#include <karst/base/result.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "byte_file.h"

namespace karst::importer {

/// Words of a text file one after the other, holding 64 KiB of it.
class Words {
  public:
    explicit Words(ByteFile& bytes) : m_bytes(bytes) {}

    enum class Status { Word, End, Failed };

    /// The word stays valid until the next call. A word of more than 256 characters fails.
    Status next(std::string_view& word);

    /// Just behind the last word.
    std::uint64_t position() const { return m_fileAt - (m_text.size() - m_at); }
    void seek(std::uint64_t position);
    const Error& error() const { return m_error; }

  private:
    bool refill(std::size_t keepFrom);

    ByteFile& m_bytes;
    std::vector<char> m_text;
    std::size_t m_at = 0;        // in m_text
    std::uint64_t m_fileAt = 0;  // of the end of m_text
    Error m_error;
};

struct AscHeader {
    std::int64_t columns = 0, rows = 0;
    std::optional<double> cellX, cellY;  ///< cellsize, or dx and dy
    std::optional<double> x, y;          ///< of the lower left corner or cell centre
    bool xIsCentre = false, yIsCentre = false;
    std::optional<double> nodata;
    std::uint64_t dataOffset = 0;
};

/// A number of the file, "nan" and the like as NaN; nothing where the word is none.
std::optional<double> ascNumber(std::string_view word);

/// Reads the lines of keys, in any order and case.
Result<AscHeader> readAscHeader(Words& words, const std::string& name);

}  // namespace karst::importer
