// Input: a byte that chooses the layout, then a version 3 tile block. It is decoded as it is and with its
// checksum made right. What decodes is encoded again and decodes to the same content.
#include "../test/run_codec.h"
#include "fuzz_layouts.h"

#include <karst/heightfield/tile_codec.h>

using namespace karst;
using namespace karst::heightfield;

namespace {

void decode(const TileLayout& layout, const std::vector<std::byte>& bytes) {
    TileScratch scratch;
    test_data::RunCodec codec;
    for (const TileKey key : {TileKey{0, 1, 2}, TileKey{1, 3, 0}, TileKey{2, 1, 1}}) {
        QuantisedTile tile;
        const Result<void> decoded = decodeTileV3(layout, key, bytes, &codec, scratch, tile);
        fuzz::demand(scratch.payload.capacity() <= 2 * maxTileBytes(layout));
        if (!decoded) {
            fuzz::demand(decoded.error().message.rfind("tile ", 0) == 0);
            continue;
        }
        fuzz::demand(validate(*makeTile(layout, tile.content()), layout).ok());
        std::vector<std::byte> again;
        QuantisedTile back;
        fuzz::demand(encodeTileV3(layout, tile.content(), &codec, scratch, again).ok());
        fuzz::demand(decodeTileV3(layout, key, again, &codec, scratch, back).ok());
        if (back.holes.empty()) back.holes.resize(tile.holes.size());  // a mask without holes is left out
        fuzz::demand(back == tile);
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const TileLayout layout = fuzz::smallLayout(data[0]);
    const auto* begin = reinterpret_cast<const std::byte*>(data) + 1;
    std::vector<std::byte> bytes(begin, begin + size - 1);
    decode(layout, bytes);
    if (bytes.size() < kTileV3HeaderBytes) return 0;
    test_data::reseal(bytes, 52);
    decode(layout, bytes);
    return 0;
}
