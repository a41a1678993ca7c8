#include <karst/heightfield_build/pyramid_builder.h>

#include "build_rows.h"

namespace karst::heightfield {

Result<BuildReport> buildPyramid(BuildInput& input, TileSink& sink, const BuildOptions& options,
                                 const Externals& externals) {
    if (Result<void> valid = checkOptions(input, options); !valid) return valid.error();
    const std::uint64_t mark = buildMark(input, options);
    BuildReport report;
    BuildState state;
    report.resumed = readState(input, options, mark, state, externals);
    if (!report.resumed) {
        state.survey = beginSurvey(input, options);
        const auto progress = [&](double share) {
            if (options.progress) options.progress(kSurveyShare * share);
        };
        const Result<bool> found = surveyRows(input, options, {0, input.rows()}, progress, state.survey);
        if (!found) return found.error();
        if (!*found) return report;  // so little is lost that nothing is kept
        if (Result<void> valid = checkSurvey(input, state.survey); !valid) return valid.error();
    }
    const Result<PackageManifest> manifest = planManifest(input, options, state.survey.heights);
    if (!manifest) return manifest.error();
    const TileLayout& layout = manifest->layout;
    state.survey.corners.replaceMissing(layout.quantisation.min);
    report.layout = layout;
    report.heights = state.survey.heights;
    report.voids = state.survey.voids;

    TileProduction production(layout, options, state.survey.corners, sink, externals,
                              TileWindow::whole(layout));
    const RowBuild build{&input, &options, &*manifest, &production, &sink, mark, {0, input.rows()}};
    if (Result<void> begun = beginRows(build, state, report.resumed, externals); !begun) return begun.error();
    const Result<bool> done = runRows(build, state, report.stateKept, externals);
    if (!done) return done.error();
    if (!*done) return report;
    if (Result<void> finished = sink.finish(); !finished) return finished.error();
    if (!options.stateFile.empty()) {
        std::error_code ignored;
        std::filesystem::remove(options.stateFile, ignored);
    }
    if (options.progress) options.progress(1);
    report.finished = true;
    report.tiles = production.tiles();
    report.bytes = production.bytes();
    return report;
}

Result<Surface> buildSurface(BuildInput& input, const BuildOptions& options, const Externals& externals) {
    BuildOptions inMemory = options;
    inMemory.makeCodec = nullptr;
    inMemory.stateFile.clear();
    inMemory.stop = nullptr;
    MemorySink sink;
    const Result<BuildReport> report = buildPyramid(input, sink, inMemory, externals);
    if (!report) return report.error();
    return Surface::fromTiles(report->layout, std::move(sink.tiles()));
}

}  // namespace karst::heightfield
