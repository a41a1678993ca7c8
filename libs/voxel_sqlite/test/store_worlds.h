#pragma once

#include <gtest/gtest.h>
#include <karst/voxel_sqlite/voxel_store.h>
#include <karst_test/test_support.h>
#include <sqlite3.h>

#include <filesystem>
#include <string>

namespace karst::voxel::test_data {

/// One random edit of a grid around its origin: a box or a ball, filled, noisy or emptied; now and then all
/// cleared.
inline void randomEdit(Grid& grid, test::Random& random, int reach = 70) {
    if (random.chance(0.02)) {
        grid.clear();
        return;
    }
    CellBox box;
    std::int32_t* const low[] = {&box.min.x, &box.min.y, &box.min.z};
    std::int32_t* const high[] = {&box.max.x, &box.max.y, &box.max.z};
    for (int axis = 0; axis < 3; ++axis) {
        *low[axis] = random.integer(-reach, reach - 10);
        *high[axis] = *low[axis] + random.integer(1, reach / 2);
    }
    const int kind = random.integer(0, 3);
    const Cell cell{static_cast<MaterialId>(random.integer(1, 13)),
                    static_cast<std::uint8_t>(random.integer(1, 255))};
    const auto done = grid.edit(box, [&](const EditBlock& block) {
        for (std::int32_t y = block.box.min.y; y < block.box.max.y; ++y) {
            for (std::int32_t z = block.box.min.z; z < block.box.max.z; ++z) {
                for (std::int32_t x = block.box.min.x; x < block.box.max.x; ++x) {
                    Cell& at = block.at({x, y, z});
                    if (kind == 0) at = {};
                    if (kind == 1) at = cell;
                    if (kind == 2 && random.chance(0.2))
                        at = {cell.material, static_cast<std::uint8_t>(random.next())};
                    if (kind == 3 && at.empty())
                        at = {cell.material, static_cast<std::uint8_t>(x * 7 + y * 5)};
                }
            }
        }
    });
    if (!done) std::abort();
}

/// Fills 64 chunks with what takes half a megabyte and more in a file.
inline void fillWithNoise(Grid& grid, test::Random& random) {
    const auto done = grid.edit({{-64, -64, -64}, {64, 64, 64}}, [&](const EditBlock& block) {
        for (std::int32_t i = 0; i < kChunkCellCount; i += 2)
            block.cells[i] = {3, static_cast<std::uint8_t>(random.next())};
    });
    if (!done) std::abort();
}

/// Equal chunks, cell for cell.
inline bool sameCells(const Grid& a, const Grid& b) {
    const GridSnapshot snapshot = a.snapshot();
    bool same = a.chunkCount() == b.chunkCount();
    snapshot.forEachChunk([&](ChunkCoord coord, const Chunk& chunk) {
        const Chunk* other = b.chunk(coord);
        if (other == nullptr) same = false;
        for (std::int32_t i = 0; same && i < kChunkCellCount; ++i)
            same = chunk.cell(i) == other->cell(i);
    });
    return same;
}

inline Grid newGrid() {
    return Grid::create({}).value();
}

/// A store of `grid`'s cells, closed.
inline void writeStore(const std::filesystem::path& path, const Grid& grid) {
    auto store = VoxelStore::create(path, grid.placement(), grid.materials());
    ASSERT_TRUE(store.ok()) << store.error().message;
    const auto saved = store->save(grid);
    ASSERT_TRUE(saved.ok()) << saved.error().message;
}

inline Result<Grid> loadAll(const std::filesystem::path& path) {
    Result<VoxelStore> store = VoxelStore::open(path);
    if (!store) return store.error();
    return store->load();
}

/// Runs SQL on a file, as somebody might who means no good.
inline void runSql(const std::filesystem::path& path, const std::string& sql) {
    sqlite3* handle = nullptr;
    ASSERT_EQ(sqlite3_open(path.c_str(), &handle), SQLITE_OK);
    char* message = nullptr;
    sqlite3_exec(handle, "PRAGMA synchronous = OFF", nullptr, nullptr, nullptr);
    EXPECT_EQ(sqlite3_exec(handle, sql.c_str(), nullptr, nullptr, &message), SQLITE_OK) << message;
    sqlite3_free(message);
    sqlite3_close(handle);
}

/// Opening or loading fails with `code`, and the message has the file's name and every one of `parts`.
inline void expectRefused(const std::filesystem::path& path, ErrorCode code,
                          std::initializer_list<const char*> parts) {
    const Result<Grid> grid = loadAll(path);
    ASSERT_FALSE(grid.ok());
    const std::string& message = grid.error().message;
    EXPECT_EQ(grid.error().code, code) << message;
    EXPECT_NE(message.find(path.string()), std::string::npos) << message;
    for (const char* part : parts)
        EXPECT_NE(message.find(part), std::string::npos) << message << "\nlacks " << part;
}

}  // namespace karst::voxel::test_data
