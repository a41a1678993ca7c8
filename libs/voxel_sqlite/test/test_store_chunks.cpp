#include "store_worlds.h"

#include <karst/base/checksum.h>
#include <karst/voxel/chunk_codec.h>

namespace karst::voxel {
namespace {

using namespace test_data;

void expectEach(std::initializer_list<std::pair<const char*, std::initializer_list<const char*>>> attacks) {
    const test::TempFolder folder;
    Grid grid = newGrid();
    for (int i = 0; i < 4; ++i)
        ASSERT_TRUE(grid.setCell({i * 32, 1, 1}, {4, 7}).ok());
    const auto whole = folder.path() / "whole.karst", path = folder.path() / "world.karst";
    writeStore(whole, grid);
    for (const auto& [sql, parts] : attacks) {
        SCOPED_TRACE(sql);
        std::filesystem::copy_file(whole, path, std::filesystem::copy_options::overwrite_existing);
        runSql(path, sql);
        expectRefused(path, ErrorCode::CorruptData, parts);
    }
}

#define LOOSE_CHUNKS                                                                                 \
    "ALTER TABLE chunk RENAME TO real; CREATE TABLE chunk (id, y, z, x, revision, checksum, cells);" \
    "INSERT INTO chunk SELECT * FROM real; DROP TABLE real;"

TEST(StoreChunks, RefusesHostileRowsByName) {
    expectEach({
        {"DROP TABLE chunk", {"chunk"}},
        {"UPDATE chunk SET x = 8388608 WHERE x = 2", {"coordinate x is 8388608"}},
        {"UPDATE chunk SET y = -8388609 WHERE x = 2", {"coordinate y is -8388609"}},
        {"UPDATE chunk SET z = 4294967296 WHERE x = 2", {"coordinate z is 4294967296"}},
        {"UPDATE chunk SET z = 'south' WHERE x = 2", {"no integer"}},
        {"UPDATE chunk SET x = 1.5 WHERE x = 2", {"no integer"}},
        {"UPDATE chunk SET x = 12 WHERE x = 2", {"chunk (12, 0, 0)", "wrong checksum of its place"}},
        {"UPDATE chunk SET checksum = 5 WHERE x = 2", {"chunk (2, 0, 0)", "wrong checksum of its place"}},
        {"UPDATE chunk SET checksum = 'five' WHERE x = 2", {"chunk (2, 0, 0)", "no integer"}},
        {"UPDATE chunk SET cells = 'text' WHERE x = 2", {"chunk (2, 0, 0)", "not a blob"}},
        {"UPDATE chunk SET cells = 5 WHERE x = 2", {"chunk (2, 0, 0)", "not a blob"}},
        {"UPDATE chunk SET cells = x'' WHERE x = 2", {"chunk (2, 0, 0)", "0 bytes"}},
        {"UPDATE chunk SET cells = x'0100' WHERE x = 2", {"chunk (2, 0, 0)", "2 bytes"}},
        {"UPDATE chunk SET cells = zeroblob(100000) WHERE x = 2", {"chunk (2, 0, 0)", "100000 bytes"}},
        {"UPDATE chunk SET cells = zeroblob(50000000) WHERE x = 2", {"too big"}},
        {"UPDATE chunk SET cells = substr(cells, 1, length(cells) - 1) WHERE x = 2",
         {"chunk (2, 0, 0)", "checksum"}},
        {LOOSE_CHUNKS "INSERT INTO chunk SELECT * FROM chunk WHERE x = 1",
         {"chunk (1, 0, 0) comes after (1, 0, 0)"}},
        {LOOSE_CHUNKS "UPDATE chunk SET y = NULL", {"no integer"}},
        {"ALTER TABLE chunk RENAME TO real; CREATE VIEW chunk AS SELECT * FROM real", {"chunk"}},
    });
}

TEST(StoreChunks, RefusesAStoredEmptyChunk) {
    // Version 1, uniform, empty; what a writer leaves out.
    const test::TempFolder folder;
    const auto path = folder.path() / "world.karst";
    Grid grid = newGrid();
    ASSERT_TRUE(grid.setCell({1, 1, 1}, {4, 7}).ok());
    writeStore(path, grid);
    ChunkCodecScratch scratch;
    std::vector<std::byte> bytes;
    encodeChunkCells(std::vector<Cell>(kChunkCellCount), scratch, bytes);
    const std::vector<std::byte> place(12);
    const auto checksum = static_cast<long long>(xxh64(bytes, xxh64(place)));
    char sql[160];
    std::snprintf(sql, sizeof(sql), "UPDATE chunk SET checksum = %lld, cells = x'", checksum);
    std::string text = sql;
    for (const std::byte byte : bytes) {
        std::snprintf(sql, sizeof(sql), "%02x", static_cast<unsigned>(byte));
        text += sql;
    }
    runSql(path, text + "'");
    expectRefused(path, ErrorCode::CorruptData, {"chunk (0, 0, 0) is empty"});
}

// What a file defines beside the tables does not run.
TEST(StoreChunks, TriggersOfTheFileDoNotRun) {
    const test::TempFolder folder;
    const auto path = folder.path() / "world.karst";
    Grid grid = newGrid();
    ASSERT_TRUE(grid.setCell({1, 1, 1}, {4, 7}).ok());
    writeStore(path, grid);
    runSql(path, "CREATE TRIGGER bad AFTER UPDATE ON chunk BEGIN DELETE FROM chunk; END");
    auto store = VoxelStore::open(path);
    Grid loaded = store->load().value();
    ASSERT_TRUE(loaded.setCell({2, 1, 1}, {4, 7}).ok());
    ASSERT_TRUE(store->save(loaded).ok());
    EXPECT_TRUE(sameCells(loaded, *loadAll(path)));
}

}  // namespace
}  // namespace karst::voxel
