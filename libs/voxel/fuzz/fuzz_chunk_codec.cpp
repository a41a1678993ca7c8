// Input: a byte that chooses the size of the material table, then a coded chunk. It is decoded as it is and
// with its checksum made right: an error, or cells in their stored form that come back from their own code.
// Then the input is taken for cells, which come back.
#include <karst/base/checksum.h>
#include <karst/voxel/chunk_codec.h>

#include <algorithm>
#include <cstdlib>

using namespace karst;
using namespace karst::voxel;

namespace {

void demand(bool condition) {
    if (!condition) std::abort();
}

std::vector<Cell> decodeAgain(std::span<const Cell> cells, std::size_t materials,
                              ChunkCodecScratch& scratch) {
    std::vector<std::byte> bytes;
    encodeChunkCells(cells, scratch, bytes);
    demand(bytes.size() <= kMaxChunkBytes);
    std::vector<Cell> back(kChunkCellCount);
    const auto uniform = decodeChunkCells(bytes, materials, scratch, back);
    demand(uniform.ok());
    if (*uniform) back.assign(kChunkCellCount, **uniform);
    return back;
}

void decode(std::span<const std::byte> bytes, std::size_t materials, ChunkCodecScratch& scratch) {
    std::vector<Cell> cells(kChunkCellCount);
    const auto uniform = decodeChunkCells(bytes, materials, scratch, cells);
    if (!uniform) {
        demand(uniform.error().message.rfind("chunk: ", 0) == 0);
        return;
    }
    if (*uniform) cells.assign(kChunkCellCount, **uniform);
    for (const Cell cell : cells) {
        demand(canonical(cell) == cell);
        demand(cell.material < materials);
    }
    demand(decodeAgain(cells, materials, scratch) == cells);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 9) return 0;
    static ChunkCodecScratch scratch;
    const std::size_t materials = std::size_t{data[0]} + 1;
    const auto* begin = reinterpret_cast<const std::byte*>(data) + 1;
    std::vector<std::byte> bytes(begin, begin + size - 1);
    decode(bytes, materials, scratch);
    const std::span<const std::byte> all = bytes;
    const std::uint64_t sum = xxh64(all.subspan(6), xxh64(all.first(2)));
    for (std::size_t i = 0; i < 4; ++i)
        bytes[2 + i] = static_cast<std::byte>(sum >> (8 * i) & 0xff);
    decode(bytes, materials, scratch);

    // Runs of cells, each of four bytes: how many, a shift of where the next begins, and the cell.
    std::vector<Cell> cells(kChunkCellCount);
    std::size_t at = 0;
    for (std::size_t i = 1; i + 4 <= size; i += 4) {
        const Cell cell = canonical({data[i + 2], data[i + 3]});
        for (std::size_t end = std::min(at + data[i], cells.size()); at < end; ++at)
            cells[at] = cell;
        at = (at + std::size_t{data[i + 1]} * 32) % cells.size();
    }
    demand(decodeAgain(cells, 256, scratch) == cells);
    return 0;
}
