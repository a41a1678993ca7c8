#include "chunk_planes.h"
#include "material_columns.h"
#include "residual_stream.h"

#include <karst/base/byte_reader.h>
#include <karst/base/byte_writer.h>
#include <karst/base/checksum.h>
#include <karst/voxel/chunk_codec.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace karst::voxel {
namespace {

// docs/formats/voxel_chunk_v1.md
constexpr std::uint8_t kUniform = 0, kPlanes = 1;
constexpr std::size_t kHeaderBytes = 6, kChecksumAt = 2;
constexpr std::uint8_t kRawOccupancy = 0;
constexpr std::uint8_t kPackedMaterials = 0, kColumnMaterials = 1;

std::uint32_t checksumOf(std::span<const std::byte> bytes) {
    return static_cast<std::uint32_t>(xxh64(bytes.subspan(kHeaderBytes), xxh64(bytes.first(kChecksumAt))));
}

void prepare(ChunkCodecScratch& scratch) {
    scratch.occupancy.resize(kChunkCellCount);
    scratch.residual.resize(kChunkCellCount);
    scratch.line.resize(kChunkCellCount);
    scratch.materials.resize(kChunkCellCount);
}

void writeHeader(ByteWriter& writer, std::uint8_t kind) {
    writer.u8(kChunkCodecVersion);
    writer.u8(kind);
    writer.u32(0);  // the checksum's place
}

void writeUniform(Cell cell, std::vector<std::byte>& out) {
    out.clear();
    ByteWriter writer(out);
    writeHeader(writer, kUniform);
    writer.u8(cell.material);
    writer.u8(cell.occupancy);
    writer.u32At(kChecksumAt, checksumOf(out));
}

// The ids that occur besides air, ascending, but the one first that most columns begin with.
struct Palette {
    std::array<std::uint8_t, 256> ids;
    std::size_t size = 0;
    std::span<const std::uint8_t> span() const { return std::span(ids).first(size); }
};
Palette paletteOf(const std::uint8_t* materials, const std::uint8_t* tops) {
    std::array<bool, 256> seen{};
    // Most rows are of one material.
    for (int i = 0; i < kChunkCellCount; i += 16) {
        const ByteLanes lanes = ByteLanes::load(materials + i);
        if (nonzeroBits(subtract(lanes, ByteLanes::all(materials[i]))) == 0) {
            seen[materials[i]] = true;
            continue;
        }
        for (int j = 0; j < 16; ++j)
            seen[materials[i + j]] = true;
    }
    std::array<int, 256> begun{};
    for (int i = 0; i < kLayerCells; ++i) {
        if (tops[i] != 255) ++begun[materials[tops[i] * kLayerCells + i]];
    }
    Palette palette;
    const auto first = static_cast<std::size_t>(std::max_element(begun.begin(), begun.end()) - begun.begin());
    palette.ids[palette.size++] = static_cast<std::uint8_t>(first);
    for (std::size_t id = 1; id < 256; ++id) {
        if (seen[id] && id != first) palette.ids[palette.size++] = static_cast<std::uint8_t>(id);
    }
    return palette;
}

void writeOccupancy(ChunkCodecScratch& scratch, std::vector<std::byte>& out) {
    std::uint8_t* gradient = scratch.residual.data();
    std::uint8_t* line = scratch.line.data();
    toResiduals<ByteLanes>(scratch.occupancy.data(), gradient, line);
    // The one that is more often right takes fewer bytes as a rule.
    const bool lines = countNonzero<ByteLanes>(line) < countNonzero<ByteLanes>(gradient);
    std::vector<std::byte>& stream = scratch.stream;
    stream.clear();
    encodeResidual(lines ? line : gradient, scratch, stream);
    ByteWriter writer(out);
    if (stream.size() >= kChunkCellCount) {
        writer.u8(kRawOccupancy);
        writer.bytes(std::as_bytes(std::span(scratch.occupancy)));
        return;
    }
    writer.u8(static_cast<std::uint8_t>(lines ? Prediction::Line : Prediction::Gradient));
    writer.u16(static_cast<std::uint16_t>(stream.size()));
    writer.bytes(stream);
}

Error corrupt(const char* field, std::size_t offset, const char* what) {
    return makeError(ErrorCode::CorruptData, "chunk: %s at offset %zu: %s", field, offset, what);
}

Result<void> readOccupancy(ByteReader& reader, ChunkCodecScratch& scratch) {
    const std::size_t codingAt = reader.position();
    const std::uint8_t coding = reader.u8();
    if (reader.failed()) return corrupt("occupancy coding", codingAt, "missing");
    if (coding == kRawOccupancy) {
        const std::size_t at = reader.position();
        const std::span<const std::byte> raw = reader.bytes(kChunkCellCount);
        if (reader.failed()) return corrupt("occupancy", at, "fewer than 32768 bytes");
        std::memcpy(scratch.occupancy.data(), raw.data(), raw.size());
        return {};
    }
    if (coding > static_cast<std::uint8_t>(Prediction::Line)) {
        return makeError(ErrorCode::CorruptData, "chunk: occupancy coding at offset %zu: %d, expected 0 to 2",
                         codingAt, int{coding});
    }
    const std::uint16_t size = reader.u16();
    const std::size_t at = reader.position();
    const std::span<const std::byte> stream = reader.bytes(size);
    if (reader.failed()) return corrupt("occupancy size", codingAt + 1, "past the end");
    if (Result<void> read = decodeResidual(stream, at, scratch.residual.data()); !read) return read;
    fromResidual<ByteLanes>(static_cast<Prediction>(coding), scratch.occupancy.data(),
                            scratch.residual.data());
    return {};
}

Result<void> readPlanes(std::span<const std::byte> bytes, std::size_t materialCount,
                        ChunkCodecScratch& scratch, std::span<Cell> cells) {
    ByteReader reader(bytes);
    reader.skip(kHeaderBytes);
    Palette palette;
    palette.size = reader.u8();
    if (palette.size == 0) return corrupt("palette size", kHeaderBytes, "0 or missing");
    std::array<bool, 256> seen{};
    for (std::size_t i = 0; i < palette.size; ++i) {
        const std::size_t at = reader.position();
        const std::uint8_t id = reader.u8();
        if (reader.failed()) return corrupt("palette", at, "ends early");
        if (id == kAir) return corrupt("palette", at, "material 0, air");
        if (id >= materialCount) {
            return makeError(ErrorCode::CorruptData,
                             "chunk: palette at offset %zu: material %d, but the table has %zu", at, int{id},
                             materialCount);
        }
        if (seen[id]) return corrupt("palette", at, "a material that is there twice");
        seen[id] = true;
        palette.ids[i] = id;
    }
    if (Result<void> read = readOccupancy(reader, scratch); !read) return read;
    const std::uint8_t* occupancy = scratch.occupancy.data();
    if (palette.size == 1) {
        if (reader.remaining() != 0) return corrupt("end", reader.position(), "bytes after the last field");
        mergeOne<ByteLanes>(palette.ids[0], occupancy, cells.data());
        return {};
    }
    const std::size_t codingAt = reader.position();
    const std::uint8_t coding = reader.u8();
    if (reader.failed()) return corrupt("material coding", codingAt, "missing");
    if (coding > kColumnMaterials) {
        return makeError(ErrorCode::CorruptData, "chunk: material coding at offset %zu: %d, expected 0 or 1",
                         codingAt, int{coding});
    }
    const std::size_t at = reader.position();
    const std::span<const std::byte> stream = bytes.subspan(at);
    std::uint8_t* changes = scratch.materials.data();
    Result<void> read;
    if (coding == kColumnMaterials) {
        std::array<std::uint8_t, kLayerCells> tops;
        columnTops<ByteLanes>(occupancy, tops.data());
        read = decodeColumns(stream, at, tops.data(), palette.span(), changes);
    } else {
        read = decodePacked(stream, at, occupancy, palette.span(), changes);
    }
    if (!read) return read;
    mergeColumns<ByteLanes>(changes, occupancy, palette.ids[0], cells.data());
    return {};
}

}  // namespace

void encodeChunkCells(std::span<const Cell> cells, ChunkCodecScratch& scratch, std::vector<std::byte>& out) {
    KARST_ASSERT(cells.size() == kChunkCellCount);
    if (std::memcmp(cells.data(), cells.data() + 1, (cells.size() - 1) * sizeof(Cell)) == 0) {
        writeUniform(cells[0], out);
        return;
    }
    prepare(scratch);
    std::uint8_t* materials = scratch.materials.data();
    splitCells<ByteLanes>(cells.data(), materials, scratch.occupancy.data());
    std::array<std::uint8_t, kLayerCells> tops;
    columnTops<ByteLanes>(scratch.occupancy.data(), tops.data());
    const Palette palette = paletteOf(materials, tops.data());

    out.clear();
    ByteWriter writer(out);
    writeHeader(writer, kPlanes);
    writer.u8(static_cast<std::uint8_t>(palette.size));
    writer.bytes(std::as_bytes(palette.span()));
    writeOccupancy(scratch, out);
    if (palette.size > 1) {
        const std::size_t begin = out.size();
        writer.u8(kColumnMaterials);
        const std::uint8_t* occupancy = scratch.occupancy.data();
        if (!encodeColumns(materials, occupancy, tops.data(), palette.span(),
                           packedBytes(occupancy, palette.size), out)) {
            // The columns have little in common.
            out.resize(begin);
            writer.u8(kPackedMaterials);
            encodePacked(materials, occupancy, palette.span(), out);
        }
    }
    writer.u32At(kChecksumAt, checksumOf(out));
}

void encodeChunk(const Chunk& chunk, ChunkCodecScratch& scratch, std::vector<std::byte>& out) {
    if (chunk.uniform()) {
        writeUniform(chunk.uniformCell(), out);
    } else {
        encodeChunkCells(chunk.cells(), scratch, out);
    }
}

Result<std::optional<Cell>> decodeChunkCells(std::span<const std::byte> bytes, std::size_t materialCount,
                                             ChunkCodecScratch& scratch, std::span<Cell> cells) {
    KARST_ASSERT(cells.size() == kChunkCellCount && materialCount >= 1 && materialCount <= 256);
    ByteReader reader(bytes);
    const std::uint8_t version = reader.u8();
    const std::uint8_t kind = reader.u8();
    const std::uint32_t checksum = reader.u32();
    if (reader.failed()) {
        return makeError(ErrorCode::CorruptData, "chunk: %zu bytes are less than a header's %zu",
                         bytes.size(), kHeaderBytes);
    }
    if (version != kChunkCodecVersion) {
        return makeError(ErrorCode::Unsupported, "chunk: version %d at offset 0, this reads %d", int{version},
                         int{kChunkCodecVersion});
    }
    if (bytes.size() > kMaxChunkBytes) {
        return makeError(ErrorCode::CorruptData, "chunk: %zu bytes, at most %zu are possible", bytes.size(),
                         kMaxChunkBytes);
    }
    if (const std::uint32_t right = checksumOf(bytes); checksum != right) {
        return makeError(ErrorCode::CorruptData, "chunk: checksum 0x%08x at offset 2, the bytes have 0x%08x",
                         checksum, right);
    }
    if (kind == kPlanes) {
        prepare(scratch);
        if (Result<void> read = readPlanes(bytes, materialCount, scratch, cells); !read) return read.error();
        return std::optional<Cell>();
    }
    if (kind != kUniform) {
        return makeError(ErrorCode::CorruptData, "chunk: kind %d at offset 1, expected 0 or 1", int{kind});
    }
    Cell cell;
    cell.material = reader.u8();
    cell.occupancy = reader.u8();
    if (reader.failed()) return corrupt("uniform cell", kHeaderBytes, "ends early");
    if (reader.remaining() != 0) return corrupt("end", reader.position(), "bytes after the last field");
    if (cell.material >= materialCount) {
        return makeError(ErrorCode::CorruptData,
                         "chunk: uniform cell at offset 6: material %d, but the table has %zu",
                         int{cell.material}, materialCount);
    }
    if (!(canonical(cell) == cell)) {
        return makeError(ErrorCode::CorruptData,
                         "chunk: uniform cell at offset 6: material %d with occupancy %d is not stored so",
                         int{cell.material}, int{cell.occupancy});
    }
    return std::optional<Cell>(cell);
}

Result<ChunkRef> decodeChunk(std::span<const std::byte> bytes, std::size_t materialCount,
                             ChunkCodecScratch& scratch, Allocator& allocator) {
    scratch.cells.resize(kChunkCellCount);
    Result<std::optional<Cell>> uniform = decodeChunkCells(bytes, materialCount, scratch, scratch.cells);
    if (!uniform) return uniform.error();
    if (*uniform) return Chunk::makeUniform(**uniform, allocator);
    return Chunk::make(scratch.cells, allocator);
}

}  // namespace karst::voxel
