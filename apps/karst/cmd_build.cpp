#include <karst/base/hash.h>
#include <karst/base/thread_pool.h>
#include <karst/heightfield_build/pyramid_builder.h>

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <filesystem>
#include <iterator>

#include "asset_build_input.h"
#include "build_share.h"
#include "command.h"
#include "import_arguments.h"
#include "interruption.h"
#include "package_codecs.h"
#include "package_output.h"
#include "progress_line.h"
#include "raster_build_input.h"

namespace karst::tool {
namespace {

namespace fs = std::filesystem;
using heightfield::BuildInput;
using heightfield::BuildOptions;
using heightfield::BuildReport;

struct BuildRequest {
    std::string file, package;
    PackageOutput output;
    BuildShare share;
    importer::ImportOptions import;
    std::optional<int> tileCells, levels, threads;
    std::optional<double> precision;  // nothing: from the samples' type
    double stateEvery = 10;
    std::vector<Rect> holes;
    bool resume = false;
};

Setter intoPrecision(std::optional<double>& value) {
    return [&value](const std::string& text) -> Result<void> {
        value.reset();
        if (text == "auto") return {};
        const Result<double> number = parseNumber(text);
        if (!number) return number.error();
        if (!(*number > 0)) {
            return makeError(ErrorCode::InvalidArgument, "'%s' must be above 0, or auto", text.c_str());
        }
        value = *number;
        return {};
    };
}

// Changes with the file and with all that says how it is read and written.
std::uint64_t markOf(const BuildRequest& request, const Arguments& parser) {
    constexpr const char* kOfTheRun[] = {"--resume", "--force", "--threads", "--state-every",
                                         "--part",   "--merge", "--mpi",     "--patience"};
    Hasher hash;
    std::error_code code;
    hash.u64(fs::file_size(request.file, code));
    const auto time = fs::last_write_time(request.file, code);
    hash.u64(static_cast<std::uint64_t>(time.time_since_epoch().count()));
    // Elsewhere the file may lie under another path.
    const std::string name = fs::path(request.file).filename().string();
    hash.u64(name.size()).bytes(name.data(), name.size());
    std::vector<Arguments::Given> given = parser.given();
    std::stable_sort(given.begin(), given.end(),
                     [](const auto& a, const auto& b) { return a.name < b.name; });
    for (const Arguments::Given& option : given) {
        if (std::find(std::begin(kOfTheRun), std::end(kOfTheRun), option.name) != std::end(kOfTheRun))
            continue;
        for (const std::string& text : {option.name, option.value})
            hash.u64(text.size()).bytes(text.data(), text.size());
    }
    return hash.value();
}

struct Input {
    std::unique_ptr<BuildInput> input;
    BuildOptions options;
};

Result<Input> openAsset(const BuildRequest& request, std::uint64_t mark, HoleRects holes) {
    auto asset = heightfield::loadTerrain(request.file);
    if (!asset) return asset.error();
    const heightfield::TerrainManifest& manifest = asset->manifest;
    if (request.tileCells && static_cast<std::uint32_t>(*request.tileCells) != manifest.patchCells) {
        return makeError(ErrorCode::InvalidArgument,
                         "the asset's patches have %u cells, so tiles cannot have %d: their errors are kept",
                         manifest.patchCells, *request.tileCells);
    }
    if (request.import.spacing) {
        return makeError(ErrorCode::InvalidArgument, "the asset states its own spacing; leave --spacing out");
    }
    Input out;
    out.options.tileCells = manifest.patchCells;
    out.options.originX = manifest.originX;
    out.options.originZ = manifest.originZ;
    if (manifest.sampleType == heightfield::TerrainSampleType::Quantised16 && !request.precision) {
        out.options.range = manifest.range;
    }
    auto input = std::make_unique<AssetBuildInput>(std::move(*asset), std::move(holes), mark);
    out.options.levelZeroErrors = [from = input.get()](const heightfield::TileKey& key,
                                                       std::span<double> errors) {
        return from->patchErrors(key, errors);
    };
    out.input = std::move(input);
    return out;
}

Result<Input> openInput(const BuildRequest& request, const Arguments& parser, const Externals& externals) {
    HoleRects holes;
    for (const Rect& rect : request.holes)
        holes.add(rect);
    const std::uint64_t mark = markOf(request, parser);
    const bool asset = fs::path(request.file).extension() == ".json";
    Result<Input> input = asset ? openAsset(request, mark, std::move(holes)) : [&]() -> Result<Input> {
        auto source = importer::openRaster(request.file, request.import, externals);
        if (!source) return source.error();
        Input out;
        out.options.tileCells = static_cast<std::uint32_t>(request.tileCells.value_or(64));
        out.options.heightStep = (*source)->info().heightStep;
        out.input = std::make_unique<RasterBuildInput>(std::move(*source), std::move(holes), mark);
        return out;
    }();
    if (!input) return input;
    if (request.precision) input->options.heightStep = *request.precision;
    return input;
}

std::string commandToGoOn(CommandArguments arguments) {
    std::string text = "karst build --resume";
    for (const std::string argument : arguments) {
        if (argument == "--resume") continue;
        const bool plain = argument.find_first_of(" '\"\\$`*?()[]{}<>|&;!#~\n\t") == std::string::npos;
        text += " ";
        if (plain && !argument.empty()) {
            text += argument;
            continue;
        }
        text += "'";
        for (const char c : argument)
            text += c == '\'' ? std::string("'\\''") : std::string(1, c);
        text += "'";
    }
    return text;
}

void addArguments(Arguments& parser, BuildRequest& request) {
    parser.positional("FILE", "a DEM or heightmap, or the terrain.json of a version 1 asset",
                      intoString(request.file));
    parser.positional("PACKAGE", "the package to write", intoString(request.package));
    parser.section("The package");
    request.output.addArguments(parser);
    parser.option("--tile-cells", "N", "cells along a tile's side, a power of two from 2 to 128 (64)",
                  intoInteger(request.tileCells, 2, 128));
    parser.option("--levels", "N", "stored levels (until one tile covers the shorter side)",
                  intoInteger(request.levels, 1, heightfield::TileLayout::kMaxStoredLevels));
    parser.option("--precision", "METRES",
                  "step of stored heights; auto: that of integer samples, else 16 bits (auto)",
                  intoPrecision(request.precision));
    parser.option("--holes", "X0,Z0,X1,Z1",
                  "cut the cells whose centres lie there, in metres; may be repeated",
                  intoRects(request.holes));
    parser.section("The build");
    parser.flag("--resume", "go on with a build that was interrupted", request.resume);
    parser.option("--state-every", "SECONDS", "how often what --resume needs is kept (10)",
                  [&request](const std::string& text) -> Result<void> {
                      const Result<double> seconds = parseNumber(text);
                      if (!seconds) return seconds.error();
                      if (!(*seconds >= 0)) {
                          return makeError(ErrorCode::InvalidArgument, "'%s' must not be negative",
                                           text.c_str());
                      }
                      request.stateEvery = *seconds;
                      return {};
                  });
    parser.option("--threads", "N", "threads that work (all cores)", intoInteger(request.threads, 1, 1024));
    request.share.addArguments(parser);
    addImportArguments(parser, request.import, "--input-format");
}

// What an interrupted build left beside the package decides how to begin. False: the package is there.
Result<bool> checkBegin(BuildRequest& request, const fs::path& state) {
    std::error_code code;
    const fs::path partial = heightfield::partialPath(request.output.path);
    const bool hasState = fs::exists(state, code), hasPartial = fs::exists(partial, code);
    const bool whole = !request.share.part && !request.share.merge;
    if (whole && request.resume && hasState && !hasPartial && !request.output.force &&
        fs::exists(request.output.path, code)) {
        fs::remove(state, code);  // the build was interrupted after its last step
        return false;
    }
    if (!request.share.merge && !request.resume && !request.output.force && hasState) {
        return makeError(ErrorCode::InvalidArgument,
                         "%s: a build of it was interrupted; --resume goes on with it, --force begins anew",
                         request.package.c_str());
    }
    if (whole && request.resume && !hasState) {
        std::fprintf(stderr, "karst build: %s: there is nothing to go on from, so the build begins anew\n",
                     request.package.c_str());
    }
    if (Result<void> free = request.output.checkPlace(); !free) return free.error();
    return true;
}

// Runs the library's part of the work with what it shows meanwhile. `quiet`: many processes share a terminal.
template <class Work>
Result<BuildReport> runShown(BuildOptions& options, const Externals& externals, bool quiet, double& reached,
                             Work work) {
    ProgressLine progress("build", *externals.clock);
    options.progress = [&](double share) {
        reached = share;
        if (!quiet) progress.show(share);
    };
    Result<BuildReport> report = work();
    progress.end();
    options.progress = nullptr;
    return report;
}

int sayStopped(const BuildReport& report, CommandArguments arguments, double reached) {
    if (report.stateKept) {
        std::fprintf(stderr, "karst build: stopped at %d %%; to go on:\n    %s\n",
                     static_cast<int>(reached * 100), commandToGoOn(arguments).c_str());
    } else {
        std::fprintf(stderr, "karst build: stopped before there was anything to keep\n");
    }
    return kFailed;
}

}  // namespace

int runBuild(CommandArguments arguments, const Externals& externals) {
    Arguments parser(
        "build",
        "Builds a package of tiles at every level of detail from a DEM or heightmap of any size.\n"
        "The file is read twice, in bands; it never has to fit into memory.");
    BuildRequest request;
    addArguments(parser, request);
    if (const auto code = parseOrExit(parser, arguments)) return *code;
    request.output.path = request.package;
    if (const auto resolved = request.output.resolve(); !resolved)
        return usageError(parser, resolved.error());
    const BuildShare& share = request.share;
    if (const auto resolved = request.share.resolve(); !resolved) return usageError(parser, resolved.error());
    const fs::path& package = request.output.path;
    const auto fail = [&](const std::string& file, const Error& error) {
        if (share.launched) heightfield::tellPartFailed(package, *share.part, error.message);
        return failure(parser, file, error);
    };
    const auto codec = codecMaker(*request.output.codec);
    if (!codec) return fail(request.package, codec.error());

    fs::path state = package;
    state += ".state";
    if (share.part) state = heightfield::partStatePath(package, *share.part);
    const Result<bool> begin = checkBegin(request, state);
    if (!begin) return fail(request.package, begin.error());
    if (!*begin) {
        std::printf("%s: the package was finished already\n", request.package.c_str());
        return kOk;
    }
    Result<Input> input = openInput(request, parser, externals);
    if (!input) return fail(request.file, input.error());

    std::optional<ThreadPool> pool;
    Externals own = externals;
    if (request.threads) {
        pool.emplace(static_cast<std::uint32_t>(*request.threads));
        own.jobs = &*pool;
    }
    BuildOptions& options = input->options;
    options.levels = static_cast<std::uint32_t>(request.levels.value_or(0));
    options.version = static_cast<std::uint32_t>(*request.output.version);
    options.makeCodec = *codec;
    options.stateFile = state;
    options.resume = request.resume;
    options.stateInterval = request.stateEvery;
    const Interruption interruption;
    options.stop = &Interruption::wanted();
    double reached = 0;
    const bool quiet = share.launched && share.part->index > 0;
    Result<BuildReport> report = BuildReport{};
    if (share.builds()) {
        report = runShown(options, own, quiet, reached, [&] {
            return share.part
                       ? heightfield::buildPart(*input->input, package, *share.part, options, own)
                       : heightfield::buildPyramid(*input->input, *request.output.makeSink(), options, own);
        });
        if (!report) {
            const int code = fail(request.file, report.error());
            std::error_code ignored;
            if (fs::exists(state, ignored)) {
                std::fprintf(stderr, "karst build: a state was kept; to go on once that is mended:\n    %s\n",
                             commandToGoOn(arguments).c_str());
            }
            return code;
        }
        if (!report->finished) {
            if (share.launched) heightfield::tellPartFailed(package, *share.part, "it was stopped");
            return sayStopped(*report, arguments, reached);
        }
    }
    if (share.part && !share.launched) {
        std::printf("%s: %s is there: %" PRIu64 " tiles, %" PRIu64 " bytes\n", request.package.c_str(),
                    share.part->name().c_str(), report->tiles, report->bytes);
        return kOk;
    }
    if (quiet) return kOk;
    if (const std::uint32_t count = share.mergeCount(); count > 0) {
        if (share.launched) {
            const Result<bool> all =
                heightfield::awaitParts(*input->input, package, count, options, share.patienceSeconds(), own);
            if (!all) return failure(parser, request.package, all.error());
            if (!*all) {
                std::fprintf(stderr, "karst build: stopped; the parts that are there are kept\n");
                return kFailed;
            }
        }
        report = runShown(options, own, false, reached, [&] {
            return heightfield::mergeParts(*input->input, *request.output.makeSink(), package, count, options,
                                           own);
        });
        if (!report) return failure(parser, request.package, report.error());
        if (!report->finished) {
            std::fprintf(stderr, "karst build: stopped; the parts are kept, and can be put together again\n");
            return kFailed;
        }
    }
    const double samples = static_cast<double>(report->layout.samplesX) * report->layout.samplesZ;
    std::printf("%s: %u x %u samples, %u levels, %" PRIu64 " tiles, %" PRIu64 " bytes (%.3g a sample)\n",
                request.package.c_str(), report->layout.samplesX, report->layout.samplesZ,
                report->layout.storedLevels, report->tiles, report->bytes,
                static_cast<double>(report->bytes) / samples);
    return kOk;
}

}  // namespace karst::tool
