// Input: a byte that chooses the layout, then a version 2 tile. It is decoded as it is and with its checksum
// made right. What decodes is encoded again to the same bytes.
#include "../test/run_codec.h"
#include "fuzz_layouts.h"

#include <karst/heightfield/tile_codec.h>

using namespace karst;
using namespace karst::heightfield;

namespace {

void decode(const TileLayout& layout, const std::vector<std::byte>& bytes) {
    TileScratch scratch;
    for (const TileKey key : {TileKey{0, 1, 2}, TileKey{1, 3, 0}, TileKey{2, 1, 1}}) {
        const Result<TilePtr> tile = decodeTileV2(layout, key, bytes, scratch);
        if (!tile) {
            fuzz::demand(tile.error().message.rfind("tile ", 0) == 0);
            continue;
        }
        fuzz::demand(validate(**tile, layout).ok());
        std::vector<std::byte> again;
        fuzz::demand(encodeTileV2(layout, scratch.tile.content(), again).ok() && again == bytes);
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const TileLayout layout = fuzz::smallLayout(data[0]);
    const auto* begin = reinterpret_cast<const std::byte*>(data) + 1;
    std::vector<std::byte> bytes(begin, begin + size - 1);
    decode(layout, bytes);
    if (bytes.size() < kTileV2HeaderBytes) return 0;
    test_data::reseal(bytes, 36);
    decode(layout, bytes);
    return 0;
}
