#include "package_info.h"

#include <karst/heightfield_build/package_files.h>

#include <karst/base/byte_reader.h>
#include <karst/base/file_byte_source.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "json_writer.h"

namespace karst::tool {
namespace {

namespace fs = std::filesystem;
using heightfield::PackageForm;
using heightfield::PackageReader;
using heightfield::TileLayout;

struct Sizes {
    std::uint64_t tiles = 0;  // that are there
    std::uint64_t missing = 0;
    std::uint64_t bytes = 0;  // of the whole package
};

Result<Sizes> measure(const std::string& path, const PackageReader& package) {
    Sizes sizes;
    std::error_code code;
    const TileLayout& layout = package.layout();
    const std::uint64_t count = storedTileCount(layout);
    if (package.form() == PackageForm::File) {
        sizes.bytes = fs::file_size(path, code);
        constexpr std::uint64_t kAtOnce = 1 << 16;
        for (std::uint64_t first = 0; first < count; first += kAtOnce) {
            const std::uint64_t entries = std::min(kAtOnce, count - first);
            const auto bytes =
                readFileRange(path, {{},
                                     heightfield::kPackageHeadBytes + first * heightfield::kIndexEntryBytes,
                                     entries * heightfield::kIndexEntryBytes});
            if (!bytes) return bytes.error();
            ByteReader reader(*bytes);
            for (std::uint64_t i = 0; i < entries; ++i) {
                reader.skip(8);
                ++(reader.u32() > 0 ? sizes.tiles : sizes.missing);
            }
        }
        return sizes;
    }
    const heightfield::PackageFiles files = heightfield::countPackageFiles(path, package.manifest());
    sizes.tiles = files.tiles;
    sizes.missing = count - files.tiles;
    sizes.bytes = files.bytes;
    return sizes;
}

std::string readable(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.6g", value);
    return text;
}

std::string asText(const std::string& path, const PackageReader& package, const Sizes& sizes) {
    const TileLayout& layout = package.layout();
    std::string text;
    const auto line = [&](const char* name, const std::string& value) {
        std::string label = std::string(name) + ":";
        label.resize(14, ' ');
        text += label + value + "\n";
    };
    const double samples = double{1} * layout.samplesX * layout.samplesZ;
    line("package", path);
    line("form", std::string(package.form() == PackageForm::File ? "one file" : "folder") + ", version " +
                     std::to_string(package.manifest().version) + ", codec " +
                     std::string(codecName(package.manifest().codec)));
    line("samples", std::to_string(layout.samplesX) + " x " + std::to_string(layout.samplesZ));
    line("spacing", readable(layout.spacingX) + " x " + readable(layout.spacingZ) + " m");
    line("origin", readable(layout.originX) + ", " + readable(layout.originZ));
    // What samples can say; the ground itself may be lower than the highest by far.
    line("encoding", "heights " + shortest(layout.quantisation.min) + " .. " +
                         shortest(layout.quantisation.max) + " m in steps of " +
                         readable(2 * layout.quantisationError()) + " m");
    line("tiles", std::to_string(sizes.tiles) + " of " + std::to_string(layout.tileCells) + " x " +
                      std::to_string(layout.tileCells) + " cells" +
                      (sizes.missing > 0 ? ", " + std::to_string(sizes.missing) + " missing" : ""));
    line("levels", std::to_string(layout.storedLevels) + ", roots " + std::to_string(layout.rootsX) + " x " +
                       std::to_string(layout.rootsZ));
    line("bytes", std::to_string(sizes.bytes) + ", " + readable(static_cast<double>(sizes.bytes) / samples) +
                      " a sample");
    return text;
}

std::string asJson(const std::string& path, const PackageReader& package, const Sizes& sizes) {
    const TileLayout& layout = package.layout();
    JsonWriter json;
    json.beginObject();
    json.key("file").text(path);
    json.key("form").text(package.form() == PackageForm::File ? "file" : "folder");
    json.key("version").integer(package.manifest().version);
    json.key("codec").text(codecName(package.manifest().codec));
    json.key("width").integer(layout.samplesX);
    json.key("height").integer(layout.samplesZ);
    json.key("spacing_x").number(layout.spacingX);
    json.key("spacing_z").number(layout.spacingZ);
    json.key("origin_x").number(layout.originX);
    json.key("origin_z").number(layout.originZ);
    json.key("min").number(layout.quantisation.min);
    json.key("max").number(layout.quantisation.max);
    json.key("height_step").number(2 * layout.quantisationError());
    json.key("tile_cells").integer(layout.tileCells);
    json.key("levels").integer(layout.storedLevels);
    json.key("roots_x").integer(layout.rootsX);
    json.key("roots_z").integer(layout.rootsZ);
    json.key("tiles").integer(static_cast<std::int64_t>(sizes.tiles));
    json.key("tiles_missing").integer(static_cast<std::int64_t>(sizes.missing));
    json.key("bytes").integer(static_cast<std::int64_t>(sizes.bytes));
    json.key("bytes_per_sample")
        .number(static_cast<double>(sizes.bytes) / (double{1} * layout.samplesX * layout.samplesZ));
    return json.endObject().take();
}

}  // namespace

bool looksLikePackage(const fs::path& path) {
    std::error_code code;
    if (fs::is_directory(path, code)) return true;
    if (path.filename() == heightfield::kManifestName) return true;
    const auto bytes = readFileRange(path, {{}, 0, 8});
    return bytes.ok() && std::memcmp(bytes->data(), "KARSTPKG", 8) == 0;
}

Result<std::string> packageInfo(const std::string& path, bool json) {
    const auto package = PackageReader::open(path);
    if (!package) return package.error();
    const auto sizes = measure(path, *package);
    if (!sizes) return sizes.error();
    return json ? asJson(path, *package, *sizes) : asText(path, *package, *sizes);
}

}  // namespace karst::tool
