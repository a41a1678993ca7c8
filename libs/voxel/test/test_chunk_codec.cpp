#include "terrain_cells.h"

#include <gtest/gtest.h>
#include <karst/base/checksum.h>
#include <karst/base/hash.h>
#include <karst/voxel/chunk_codec.h>
#include <karst_test/test_support.h>

#include <algorithm>
#include <string>

namespace karst::voxel {
namespace {

constexpr std::size_t kMaterials = 14;

std::vector<std::byte> encoded(std::span<const Cell> cells) {
    ChunkCodecScratch scratch;
    std::vector<std::byte> out;
    encodeChunkCells(cells, scratch, out);
    return out;
}

std::vector<Cell> decoded(std::span<const std::byte> bytes, std::size_t materials) {
    ChunkCodecScratch scratch;
    std::vector<Cell> cells(kChunkCellCount);
    auto result = decodeChunkCells(bytes, materials, scratch, cells);
    if (!result) {
        ADD_FAILURE() << result.error().message;
        return {};
    }
    if (*result) cells.assign(kChunkCellCount, **result);
    return cells;
}

Error refusal(std::span<const std::byte> bytes, std::size_t materials = kMaterials) {
    ChunkCodecScratch scratch;
    std::vector<Cell> cells(kChunkCellCount);
    auto result = decodeChunkCells(bytes, materials, scratch, cells);
    return result ? Error{ErrorCode::InvalidArgument, "accepted"} : result.error();
}

void seal(std::vector<std::byte>& bytes) {
    const std::span<const std::byte> all = bytes;
    const std::uint64_t sum = xxh64(all.subspan(6), xxh64(all.first(2)));
    for (std::size_t i = 0; i < 4; ++i)
        bytes[2 + i] = static_cast<std::byte>(sum >> (8 * i) & 0xff);
}

std::vector<std::byte> bytesOf(std::initializer_list<int> values) {
    std::vector<std::byte> bytes;
    for (const int value : values)
        bytes.push_back(static_cast<std::byte>(value));
    seal(bytes);
    return bytes;
}

// Boxes, noise, gradients and speckles on top of each other: chunks of all sorts.
std::vector<Cell> anyCells(test::Random& random) {
    std::vector<Cell> cells(kChunkCellCount);
    const int materials = random.chance(0.2) ? 255 : random.integer(1, 6);
    const auto material = [&] { return static_cast<MaterialId>(random.integer(1, materials)); };
    for (int step = random.integer(1, 6); step > 0; --step) {
        const Cell filling{material(),
                           static_cast<std::uint8_t>(random.chance(0.6) ? 255 : random.integer(0, 255))};
        const int kind = random.integer(0, 4);
        int low[3], high[3];
        for (int axis = 0; axis < 3; ++axis) {
            low[axis] = random.integer(0, 31);
            high[axis] = random.integer(low[axis], 31);
            if (random.chance(0.4)) low[axis] = 0;
            if (random.chance(0.4)) high[axis] = 31;
        }
        const double density = random.unit();
        for (int y = low[1]; y <= high[1]; ++y) {
            for (int z = low[2]; z <= high[2]; ++z) {
                for (int x = low[0]; x <= high[0]; ++x) {
                    Cell& cell = cells[static_cast<std::size_t>(cellIndex(x, y, z))];
                    if (kind == 0) cell = filling;
                    if (kind == 1 && random.chance(density * density)) cell = filling;
                    if (kind == 2) cell = {material(), static_cast<std::uint8_t>(random.next())};
                    if (kind == 3) cell.occupancy = static_cast<std::uint8_t>(x * 9 + y * 5 - z * 3);
                    if (kind == 4 && random.chance(density)) cell.material = material();
                    cell = canonical(cell);
                }
            }
        }
    }
    return cells;
}

TEST(ChunkCodec, AnyCellsComeBack) {
    test::Random random(41);
    for (int round = 0; round < 400; ++round) {
        const std::vector<Cell> cells = anyCells(random);
        const std::vector<std::byte> bytes = encoded(cells);
        ASSERT_LE(bytes.size(), kMaxChunkBytes);
        ASSERT_EQ(decoded(bytes, 256), cells) << "round " << round;
        ASSERT_EQ(encoded(cells), bytes);
    }
}

TEST(ChunkCodec, TerrainIsSmall) {
    for (int k = 0; k < 16; ++k) {
        for (const bool layers : {false, true}) {
            const std::vector<Cell> hills = test_data::terrainCells(k, false, layers);
            EXPECT_LE(encoded(hills).size(), 4096u) << k;
            EXPECT_EQ(decoded(encoded(hills), kMaterials), hills);
            const std::vector<Cell> caves = test_data::terrainCells(k, true, layers);
            EXPECT_LE(encoded(caves).size(), 9000u) << k;
            EXPECT_EQ(decoded(encoded(caves), kMaterials), caves);
        }
        const std::vector<Cell> columns = test_data::columnCells(k, k % 2 == 0 ? 14.3 : 0);
        EXPECT_LE(encoded(columns).size(), 4096u) << k;
        EXPECT_EQ(decoded(encoded(columns), kMaterials), columns);
    }
}

TEST(ChunkCodec, UniformChunksTakeEightBytes) {
    for (const Cell cell : {Cell{}, Cell{4, 255}, Cell{1, 7}}) {
        const std::vector<Cell> cells(kChunkCellCount, cell);
        const std::vector<std::byte> bytes = encoded(cells);
        EXPECT_EQ(bytes.size(), 8u);
        EXPECT_EQ(decoded(bytes, kMaterials), cells);
        ChunkCodecScratch scratch;
        std::vector<std::byte> fromChunk;
        encodeChunk(*Chunk::makeUniform(cell, heapAllocator()), scratch, fromChunk);
        EXPECT_EQ(fromChunk, bytes);
        const auto chunk = decodeChunk(bytes, kMaterials, scratch, heapAllocator());
        ASSERT_TRUE(chunk.ok());
        EXPECT_TRUE((*chunk)->uniform());
        EXPECT_EQ((*chunk)->uniformCell(), cell);
    }
}

TEST(ChunkCodec, ChunksComeBack) {
    const std::vector<Cell> cells = test_data::terrainCells(3, true, true);
    ChunkCodecScratch scratch;
    std::vector<std::byte> bytes;
    encodeChunk(*Chunk::make(cells, heapAllocator()), scratch, bytes);
    EXPECT_EQ(bytes, encoded(cells));
    const auto chunk = decodeChunk(bytes, kMaterials, scratch, heapAllocator());
    ASSERT_TRUE(chunk.ok());
    EXPECT_TRUE(std::ranges::equal((*chunk)->cells(), cells));
}

TEST(ChunkCodec, RandomCellsStayWithinTheBound) {
    test::Random random(7);
    std::vector<Cell> cells(kChunkCellCount);
    for (Cell& cell : cells)
        cell = {static_cast<MaterialId>(random.integer(1, 255)),
                static_cast<std::uint8_t>(random.integer(1, 255))};
    const std::vector<std::byte> bytes = encoded(cells);
    EXPECT_LE(bytes.size(), kMaxChunkBytes);
    EXPECT_GE(bytes.size(), 2u * kChunkCellCount);
    EXPECT_EQ(decoded(bytes, 256), cells);
}

// The bytes are what they were: files written once are found again.
TEST(ChunkCodec, GoldenBytes) {
    Hasher hasher;
    test::Random random(99);
    for (int k = 0; k < 24; ++k) {
        const std::vector<std::byte> bytes = encoded(anyCells(random));
        hasher.u64(bytes.size()).bytes(bytes.data(), bytes.size());
    }
    EXPECT_EQ(hasher.value(), 7190004476151961071u);
}

TEST(ChunkCodec, RefusesByFieldAndOffset) {
    const auto expect = [](const std::vector<std::byte>& bytes, ErrorCode code, const char* field,
                           const char* offset) {
        const Error error = refusal(bytes);
        EXPECT_EQ(error.code, code) << error.message;
        EXPECT_NE(error.message.find(field), std::string::npos) << error.message;
        EXPECT_NE(error.message.find(offset), std::string::npos) << error.message;
    };
    const ErrorCode corrupt = ErrorCode::CorruptData;
    EXPECT_NE(refusal({}).message.find("0 bytes"), std::string::npos);
    expect(bytesOf({2, 0, 0, 0, 0, 0, 4, 255}), ErrorCode::Unsupported, "version 2", "offset 0");
    expect(bytesOf({1, 2, 0, 0, 0, 0, 4, 255}), corrupt, "kind 2", "offset 1");
    std::vector<std::byte> unsealed = bytesOf({1, 0, 0, 0, 0, 0, 4, 255});
    unsealed[2] ^= std::byte{1};
    expect(unsealed, corrupt, "checksum", "offset 2");
    expect(bytesOf({1, 0, 0, 0, 0, 0, 4}), corrupt, "uniform cell", "offset 6");
    expect(bytesOf({1, 0, 0, 0, 0, 0, 4, 255, 0}), corrupt, "after the last field", "offset 8");
    expect(bytesOf({1, 0, 0, 0, 0, 0, 14, 255}), corrupt, "material 14", "offset 6");
    expect(bytesOf({1, 0, 0, 0, 0, 0, 4, 0}), corrupt, "occupancy 0 is not stored so", "offset 6");
    expect(bytesOf({1, 0, 0, 0, 0, 0, 0, 9}), corrupt, "material 0 with occupancy 9", "offset 6");
    expect(bytesOf({1, 1, 0, 0, 0, 0}), corrupt, "palette size", "offset 6");
    expect(bytesOf({1, 1, 0, 0, 0, 0, 0}), corrupt, "palette size", "offset 6");
    expect(bytesOf({1, 1, 0, 0, 0, 0, 2, 3}), corrupt, "palette", "offset 8");
    expect(bytesOf({1, 1, 0, 0, 0, 0, 2, 3, 0}), corrupt, "air", "offset 8");
    expect(bytesOf({1, 1, 0, 0, 0, 0, 2, 3, 14}), corrupt, "material 14", "offset 8");
    expect(bytesOf({1, 1, 0, 0, 0, 0, 2, 3, 3}), corrupt, "twice", "offset 8");
    expect(bytesOf({1, 1, 0, 0, 0, 0, 1, 3}), corrupt, "occupancy coding", "offset 8");
    expect(bytesOf({1, 1, 0, 0, 0, 0, 1, 3, 3}), corrupt, "occupancy coding", "offset 8");
    expect(bytesOf({1, 1, 0, 0, 0, 0, 1, 3, 0, 255}), corrupt, "fewer than 32768", "offset 9");
    expect(bytesOf({1, 1, 0, 0, 0, 0, 1, 3, 1, 9, 0, 1}), corrupt, "occupancy size", "offset 9");
    expect(bytesOf({1, 1, 0, 0, 0, 0, 1, 3, 1, 1, 0, 0xf}), corrupt, "more than 11 bits", "offset 11");
    expect(bytesOf({1, 1, 0, 0, 0, 0, 1, 3, 1, 1, 0, 0x11}), corrupt, "ends early", "offset 12");

    // Materials in columns and packed, in full: every cut and every byte too many is refused.
    std::vector<Cell> cells = test_data::columnCells(1, 12.5);
    for (const bool noise : {false, true}) {
        if (noise) {
            test::Random random(1);
            for (Cell& cell : cells)
                cell = canonical({static_cast<MaterialId>(random.integer(1, 3)), cell.occupancy});
        }
        const std::vector<std::byte> whole = encoded(cells);
        test::Random random(2);
        for (int cut = 0; cut < 300; ++cut) {
            std::vector<std::byte> shorter = whole;
            shorter.resize(static_cast<std::size_t>(random.integer(6, static_cast<int>(whole.size()) - 1)));
            if (cut < 6) shorter.resize(whole.size() - 1 - static_cast<std::size_t>(cut));
            EXPECT_EQ(refusal(shorter).code, corrupt);
            EXPECT_NE(refusal(shorter).message.find("checksum"), std::string::npos);
            seal(shorter);
            EXPECT_EQ(refusal(shorter).code, corrupt) << shorter.size() << " of " << whole.size();
        }
        std::vector<std::byte> longer = whole;
        longer.push_back(std::byte{0});
        seal(longer);
        expect(longer, corrupt, "bytes after", ("offset " + std::to_string(whole.size())).c_str());
        EXPECT_EQ(refusal(whole, 3).code, corrupt);
        longer.resize(kMaxChunkBytes + 1);
        expect(longer, corrupt, "at most", "bytes");
    }
}

// Flipped bits behind a right checksum: an error that says where, or cells in their stored form.
TEST(ChunkCodec, DamageGivesAnErrorOrCanonicalCells) {
    test::Random random(5);
    int refused = 0;
    for (int round = 0; round < 1500; ++round) {
        std::vector<std::byte> bytes =
            encoded(round % 3 == 0   ? anyCells(random)
                    : round % 3 == 1 ? test_data::columnCells(round % 7, 13)
                                     : std::vector<Cell>(kChunkCellCount, Cell{3, 9}));
        for (int flips = random.integer(1, 3); flips > 0; --flips) {
            const int at = random.integer(0, std::min(static_cast<int>(bytes.size()) - 1, 3000));
            bytes[static_cast<std::size_t>(at)] ^=
                std::byte{static_cast<std::uint8_t>(1 << random.integer(0, 7))};
        }
        seal(bytes);
        ChunkCodecScratch scratch;
        std::vector<Cell> cells(kChunkCellCount);
        const auto result = decodeChunkCells(bytes, kMaterials, scratch, cells);
        if (!result) {
            ++refused;
            EXPECT_NE(result.error().message.find("offset"), std::string::npos) << result.error().message;
            continue;
        }
        if (*result) cells.assign(kChunkCellCount, **result);
        for (const Cell cell : cells) {
            ASSERT_EQ(canonical(cell), cell);
            ASSERT_LT(cell.material, kMaterials);
        }
        ASSERT_EQ(decoded(encoded(cells), kMaterials), cells);
    }
    EXPECT_GT(refused, 300);
}

}  // namespace
}  // namespace karst::voxel
