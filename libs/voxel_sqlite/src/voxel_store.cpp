#include "database.h"
#include "store_chunks.h"
#include "store_format.h"

#include <karst/voxel_sqlite/voxel_store.h>

#include <cmath>
#include <string>

namespace karst::voxel {
namespace {

constexpr std::int64_t kPageBytes = 8192;

Result<void> configure(Database& database, const VoxelStoreOptions& options) {
    // EXTRA also forces the removal of the journal to the disk, which is what makes a save final.
    Result<void> set =
        database.execute("PRAGMA synchronous = EXTRA; PRAGMA cell_size_check = ON;", "opening");
    if (set.ok() && options.maxFileBytes > 0) {
        const Result<std::int64_t> page = database.number("PRAGMA page_size", "reading the header");
        if (!page) return page.error();
        const std::uint64_t pages = std::max<std::uint64_t>(
            options.maxFileBytes / static_cast<std::uint64_t>(std::max<std::int64_t>(*page, 512)), 1);
        set = database.execute(("PRAGMA max_page_count = " + std::to_string(pages)).c_str(), "opening");
    }
    return set;
}

}  // namespace

struct VoxelStore::State {
    Database database;
    SavedState saved;
};

VoxelStore::VoxelStore(std::unique_ptr<State> state) : m_state(std::move(state)) {}
VoxelStore::VoxelStore(VoxelStore&&) noexcept = default;
VoxelStore& VoxelStore::operator=(VoxelStore&&) noexcept = default;
VoxelStore::~VoxelStore() = default;

Result<VoxelStore> VoxelStore::create(const std::filesystem::path& path, const GridPlacement& placement,
                                      const MaterialTable& materials, const VoxelStoreOptions& options) {
    if (!std::isfinite(placement.cellSize) || placement.cellSize <= 0 || !isFinite(placement.origin)) {
        return makeError(
            ErrorCode::InvalidArgument,
            "voxel store %s: cell size %g at (%g, %g, %g), expected finite ones and a size above 0",
            path.string().c_str(), placement.cellSize, placement.origin.x, placement.origin.y,
            placement.origin.z);
    }
    Result<Database> database = Database::open(path, OpenMode::Create, options.busyTimeout);
    if (!database) return database.error();
    const std::string page = "PRAGMA page_size = " + std::to_string(kPageBytes);
    if (Result<void> set = database->execute(page.c_str(), "creating"); !set) return set.error();
    if (Result<void> set = configure(*database, options); !set) return set.error();
    {
        Result<Transaction> transaction = Transaction::begin(*database, true);
        if (!transaction) return transaction.error();
        // Another process may have been faster.
        const Result<std::int64_t> tables =
            database->number("SELECT count(*) FROM sqlite_schema", "reading the header");
        if (!tables) return tables.error();
        if (*tables != 0) {
            return makeError(ErrorCode::InvalidArgument, "voxel store %s: exists already",
                             database->path().c_str());
        }
        if (Result<void> made = writeSchema(*database, placement, materials); !made) return made.error();
        if (Result<void> committed = transaction->commit(); !committed) return committed.error();
    }
    return VoxelStore(std::make_unique<State>(State{std::move(*database), {}}));
}

Result<VoxelStore> VoxelStore::open(const std::filesystem::path& path, const VoxelStoreOptions& options) {
    Result<Database> database = Database::open(
        path, options.readOnly ? OpenMode::ReadOnly : OpenMode::ReadWrite, options.busyTimeout);
    if (!database) return database.error();
    if (Result<void> known = checkIdentity(*database); !known) return known.error();
    if (Result<void> set = configure(*database, options); !set) return set.error();
    // Whatever is wrong with these is found before anybody builds on it.
    if (const Result<World> world = readWorld(*database); !world) return world.error();
    return VoxelStore(std::make_unique<State>(State{std::move(*database), {}}));
}

Result<Grid> VoxelStore::load(const Externals& externals) {
    return loadGrid(*this, std::nullopt, externals, m_state->saved);
}

Result<Grid> VoxelStore::load(const ChunkBox& box, const Externals& externals) {
    return loadGrid(*this, box, externals, m_state->saved);
}

Result<SaveSummary> VoxelStore::save(const Grid& grid) {
    return saveGrid(*this, grid, m_state->saved);
}

const SavedState& VoxelStore::saved() const {
    return m_state->saved;
}

Result<StoreInfo> VoxelStore::info() {
    Database& database = m_state->database;
    Result<Transaction> transaction = Transaction::begin(database, false);
    if (!transaction) return transaction.error();
    const Result<World> world = readWorld(database);
    if (!world) return world.error();
    StoreInfo info;
    info.placement = world->placement;
    info.materials = world->materials;
    info.revision = world->revision;
    if (Result<void> counted = summariseChunks(database, info); !counted) return counted.error();
    return info;
}

Result<StoredChunks> VoxelStore::loadChunks(const std::optional<ChunkBox>& box, const Externals& externals) {
    Database& database = m_state->database;
    Result<Transaction> transaction = Transaction::begin(database, false);
    if (!transaction) return transaction.error();
    const Result<World> world = readWorld(database);
    if (!world) return world.error();
    Result<std::vector<ChunkReplacement>> chunks =
        readChunks(database, box, world->materials.size(), externals);
    if (!chunks) return chunks.error();
    return StoredChunks{world->placement, world->materials, world->revision, std::move(*chunks)};
}

Result<StoreRevision> VoxelStore::saveChanges(const StoreChanges& changes, const Externals& externals) {
    if (changes.empty()) return changes.base;
    Database& database = m_state->database;
    const auto refused = [&](const char* why) {
        return makeError(ErrorCode::InvalidArgument, "voxel store %s: not saved: %s", database.path().c_str(),
                         why);
    };
    if (database.readOnly()) {
        return makeError(ErrorCode::Io, "voxel store %s: not saved: the file is open read-only",
                         database.path().c_str());
    }
    Result<Transaction> transaction = Transaction::begin(database, true);
    if (!transaction) return transaction.error();
    const Result<World> world = readWorld(database);
    if (!world) return world.error();
    if (!(world->placement == changes.placement)) return refused("the grid's placement is not the file's");
    if (!(world->materials == changes.materials)) return refused("the grid's materials are not the file's");
    if (!changes.replacesAll && world->revision != changes.base) {
        return refused(("the file is at revision " + std::to_string(world->revision) +
                        ", but the grid's changes are against " + std::to_string(changes.base))
                           .c_str());
    }
    const StoreRevision revision = world->revision + 1;
    Result<void> done;
    if (changes.replacesAll) {
        done = removeChunks(database, std::nullopt);
    } else if (changes.replaced) {
        done = removeChunks(database, changes.replaced);
    }
    if (done.ok()) done = removeChunks(database, changes.removed);
    if (done.ok()) done = writeChunks(database, changes.written, revision, externals);
    if (done.ok()) done = writeRevision(database, revision);
    if (done.ok()) done = transaction->commit();
    if (!done) return done.error();
    return revision;
}

}  // namespace karst::voxel
