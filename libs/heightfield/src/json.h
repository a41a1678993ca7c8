#pragma once

#include <karst/base/result.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// JSON (RFC 8259) for manifests: read from text that nobody vouches for, within limits, and written so that
// numbers read back as the same bits whatever the process's locale.
namespace karst::heightfield {

enum class JsonKind : std::uint8_t { Null, Boolean, Number, Text, Array, Object };

struct JsonLimits {
    std::size_t bytes = std::size_t{1} << 20;
    std::size_t values = std::size_t{1} << 16;  ///< keys count too
    std::uint32_t depth = 16;
};

/// A parsed text: its values in the order of the text, each with the index past its last descendant. Where an
/// object has a key twice, the text is refused.
class JsonDocument {
  public:
    /// `what` names the text in errors, which give the byte's offset.
    static Result<JsonDocument> parse(std::string_view text, const char* what, const JsonLimits& limits = {});

    struct Node {
        JsonKind kind = JsonKind::Null;
        std::uint32_t end = 0;    ///< past the last descendant
        std::uint32_t count = 0;  ///< elements or members
        std::uint32_t textBegin = 0, textSize = 0;
        double number = 0;
    };

    /// One value of a document, which it must not outlive.
    class Value {
      public:
        JsonKind kind() const { return node().kind; }
        bool boolean() const { return node().number != 0; }
        double number() const { return node().number; }
        std::string_view text() const;
        /// Elements of an array, members of an object.
        std::uint32_t size() const { return node().count; }
        /// Of an object; nothing where there is none.
        std::optional<Value> member(std::string_view key) const;
        /// The first element of an array; go on with next(). Nothing past the last.
        std::optional<Value> first() const;
        std::optional<Value> next() const;

      private:
        friend class JsonDocument;
        Value(const JsonDocument* document, std::uint32_t index, std::uint32_t end)
            : m_document(document), m_index(index), m_parentEnd(end) {}
        const Node& node() const;

        const JsonDocument* m_document;
        std::uint32_t m_index, m_parentEnd;
    };

    Value root() const { return {this, 0, static_cast<std::uint32_t>(m_nodes.size())}; }

  private:
    friend class JsonParser;
    std::vector<Node> m_nodes;
    std::string m_text;  // of all strings and keys, decoded
};

/// A JSON number's value; nothing where the text is none, or too large for a double.
std::optional<double> parseJsonNumber(std::string_view text);

/// The shortest of 15, 16 or 17 digits that reads back as the same finite number.
std::string jsonNumber(double value);
/// The same for a float: 6 to 9 digits.
std::string jsonNumber(float value);
/// With quotes; control characters, quotes and backslashes escaped.
std::string jsonText(std::string_view text);

/// A member that must be there, of a kind; the error names `what`, the key and what was found.
Result<JsonDocument::Value> needMember(const JsonDocument::Value& object, const char* what, const char* key,
                                       JsonKind kind);
/// A member that is a whole number low .. high.
Result<std::uint32_t> needInteger(const JsonDocument::Value& object, const char* what, const char* key,
                                  std::uint32_t low, std::uint32_t high);
/// Exactly `count` finite numbers, into `out`.
Result<void> needNumbers(const JsonDocument::Value& object, const char* what, const char* key, double* out,
                         std::uint32_t count);

}  // namespace karst::heightfield
