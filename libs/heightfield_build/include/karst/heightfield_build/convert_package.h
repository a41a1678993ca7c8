#pragma once

#include <karst/base/externals.h>
#include <karst/heightfield/block_codec.h>
#include <karst/heightfield/package_reader.h>
#include <karst/heightfield_build/tile_sink.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>

namespace karst::heightfield {

struct ConvertOptions {
    std::uint32_t version = 3;  ///< of the package to write: 2 or 3
    /// Make codecs, one for each worker: of the package read (empty where its codec is none), and of that
    /// written (version 3; empty stores tiles as they are).
    std::function<std::unique_ptr<BlockCodec>()> makeReadCodec, makeWriteCodec;
    /// Set it, from any thread or a signal handler, to give up.
    const std::atomic<bool>* stop = nullptr;
    /// Told the share that is done, 0..1, from the calling thread.
    std::function<void(double)> progress;
};

struct ConvertReport {
    bool finished = false;  ///< false: stopped, and the sink was not finished
    std::uint64_t tiles = 0;
    std::uint64_t bytes = 0;  ///< of encoded tiles
    /// Tiles that lost something to version 2: holes in the ground, material weights.
    std::uint64_t tilesWithHoles = 0, tilesWithMaterials = 0;
};

/// Writes a package again, a row of tiles at a time, on every worker of externals.jobs. Samples, bounds and
/// errors stay as they are, so do holes and materials except in version 2. From version 2 to 3 the cells past
/// the ground become holes. Tiles whose version and codec stay are copied byte for byte, and come in the
/// order of a build: a file that was built, then written to a folder and back, is the same file again.
///
/// Errors: of the package (a tile that is missing or damaged ends the conversion) and of the sink.
Result<ConvertReport> convertPackage(const PackageReader& package, TileSink& sink,
                                     const ConvertOptions& options, const Externals& externals = {});

}  // namespace karst::heightfield
