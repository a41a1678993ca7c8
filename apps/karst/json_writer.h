#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace karst::tool {

/// The shortest text that reads back as the same number.
std::string shortest(double value);
std::string shortest(float value);

/// Writes one JSON value step by step, indented. Numbers that are not finite become null; text that is not
/// UTF-8 has its wrong bytes replaced by U+FFFD.
class JsonWriter {
  public:
    JsonWriter& beginObject();
    JsonWriter& endObject();
    /// An array stands on one line.
    JsonWriter& beginArray();
    JsonWriter& endArray();
    JsonWriter& key(std::string_view name);
    JsonWriter& text(std::string_view value);
    JsonWriter& number(double value);
    JsonWriter& number(float value);
    JsonWriter& integer(std::int64_t value);
    JsonWriter& boolean(bool value);
    JsonWriter& null();

    /// What was written, with a newline at its end.
    std::string take();

  private:
    void separate();
    void newLine();
    void quote(std::string_view value);

    std::string m_text;
    int m_depth = 0;
    int m_arrays = 0;
    bool m_first = true;
    bool m_afterKey = false;
};

}  // namespace karst::tool
