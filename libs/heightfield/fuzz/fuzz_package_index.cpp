// Input: a single file's head without the padding, a zero byte, then index entries. The checksum is made
// right. Each entry that is accepted lies within the file's blocks.
#include "../test/run_codec.h"
#include "fuzz_layouts.h"

#include <karst/heightfield/package_format.h>
#include <karst/heightfield/tile_codec.h>

#include <algorithm>

using namespace karst;
using namespace karst::heightfield;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    constexpr std::size_t kJsonAt = 64;
    if (size < kJsonAt) return 0;
    const auto* begin = reinterpret_cast<const std::byte*>(data);
    const std::byte* end = std::find(begin + kJsonAt, begin + size, std::byte{0});
    if (static_cast<std::size_t>(end - begin) > kPackageHeadBytes) return 0;
    std::vector<std::byte> head(begin, end);
    head.resize(kPackageHeadBytes, std::byte{' '});
    (void)readPackageHead(head);
    test_data::reseal(head, 60);
    const Result<PackageHead> read = readPackageHead(head);
    if (!read) return 0;
    const Result<std::vector<std::byte>> written = writePackageHead(*read);
    fuzz::demand(written.ok());
    const Result<PackageHead> back = readPackageHead(*written);
    fuzz::demand(back.ok() && back->manifest == read->manifest && back->fileBytes == read->fileBytes);

    const TileLayout& layout = read->manifest.layout;
    const std::uint64_t count = storedTileCount(layout);
    std::span<const std::byte> entries(end, begin + size);
    for (std::uint64_t i = 0; i < count && !entries.empty(); ++i) {
        const TileKey key = storedTileAt(layout, i);
        fuzz::demand(layout.contains(key) && storedTileIndex(layout, key) == i);
        const std::size_t bytes = std::min(entries.size(), kIndexEntryBytes);
        const Result<IndexEntry> entry = readIndexEntry(*read, key, entries.first(bytes));
        entries = entries.subspan(bytes);
        if (!entry) continue;
        fuzz::demand(entry->size <= maxTileBytes(layout) && entry->offset >= packageDataOffset(layout));
        fuzz::demand(entry->offset + entry->size <= read->fileBytes);
    }
    return 0;
}
