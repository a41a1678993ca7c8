#include "build_plan.h"

#include <karst/base/hash.h>

#include <cmath>
#include <limits>

namespace karst::heightfield {
namespace {

HeightRange quantisationFor(const HeightRange& heights, const BuildOptions& options) {
    if (options.range) return *options.range;
    const double top = heights.min + 65535.0 * options.heightStep;
    if (options.heightStep > 0 && top >= heights.max && top <= double{std::numeric_limits<float>::max()}) {
        return {heights.min, static_cast<float>(top)};
    }
    return heights;
}

}  // namespace

std::uint64_t buildMark(const BuildInput& input, const BuildOptions& options) {
    Hasher hash;
    hash.u32(input.columns())
        .u32(input.rows())
        .f64(input.spacingX())
        .f64(input.spacingZ())
        .u64(input.fingerprint());
    hash.u32(options.tileCells)
        .u32(options.levels)
        .u32(options.version)
        .f64(options.originX)
        .f64(options.originZ);
    hash.f64(options.heightStep).u32(options.range ? 1 : 0);
    if (options.range) hash.f32(options.range->min).f32(options.range->max);
    hash.u32(options.makeCodec ? 1 : 0);
    return hash.value();
}

Result<void> checkOptions(const BuildInput& input, const BuildOptions& options) {
    if (options.version != 2 && options.version != 3) {
        return makeError(ErrorCode::InvalidArgument, "pyramid builder: version %u; there are 2 and 3",
                         options.version);
    }
    if (!(options.heightStep >= 0) || !std::isfinite(options.heightStep)) {
        return makeError(ErrorCode::InvalidArgument,
                         "pyramid builder: height step %g must be finite and not negative",
                         options.heightStep);
    }
    if (options.range && !(options.range->min <= options.range->max)) {
        return makeError(ErrorCode::InvalidArgument, "pyramid builder: range %g..%g is out of order",
                         double{options.range->min}, double{options.range->max});
    }
    if (input.columns() < 2 || input.rows() < 2) {
        return makeError(ErrorCode::InvalidArgument,
                         "pyramid builder: %u x %u samples; a surface needs 2 x 2 at least", input.columns(),
                         input.rows());
    }
    // The layout tells what is wrong with the size before anything is read.
    const Result<TileLayout> layout =
        makeTileLayout(input.columns(), input.rows(), options.tileCells, options.levels, input.spacingX(),
                       input.spacingZ(), {0, 1});
    if (!layout) return layout.error();
    return {};
}

Result<PackageManifest> planManifest(const BuildInput& input, const BuildOptions& options,
                                     const HeightRange& heights) {
    Result<TileLayout> layout =
        makeTileLayout(input.columns(), input.rows(), options.tileCells, options.levels, input.spacingX(),
                       input.spacingZ(), quantisationFor(heights, options));
    if (!layout) return layout.error();
    layout->originX = options.originX;
    layout->originZ = options.originZ;
    if (Result<void> valid = validate(*layout); !valid) return valid.error();
    PackageManifest manifest;
    manifest.version = options.version;
    manifest.layout = *layout;
    if (options.version == 3 && options.makeCodec) {
        const std::unique_ptr<BlockCodec> codec = options.makeCodec();
        if (codec != nullptr) manifest.codec = codec->id();
    }
    return manifest;
}

}  // namespace karst::heightfield
