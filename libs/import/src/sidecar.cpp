#include "sidecar.h"

#include <cpl_json.h>

#include <array>
#include <cmath>
#include <initializer_list>

#include "gdal_errors.h"
#include "message.h"

namespace karst::importer {
namespace {

constexpr std::size_t kMostBytes = 1 << 20;

/// The first of several spellings that is there.
std::optional<CPLJSONObject> find(const CPLJSONObject& root, std::initializer_list<const char*> keys) {
    for (const char* key : keys) {
        CPLJSONObject object = root.GetObj(key);
        if (object.IsValid()) return object;
    }
    return std::nullopt;
}

bool isNumber(const CPLJSONObject& object) {
    const auto type = object.GetType();
    return type == CPLJSONObject::Type::Integer || type == CPLJSONObject::Type::Long ||
           type == CPLJSONObject::Type::Double;
}

Result<std::optional<double>> number(const CPLJSONObject& root, const std::string& path,
                                     std::initializer_list<const char*> keys) {
    const auto object = find(root, keys);
    if (!object) return std::optional<double>();
    if (!isNumber(*object) || !std::isfinite(object->ToDouble())) {
        return makeError(ErrorCode::CorruptData, "%s: \"%s\" must be a number", path.c_str(),
                         shown(object->GetName()).c_str());
    }
    return std::optional<double>(object->ToDouble());
}

Result<std::optional<int>> count(const CPLJSONObject& root, const std::string& path,
                                 std::initializer_list<const char*> keys) {
    const auto value = number(root, path, keys);
    if (!value) return value.error();
    if (!*value) return std::optional<int>();
    const double n = **value;
    if (!(n >= 1 && n <= heightfield::HeightRaster::kMaxSide) || n != std::floor(n)) {
        return makeError(ErrorCode::CorruptData, "%s: \"%s\" is %g; a whole number from 1 to %d is wanted",
                         path.c_str(), *keys.begin(), n, heightfield::HeightRaster::kMaxSide);
    }
    return std::optional<int>(static_cast<int>(n));
}

/// The first "W x H" in a text.
std::optional<std::pair<int, int>> sizeIn(const std::string& text) {
    const auto digits = [&](std::size_t& at) {
        long value = 0;
        while (at < text.size() && text[at] >= '0' && text[at] <= '9' && value < 10'000'000)
            value = value * 10 + (text[at++] - '0');
        return static_cast<int>(value);
    };
    const auto blanks = [&](std::size_t& at) {
        while (at < text.size() && text[at] == ' ')
            ++at;
    };
    std::size_t at = 0;
    while (at < text.size()) {
        if (text[at] < '0' || text[at] > '9') {
            ++at;
            continue;
        }
        const int width = digits(at);
        std::size_t next = at;
        blanks(next);
        if (next >= text.size() || (text[next] != 'x' && text[next] != 'X')) continue;
        ++next;
        blanks(next);
        const int height = digits(next);
        constexpr int kMost = heightfield::HeightRaster::kMaxSide;
        if (width > 0 && width <= kMost && height > 0 && height <= kMost) return std::pair{width, height};
        at = next;
    }
    return std::nullopt;
}

}  // namespace

std::optional<SampleType> sampleTypeFromName(std::string_view name) {
    struct Named {
        std::string_view name, letter, code;
        SampleType type;
    };
    static constexpr std::array<Named, 11> kTypes{{{"uint8", "u8", "u1", SampleType::UInt8},
                                                   {"int8", "i8", "i1", SampleType::Int8},
                                                   {"uint16", "u16", "u2", SampleType::UInt16},
                                                   {"int16", "i16", "i2", SampleType::Int16},
                                                   {"uint32", "u32", "u4", SampleType::UInt32},
                                                   {"int32", "i32", "i4", SampleType::Int32},
                                                   {"uint64", "u64", "u8", SampleType::UInt64},
                                                   {"int64", "i64", "i8", SampleType::Int64},
                                                   {"float16", "f16", "f2", SampleType::Float16},
                                                   {"float32", "f32", "f4", SampleType::Float32},
                                                   {"float64", "f64", "f8", SampleType::Float64}}};
    // numpy's codes carry a mark of byte order: "<u2" is uint16, whereas "u8" alone is uint8.
    const bool numpy = !name.empty() && std::string_view("<>=|").find(name[0]) != std::string_view::npos;
    for (const Named& known : kTypes) {
        if (numpy ? name.substr(1) == known.code : (name == known.name || name == known.letter)) {
            return known.type;
        }
    }
    return std::nullopt;
}

Result<std::optional<heightfield::HeightRange>> Sidecar::range() const {
    using Range = std::optional<heightfield::HeightRange>;
    if (!min && !max) return Range();
    if (!min || !max || !(*min <= *max) || std::abs(*min) > 1e30 || std::abs(*max) > 1e30) {
        return makeError(ErrorCode::CorruptData,
                         "%s: \"min_m\" and \"max_m\" must both be there, the first not above the second",
                         path.c_str());
    }
    return Range(heightfield::HeightRange{static_cast<float>(*min), static_cast<float>(*max)});
}

Result<Sidecar> parseSidecar(const std::string& json, const std::string& path) {
    const GdalErrors errors;
    CPLJSONDocument document;
    if (!document.LoadMemory(json)) {
        return makeError(ErrorCode::CorruptData, "%s: no JSON%s", path.c_str(), errors.because().c_str());
    }
    const CPLJSONObject root = document.GetRoot();
    if (!root.IsValid() || root.GetType() != CPLJSONObject::Type::Object) {
        return makeError(ErrorCode::CorruptData, "%s: a JSON object {...} is wanted", path.c_str());
    }
    Sidecar out;
    out.path = path;
    const auto width = count(root, path, {"width", "columns"});
    if (!width) return width.error();
    const auto height = count(root, path, {"height", "rows"});
    if (!height) return height.error();
    const auto channels = count(root, path, {"channels"});
    if (!channels) return channels.error();
    out.layout.width = *width;
    out.layout.height = *height;
    out.layout.channels = *channels;
    struct Field {
        std::optional<double>* to;
        std::initializer_list<const char*> keys;
    };
    std::optional<double> spacing, spacingX, spacingZ;
    const Field fields[] = {{&out.min, {"min", "min_m"}}, {&out.max, {"max", "max_m"}},
                            {&out.nodata, {"nodata"}},    {&spacing, {"spacing", "spacing_m"}},
                            {&spacingX, {"spacing_x"}},   {&spacingZ, {"spacing_z"}}};
    for (const Field& field : fields) {
        const auto value = number(root, path, field.keys);
        if (!value) return value.error();
        *field.to = *value;
    }
    if (!spacing && spacingX.has_value() != spacingZ.has_value()) {
        return makeError(ErrorCode::CorruptData,
                         "%s: \"%s\" is missing beside \"%s\"; give both, or \"spacing\"", path.c_str(),
                         spacingX ? "spacing_z" : "spacing_x", spacingX ? "spacing_x" : "spacing_z");
    }
    if (spacing || (spacingX && spacingZ)) {
        out.spacing = SampleSpacing{spacingX ? *spacingX : *spacing, spacingZ ? *spacingZ : *spacing};
    }
    if (const auto order = find(root, {"byte_order", "byteorder", "endian"})) {
        const std::string text = lowerCase(order->ToString());
        if (text.starts_with("little")) {
            out.layout.byteOrder = ByteOrder::Little;
        } else if (text.starts_with("big")) {
            out.layout.byteOrder = ByteOrder::Big;
        } else {
            return makeError(ErrorCode::CorruptData, "%s: \"%s\" is '%s'; little or big is wanted",
                             path.c_str(), order->GetName().c_str(), shown(text).c_str());
        }
    }
    if (const auto type = find(root, {"sample_type", "type", "dtype"})) {
        const std::string text = lowerCase(type->ToString());
        out.layout.type = sampleTypeFromName(text);
        if (!out.layout.type) {
            return makeError(ErrorCode::CorruptData,
                             "%s: \"%s\" is '%s'; one such as uint16 or float32 is wanted", path.c_str(),
                             type->GetName().c_str(), shown(text).c_str());
        }
    }
    if (const auto southUp = find(root, {"south_up"})) {
        if (southUp->GetType() != CPLJSONObject::Type::Boolean) {
            return makeError(ErrorCode::CorruptData, "%s: \"south_up\" must be true or false", path.c_str());
        }
        out.southUp = southUp->ToBool();
    }
    if (const auto source = find(root, {"source"});
        source && source->GetType() == CPLJSONObject::Type::String) {
        out.sizeInText = sizeIn(source->ToString());
    }
    return out;
}

Result<std::optional<Sidecar>> findSidecar(const OpenRequest& request, bool shortened) {
    std::string found;
    if (!request.options.sidecar.empty()) {
        found = request.options.sidecar;
    } else {
        const std::size_t nameAt = request.path.size() - fileName(request.path).size();
        std::string stem = request.path;
        const std::size_t dot = stem.rfind('.');
        if (dot != std::string::npos && dot > nameAt) stem.resize(dot);
        if (fileExists(request.path + ".json")) {
            found = request.path + ".json";
        } else if (fileExists(stem + ".json")) {
            found = stem + ".json";
        }
        while (found.empty() && shortened) {
            const std::size_t cut = stem.find_last_of("_-. ");
            if (cut == std::string::npos || cut <= nameAt) break;
            stem.resize(cut);
            if (fileExists(stem + ".json")) found = stem + ".json";
        }
    }
    if (found.empty()) return std::optional<Sidecar>();
    const auto text = readText(found, kMostBytes);
    if (!text) return text.error();
    auto sidecar = parseSidecar(*text, found);
    if (!sidecar) return sidecar.error();
    return std::optional<Sidecar>(std::move(sidecar).value());
}

Result<void> applyPictureSidecar(OpenRequest& request) {
    const std::string extension = extensionOf(request.path);
    const bool named = !request.options.sidecar.empty();
    if (!named && extension != "png" && extension != "exr") return {};
    const auto sidecar = findSidecar(request, false);
    if (!sidecar) {
        if (named) return sidecar.error();
        // Somebody else's JSON of the same name says nothing of the heights.
        logMessage(request.externals, LogLevel::Warning, "%s; it is left aside",
                   sidecar.error().message.c_str());
        return {};
    }
    if (!*sidecar) return {};
    const auto range = (*sidecar)->range();
    if (!range) return range.error();
    if (!request.options.valueRange) request.options.valueRange = *range;
    if (!request.options.spacing) request.options.spacing = (*sidecar)->spacing;
    if (!request.options.nodata) request.options.nodata = (*sidecar)->nodata;
    if (!request.options.southUp) request.options.southUp = (*sidecar)->southUp;
    logMessage(request.externals, LogLevel::Info, "%s: range of heights and spacing as %s has them",
               request.path.c_str(), (*sidecar)->path.c_str());
    return {};
}

}  // namespace karst::importer
