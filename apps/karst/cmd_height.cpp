#include <karst/import/import_raster.h>

#include <cstdio>

#include "command.h"
#include "import_arguments.h"
#include "json_writer.h"

namespace karst::tool {

int runHeight(CommandArguments arguments, const Externals& externals) {
    Arguments parser("height",
                     "Prints the height of the ground at X, Z in metres, or the word 'hole' or 'outside'.\n"
                     "The first (north-western) sample stands at 0, 0; X grows to the east, Z to the south.");
    std::string file;
    double x = 0, z = 0;
    bool json = false;
    importer::ImportOptions options;
    parser.positional("FILE", "a DEM or heightmap", intoString(file));
    parser.positional("X", "metres east", intoNumber(x));
    parser.positional("Z", "metres south", intoNumber(z));
    parser.flag("--json", "as JSON", json);
    addImportArguments(parser, options);
    if (const auto code = parseOrExit(parser, arguments)) return *code;

    const auto imported = importer::importRaster(file, options, externals);
    if (!imported) return failure(parser, file, imported.error());
    const heightfield::HeightRaster& raster = imported->raster;
    const std::optional<double> height = raster.heightAt(x, z);
    const char* reason = raster.rect().contains(x, z) ? "hole" : "outside";
    if (json) {
        JsonWriter out;
        out.beginObject().key("x").number(x).key("z").number(z).key("height");
        if (height) {
            out.number(*height);
        } else {
            out.null().key("reason").text(reason);
        }
        std::printf("%s", out.endObject().take().c_str());
    } else {
        std::printf("%s\n", height ? shortest(*height).c_str() : reason);
    }
    return kOk;
}

}  // namespace karst::tool
