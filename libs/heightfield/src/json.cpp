#include "json.h"

#include <cmath>
#include <cstdio>

namespace karst::heightfield {
namespace {

const char* kindName(JsonKind kind) {
    switch (kind) {
        case JsonKind::Null:
            return "null";
        case JsonKind::Boolean:
            return "a boolean";
        case JsonKind::Number:
            return "a number";
        case JsonKind::Text:
            return "text";
        case JsonKind::Array:
            return "an array";
        case JsonKind::Object:
            return "an object";
    }
    return "nothing";
}

// printf writes the decimal point of the process's locale.
std::string printed(double value, int digits) {
    char text[48];
    std::snprintf(text, sizeof text, "%.*g", digits, value);
    for (char& c : text) {
        if (c == ',') c = '.';
    }
    return text;
}

}  // namespace

const JsonDocument::Node& JsonDocument::Value::node() const {
    return m_document->m_nodes[m_index];
}

std::string_view JsonDocument::Value::text() const {
    return std::string_view(m_document->m_text).substr(node().textBegin, node().textSize);
}

std::optional<JsonDocument::Value> JsonDocument::Value::member(std::string_view key) const {
    if (kind() != JsonKind::Object) return std::nullopt;
    for (std::uint32_t at = m_index + 1; at < node().end;) {
        const Value name(m_document, at, node().end);
        const Value value(m_document, at + 1, node().end);
        if (name.text() == key) return value;
        at = value.node().end;
    }
    return std::nullopt;
}

std::optional<JsonDocument::Value> JsonDocument::Value::first() const {
    if (kind() != JsonKind::Array || size() == 0) return std::nullopt;
    return Value(m_document, m_index + 1, node().end);
}

std::optional<JsonDocument::Value> JsonDocument::Value::next() const {
    if (node().end >= m_parentEnd) return std::nullopt;
    return Value(m_document, node().end, m_parentEnd);
}

std::string jsonNumber(double value) {
    KARST_ASSERT(std::isfinite(value));
    for (int digits = 15; digits < 17; ++digits) {
        std::string text = printed(value, digits);
        if (parseJsonNumber(text) == value) return text;
    }
    return printed(value, 17);
}

std::string jsonNumber(float value) {
    KARST_ASSERT(std::isfinite(value));
    for (int digits = 6; digits < 9; ++digits) {
        std::string text = printed(double{value}, digits);
        const std::optional<double> back = parseJsonNumber(text);
        if (back && static_cast<float>(*back) == value) return text;
    }
    return printed(double{value}, 9);
}

std::string jsonText(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') {
            out += '\\';
            out += c;
        } else if (static_cast<unsigned char>(c) < 0x20) {
            char escaped[8];
            std::snprintf(escaped, sizeof escaped, "\\u%04x", static_cast<unsigned>(c));
            out += escaped;
        } else {
            out += c;
        }
    }
    out += '"';
    return out;
}

Result<JsonDocument::Value> needMember(const JsonDocument::Value& object, const char* what, const char* key,
                                       JsonKind kind) {
    const std::optional<JsonDocument::Value> value = object.member(key);
    if (!value) return makeError(ErrorCode::CorruptData, "%s: %s is missing", what, key);
    if (value->kind() != kind) {
        return makeError(ErrorCode::CorruptData, "%s: %s is %s, not %s", what, key, kindName(value->kind()),
                         kindName(kind));
    }
    return *value;
}

Result<std::uint32_t> needInteger(const JsonDocument::Value& object, const char* what, const char* key,
                                  std::uint32_t low, std::uint32_t high) {
    const Result<JsonDocument::Value> value = needMember(object, what, key, JsonKind::Number);
    if (!value) return value.error();
    const double number = value->number();
    if (!(number >= low && number <= high) || number != std::floor(number)) {
        return makeError(ErrorCode::CorruptData, "%s: %s %g is not a whole number %u to %u", what, key,
                         number, low, high);
    }
    return static_cast<std::uint32_t>(number);
}

Result<void> needNumbers(const JsonDocument::Value& object, const char* what, const char* key, double* out,
                         std::uint32_t count) {
    const Result<JsonDocument::Value> array = needMember(object, what, key, JsonKind::Array);
    if (!array) return array.error();
    if (array->size() != count) {
        return makeError(ErrorCode::CorruptData, "%s: %s has %u values, not %u", what, key, array->size(),
                         count);
    }
    std::uint32_t i = 0;
    for (auto item = array->first(); item; item = item->next(), ++i) {
        if (item->kind() != JsonKind::Number) {
            return makeError(ErrorCode::CorruptData, "%s: %s[%u] is %s, not a number", what, key, i,
                             kindName(item->kind()));
        }
        out[i] = item->number();
    }
    return {};
}

}  // namespace karst::heightfield
