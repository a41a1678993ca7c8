#include <karst/base/thread_pool.h>
#include <karst/heightfield/package_reader.h>
#include <karst/heightfield_build/verify_package.h>

#include <cinttypes>
#include <cstdio>
#include <limits>

#include "command.h"
#include "interruption.h"
#include "package_codecs.h"
#include "progress_line.h"

namespace karst::tool {

int runVerify(CommandArguments arguments, const Externals& externals) {
    Arguments parser(
        "verify",
        "Looks at every tile of a package: headers, checksums, samples, bounds, error tables, aprons,\n"
        "holes. Prints what is wrong by tile and field, and then ends with exit code 1.");
    std::string file;
    std::optional<int> most, threads;
    parser.positional("PACKAGE", "a package: a folder, its terrain.json, or a file", intoString(file));
    parser.option("--max-findings", "N", "findings to print; the others are counted (20)",
                  intoInteger(most, 0, std::numeric_limits<int>::max()));
    parser.option("--threads", "N", "threads that work (all cores)", intoInteger(threads, 1, 1024));
    if (const auto code = parseOrExit(parser, arguments)) return *code;

    const auto package = heightfield::PackageReader::open(file);
    if (!package) return failure(parser, file, package.error());
    const auto codec = codecMaker(package->manifest().codec);
    if (!codec) return failure(parser, file, codec.error());
    std::optional<ThreadPool> pool;
    Externals own = externals;
    if (threads) own.jobs = &pool.emplace(static_cast<std::uint32_t>(*threads));

    const Interruption interruption;
    ProgressLine progress("verify", *externals.clock);
    heightfield::VerifyOptions options;
    options.makeCodec = *codec;
    options.mostFindings = static_cast<std::size_t>(most.value_or(20));
    options.stop = &Interruption::wanted();
    options.progress = [&](double share) { progress.show(share); };
    const auto report = heightfield::verifyPackage(file, options, own);
    progress.end();
    if (!report) return failure(parser, file, report.error());
    for (const std::string& words : report->messages)
        std::printf("%s\n", words.c_str());
    if (!report->finished) {
        std::fprintf(stderr, "karst verify: stopped before all tiles were looked at\n");
        return kFailed;
    }
    if (report->findings > 0) {
        std::printf("%s: %" PRIu64 " finding%s in %" PRIu64 " tiles\n", file.c_str(), report->findings,
                    report->findings == 1 ? "" : "s", storedTileCount(package->layout()));
        return kFailed;
    }
    std::printf("%s: sound, %" PRIu64 " tiles, %" PRIu64 " bytes\n", file.c_str(), report->tiles,
                report->bytes);
    return kOk;
}

}  // namespace karst::tool
