#pragma once

#include <cstdlib>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace karst::voxel_mesh::test {

/// Just enough JSON to read back what was written. A text that is not JSON makes `good` false.
struct JsonValue {
    char kind = 'n';  // object, array, text ("), number (0), boolean (t), null (n)
    std::map<std::string, JsonValue> members;
    std::vector<JsonValue> elements;
    std::string text;
    double number = 0;

    bool has(const std::string& key) const { return members.contains(key); }
    const JsonValue& operator[](const std::string& key) const {
        static const JsonValue kNothing;
        const auto found = members.find(key);
        return found == members.end() ? kNothing : found->second;
    }
    const JsonValue& operator[](std::size_t index) const { return elements.at(index); }
    std::size_t size() const { return elements.size(); }
    std::size_t index() const { return static_cast<std::size_t>(number); }
};

class JsonReader {
  public:
    explicit JsonReader(std::string text) : m_text(std::move(text)) {}

    JsonValue read() {
        JsonValue value = readValue();
        skipBlanks();
        good = good && m_at == m_text.size();
        return value;
    }
    bool good = true;

  private:
    void skipBlanks() {
        while (m_at < m_text.size() && std::string_view(" \n\r\t").find(m_text[m_at]) != std::string::npos)
            ++m_at;
    }
    char peek() {
        skipBlanks();
        return m_at < m_text.size() ? m_text[m_at] : '\0';
    }
    bool take(char c) {
        if (peek() != c) return false;
        ++m_at;
        return true;
    }
    std::string readText() {
        std::string out;
        good = good && take('"');
        while (good && m_at < m_text.size() && m_text[m_at] != '"') {
            good = m_text[m_at] != '\\';  // nothing that needs one is written
            out += m_text[m_at++];
        }
        good = good && take('"');
        return out;
    }
    JsonValue readValue() {
        JsonValue value;
        value.kind = peek();
        if (take('{')) {
            if (take('}')) return value;
            do {
                peek();
                const std::string key = readText();
                good = good && take(':') && !value.members.contains(key);
                if (good) value.members[key] = readValue();
            } while (good && take(','));
            good = good && take('}');
        } else if (take('[')) {
            if (take(']')) return value;
            do {
                value.elements.push_back(readValue());
            } while (good && take(','));
            good = good && take(']');
        } else if (value.kind == '"') {
            value.text = readText();
        } else if (m_text.compare(m_at, 4, "true") == 0) {
            m_at += 4;
        } else {
            value.kind = '0';
            char* end = nullptr;
            value.number = std::strtod(m_text.c_str() + m_at, &end);
            const auto size = static_cast<std::size_t>(end - (m_text.c_str() + m_at));
            good = good && size > 0;
            m_at += size;
        }
        return value;
    }

    std::string m_text;
    std::size_t m_at = 0;
};

}  // namespace karst::voxel_mesh::test
