// The command-line tool: karst <verb> ...; one file cmd_<verb>.cpp each.
#include <karst/base/thread_pool.h>

#include <cstdio>
#include <string>
#include <vector>

#include "command.h"

namespace karst::tool {
namespace {

struct Command {
    const char* verb;
    const char* help;
    int (*run)(CommandArguments, const Externals&);
};

constexpr Command kCommands[] = {
    {"info", "what a terrain file or a package holds", runInfo},
    {"height", "the height of the ground at a place", runHeight},
    {"ray", "where a ray meets the ground", runRay},
    {"render", "draws a terrain file to a picture", runRender},
    {"build", "builds a package of tiles from a terrain file", runBuild},
    {"verify", "looks for damage in a package", runVerify},
    {"convert", "writes a package in another form or version", runConvert},
    {"serve", "serves a package over HTTP, for development", runServe},
    {"drop", "drops bodies on the ground, and says whether one fell through", runDrop},
    {"voxel", "voxel ground: makes, edits, imports and exports it", runVoxel},
};

std::string overview() {
    std::string text = "Usage: karst VERB ...\n\n";
    for (const Command& command : kCommands) {
        const std::string verb = command.verb;
        text += "  " + verb + std::string(10 - verb.size(), ' ') + command.help + "\n";
    }
    return text + "\n  karst VERB --help    what a verb takes\n  karst --version\n";
}

int run(CommandArguments arguments) {
    const std::string verb = arguments.empty() ? "" : arguments[0];
    if (verb.empty()) {
        std::fprintf(stderr, "%s", overview().c_str());
        return kUsage;
    }
    if (verb == "--help" || verb == "-h") {
        std::printf("%s", overview().c_str());
        return kOk;
    }
    if (verb == "--version") {
        std::printf("karst %s\n", KARST_VERSION);
        return kOk;
    }
    ThreadPool pool;
    Externals externals;
    externals.jobs = &pool;
    externals.log = &stderrLogger();
    std::vector<std::string> verbs{"--help", "--version"};
    for (const Command& command : kCommands) {
        if (verb == command.verb) return command.run(arguments.subspan(1), externals);
        verbs.push_back(command.verb);
    }
    const std::string guess = nearest(verb, verbs);
    std::fprintf(stderr, "karst: unknown verb '%s'", verb.c_str());
    if (!guess.empty()) std::fprintf(stderr, "; did you mean '%s'?", guess.c_str());
    std::fprintf(stderr, "\nkarst: see karst --help\n");
    return kUsage;
}

}  // namespace

std::optional<int> parseOrExit(Arguments& parser, CommandArguments arguments) {
    const Result<void> parsed = parser.parse(arguments);
    if (!parsed) return usageError(parser, parsed.error());
    if (!parser.helpWanted()) return std::nullopt;
    std::printf("%s", parser.help().c_str());
    return kOk;
}

int usageError(const Arguments& parser, const Error& error) {
    std::fprintf(stderr, "karst %s: %s\nkarst: see karst %s --help\n", parser.verb().c_str(),
                 error.message.c_str(), parser.verb().c_str());
    return kUsage;
}

int failure(const Arguments& parser, const std::string& file, const Error& error) {
    const bool named = error.message.find(file) != std::string::npos;
    std::fprintf(stderr, "karst %s: %s%s%s\n", parser.verb().c_str(), named ? "" : file.c_str(),
                 named ? "" : ": ", error.message.c_str());
    return kFailed;
}

}  // namespace karst::tool

int main(int argc, char** argv) {
    const std::vector<const char*> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
    const int code = karst::tool::run(arguments);
    // A full disk or a closed pipe shows only here.
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
        std::fprintf(stderr, "karst: the output could not be written\n");
        return karst::tool::kFailed;
    }
    return code;
}
