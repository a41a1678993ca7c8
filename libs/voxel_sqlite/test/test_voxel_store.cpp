#include "store_worlds.h"

#include <karst/base/thread_pool.h>

#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>

namespace karst::voxel {
namespace {

using namespace test_data;
namespace fs = std::filesystem;

TEST(VoxelStore, WorldsComeBackAfterAnyScript) {
    test::Random random(21);
    for (int world = 0; world < 6; ++world) {
        const test::TempFolder folder;
        const fs::path path = folder.path() / "world.karst";
        GridDefinition definition;
        definition.placement = {0.25 * (world + 1), {1e6 * world, -3.5, 1.0 / 3}};
        Grid grid = Grid::create(definition).value();
        auto store = VoxelStore::create(path, definition.placement, definition.materials);
        ASSERT_TRUE(store.ok()) << store.error().message;
        for (int save = 0; save < 8; ++save) {
            for (int edits = random.integer(0, 4); edits > 0; --edits)
                randomEdit(grid, random);
            const auto saved = store->save(grid);
            ASSERT_TRUE(saved.ok()) << saved.error().message;
            const Result<Grid> back = loadAll(path);
            ASSERT_TRUE(back.ok()) << back.error().message;
            ASSERT_TRUE(sameCells(grid, *back)) << "world " << world << ", save " << save;
            EXPECT_EQ(back->placement(), grid.placement());
            EXPECT_TRUE(back->materials() == grid.materials());
            // Going on with the loaded grid, or closing the file in between, is all the same.
            if (random.chance(0.3)) {
                if (random.chance(0.5)) store = VoxelStore::open(path);
                ASSERT_TRUE(store.ok());
                Result<Grid> loaded = store->load();
                ASSERT_TRUE(loaded.ok());
                grid = std::move(*loaded);
            }
        }
    }
}

TEST(VoxelStore, SavesOnlyWhatChanged) {
    const test::TempFolder folder;
    const fs::path path = folder.path() / "world.karst";
    Grid grid = newGrid();
    auto store = VoxelStore::create(path, grid.placement(), grid.materials());
    ASSERT_TRUE(store.ok());
    for (int i = 0; i < 20; ++i)
        ASSERT_TRUE(grid.setCell({i * 32, 0, 0}, {2, 200}).ok());
    EXPECT_EQ(store->save(grid)->written, 20u);
    const auto nothing = store->save(grid);
    ASSERT_TRUE(nothing.ok());
    EXPECT_EQ(nothing->written, 0u);
    EXPECT_EQ(nothing->revision, 1u);
    ASSERT_TRUE(grid.setCell({64, 1, 1}, {3, 1}).ok());
    ASSERT_TRUE(grid.setCell({96, 0, 0}, {}).ok());
    const auto two = store->save(grid);
    ASSERT_TRUE(two.ok());
    EXPECT_EQ(two->written, 1u);
    EXPECT_EQ(two->removed, 1u);
    EXPECT_EQ(two->revision, 2u);
    const auto info = store->info();
    ASSERT_TRUE(info.ok());
    EXPECT_EQ(info->revision, 2u);
    EXPECT_EQ(info->chunkCount, 19u);
    EXPECT_EQ(info->chunkBounds, (ChunkBox{{0, 0, 0}, {20, 1, 1}}));
    EXPECT_GT(info->chunkBytes, 19 * 8u);
    EXPECT_TRUE(sameCells(grid, *loadAll(path)));
}

TEST(VoxelStore, V4_EmptiedChunksLeaveTheFile) {
    const test::TempFolder folder;
    const fs::path path = folder.path() / "world.karst";
    test::Random random(2);
    Grid grid = newGrid();
    auto store = VoxelStore::create(path, grid.placement(), grid.materials());
    ASSERT_TRUE(store.ok());
    for (int i = 0; i < 5; ++i)
        randomEdit(grid, random);
    ASSERT_TRUE(store->save(grid).ok());
    grid.clear();
    ASSERT_TRUE(store->save(grid).ok());
    EXPECT_EQ(store->info()->chunkCount, 0u);
    EXPECT_TRUE(store->info()->chunkBounds.empty());
    EXPECT_EQ(loadAll(path)->chunkCount(), 0u);
}

TEST(VoxelStore, LoadsABoxAndSavesItBack) {
    const test::TempFolder folder;
    const fs::path path = folder.path() / "world.karst";
    test::Random random(31);
    Grid grid = newGrid();
    fillWithNoise(grid, random);
    for (int i = 0; i < 8; ++i)
        randomEdit(grid, random);
    writeStore(path, grid);
    auto store = VoxelStore::open(path);
    ASSERT_TRUE(store.ok());
    const ChunkBox box{{-1, -1, -3}, {1, 2, 1}};
    Result<Grid> part = store->load(box);
    ASSERT_TRUE(part.ok()) << part.error().message;
    std::size_t inside = 0;
    grid.snapshot().forEachChunk([&](ChunkCoord coord, const Chunk& chunk) {
        const Chunk* other = part->chunk(coord);
        EXPECT_EQ(other != nullptr, box.contains(coord));
        if (other != nullptr) {
            ++inside;
            for (std::int32_t i = 0; i < kChunkCellCount; ++i)
                ASSERT_EQ(chunk.cell(i), other->cell(i));
        }
    });
    EXPECT_GT(inside, 0u);
    EXPECT_EQ(part->chunkCount(), inside);
    for (Grid* both : {&grid, &*part}) {
        ASSERT_TRUE(both->setCell({1, 2, 3}, {7, 77}).ok());
        ASSERT_TRUE(both->setCell({900, 2, 3}, {7, 77}).ok());
    }
    EXPECT_EQ(store->save(*part)->written, 2u);
    EXPECT_TRUE(sameCells(grid, *loadAll(path)));
    EXPECT_EQ(store->load(ChunkBox{})->chunkCount(), 0u);
}

TEST(VoxelStore, WorkersChangeNothing) {
    const test::TempFolder folder;
    ThreadPool pool(4);
    Externals externals;
    externals.jobs = &pool;
    Grid grid = Grid::create({}, externals).value();
    test::Random random(5);
    for (int i = 0; i < 10; ++i)
        randomEdit(grid, random, 150);
    const fs::path path = folder.path() / "world.karst";
    writeStore(path, grid);
    auto store = VoxelStore::open(path);
    ASSERT_TRUE(store.ok());
    EXPECT_TRUE(sameCells(grid, *store->load(externals)));
    EXPECT_TRUE(sameCells(grid, *store->load()));
}

TEST(VoxelStore, CreatesOnlyWhereNothingIs) {
    const test::TempFolder folder;
    const auto create = [](const fs::path& path, GridPlacement placement = {}) {
        const auto store = VoxelStore::create(path, placement, {});
        return store ? Error{ErrorCode::InvalidArgument, "created"} : store.error();
    };
    const fs::path nowhere = folder.path() / "no" / "such" / "world.karst";
    EXPECT_EQ(create(nowhere).code, ErrorCode::NotFound);
    EXPECT_NE(create(nowhere).message.find("no folder " + nowhere.parent_path().string()), std::string::npos);
    const fs::path path = folder.path() / "world.karst";
    EXPECT_NE(create(path, {0, {}}).message.find("cell size 0"), std::string::npos);
    EXPECT_FALSE(fs::exists(path));
    std::ofstream(path).close();
    EXPECT_EQ(create(path).message, "created") << "a file of 0 bytes is no world";
    EXPECT_NE(create(path).message.find("exists already"), std::string::npos);
    EXPECT_EQ(loadAll(folder.path() / "other.karst").error().code, ErrorCode::NotFound);
    EXPECT_NE(loadAll(folder.path()).error().message.find("not a regular file"), std::string::npos);
}

// Names that SQLite by itself takes for a store in memory, or for a URI.
TEST(VoxelStore, AnyNameIsThatOfAFile) {
    const test::TempFolder folder;
    const fs::path before = fs::current_path();
    fs::current_path(folder.path());
    Grid grid = newGrid();
    ASSERT_TRUE(grid.setCell({1, 1, 1}, {2, 2}).ok());
    for (const char* name : {":memory:", "file:world.karst", "file:w?mode=memory", "a%20b#c?d.karst"}) {
        writeStore(name, grid);
        EXPECT_TRUE(fs::exists(name)) << name;
        const Result<Grid> back = loadAll(name);
        ASSERT_TRUE(back.ok()) << back.error().message;
        EXPECT_TRUE(sameCells(grid, *back)) << name;
    }
    EXPECT_EQ(VoxelStore::create("", {}, {}).error().code, ErrorCode::InvalidArgument);
    fs::current_path(before);
}

// Leaves the half of a transaction of `sql` and its journal, as a killed process does.
void cutOff(const fs::path& path, const char* sql) {
    const pid_t child = fork();
    if (child == 0) {
        sqlite3* handle = nullptr;
        sqlite3_open(path.c_str(), &handle);
        sqlite3_exec(handle, "PRAGMA page_size = 8192; PRAGMA cache_size = 1; BEGIN", nullptr, nullptr,
                     nullptr);
        _exit(sqlite3_exec(handle, sql, nullptr, nullptr, nullptr) == SQLITE_OK ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    ASSERT_TRUE(fs::exists(path.string() + "-journal"));
    ASSERT_GT(fs::file_size(path), 0u);
}

TEST(VoxelStore, ACreationThatWasCutOffCanBeRepeated) {
    const test::TempFolder folder;
    const fs::path path = folder.path() / "world.karst";
    constexpr const char* kManyPages =
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60)"
        " INSERT INTO ";
    cutOff(path,
           (std::string("CREATE TABLE t (a);") + kManyPages + "t SELECT zeroblob(7000) FROM n").c_str());
    Grid grid = newGrid();
    ASSERT_TRUE(grid.setCell({1, 1, 1}, {2, 2}).ok());
    writeStore(path, grid);
    EXPECT_TRUE(sameCells(grid, *loadAll(path)));
    // A cut-off save is another thing: the store is there.
    cutOff(path,
           (std::string(kManyPages) + "chunk SELECT i + 9, i, 0, 0, 1, 1, zeroblob(7000) FROM n").c_str());
    const auto refused = VoxelStore::create(path, {}, {});
    ASSERT_FALSE(refused.ok());
    EXPECT_NE(refused.error().message.find("exists already"), std::string::npos) << refused.error().message;
    EXPECT_TRUE(sameCells(grid, *loadAll(path)));
}

TEST(VoxelStore, AnyPlacementComesBack) {
    const test::TempFolder folder;
    const GridPlacement placements[] = {
        {0.1, {-0.0, 0, -0.0}}, {5e-324, {1e308, -1e308, 0.1}}, {1e6, {3, -7, 1e15}}};
    for (const GridPlacement& placement : placements) {
        const fs::path path = folder.path() / (std::to_string(&placement - placements) + ".karst");
        ASSERT_TRUE(VoxelStore::create(path, placement, {}).ok());
        const auto grid = loadAll(path);
        ASSERT_TRUE(grid.ok()) << grid.error().message;
        EXPECT_EQ(grid->placement(), placement);
    }
}

TEST(VoxelStore, RefusesOtherFilesAndNewerVersions) {
    const test::TempFolder folder;
    const fs::path text = folder.path() / "text.karst";
    std::ofstream(text) << std::string(5000, 'x');
    expectRefused(text, ErrorCode::CorruptData, {"not a voxel store"});
    const fs::path empty = folder.path() / "empty.karst";
    std::ofstream(empty).close();
    expectRefused(empty, ErrorCode::CorruptData, {"not a voxel store", "application id"});
    const fs::path other = folder.path() / "other.karst";
    runSql(other, "CREATE TABLE chunk (a)");
    expectRefused(other, ErrorCode::CorruptData, {"not a voxel store", "application id"});
    const fs::path newer = folder.path() / "newer.karst";
    Grid grid = newGrid();
    writeStore(newer, grid);
    runSql(newer, "PRAGMA user_version = 2");
    expectRefused(newer, ErrorCode::Unsupported, {"version 2"});
}

// A byte of noise every so often, or a file cut short: an error that names the file, or the world as it was.
TEST(VoxelStore, DamagedFilesGiveErrors) {
    const test::TempFolder folder;
    const fs::path path = folder.path() / "world.karst", broken = folder.path() / "broken.karst";
    test::Random random(17);
    Grid grid = newGrid();
    for (int i = 0; i < 6; ++i)
        randomEdit(grid, random);
    writeStore(path, grid);
    const auto size = static_cast<int>(fs::file_size(path));
    int refused = 0;
    for (int round = 0; round < 150; ++round) {
        fs::copy_file(path, broken, fs::copy_options::overwrite_existing);
        if (round % 5 == 0) {
            fs::resize_file(broken, static_cast<std::uintmax_t>(random.integer(1, size - 1)));
        } else {
            std::fstream file(broken, std::ios::in | std::ios::out | std::ios::binary);
            const int at = random.integer(0, size - 1), length = random.integer(1, 3000);
            file.seekp(at);
            for (int i = 0; i < std::min(length, size - at); ++i)
                file.put(static_cast<char>(random.next()));
        }
        const Result<Grid> back = loadAll(broken);
        if (back) {
            EXPECT_TRUE(sameCells(grid, *back)) << round;
            continue;
        }
        ++refused;
        EXPECT_NE(back.error().message.find("broken.karst"), std::string::npos) << back.error().message;
    }
    EXPECT_GT(refused, 50);
}

TEST(VoxelStore, AFullDiskKeepsTheOldWorld) {
    const test::TempFolder folder;
    const fs::path path = folder.path() / "world.karst";
    test::Random random(6);
    Grid grid = newGrid();
    ASSERT_TRUE(grid.setCell({1, 1, 1}, {2, 2}).ok());
    writeStore(path, grid);
    const Grid before = grid.clone();
    VoxelStoreOptions options;
    options.maxFileBytes = 200000;
    auto store = VoxelStore::open(path, options);
    ASSERT_TRUE(store.ok());
    grid = store->load().value();
    fillWithNoise(grid, random);
    const auto full = store->save(grid);
    ASSERT_FALSE(full.ok());
    EXPECT_EQ(full.error().code, ErrorCode::TooLarge);
    EXPECT_NE(full.error().message.find("no space is left"), std::string::npos) << full.error().message;
    EXPECT_NE(full.error().message.find(path.string()), std::string::npos);
    EXPECT_TRUE(sameCells(before, *loadAll(path)));
    EXPECT_EQ(store->info()->revision, 1u);
    // Room again: nothing of the unsaved edits is lost.
    store = VoxelStore::open(path);
    ASSERT_TRUE(store.ok());
    ASSERT_TRUE(store->save(grid).ok());
    EXPECT_TRUE(sameCells(grid, *loadAll(path)));
}

// Runs `body` in a process of its own; its exit code.
template <class Body>
int inChild(Body body) {
    const pid_t child = fork();
    if (child == 0) _exit(body());
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

// The system itself refuses to let the file grow, in the middle of a save.
TEST(VoxelStore, AWriteThatFailsKeepsTheOldWorldAndTheEdits) {
    const test::TempFolder folder;
    const fs::path path = folder.path() / "world.karst";
    Grid grid = newGrid();
    ASSERT_TRUE(grid.setCell({1, 1, 1}, {2, 2}).ok());
    writeStore(path, grid);
    const int code = inChild([&] {
        auto store = VoxelStore::open(path);
        if (!store) return 1;
        Result<Grid> mine = store->load();
        if (!mine) return 2;
        test::Random random(6);
        fillWithNoise(*mine, random);
        std::signal(SIGXFSZ, SIG_IGN);
        rlimit limit{};
        getrlimit(RLIMIT_FSIZE, &limit);
        limit.rlim_cur = 150000;
        setrlimit(RLIMIT_FSIZE, &limit);
        const auto failed = store->save(*mine);
        if (failed || failed.error().message.find(path.string()) == std::string::npos) return 3;
        if (loadAll(path)->cell({1, 1, 1}) != Cell{2, 2} || loadAll(path)->chunkCount() != 1) return 4;
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_FSIZE, &limit);
        if (!store->save(*mine)) return 5;
        return sameCells(*mine, *loadAll(path)) ? 0 : 6;
    });
    EXPECT_EQ(code, 0);
}

TEST(VoxelStore, ReadOnlyFilesLoadButDoNotSave) {
    const test::TempFolder folder;
    const fs::path path = folder.path() / "world.karst";
    Grid grid = newGrid();
    ASSERT_TRUE(grid.setCell({1, 1, 1}, {2, 2}).ok());
    writeStore(path, grid);
    VoxelStoreOptions options;
    options.readOnly = true;
    auto store = VoxelStore::open(path, options);
    ASSERT_TRUE(store.ok());
    Result<Grid> loaded = store->load();
    ASSERT_TRUE(loaded.ok());
    EXPECT_TRUE(sameCells(grid, *loaded));
    ASSERT_TRUE(loaded->setCell({5, 5, 5}, {3, 3}).ok());
    const auto refused = store->save(*loaded);
    ASSERT_FALSE(refused.ok());
    EXPECT_NE(refused.error().message.find("read-only"), std::string::npos) << refused.error().message;

    // The same where the system says so. Root may write any file, so it stops being root.
    ASSERT_EQ(chmod(path.c_str(), 0444), 0);
    ASSERT_EQ(chmod(folder.path().c_str(), 0555), 0);
    const int code = inChild([&] {
        if (geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0)) return 1;
        auto mine = VoxelStore::open(path);
        if (!mine) return 2;
        Result<Grid> cells = mine->load();
        if (!cells || !cells->setCell({5, 5, 5}, {3, 3})) return 3;
        const auto failed = mine->save(*cells);
        if (failed) return 4;
        return failed.error().message.find("read-only") != std::string::npos ? 0 : 5;
    });
    chmod(folder.path().c_str(), 0755);
    EXPECT_EQ(code, 0);
    EXPECT_TRUE(sameCells(grid, *loadAll(path)));
}

TEST(VoxelStore, TheSecondWriterIsToldAfterABoundedTime) {
    const test::TempFolder folder;
    const fs::path path = folder.path() / "world.karst";
    Grid grid = newGrid();
    writeStore(path, grid);
    VoxelStoreOptions options;
    options.busyTimeout = 50;
    auto store = VoxelStore::open(path, options);
    ASSERT_TRUE(store.ok());
    grid = store->load().value();
    ASSERT_TRUE(grid.setCell({1, 1, 1}, {2, 2}).ok());
    sqlite3* other = nullptr;
    ASSERT_EQ(sqlite3_open(path.c_str(), &other), SQLITE_OK);
    for (const char* hold : {"BEGIN IMMEDIATE", "BEGIN; SELECT * FROM world"}) {
        // A writer, then a reader: the save cannot finish.
        ASSERT_EQ(sqlite3_exec(other, hold, nullptr, nullptr, nullptr), SQLITE_OK);
        const auto busy = store->save(grid);
        ASSERT_FALSE(busy.ok()) << hold;
        EXPECT_EQ(busy.error().code, ErrorCode::Io);
        EXPECT_NE(busy.error().message.find("another process holds the file, waited 50 ms"),
                  std::string::npos)
            << busy.error().message;
        ASSERT_EQ(sqlite3_exec(other, "ROLLBACK", nullptr, nullptr, nullptr), SQLITE_OK);
    }
    sqlite3_close(other);
    ASSERT_TRUE(store->save(grid).ok());
    EXPECT_TRUE(sameCells(grid, *loadAll(path)));
}

TEST(VoxelStore, AGridLoadedBeforeAnothersSaveIsRefused) {
    const test::TempFolder folder;
    const fs::path path = folder.path() / "world.karst";
    Grid grid = newGrid();
    writeStore(path, grid);
    auto one = VoxelStore::open(path), two = VoxelStore::open(path);
    Grid mine = one->load().value(), theirs = two->load().value();
    ASSERT_TRUE(mine.setCell({1, 1, 1}, {2, 2}).ok());
    ASSERT_TRUE(theirs.setCell({50, 1, 1}, {2, 2}).ok());
    ASSERT_TRUE(two->save(theirs).ok());
    const auto refused = one->save(mine);
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().code, ErrorCode::InvalidArgument);
    EXPECT_NE(refused.error().message.find("the file is at revision 2"), std::string::npos)
        << refused.error().message;
    EXPECT_TRUE(sameCells(theirs, *loadAll(path)));
}

TEST(VoxelStore, AnotherPlacementOrTableIsRefused) {
    const test::TempFolder folder;
    const fs::path path = folder.path() / "world.karst";
    Grid grid = newGrid();
    ASSERT_TRUE(grid.setCell({1, 1, 1}, {2, 2}).ok());
    writeStore(path, grid);
    auto store = VoxelStore::open(path);
    GridDefinition moved, renamed;
    moved.placement.cellSize = 3;
    const Material entries[] = {{"air", MaterialKind::Air, {}}, {"stone", MaterialKind::Solid, {}}};
    renamed.materials = *MaterialTable::create(entries);
    EXPECT_NE(store->save(*Grid::create(moved)).error().message.find("placement"), std::string::npos);
    EXPECT_NE(store->save(*Grid::create(renamed)).error().message.find("materials"), std::string::npos);
    EXPECT_TRUE(sameCells(grid, *loadAll(path)));
}

}  // namespace
}  // namespace karst::voxel
