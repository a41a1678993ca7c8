#include "json.h"

#include <cmath>
#include <locale>
#include <set>
#include <sstream>

namespace karst::heightfield {
namespace {

bool isDigit(char c) {
    return c >= '0' && c <= '9';
}

// The length of the JSON number at the front of the text; 0 where there is none.
std::size_t numberLength(std::string_view text) {
    std::size_t at = 0;
    const auto digits = [&] {
        const std::size_t begin = at;
        while (at < text.size() && isDigit(text[at]))
            ++at;
        return at - begin;
    };
    if (at < text.size() && text[at] == '-') ++at;
    const bool zero = at < text.size() && text[at] == '0';
    const std::size_t whole = digits();
    if (whole == 0 || (zero && whole > 1)) return 0;
    if (at < text.size() && text[at] == '.') {
        ++at;
        if (digits() == 0) return 0;
    }
    if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
        ++at;
        if (at < text.size() && (text[at] == '+' || text[at] == '-')) ++at;
        if (digits() == 0) return 0;
    }
    return at;
}

void appendUtf8(std::string& out, std::uint32_t code) {
    const auto put = [&](std::uint32_t byte) { out.push_back(static_cast<char>(byte)); };
    if (code < 0x80) {
        put(code);
    } else if (code < 0x800) {
        put(0xc0 | code >> 6);
        put(0x80 | (code & 0x3f));
    } else if (code < 0x10000) {
        put(0xe0 | code >> 12);
        put(0x80 | (code >> 6 & 0x3f));
        put(0x80 | (code & 0x3f));
    } else {
        put(0xf0 | code >> 18);
        put(0x80 | (code >> 12 & 0x3f));
        put(0x80 | (code >> 6 & 0x3f));
        put(0x80 | (code & 0x3f));
    }
}

}  // namespace

std::optional<double> parseJsonNumber(std::string_view text) {
    if (text.empty() || numberLength(text) != text.size()) return std::nullopt;
    // Up to 15 digits and a power of ten up to 10^22 are both exact doubles, so one operation rounds right.
    static constexpr double kPowers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                         1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                         1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    std::int64_t digits = 0;
    int count = 0, exponent = 0;
    bool plain = true, fraction = false;
    for (const char c : text) {
        if (c == '-') continue;
        if (c == '.') {
            fraction = true;
        } else if (!isDigit(c) || ++count > 15) {
            plain = false;
            break;
        } else {
            digits = digits * 10 + (c - '0');
            exponent += fraction ? 1 : 0;
        }
    }
    if (plain) {
        const double magnitude = static_cast<double>(digits) / kPowers[exponent];
        return text[0] == '-' ? -magnitude : magnitude;
    }
    // The stream reads by the classic locale whatever the process has set, which strtod does not.
    std::istringstream stream{std::string(text)};
    stream.imbue(std::locale::classic());
    double value = 0;
    stream >> value;
    if (stream.fail() || !std::isfinite(value)) return std::nullopt;
    return value;
}

class JsonParser {
  public:
    JsonParser(std::string_view text, const char* what, const JsonLimits& limits, JsonDocument& out)
        : m_text(text), m_what(what), m_limits(limits), m_out(out) {}

    Result<void> document() {
        if (m_text.size() > m_limits.bytes) {
            return makeError(ErrorCode::TooLarge, "%s: %zu bytes of JSON are more than %zu", m_what,
                             m_text.size(), m_limits.bytes);
        }
        if (!value(0)) return *m_error;
        skipSpace();
        if (m_at != m_text.size()) {
            fail("something follows the value");
            return *m_error;
        }
        return {};
    }

  private:
    using Node = JsonDocument::Node;

    bool fail(const char* why) {
        if (!m_error)
            m_error = makeError(ErrorCode::CorruptData, "%s: JSON at byte %zu: %s", m_what, m_at, why);
        return false;
    }

    void skipSpace() {
        while (m_at < m_text.size() &&
               (m_text[m_at] == ' ' || m_text[m_at] == '\t' || m_text[m_at] == '\n' || m_text[m_at] == '\r'))
            ++m_at;
    }

    bool take(char c) {
        skipSpace();
        if (m_at >= m_text.size() || m_text[m_at] != c) return false;
        ++m_at;
        return true;
    }

    bool word(std::string_view name) {
        if (m_text.substr(m_at, name.size()) != name) return false;
        m_at += name.size();
        return true;
    }

    bool add(JsonKind kind, double number = 0) {
        if (m_out.m_nodes.size() >= m_limits.values) return fail("too many values");
        Node node;
        node.kind = kind;
        node.number = number;
        node.end = static_cast<std::uint32_t>(m_out.m_nodes.size()) + 1;
        m_out.m_nodes.push_back(node);
        return true;
    }

    bool value(std::uint32_t depth) {
        skipSpace();
        if (m_at >= m_text.size()) return fail("ends where a value should begin");
        const char c = m_text[m_at];
        if (c == '{') return container(JsonKind::Object, '}', depth);
        if (c == '[') return container(JsonKind::Array, ']', depth);
        if (c == '"') return text();
        if (word("true")) return add(JsonKind::Boolean, 1);
        if (word("false")) return add(JsonKind::Boolean, 0);
        if (word("null")) return add(JsonKind::Null);
        const std::size_t length = numberLength(m_text.substr(m_at));
        if (length == 0) return fail("is no value");
        const std::optional<double> number = parseJsonNumber(m_text.substr(m_at, length));
        if (!number) return fail("number is too large");
        m_at += length;
        return add(JsonKind::Number, *number);
    }

    bool container(JsonKind kind, char close, std::uint32_t depth) {
        if (depth >= m_limits.depth) return fail("nested too deep");
        ++m_at;
        const std::size_t self = m_out.m_nodes.size();
        if (!add(kind)) return false;
        std::uint32_t count = 0;
        std::set<std::string, std::less<>> keys;
        if (!take(close)) {
            do {
                if (kind == JsonKind::Object) {
                    skipSpace();
                    if (m_at >= m_text.size() || m_text[m_at] != '"') return fail("a key should begin");
                    if (!text()) return false;
                    const Node& key = m_out.m_nodes.back();
                    if (!keys.insert(m_out.m_text.substr(key.textBegin, key.textSize)).second)
                        return fail("the key before comes twice");
                    if (!take(':')) return fail("':' should follow the key");
                }
                if (!value(depth + 1)) return false;
                ++count;
            } while (take(','));
            if (!take(close)) return fail("',' or the end of the array or object should follow");
        }
        m_out.m_nodes[self].count = count;
        m_out.m_nodes[self].end = static_cast<std::uint32_t>(m_out.m_nodes.size());
        return true;
    }

    bool hex4(std::uint32_t& code) {
        code = 0;
        for (int i = 0; i < 4; ++i, ++m_at) {
            const char c = m_at < m_text.size() ? m_text[m_at] : ' ';
            const int digit = isDigit(c)             ? c - '0'
                              : c >= 'a' && c <= 'f' ? c - 'a' + 10
                              : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                                     : -1;
            if (digit < 0) return fail("\\u wants four hexadecimal digits");
            code = code * 16 + static_cast<std::uint32_t>(digit);
        }
        return true;
    }

    bool escape() {
        const char c = m_at < m_text.size() ? m_text[m_at] : ' ';
        static constexpr std::string_view kFrom = "\"\\/bfnrt", kTo = "\"\\/\b\f\n\r\t";
        if (const std::size_t at = kFrom.find(c); at != std::string_view::npos) {
            m_out.m_text.push_back(kTo[at]);
            ++m_at;
            return true;
        }
        if (c != 'u') return fail("unknown escape");
        ++m_at;
        std::uint32_t code = 0;
        if (!hex4(code)) return false;
        if (code >= 0xdc00 && code < 0xe000) return fail("half of a surrogate pair");
        if (code >= 0xd800 && code < 0xdc00) {
            std::uint32_t low = 0;
            if (!word("\\u")) return fail("half of a surrogate pair");
            if (!hex4(low)) return false;
            if (low < 0xdc00 || low >= 0xe000) return fail("half of a surrogate pair");
            code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
        }
        appendUtf8(m_out.m_text, code);
        return true;
    }

    bool text() {
        ++m_at;
        const std::size_t begin = m_out.m_text.size();
        while (true) {
            if (m_at >= m_text.size()) return fail("text without an end");
            const char c = m_text[m_at++];
            if (c == '"') break;
            if (c == '\\') {
                if (!escape()) return false;
            } else if (static_cast<unsigned char>(c) < 0x20) {
                return fail("control character in text");
            } else {
                m_out.m_text.push_back(c);
            }
        }
        if (!add(JsonKind::Text)) return false;
        m_out.m_nodes.back().textBegin = static_cast<std::uint32_t>(begin);
        m_out.m_nodes.back().textSize = static_cast<std::uint32_t>(m_out.m_text.size() - begin);
        return true;
    }

    std::string_view m_text;
    const char* m_what;
    const JsonLimits& m_limits;
    JsonDocument& m_out;
    std::size_t m_at = 0;
    std::optional<Error> m_error;
};

Result<JsonDocument> JsonDocument::parse(std::string_view text, const char* what, const JsonLimits& limits) {
    JsonDocument document;
    if (Result<void> read = JsonParser(text, what, limits, document).document(); !read) return read.error();
    return document;
}

}  // namespace karst::heightfield
