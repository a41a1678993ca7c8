#include "options.h"

#include <cstdio>

#include "../karst/arguments.h"
#include "../karst/import_arguments.h"

namespace karst::viewer {

bool parseOptions(std::span<const char* const> arguments, ViewerOptions& options, int& code) {
    tool::Arguments parser(
        "viewer",
        "Flies and walks over ground in a window: a DEM or heightmap, a package (a folder, a\n"
        "file or a URL) or a file of voxels. F1 lists the keys. Exit codes: 1 the work failed,\n"
        "2 wrong usage, 3 no display, 4 no Vulkan 1.3 device.");
    std::optional<int> width, height, samples, detail;
    double hour = options.hour, radius = 0;
    parser.positional("FILE", "what to show; without, there is a field to type it into",
                      tool::intoString(options.open.file), tool::Arguments::Need::Optional);
    parser.option("--size", "W,H", "of the window (1280,720)", [&](const std::string& text) -> Result<void> {
        const auto numbers = tool::parseNumbers(text, 2);
        if (!numbers) return numbers.error();
        if (!((*numbers)[0] >= 16 && (*numbers)[0] <= 16384 && (*numbers)[1] >= 16 && (*numbers)[1] <= 16384))
            return makeError(ErrorCode::InvalidArgument, "'%s' is outside of 16 .. 16384", text.c_str());
        width = static_cast<int>((*numbers)[0]);
        height = static_cast<int>((*numbers)[1]);
        return {};
    });
    parser.option("--camera", "X,Y,Z", "where the camera begins, in metres", tool::intoPoint(options.camera));
    parser.option("--look-at", "X,Y,Z", "what it looks at", tool::intoPoint(options.target));
    parser.option("--hour", "H", "time of day, 0 .. 24 (15)", tool::intoNumber(hour));
    parser.option("--radius", "R", "of the brush, in metres", tool::intoNumber(radius));
    parser.option("--detail", "N", "levels of synthesised detail, 0 .. 4 (0)",
                  tool::intoInteger(detail, 0, 4));
    parser.option("--craters", "FILE", "where craters are saved, and come from (FILE.craters)",
                  tool::intoString(options.open.craters));
    parser.option("--samples", "N", "of antialiasing, 1 or 4 (4 on a graphics card)",
                  tool::intoInteger(samples, 1, 4));
    parser.option("--pictures", "FOLDER", "where screenshots go (.)", tool::intoString(options.pictures));
    parser.flag("--validation", "run under Vulkan's validation layer; exit code 1 where it says anything",
                options.validation);
    tool::addImportArguments(parser, options.open.import, "--input-format");

    const Result<void> parsed = parser.parse(arguments);
    if (!parsed) {
        std::fprintf(stderr, "karst_viewer: %s\nkarst_viewer: see karst_viewer --help\n",
                     parsed.error().message.c_str());
        code = kUsage;
        return false;
    }
    if (parser.helpWanted()) {
        std::string help = parser.help();
        const std::string verb = "karst viewer";
        if (const auto at = help.find(verb); at != std::string::npos)
            help.replace(at, verb.size(), "karst_viewer");
        std::printf("%s", help.c_str());
        code = kOk;
        return false;
    }
    if (!(hour >= 0 && hour <= 24) || !(radius >= 0) || (samples && *samples != 1 && *samples != 4)) {
        std::fprintf(stderr,
                     "karst_viewer: --hour must be 0 .. 24, --radius not negative, --samples 1 or 4\n");
        code = kUsage;
        return false;
    }
    options.width = width.value_or(options.width);
    options.height = height.value_or(options.height);
    options.samples = samples.value_or(0);
    options.hour = hour;
    options.radius = radius;
    options.open.detailLevels = static_cast<std::uint32_t>(detail.value_or(0));
    return true;
}

}  // namespace karst::viewer
