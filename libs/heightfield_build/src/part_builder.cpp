#include <karst/base/hash.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "build_rows.h"
#include "part_files.h"

namespace karst::heightfield {
namespace {

// The geometry, which does not depend on the heights.
Result<TileLayout> shapeOf(const BuildInput& input, const BuildOptions& options) {
    const Result<PackageManifest> manifest = planManifest(input, options, {0, 1});
    if (!manifest) return manifest.error();
    return manifest->layout;
}

// Every part's own rows, from whoever has looked at them, beginning with this part's. False: stopped.
Result<bool> shareSurvey(BuildInput& input, const std::filesystem::path& package, const BuildPart& part,
                         const BuildOptions& options, const TileLayout& shape, InputSurvey& survey) {
    const std::uint64_t mark = partsMark(input, options, part.count);
    for (std::uint32_t i = 0; i < part.count; ++i) {
        const BuildPart other{(part.index + i) % part.count, part.count};
        const RowRange rows = partWindow(shape, other).ownRows(shape);
        const std::filesystem::path file = partPath(package, other, PartFile::Survey);
        if (rows.count() == 0 || readPartSurvey(file, mark, rows, survey)) continue;
        InputSurvey found = beginSurvey(input, options);
        const auto progress = [&](double share) {
            if (options.progress) options.progress(kSurveyShare * (i + share) / part.count);
        };
        const Result<bool> done = surveyRows(input, options, rows, progress, found);
        if (!done || !*done) return done;
        if (Result<void> put = writePartSurvey(file, part, mark, rows, found); !put) return put.error();
        if (!readPartSurvey(file, mark, rows, survey)) {
            return makeError(ErrorCode::Io, "%s: does not read back as it was written", file.c_str());
        }
    }
    return true;
}

std::uint64_t sizeOf(const std::filesystem::path& path) {
    std::error_code code;
    const std::uint64_t size = std::filesystem::file_size(path, code);
    return code ? 0 : size;
}

}  // namespace

Result<BuildReport> buildPart(BuildInput& input, const std::filesystem::path& package, const BuildPart& part,
                              const BuildOptions& options, const Externals& externals,
                              Durability durability) {
    if (Result<void> valid = checkPart(input, options, part); !valid) return valid.error();
    const Result<TileLayout> shape = shapeOf(input, options);
    if (!shape) return shape.error();
    const TileWindow window = partWindow(*shape, part);
    const std::uint64_t mark = partsMark(input, options, part.count);
    const auto file = [&](PartFile kind) { return partPath(package, part, kind); };
    removeFile(file(PartFile::Failed));

    BuildReport report;
    const auto there = readPartDone(file(PartFile::Done), mark, nullptr);
    if (there && *there && sizeOf(file(PartFile::Tiles)) == (*there)->fileBytes) {
        const Result<PackageManifest> manifest = planManifest(input, options, (*there)->heights);
        if (!manifest) return manifest.error();
        report = {manifest->layout, true, false, false, (*there)->tiles, (*there)->bytes, (*there)->voids,
                  (*there)->heights};
        return report;
    }
    removeFile(file(PartFile::Done));

    BuildOptions own = options;
    own.stateFile = file(PartFile::State);
    const std::uint64_t stateMark = Hasher().u64(mark).u32(part.index).value();
    BuildState state;
    report.resumed = readState(input, own, stateMark, state, externals);
    if (!report.resumed) {
        state.survey = beginSurvey(input, options);
        const Result<bool> found = shareSurvey(input, package, part, options, *shape, state.survey);
        if (!found) return found.error();
        if (!*found) return report;
        if (Result<void> valid = checkSurvey(input, state.survey); !valid) return valid.error();
    }
    const Result<PackageManifest> manifest = planManifest(input, options, state.survey.heights);
    if (!manifest) return manifest.error();
    state.survey.corners.replaceMissing(manifest->layout.quantisation.min);
    report.layout = manifest->layout;
    report.heights = state.survey.heights;
    report.voids = state.survey.voids;

    CoarseShare coarse;
    PartSink sink(file(PartFile::Tiles), mark, durability);
    TileProduction production(manifest->layout, own, state.survey.corners, sink, externals, window, &coarse);
    const RowBuild build{
        &input, &own, &*manifest, &production, &sink, stateMark, window.neededRows(manifest->layout)};
    if (Result<void> begun = beginRows(build, state, report.resumed, externals); !begun) return begun.error();
    const Result<bool> done = runRows(build, state, report.stateKept, externals);
    if (!done) return done.error();
    if (!*done) return report;
    if (Result<void> finished = sink.finish(); !finished) return finished.error();
    const PartDone words{report.heights, report.voids, production.tiles(), production.bytes(),
                         sink.fileBytes()};
    if (Result<void> put = writePartDone(file(PartFile::Done), mark, words, coarse); !put) return put.error();
    removeFile(own.stateFile);
    if (options.progress) options.progress(1);
    report.finished = true;
    report.tiles = words.tiles;
    report.bytes = words.bytes;
    return report;
}

Result<bool> awaitParts(const BuildInput& input, const std::filesystem::path& package, std::uint32_t count,
                        const BuildOptions& options, double patience, const Externals& externals) {
    const std::uint64_t mark = partsMark(input, options, count);
    std::uint64_t grown = 0, since = externals.clock->nowNanoseconds();
    for (;;) {
        std::vector<BuildPart> missing;
        std::uint64_t size = 0;
        for (std::uint32_t k = 0; k < count; ++k) {
            const BuildPart part{k, count};
            const std::filesystem::path tiles = partPath(package, part, PartFile::Tiles);
            const auto done = readPartDone(partPath(package, part, PartFile::Done), mark, nullptr);
            if (done && *done && sizeOf(tiles) == (*done)->fileBytes) continue;
            const auto why = readWholeFile(partPath(package, part, PartFile::Failed));
            if (why) {
                return makeError(ErrorCode::Io, "%s: %s failed: %.*s", package.c_str(), part.name().c_str(),
                                 static_cast<int>(why->size()), reinterpret_cast<const char*>(why->data()));
            }
            missing.push_back(part);
            size += 1 + sizeOf(tiles) + sizeOf(partPath(package, part, PartFile::Survey));
        }
        if (missing.empty()) return true;
        if (stopWanted(options)) return false;
        const std::uint64_t now = externals.clock->nowNanoseconds();
        if (size != grown) {
            grown = size;
            since = now;
        }
        if (static_cast<double>(now - since) * 1e-9 > patience) {
            return makeError(ErrorCode::NotFound, "%s: missing: %s; nothing has come for %g s",
                             package.c_str(), namesOf(missing).c_str(), patience);
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
}

void tellPartFailed(const std::filesystem::path& package, const BuildPart& part, const std::string& why) {
    static_cast<void>(
        replaceFile(partPath(package, part, PartFile::Failed), std::as_bytes(std::span(why)), false));
}

}  // namespace karst::heightfield
