#include <karst/import/raster_source.h>

#include <cstdio>

#include "command.h"
#include "import_arguments.h"
#include "json_writer.h"
#include "package_info.h"

namespace karst::tool {
namespace {

using importer::RasterInfo;

// Six digits are enough to look at; --json has them all.
std::string readable(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.6g", value);
    return text;
}

std::string asText(const std::string& file, const RasterInfo& info) {
    std::string text;
    const auto line = [&](const char* name, const std::string& value) {
        std::string label = std::string(name) + ":";
        label.resize(14, ' ');
        text += label + value + "\n";
    };
    line("file", file);
    line("format", info.format + ", " + std::string(toString(info.sampleType)));
    line("samples", std::to_string(info.width) + " x " + std::to_string(info.height));
    line("spacing", readable(info.spacingX) + " x " + readable(info.spacingZ) + " m (" +
                        std::string(toString(info.spacingFrom)) + ")");
    line("heights", info.hasHeights() ? shortest(info.min) + " .. " + shortest(info.max) : "none");
    line("voids", std::to_string(info.voids));
    if (!info.crs.empty()) line("crs", info.crs);
    if (info.position) {
        line("position", "longitude " + readable(info.position->longitude) + ", latitude " +
                             readable(info.position->latitude) + " (sample 0, 0)");
    }
    if (!info.heightUnit.empty()) {
        line("height unit", info.heightUnit + ", times " + shortest(info.metresPerHeightUnit));
    }
    return text;
}

std::string asJson(const std::string& file, const RasterInfo& info) {
    JsonWriter json;
    const auto textOrNull = [&](const char* name, const std::string& value) {
        json.key(name);
        value.empty() ? json.null() : json.text(value);
    };
    json.beginObject();
    json.key("file").text(file);
    json.key("format").text(info.format);
    json.key("sample_type").text(toString(info.sampleType));
    json.key("width").integer(info.width);
    json.key("height").integer(info.height);
    json.key("spacing_x").number(info.spacingX);
    json.key("spacing_z").number(info.spacingZ);
    json.key("spacing_from").text(toString(info.spacingFrom));
    json.key("voids").integer(static_cast<std::int64_t>(info.voids));
    json.key("min");
    info.hasHeights() ? json.number(info.min) : json.null();
    json.key("max");
    info.hasHeights() ? json.number(info.max) : json.null();
    textOrNull("crs", info.crs);
    json.key("position");
    if (info.position) {
        json.beginObject();
        json.key("longitude").number(info.position->longitude);
        json.key("latitude").number(info.position->latitude);
        json.endObject();
    } else {
        json.null();
    }
    textOrNull("height_unit", info.heightUnit);
    json.key("metres_per_height_unit").number(info.metresPerHeightUnit);
    return json.endObject().take();
}

}  // namespace

int runInfo(CommandArguments arguments, const Externals& externals) {
    Arguments parser(
        "info",
        "Says what a DEM or heightmap file holds. Reads every sample, a window at a time, so that a\n"
        "file larger than the memory is no trouble. Of a package, its manifest and index are read.");
    std::string file;
    bool json = false;
    importer::ImportOptions options;
    parser.positional("FILE", "a DEM or heightmap, or a package (folder, its terrain.json, or file)",
                      intoString(file));
    parser.flag("--json", "as JSON", json);
    addImportArguments(parser, options);
    if (const auto code = parseOrExit(parser, arguments)) return *code;

    if (looksLikePackage(file)) {
        const auto text = packageInfo(file, json);
        if (!text) return failure(parser, file, text.error());
        std::printf("%s", text->c_str());
        return kOk;
    }
    const auto source = importer::openRaster(file, options, externals);
    if (!source) return failure(parser, file, source.error());
    const auto info = importer::measureRaster(**source, externals);
    if (!info) return failure(parser, file, info.error());
    std::printf("%s", (json ? asJson(file, *info) : asText(file, *info)).c_str());
    return kOk;
}

}  // namespace karst::tool
