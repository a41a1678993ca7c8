#pragma once

#include <karst/base/externals.h>
#include <karst/base/function_ref.h>
#include <karst/heightfield/block_codec.h>
#include <karst/heightfield/surface.h>
#include <karst/heightfield_build/build_input.h>
#include <karst/heightfield_build/tile_sink.h>

#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>

namespace karst::heightfield {

struct BuildOptions {
    std::uint32_t tileCells = 64;
    std::uint32_t levels = 0;         ///< stored levels; 0 halves down to one root along the shorter side
    std::uint32_t version = 3;        ///< of the tiles: 2 or 3
    double originX = 0, originZ = 0;  ///< world place of sample (0, 0)
    /// Heights of whole multiples of this step, counted from the lowest, are kept exactly, where 65535 of
    /// them reach from the lowest to the highest sample; 0 spreads all 16 bits over the range.
    double heightStep = 0;
    /// What 16-bit 0 and 65535 stand for; samples outside are held to it. Measured where absent.
    std::optional<HeightRange> range;
    /// Makes a codec for version 3 tiles, one for each worker; empty stores them as they are.
    std::function<std::unique_ptr<BlockCodec>()> makeCodec;
    /// Error tables that the caller knows better, for level-0 tiles: fills log2(tileCells) + 1 entries in
    /// world units and returns true (a version 1 asset's own; spec row H5). May be called from several
    /// threads at once.
    std::function<bool(const TileKey&, std::span<double>)> levelZeroErrors;

    /// A file for what an interrupted build needs to go on; empty: none is kept.
    std::filesystem::path stateFile;
    /// Seconds between two such states at the least.
    double stateInterval = 10;
    /// Goes on from stateFile where it is there and of the same input and options; else begins anew.
    bool resume = false;
    /// Set it, from any thread or a signal handler, to stop after the band under way, with the state kept.
    const std::atomic<bool>* stop = nullptr;
    /// Told the share that is done, 0..1, from the calling thread.
    std::function<void(double)> progress;
};

struct BuildReport {
    TileLayout layout;
    bool finished = false;   ///< false: stopped
    bool stateKept = false;  ///< stopped, and BuildOptions::resume can go on
    bool resumed = false;
    std::uint64_t tiles = 0;
    std::uint64_t bytes = 0;  ///< of encoded tiles
    std::uint64_t voids = 0;  ///< samples without data
    HeightRange heights;      ///< of the samples that have some
};

/// Builds a pyramid out of core (spec rows H5, H6, HX1): reads the input twice in bands of rows (first for
/// the range of heights and the corners of tiles, then for the tiles), and holds a band and tileCells + 3
/// rows of each level. Level L's lattice is every 2^L-th sample. Uses every worker of externals.jobs and a
/// thread of its own that reads ahead; the bytes do not depend on either, nor on where a build was stopped
/// and resumed.
///
/// Any size of input works: the pyramid is padded with the edge's heights, padded cells are holes, and tiles
/// of padding alone are not stored. Samples without data are filled from their row (between the nearest data
/// linearly, beyond it level; a row without any repeats the row before), and the cells around them are holes.
///
/// Errors: of the input, the sink and the state file; a layout that cannot be (validate(TileLayout)); an
/// input without any data.
Result<BuildReport> buildPyramid(BuildInput& input, TileSink& sink, const BuildOptions& options,
                                 const Externals& externals = {});

/// A pyramid in memory, as a surface that never changes.
Result<Surface> buildSurface(BuildInput& input, const BuildOptions& options = {},
                             const Externals& externals = {});

}  // namespace karst::heightfield
