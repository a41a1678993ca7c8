#pragma once

#include <karst/heightfield_build/pyramid_builder.h>

#include <string>

namespace karst::heightfield {

/// One of `count` shares of a pyramid's tiles.
struct BuildPart {
    std::uint32_t index = 0, count = 1;  ///< 0-based; at most kMostBuildParts parts

    /// "part 2/4", counted from 1.
    std::string name() const;
};

inline constexpr std::uint32_t kMostBuildParts = 4096;

/// A part's files lie beside the package, on a file system that all processes share: the tiles and what the
/// coarse levels need of them, and while it is under way its state.
std::filesystem::path partStatePath(const std::filesystem::path& package, const BuildPart& part);

/// Builds one part of a package: whole rows of tiles of a level that leaves every part about as much to do,
/// and all that lies under them. The other parts may be built before, after or meanwhile, by any process on
/// any machine of the same byte order; what the first pass finds is shared, and what is missing of it is made
/// up for. A part that is there already and is of this input and these options is left as it is, a stopped or
/// killed one goes on where options.resume is set; options.stateFile is not used. The report counts the
/// part's tiles.
///
/// Errors: as buildPyramid(); a part that another process is building.
Result<BuildReport> buildPart(BuildInput& input, const std::filesystem::path& package, const BuildPart& part,
                              const BuildOptions& options, const Externals& externals = {},
                              Durability durability = Durability::PowerCut);

/// Waits until all parts are there. False: stopped. An error: one that says that it failed
/// (tellPartFailed()) since this call, or `patience` seconds in which no part grew; the parts that are
/// missing are named.
Result<bool> awaitParts(const BuildInput& input, const std::filesystem::path& package, std::uint32_t count,
                        const BuildOptions& options, double patience, const Externals& externals = {});

/// Tells awaitParts() in another process.
void tellPartFailed(const std::filesystem::path& package, const BuildPart& part, const std::string& why);

/// Puts all parts together: copies their tiles, builds the levels above them, and finishes to the same bytes
/// as buildPyramid() of the same input, which is not read again. Then the parts' files are removed.
///
/// Errors: a part that is missing, damaged, or of another input or other options, by name; of the sink.
Result<BuildReport> mergeParts(const BuildInput& input, TileSink& sink, const std::filesystem::path& package,
                               std::uint32_t count, const BuildOptions& options,
                               const Externals& externals = {});

}  // namespace karst::heightfield
