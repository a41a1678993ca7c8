#pragma once

#include <karst/base/math.h>
#include <karst/base/rect.h>
#include <karst/base/result.h>

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace karst::tool {

/// Takes the text of one argument; an error says what is wrong with it.
using Setter = std::function<Result<void>(const std::string&)>;

/// The positional arguments and options of one verb: parses them, and writes the verb's help.
/// `--name value` and `--name=value` are the same; what looks like a negative number is no option; after `--`
/// nothing is.
class Arguments {
  public:
    /// `verb` as typed, such as "height"; `summary` one or more lines on what it does.
    Arguments(std::string verb, std::string summary);

    /// Help may have several lines. Positional arguments come in the order they were added; those that may be
    /// left out are added last.
    enum class Need : bool { Required, Optional };
    void positional(std::string name, std::string help, Setter set, Need need = Need::Required);
    void flag(std::string name, std::string help, bool& value);
    void option(std::string name, std::string valueName, std::string help, Setter set);
    /// Options added from here on stand under this title in the help.
    void section(std::string title);

    /// Errors are the user's: unknown options (with the nearest known one), missing or surplus arguments,
    /// values that a setter refuses. `--help` stops the parsing and makes helpWanted() true.
    Result<void> parse(std::span<const char* const> arguments);
    bool helpWanted() const { return m_helpWanted; }
    std::string help() const;
    const std::string& verb() const { return m_verb; }

    /// An option that was given, as it was written; flags have no value.
    struct Given {
        std::string name, value;
    };
    const std::vector<Given>& given() const { return m_given; }

  private:
    struct Positional {
        std::string name, help;
        Setter set;
        Need need;
        std::string shown() const { return need == Need::Required ? name : "[" + name + "]"; }
    };
    struct Option {
        std::string name, valueName, help;  // no valueName: a flag
        Setter set;
        std::string section;
    };
    const Option* find(std::string_view name) const;
    Error unknownOption(std::string_view name) const;

    std::string m_verb, m_summary, m_section = "Options";
    std::vector<Positional> m_positionals;
    std::vector<Option> m_options;
    std::vector<Given> m_given;
    bool m_helpWanted = false;
};

/// The whole text as a finite number.
Result<double> parseNumber(const std::string& text);
/// The whole text as a whole number in low..high.
Result<int> parseInteger(const std::string& text, int low, int high);
/// `count` numbers with commas between.
Result<std::vector<double>> parseNumbers(const std::string& text, std::size_t count);

// Setters for the usual kinds; the referenced object must outlive the parsing.
Setter intoString(std::string& value);
Setter intoNumber(double& value);
Setter intoInteger(std::optional<int>& value, int low, int high);
Setter intoPoint(std::optional<Vec3d>& value);
/// X0,Z0,X1,Z1, any two opposite corners; the option may come again and adds one more.
Setter intoRects(std::vector<Rect>& values);

/// The candidate that `text` most likely was meant to be; empty where none is near.
std::string nearest(std::string_view text, std::span<const std::string> candidates);

}  // namespace karst::tool
