#include "build_share.h"

#include <cstdlib>

namespace karst::tool {
namespace {

struct Launcher {
    const char* rank;
    const char* size;
};

// Open MPI; MPICH and its kin; srun. An mpirun within a Slurm job sets its own beside the job's, so it comes
// first.
constexpr Launcher kLaunchers[] = {
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
    {"PMI_RANK", "PMI_SIZE"},
    {"SLURM_PROCID", "SLURM_NTASKS"},
};

constexpr int kMostParts = static_cast<int>(heightfield::kMostBuildParts);

Setter intoPart(std::optional<heightfield::BuildPart>& value) {
    return [&value](const std::string& text) -> Result<void> {
        const std::size_t slash = text.find('/');
        const Result<int> count =
            parseInteger(slash < text.size() ? text.substr(slash + 1) : "", 1, kMostParts);
        const Result<int> number =
            count ? parseInteger(text.substr(0, slash), 1, *count) : Result<int>(count.error());
        if (!number) {
            return makeError(ErrorCode::InvalidArgument, "'%s' is no part, such as 2/4; at most %d",
                             text.c_str(), kMostParts);
        }
        value = {static_cast<std::uint32_t>(*number - 1), static_cast<std::uint32_t>(*count)};
        return {};
    };
}

}  // namespace

void BuildShare::addArguments(Arguments& parser) {
    parser.section("Many processes, on one machine or on many that share the folder of PACKAGE");
    parser.option("--part", "I/N", "build only part I of N, the first being 1/N", intoPart(part));
    parser.option("--merge", "N", "put N parts together, all of which are there",
                  intoInteger(merge, 1, kMostParts));
    parser.flag("--mpi",
                "take I and N from mpirun or srun; the first process waits for the\n"
                "                          others and puts the parts together",
                launched);
    parser.option("--patience", "SECONDS", "with --mpi: how long no part may grow before it gives up (600)",
                  [this](const std::string& text) -> Result<void> {
                      const Result<double> seconds = parseNumber(text);
                      if (!seconds) return seconds.error();
                      if (!(*seconds > 0)) {
                          return makeError(ErrorCode::InvalidArgument, "'%s' must be above 0", text.c_str());
                      }
                      patience = *seconds;
                      return {};
                  });
}

Result<void> BuildShare::resolve() {
    if ((part ? 1 : 0) + (merge ? 1 : 0) + (launched ? 1 : 0) > 1) {
        return makeError(ErrorCode::InvalidArgument, "--part, --merge and --mpi exclude each other");
    }
    if (patience && !launched) {
        return makeError(ErrorCode::InvalidArgument, "--patience is for --mpi");
    }
    if (!launched) return {};
    for (const Launcher& launcher : kLaunchers) {
        const char *rank = std::getenv(launcher.rank), *size = std::getenv(launcher.size);
        if (rank == nullptr || size == nullptr) continue;
        const Result<int> count = parseInteger(size, 1, kMostParts);
        const Result<int> number = count ? parseInteger(rank, 0, *count - 1) : Result<int>(count.error());
        if (!number) {
            return makeError(ErrorCode::InvalidArgument, "--mpi: %s=%s and %s=%s; at most %d processes",
                             launcher.rank, rank, launcher.size, size, kMostParts);
        }
        part =
            heightfield::BuildPart{static_cast<std::uint32_t>(*number), static_cast<std::uint32_t>(*count)};
        return {};
    }
    std::string names;
    for (const Launcher& launcher : kLaunchers)
        names += std::string(names.empty() ? "" : ", ") + launcher.rank;
    return makeError(ErrorCode::InvalidArgument,
                     "--mpi: no launcher has set any of %s; start it by mpirun or srun, or give --part",
                     names.c_str());
}

std::uint32_t BuildShare::mergeCount() const {
    if (merge) return static_cast<std::uint32_t>(*merge);
    return launched && part && part->index == 0 ? part->count : 0;
}

}  // namespace karst::tool
