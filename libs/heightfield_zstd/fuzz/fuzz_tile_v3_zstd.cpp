// Input: a byte that chooses the tile's size, then a version 3 tile block for zstd. It is decoded as it is
// and with its checksum made right.
#include <karst/base/checksum.h>
#include <karst/heightfield/tile_codec.h>
#include <karst/heightfield_zstd/zstd_codec.h>

#include <cstdlib>

using namespace karst;
using namespace karst::heightfield;

namespace {

void decode(const TileLayout& layout, const std::vector<std::byte>& bytes) {
    static const std::unique_ptr<BlockCodec> codec = makeZstdCodec();
    TileScratch scratch;
    const Result<TilePtr> tile = decodeTileV3(layout, {1, 3, 0}, bytes, codec.get(), scratch);
    if (tile && !validate(**tile, layout).ok()) std::abort();
    if (scratch.payload.capacity() > maxTileBytes(layout)) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    TileLayout layout;
    layout.tileCells = 2u << (data[0] % 4);
    layout.storedLevels = 3;
    layout.rootsX = layout.rootsZ = 2;
    layout.samplesX = layout.samplesZ = layout.tileCells * 8 + 1;
    const auto* begin = reinterpret_cast<const std::byte*>(data) + 1;
    std::vector<std::byte> bytes(begin, begin + size - 1);
    decode(layout, bytes);
    if (bytes.size() < kTileV3HeaderBytes) return 0;
    const std::span<const std::byte> all(bytes);
    const std::uint64_t sum = xxh64(all.subspan(56), xxh64(all.first(52)));
    for (std::size_t i = 0; i < 4; ++i)
        bytes[52 + i] = static_cast<std::byte>(sum >> (8 * i));
    decode(layout, bytes);
    return 0;
}
