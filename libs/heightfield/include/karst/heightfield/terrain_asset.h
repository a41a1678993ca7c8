#pragma once

#include <karst/base/bounds.h>
#include <karst/base/result.h>
#include <karst/heightfield/height_triangle.h>
#include <karst/heightfield/surface.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace karst::heightfield {

// Version 1 terrain (spec row H1; docs/formats/terrain_v1.md): a JSON manifest beside one binary grid of
// heights, cut into equal patches with bounds and error tables. Readers take bytes that nobody vouches for.

/// The least and greatest height inside a patch.
using TerrainBounds = HeightRange;

struct TerrainPatch {
    TerrainBounds bounds;
    /// Entry i is the largest error of drawing the patch at stride 2^i instead of 1: levels() + 1 entries,
    /// monotone, finite, not negative.
    std::vector<double> errors;

    bool operator==(const TerrainPatch&) const = default;
};

enum class TerrainSampleType : std::uint8_t { Float32, Quantised16 };

struct TerrainManifest {
    static constexpr std::uint32_t kMaxPatches = 1 << 16;
    static constexpr std::uint64_t kMaxSamples = std::uint64_t{1} << 28;

    std::uint32_t patchCells = 64;             ///< cells a side of a patch; a power of two, 2 .. 128
    std::uint32_t patchesX = 1, patchesZ = 1;  ///< together at most kMaxPatches
    double originX = 0, originZ = 0;           ///< of sample (0, 0), world units
    double spacingX = 1, spacingZ = 1;         ///< of the samples, above 0
    std::string heightsFile = "heights.bin";   ///< beside the manifest, or in a folder beneath
    TerrainSampleType sampleType = TerrainSampleType::Float32;
    HeightRange range{0, 1};            ///< what 16-bit 0 and 65535 stand for; unused by Float32
    std::uint64_t checksum = 0;         ///< XXH64 of the heights' file
    std::vector<TerrainPatch> patches;  ///< row by row along +X

    bool operator==(const TerrainManifest&) const = default;

    /// log2(patchCells): the coarsest level of a patch, two triangles.
    std::uint32_t levels() const;
    std::uint32_t samplesX() const { return patchesX * patchCells + 1; }
    std::uint32_t samplesZ() const { return patchesZ * patchCells + 1; }
    std::uint64_t heightsBytes() const {
        return std::uint64_t{samplesX()} * samplesZ() * (sampleType == TerrainSampleType::Float32 ? 4 : 2);
    }
};

struct TerrainAsset {
    TerrainManifest manifest;
    std::vector<float> heights;  ///< samplesX() * samplesZ(), row by row along +X

    const TerrainPatch& patch(std::uint32_t x, std::uint32_t z) const {
        return manifest.patches[std::size_t{z} * manifest.patchesX + x];
    }
    /// Footprint and heights.
    Bounds patchBounds(std::uint32_t x, std::uint32_t z) const;
    float height(std::uint32_t i, std::uint32_t j) const {
        return heights[std::size_t{j} * manifest.samplesX() + i];
    }
};

/// The manifest alone; names the field it refuses. At most 32 MiB.
Result<TerrainManifest> parseTerrain(std::string_view json);

/// The asset of a manifest that parseTerrain gave and its heights' file. Refuses a wrong size or checksum,
/// heights that are not finite, and those outside their patch's bounds.
Result<TerrainAsset> decodeTerrain(TerrainManifest manifest, std::span<const std::byte> heights);

/// Reads manifest and heights from files, at once.
Result<TerrainAsset> loadTerrain(const std::filesystem::path& manifest);

/// The files of an asset. Heights of type Quantised16 are rounded to the range's 65535 steps; the checksum in
/// the JSON is that of `heights`, whatever the manifest says. Fails where the asset is not one that
/// decodeTerrain could give.
struct TerrainFiles {
    std::string manifest;
    std::vector<std::byte> heights;
};
Result<TerrainFiles> writeTerrain(const TerrainAsset& asset);

/// Height at (x, z) in the terrain's local space; nothing outside the grid.
std::optional<double> sampleTerrain(const TerrainAsset& asset, double x, double z);

/// Height within a cell, (fx, fz) in 0..1: the two triangles that are drawn (height_triangle.h).
inline double sampleHeightTriangle(double h00, double h10, double h01, double h11, double fx, double fz) {
    return cellHeight(h00, h10, h01, h11, fx, fz);
}

/// A pyramid of one level whose tiles are the asset's patches, fully resident, of a lineage of its own: it
/// keeps the asset's heights and patch errors as they are. Aprons beyond the asset's edge repeat the edge.
/// The layout's quantisation is the manifest's range, for Float32 that of the patches' bounds.
Result<Surface> surfaceFromAsset(const TerrainAsset& asset);

}  // namespace karst::heightfield
