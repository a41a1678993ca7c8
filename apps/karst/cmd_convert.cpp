#include <karst/base/thread_pool.h>
#include <karst/heightfield_build/convert_package.h>
#include <karst/heightfield_build/package_files.h>

#include <cinttypes>
#include <cstdio>

#include "command.h"
#include "interruption.h"
#include "package_codecs.h"
#include "package_output.h"
#include "progress_line.h"

namespace karst::tool {
int runConvert(CommandArguments arguments, const Externals& externals) {
    Arguments parser(
        "convert",
        "Writes a package again in another version or form. Heights, bounds and errors stay exactly\n"
        "as they are; version 2 keeps neither holes nor material weights.");
    std::string file, out;
    PackageOutput output;
    std::optional<int> threads;
    parser.positional("PACKAGE", "a package: a folder, its terrain.json, or a file", intoString(file));
    parser.positional("OUT", "the package to write", intoString(out));
    output.addArguments(parser);
    parser.option("--threads", "N", "threads that work (all cores)", intoInteger(threads, 1, 1024));
    if (const auto code = parseOrExit(parser, arguments)) return *code;
    output.path = out;
    if (const auto resolved = output.resolve(); !resolved) return usageError(parser, resolved.error());

    const auto package = heightfield::PackageReader::open(file);
    if (!package) return failure(parser, file, package.error());
    if (package->form() == heightfield::PackageForm::Folder) {
        // Before anything is made for tiles that the manifest only speaks of.
        const std::uint64_t stored = storedTileCount(package->layout());
        const std::uint64_t there = heightfield::countPackageFiles(file, package->manifest()).tiles;
        if (there < stored) {
            return failure(parser, file,
                           makeError(ErrorCode::CorruptData,
                                     "%" PRIu64 " of %" PRIu64 " tiles are missing; karst verify says more",
                                     stored - there, stored));
        }
    }
    const auto readCodec = codecMaker(package->manifest().codec), writeCodec = codecMaker(*output.codec);
    if (!readCodec) return failure(parser, file, readCodec.error());
    if (!writeCodec) return failure(parser, out, writeCodec.error());
    if (const auto free = output.checkPlace(); !free) return failure(parser, out, free.error());
    std::error_code code;
    if (std::filesystem::equivalent(file, output.path, code)) {
        return failure(parser, out,
                       makeError(ErrorCode::InvalidArgument, "is the package that is read; name another"));
    }
    std::optional<ThreadPool> pool;
    Externals own = externals;
    if (threads) own.jobs = &pool.emplace(static_cast<std::uint32_t>(*threads));

    const Interruption interruption;
    ProgressLine progress("convert", *externals.clock);
    heightfield::ConvertOptions options;
    options.version = static_cast<std::uint32_t>(*output.version);
    options.makeReadCodec = *readCodec;
    options.makeWriteCodec = *writeCodec;
    options.stop = &Interruption::wanted();
    options.progress = [&](double share) { progress.show(share); };
    const auto report = heightfield::convertPackage(*package, *output.makeSink(), options, own);
    progress.end();
    if (!report) return failure(parser, file, report.error());
    if (!report->finished) {
        std::fprintf(stderr, "karst convert: stopped; nothing was written\n");
        return kFailed;
    }
    if (report->tilesWithHoles > 0) {
        std::fprintf(stderr,
                     "karst convert: warning: version 2 has no holes: %" PRIu64 " tiles lost theirs\n",
                     report->tilesWithHoles);
    }
    if (report->tilesWithMaterials > 0) {
        std::fprintf(stderr,
                     "karst convert: warning: version 2 has no materials: %" PRIu64 " tiles lost theirs\n",
                     report->tilesWithMaterials);
    }
    std::printf("%s: %" PRIu64 " tiles, %" PRIu64 " bytes\n", out.c_str(), report->tiles, report->bytes);
    return kOk;
}

}  // namespace karst::tool
