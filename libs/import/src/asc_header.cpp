#include "asc_header.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "message.h"
#include "readers.h"

namespace karst::importer {
namespace {

constexpr std::size_t kChunk = 64 * 1024;
constexpr std::size_t kLongestWord = 256;

bool isBlank(char c) {
    return static_cast<unsigned char>(c) <= ' ';
}

enum class Key { Columns, Rows, XCorner, YCorner, XCentre, YCentre, CellSize, CellX, CellY, Nodata };

std::optional<Key> keyOf(std::string_view word) {
    struct Named {
        std::string_view name;
        Key key;
    };
    static constexpr std::array<Named, 14> kKeys{{{"ncols", Key::Columns},
                                                  {"nrows", Key::Rows},
                                                  {"xllcorner", Key::XCorner},
                                                  {"yllcorner", Key::YCorner},
                                                  {"xllcenter", Key::XCentre},
                                                  {"yllcenter", Key::YCentre},
                                                  {"xllcentre", Key::XCentre},
                                                  {"yllcentre", Key::YCentre},
                                                  {"cellsize", Key::CellSize},
                                                  {"dx", Key::CellX},
                                                  {"dy", Key::CellY},
                                                  {"nodata_value", Key::Nodata},
                                                  {"nodata", Key::Nodata},
                                                  {"no_data", Key::Nodata}}};
    if (word.size() > 12) return std::nullopt;
    const std::string lower = lowerCase(word);
    for (const Named& known : kKeys) {
        if (lower == known.name) return known.key;
    }
    return std::nullopt;
}

}  // namespace

bool looksLikeAsc(std::string_view start) {
    if (start.starts_with("\xef\xbb\xbf")) start.remove_prefix(3);
    while (!start.empty() && isBlank(start.front()))
        start.remove_prefix(1);
    const auto end = std::find_if(start.begin(), start.end(), isBlank);
    return keyOf(start.substr(0, static_cast<std::size_t>(end - start.begin()))).has_value();
}

bool Words::refill(std::size_t keepFrom) {
    const std::uint64_t left = m_bytes.size() - m_fileAt;
    const auto more = static_cast<std::size_t>(std::min<std::uint64_t>(left, kChunk));
    m_text.erase(m_text.begin(), m_text.begin() + static_cast<std::ptrdiff_t>(keepFrom));
    const std::size_t kept = m_text.size();
    m_text.resize(kept + more);
    const auto done = m_bytes.read(m_fileAt, std::as_writable_bytes(std::span(m_text.data() + kept, more)));
    if (!done) {
        m_text.resize(kept);
        m_error = done.error();
        return false;
    }
    m_fileAt += more;
    return true;
}

void Words::seek(std::uint64_t position) {
    const std::uint64_t start = m_fileAt - m_text.size();
    if (position >= start && position <= m_fileAt) {
        m_at = static_cast<std::size_t>(position - start);
        return;
    }
    m_text.clear();
    m_at = 0;
    m_fileAt = std::min(position, m_bytes.size());
}

Words::Status Words::next(std::string_view& word) {
    for (;;) {
        while (m_at < m_text.size() && isBlank(m_text[m_at]))
            ++m_at;
        if (m_at < m_text.size()) break;
        if (m_fileAt == m_bytes.size()) return Status::End;
        const std::size_t all = m_text.size();
        m_at = 0;
        if (!refill(all)) return Status::Failed;
    }
    std::size_t end = m_at;
    for (;;) {
        while (end < m_text.size() && !isBlank(m_text[end]))
            ++end;
        if (end - m_at > kLongestWord) {
            m_error = makeError(ErrorCode::CorruptData, "a word of more than %zu characters at byte %llu",
                                kLongestWord, static_cast<unsigned long long>(position()));
            return Status::Failed;
        }
        if (end < m_text.size() || m_fileAt == m_bytes.size()) break;
        const std::size_t length = end - m_at, from = m_at;
        m_at = 0;
        if (!refill(from)) return Status::Failed;
        end = length;
    }
    word = std::string_view(m_text.data() + m_at, end - m_at);
    m_at = end;
    return Status::Word;
}

std::optional<double> ascNumber(std::string_view word) {
    constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
    std::string_view digits = word;
    if (digits.starts_with('+')) digits.remove_prefix(1);
    double value = 0;
    const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (parsed.ptr == digits.data() + digits.size() && !digits.empty()) {
        if (parsed.ec == std::errc{}) return value;
        if (parsed.ec == std::errc::result_out_of_range) {  // the value is left as it was
            const std::size_t e = digits.find_first_of("eE");
            const bool tiny = e != std::string_view::npos && e + 1 < digits.size() && digits[e + 1] == '-';
            return tiny ? 0.0 : kNan;
        }
    }
    if (word.find(".#") != std::string_view::npos) return kNan;  // 1.#QNAN, -1.#IND, 1.#INF
    const std::string lower = lowerCase(word);
    if (lower == "null" || lower == "na") return kNan;
    const std::size_t comma = word.find(',');
    if (comma != std::string_view::npos && word.find('.') == std::string_view::npos) {
        std::string dotted(word);
        dotted[comma] = '.';
        if (dotted.find(',') == std::string::npos) return ascNumber(dotted);
    }
    return std::nullopt;
}

Result<AscHeader> readAscHeader(Words& words, const std::string& name) {
    AscHeader header;
    std::array<bool, 10> seen{};
    std::string_view word;
    const auto failed = [&](Words::Status status) {
        if (status == Words::Status::Failed) {
            return makeError(words.error().code, "%s: %s", name.c_str(), words.error().message.c_str());
        }
        return makeError(ErrorCode::CorruptData, "%s: ends inside the header; fetch the file again",
                         name.c_str());
    };
    bool first = true;
    for (;;) {
        header.dataOffset = words.position();
        const Words::Status status = words.next(word);
        if (status != Words::Status::Word) return failed(status);
        if (first && word.starts_with("\xef\xbb\xbf")) word.remove_prefix(3);
        first = false;
        const auto key = keyOf(word);
        if (!key) {
            if (!ascNumber(word)) {
                return makeError(ErrorCode::CorruptData,
                                 "%s: '%s' in the header is neither a key (ncols, nrows, xllcorner, ...) nor "
                                 "the first height",
                                 name.c_str(), shown(word).c_str());
            }
            break;
        }
        const std::string keyText(word);
        if (std::exchange(seen[static_cast<std::size_t>(*key)], true)) {
            return makeError(ErrorCode::CorruptData, "%s: %s stands twice in the header", name.c_str(),
                             keyText.c_str());
        }
        const Words::Status valueStatus = words.next(word);
        if (valueStatus != Words::Status::Word) return failed(valueStatus);
        const auto value = ascNumber(word);
        if (!value || (*key != Key::Nodata && !std::isfinite(*value))) {
            return makeError(ErrorCode::CorruptData, "%s: %s is '%s', no number", name.c_str(),
                             keyText.c_str(), shown(word).c_str());
        }
        switch (*key) {
            case Key::Columns:
            case Key::Rows: {
                if (*value != std::floor(*value) || std::abs(*value) > 1e15) {
                    return makeError(ErrorCode::CorruptData, "%s: %s is '%s', no whole number", name.c_str(),
                                     keyText.c_str(), shown(word).c_str());
                }
                (*key == Key::Columns ? header.columns : header.rows) = static_cast<std::int64_t>(*value);
                break;
            }
            case Key::XCorner:
            case Key::XCentre:
                header.x = *value;
                header.xIsCentre = *key == Key::XCentre;
                break;
            case Key::YCorner:
            case Key::YCentre:
                header.y = *value;
                header.yIsCentre = *key == Key::YCentre;
                break;
            case Key::CellSize:
                if (!header.cellX) header.cellX = *value;
                if (!header.cellY) header.cellY = *value;
                break;
            case Key::CellX:
                header.cellX = *value;
                break;
            case Key::CellY:
                header.cellY = *value;
                break;
            case Key::Nodata:
                header.nodata = *value;
                break;
        }
    }
    if (!seen[static_cast<std::size_t>(Key::Columns)] || !seen[static_cast<std::size_t>(Key::Rows)]) {
        return makeError(ErrorCode::CorruptData, "%s: the header has no %s; add the line", name.c_str(),
                         seen[static_cast<std::size_t>(Key::Columns)] ? "nrows" : "ncols");
    }
    if (!seen[static_cast<std::size_t>(Key::Nodata)]) header.nodata = -9999;  // the format's own default
    return header;
}

}  // namespace karst::importer
