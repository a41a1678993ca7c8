// Input: a version 1 manifest, a zero byte, then the heights' file. The checksum is made right. What decodes
// is written again to the same asset, and makes a surface.
#include "fuzz_layouts.h"

#include <karst/base/checksum.h>
#include <karst/heightfield/terrain_asset.h>

#include <algorithm>

using namespace karst;
using namespace karst::heightfield;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view all(reinterpret_cast<const char*>(data), size);
    const std::size_t split = std::min(all.find('\0'), size);
    Result<TerrainManifest> manifest = parseTerrain(all.substr(0, split));
    if (!manifest) {
        fuzz::demand(manifest.error().message.rfind("terrain manifest", 0) == 0);
        return 0;
    }
    const auto* begin = reinterpret_cast<const std::byte*>(data);
    const std::span<const std::byte> heights(begin + std::min(split + 1, size), begin + size);
    (void)decodeTerrain(*manifest, heights);
    manifest->checksum = xxh64(heights);
    const Result<TerrainAsset> asset = decodeTerrain(*manifest, heights);
    if (!asset) return 0;
    const Result<TerrainFiles> files = writeTerrain(*asset);
    fuzz::demand(files.ok());
    const Result<TerrainManifest> again = parseTerrain(files->manifest);
    fuzz::demand(again.ok());
    const Result<TerrainAsset> back = decodeTerrain(*again, files->heights);
    fuzz::demand(back.ok() && back->heights == asset->heights &&
                 back->manifest.patches == asset->manifest.patches);
    fuzz::demand(surfaceFromAsset(*asset).ok());
    for (const double t : {0.0, 0.3, 0.999, 1.0, 2.0}) {
        const TerrainManifest& has = asset->manifest;
        (void)sampleTerrain(*asset, has.originX + t * has.spacingX * (has.samplesX() - 1.0),
                            has.originZ + t * has.spacingZ * (has.samplesZ() - 1.0));
    }
    return 0;
}
