#include "json_writer.h"

#include <charconv>
#include <cmath>
#include <cstdio>

namespace karst::tool {
namespace {

template <class T>
std::string shortestOf(T value) {
    char buffer[64];
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, value);
    return std::string(buffer, end.ptr);
}

// Length of the well-formed UTF-8 sequence at the start of `text`; 0 where there is none.
std::size_t sequenceLength(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char first = byte(0);
    std::size_t length = 0;
    unsigned char low = 0x80, high = 0xbf;  // what the second byte may be
    if (first < 0x80) return 1;
    if (first >= 0xc2 && first <= 0xdf) length = 2;
    if (first >= 0xe0 && first <= 0xef) length = 3;
    if (first >= 0xf0 && first <= 0xf4) length = 4;
    if (first == 0xe0) low = 0xa0;   // overlong
    if (first == 0xed) high = 0x9f;  // surrogates
    if (first == 0xf0) low = 0x90;   // overlong
    if (first == 0xf4) high = 0x8f;  // past U+10FFFF
    if (length == 0 || length > text.size() || byte(1) < low || byte(1) > high) return 0;
    for (std::size_t i = 2; i < length; ++i) {
        if (byte(i) < 0x80 || byte(i) > 0xbf) return 0;
    }
    return length;
}

}  // namespace

std::string shortest(double value) {
    return shortestOf(value);
}
std::string shortest(float value) {
    return shortestOf(value);
}

void JsonWriter::separate() {
    if (m_afterKey) {
        m_afterKey = false;
        return;
    }
    if (!m_first) m_text += m_arrays > 0 ? ", " : ",";
    if (m_depth > 0 && m_arrays == 0) newLine();
    m_first = false;
}

void JsonWriter::newLine() {
    m_text += '\n';
    m_text.append(static_cast<std::size_t>(m_depth) * 2, ' ');
}

void JsonWriter::quote(std::string_view value) {
    m_text += '"';
    for (std::size_t i = 0; i < value.size();) {
        const std::size_t length = sequenceLength(value.substr(i));
        const char c = value[i];
        if (length == 0) {
            m_text += "\\ufffd";
        } else if (c == '"' || c == '\\') {
            m_text += '\\';
            m_text += c;
        } else if (length == 1 && (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)) {
            char escaped[8];
            std::snprintf(escaped, sizeof escaped, "\\u%04x", static_cast<unsigned>(c));
            m_text += escaped;
        } else {
            m_text += value.substr(i, length);
        }
        i += length == 0 ? 1 : length;
    }
    m_text += '"';
}

std::string JsonWriter::take() {
    m_text += '\n';
    return std::move(m_text);
}

JsonWriter& JsonWriter::beginObject() {
    separate();
    m_text += '{';
    ++m_depth;
    m_first = true;
    return *this;
}

JsonWriter& JsonWriter::endObject() {
    --m_depth;
    if (!m_first) newLine();
    m_text += '}';
    m_first = false;
    return *this;
}

JsonWriter& JsonWriter::beginArray() {
    separate();
    m_text += '[';
    ++m_arrays;
    m_first = true;
    return *this;
}

JsonWriter& JsonWriter::endArray() {
    --m_arrays;
    m_text += ']';
    m_first = false;
    return *this;
}

JsonWriter& JsonWriter::key(std::string_view name) {
    separate();
    quote(name);
    m_text += ": ";
    m_afterKey = true;
    return *this;
}

JsonWriter& JsonWriter::text(std::string_view value) {
    separate();
    quote(value);
    return *this;
}

JsonWriter& JsonWriter::number(double value) {
    if (!std::isfinite(value)) return null();
    separate();
    m_text += shortest(value);
    return *this;
}

JsonWriter& JsonWriter::number(float value) {
    if (!std::isfinite(value)) return null();
    separate();
    m_text += shortest(value);
    return *this;
}

JsonWriter& JsonWriter::integer(std::int64_t value) {
    separate();
    m_text += std::to_string(value);
    return *this;
}

JsonWriter& JsonWriter::boolean(bool value) {
    separate();
    m_text += value ? "true" : "false";
    return *this;
}

JsonWriter& JsonWriter::null() {
    separate();
    m_text += "null";
    return *this;
}

}  // namespace karst::tool
