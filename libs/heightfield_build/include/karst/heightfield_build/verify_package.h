#pragma once

#include <karst/base/externals.h>
#include <karst/heightfield/block_codec.h>

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace karst::heightfield {

struct VerifyOptions {
    /// Makes a codec of the package's kind, one for each worker; empty where its codec is none.
    std::function<std::unique_ptr<BlockCodec>()> makeCodec;
    /// Findings whose words are kept; all are counted.
    std::size_t mostFindings = 20;
    /// Set it, from any thread or a signal handler, to give up.
    const std::atomic<bool>* stop = nullptr;
    /// Told the share that is done, 0..1, from the calling thread.
    std::function<void(double)> progress;
};

struct VerifyReport {
    bool finished = false;               ///< false: stopped
    std::uint64_t tiles = 0, bytes = 0;  ///< that could be read
    std::uint64_t findings = 0;
    /// "tile level/x-z: field: what is wrong", the first mostFindings in an order that depends on the package
    /// alone.
    std::vector<std::string> messages;
};

/// Looks at all of a package's tiles, a row at a time, on every worker of externals.jobs; holds two rows of
/// tiles of each level, whatever the package's size. A sound package has no finding:
/// - every stored tile is there, with a right header, checksum and payload, and no two share bytes of a file;
/// - bounds are exactly those of the finest samples below, and a parent's samples are every second one of its
///   children's;
/// - aprons hold the neighbours' samples, and repeat the edge where there is no neighbour;
/// - a parent's shared errors are the largest over its children, and no entry is below what the tile's own
///   samples show (by more than one step of the quantisation: a table may be of unrounded heights);
/// - version 3: cells past the ground are holes, and coarser cells are holes where the finest cell at their
///   centre is.
/// Checks that need a tile which could not be read are left out; a folder that lacks more tiles than it has,
/// and more than a million, is one finding.
///
/// `package` as PackageReader::open takes it. Errors: its own, and where the index of a single file cannot be
/// read. All that is wrong with tiles is a finding.
Result<VerifyReport> verifyPackage(const std::filesystem::path& package, const VerifyOptions& options,
                                   const Externals& externals = {});

}  // namespace karst::heightfield
