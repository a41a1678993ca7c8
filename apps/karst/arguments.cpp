#include "arguments.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace karst::tool {
namespace {

bool looksLikeNumber(const std::string& text) {
    return parseNumber(text).ok();
}

std::size_t editDistance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    for (std::size_t j = 0; j < row.size(); ++j)
        row[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t change = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
            diagonal = row[j];
            row[j] = std::min({row[j] + 1, row[j - 1] + 1, change});
        }
    }
    return row.back();
}

Error inContext(const std::string& context, const Error& error) {
    return Error{error.code, context + ": " + error.message};
}

}  // namespace

Arguments::Arguments(std::string verb, std::string summary)
    : m_verb(std::move(verb)), m_summary(std::move(summary)) {}

void Arguments::positional(std::string name, std::string help, Setter set, Need need) {
    KARST_ASSERT(m_positionals.empty() || need >= m_positionals.back().need);
    m_positionals.push_back({std::move(name), std::move(help), std::move(set), need});
}

void Arguments::flag(std::string name, std::string help, bool& value) {
    const Setter set = [&value](const std::string&) -> Result<void> {
        value = true;
        return {};
    };
    m_options.push_back({std::move(name), "", std::move(help), set, m_section});
}

void Arguments::option(std::string name, std::string valueName, std::string help, Setter set) {
    m_options.push_back({std::move(name), std::move(valueName), std::move(help), std::move(set), m_section});
}

void Arguments::section(std::string title) {
    m_section = std::move(title);
}

const Arguments::Option* Arguments::find(std::string_view name) const {
    for (const Option& option : m_options) {
        if (option.name == name) return &option;
    }
    return nullptr;
}

Error Arguments::unknownOption(std::string_view name) const {
    std::vector<std::string> names{"--help"};
    for (const Option& option : m_options)
        names.push_back(option.name);
    const std::string guess = nearest(name, names);
    const std::string typed(name);
    if (guess.empty()) return makeError(ErrorCode::InvalidArgument, "unknown option %s", typed.c_str());
    return makeError(ErrorCode::InvalidArgument, "unknown option %s; did you mean %s?", typed.c_str(),
                     guess.c_str());
}

Result<void> Arguments::parse(std::span<const char* const> arguments) {
    std::size_t positionals = 0;
    bool onlyPositionals = false;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const std::string text = arguments[i];
        const bool dashed = text.size() >= 2 && text[0] == '-' && !looksLikeNumber(text);
        if (onlyPositionals || !dashed) {
            if (positionals == m_positionals.size()) {
                return makeError(ErrorCode::InvalidArgument, "one argument too many: '%s'", text.c_str());
            }
            const Positional& positional = m_positionals[positionals++];
            const Result<void> set = positional.set(text);
            if (!set) return inContext(positional.name, set.error());
            continue;
        }
        if (text == "--") {
            onlyPositionals = true;
            continue;
        }
        if (text == "--help" || text == "-h") {
            m_helpWanted = true;
            return {};
        }
        const std::size_t equals = text.find('=');
        const std::string name = text.substr(0, equals);
        const Option* option = find(name);
        if (option == nullptr) return unknownOption(name);
        std::string value;
        if (option->valueName.empty()) {
            if (equals != std::string::npos) {
                return makeError(ErrorCode::InvalidArgument, "option %s takes no value", name.c_str());
            }
        } else if (equals != std::string::npos) {
            value = text.substr(equals + 1);
        } else if (i + 1 < arguments.size() && find(arguments[i + 1]) == nullptr) {
            value = arguments[++i];
        } else {
            return makeError(ErrorCode::InvalidArgument, "option %s needs a value: %s %s", name.c_str(),
                             name.c_str(), option->valueName.c_str());
        }
        const Result<void> set = option->set(value);
        if (!set) return inContext(name, set.error());
        m_given.push_back({name, value});
    }
    std::string missing;
    for (std::size_t i = positionals; i < m_positionals.size(); ++i)
        if (m_positionals[i].need == Need::Required) missing += " " + m_positionals[i].name;
    if (missing.empty()) return {};
    return makeError(ErrorCode::InvalidArgument, "missing:%s", missing.c_str());
}

std::string Arguments::help() const {
    std::string text = "Usage: karst " + m_verb;
    for (const Positional& positional : m_positionals)
        text += " " + positional.shown();
    text += " [options]\n\n" + m_summary + "\n\n";
    const auto line = [&](std::string left, const std::string& right) {
        constexpr std::size_t kColumn = 26;
        left = "  " + left;
        left += left.size() < kColumn ? std::string(kColumn - left.size(), ' ')
                                      : "\n" + std::string(kColumn, ' ');
        text += left;
        for (const char c : right)
            text += c == '\n' ? "\n" + std::string(kColumn, ' ') : std::string(1, c);
        text += "\n";
    };
    for (const Positional& positional : m_positionals)
        line(positional.name, positional.help);
    std::string section;
    for (const Option& option : m_options) {
        if (option.section != section) text += "\n" + option.section + ":\n";
        section = option.section;
        line(option.valueName.empty() ? option.name : option.name + " " + option.valueName, option.help);
    }
    text += "\n";
    line("--help", "this text");
    return text;
}

Result<double> parseNumber(const std::string& text) {
    // strtod would also take leading spaces, hexadecimal numbers, inf and nan.
    const bool plain = !text.empty() && text.find_first_not_of("+-.0123456789eE") == std::string::npos;
    char* end = nullptr;
    const double value = plain ? std::strtod(text.c_str(), &end) : 0;
    if (!plain || end != text.c_str() + text.size()) {
        return makeError(ErrorCode::InvalidArgument, "'%s' is not a number", text.c_str());
    }
    if (!std::isfinite(value)) {
        return makeError(ErrorCode::InvalidArgument, "'%s' is too large a number", text.c_str());
    }
    return value;
}

Result<int> parseInteger(const std::string& text, int low, int high) {
    const Result<double> number = parseNumber(text);
    if (!number || *number != std::floor(*number) || *number < low || *number > high) {
        return makeError(ErrorCode::InvalidArgument, "'%s' is not a whole number from %d to %d", text.c_str(),
                         low, high);
    }
    return static_cast<int>(*number);
}

Result<std::vector<double>> parseNumbers(const std::string& text, std::size_t count) {
    std::vector<double> numbers;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(',', begin), text.size());
        const Result<double> number = parseNumber(text.substr(begin, end - begin));
        if (!number) return number.error();
        numbers.push_back(*number);
        begin = end + 1;
    }
    if (numbers.size() != count) {
        return makeError(ErrorCode::InvalidArgument,
                         "'%s' has %zu numbers; %zu with commas between are needed", text.c_str(),
                         numbers.size(), count);
    }
    return numbers;
}

Setter intoString(std::string& value) {
    return [&value](const std::string& text) -> Result<void> {
        if (text.empty()) return makeError(ErrorCode::InvalidArgument, "must not be empty");
        value = text;
        return {};
    };
}

Setter intoNumber(double& value) {
    return [&value](const std::string& text) -> Result<void> {
        const Result<double> number = parseNumber(text);
        if (!number) return number.error();
        value = *number;
        return {};
    };
}

Setter intoInteger(std::optional<int>& value, int low, int high) {
    return [&value, low, high](const std::string& text) -> Result<void> {
        const Result<int> number = parseInteger(text, low, high);
        if (!number) return number.error();
        value = *number;
        return {};
    };
}

Setter intoPoint(std::optional<Vec3d>& value) {
    return [&value](const std::string& text) -> Result<void> {
        const auto numbers = parseNumbers(text, 3);
        if (!numbers) return numbers.error();
        value = Vec3d{(*numbers)[0], (*numbers)[1], (*numbers)[2]};
        return {};
    };
}

Setter intoRects(std::vector<Rect>& values) {
    return [&values](const std::string& text) -> Result<void> {
        const auto numbers = parseNumbers(text, 4);
        if (!numbers) return numbers.error();
        const std::vector<double>& n = *numbers;
        values.push_back(
            {std::min(n[0], n[2]), std::min(n[1], n[3]), std::max(n[0], n[2]), std::max(n[1], n[3])});
        return {};
    };
}

std::string nearest(std::string_view text, std::span<const std::string> candidates) {
    std::string best;
    std::size_t bestDistance = std::max<std::size_t>(2, text.size() / 3) + 1;
    for (const std::string& candidate : candidates) {
        const std::size_t distance = editDistance(text, candidate);
        if (distance < bestDistance) {
            bestDistance = distance;
            best = candidate;
        }
    }
    return best;
}

}  // namespace karst::tool
