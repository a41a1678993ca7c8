#include "store_format.h"

#include <karst/base/byte_writer.h>
#include <karst/base/checksum.h>

#include <cmath>
#include <vector>

namespace karst::voxel {
namespace {

constexpr std::int64_t kApplicationId = 0x4b565843, kVersion = 1;  // "KVXC"

// application_id and user_version are in the file's header, where `file` and others look.
constexpr const char* kSchema =
    "PRAGMA application_id = 1263949891;"
    "PRAGMA user_version = 1;"
    "CREATE TABLE world (id INTEGER PRIMARY KEY CHECK (id = 1), chunk_size INTEGER NOT NULL, cell_size REAL "
    "NOT NULL,"
    " origin_x REAL NOT NULL, origin_y REAL NOT NULL, origin_z REAL NOT NULL, revision INTEGER NOT NULL, "
    "checksum INTEGER NOT NULL);"
    "CREATE TABLE material (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, kind INTEGER NOT NULL,"
    " color INTEGER NOT NULL);"
    "CREATE TABLE chunk (id INTEGER PRIMARY KEY, y INTEGER NOT NULL, z INTEGER NOT NULL, x INTEGER NOT NULL,"
    " revision INTEGER NOT NULL, checksum INTEGER NOT NULL, cells BLOB NOT NULL, UNIQUE (y, z, x));";
static_assert(kApplicationId == 1263949891);

// Of the placement and the materials, which stay what they are.
std::int64_t checksumOf(const GridPlacement& placement, const MaterialTable& materials) {
    std::vector<std::byte> bytes;
    ByteWriter writer(bytes);
    for (const double value :
         {placement.cellSize, placement.origin.x, placement.origin.y, placement.origin.z})
        writer.f64(value + 0.0);  // -0 is stored as 0
    for (std::size_t i = 0; i < materials.size(); ++i) {
        const Material& material = materials[static_cast<MaterialId>(i)];
        writer.u8(static_cast<std::uint8_t>(material.kind));
        for (const std::uint8_t channel : material.color)
            writer.u8(channel);
        writer.u8(static_cast<std::uint8_t>(material.name.size()));
        writer.bytes(std::as_bytes(std::span(material.name)));
    }
    return static_cast<std::int64_t>(xxh64(bytes));
}

Result<std::vector<Material>> readMaterials(Database& database) {
    Result<Statement> select =
        Statement::prepare(database, "SELECT id, name, kind, color FROM material ORDER BY id LIMIT 257",
                           "reading the materials");
    if (!select) return select.error();
    std::vector<Material> materials;
    for (;;) {
        const Result<bool> row = select->step();
        if (!row) return row.error();
        if (!*row) break;
        const auto id = select->integer(0), kind = select->integer(2), color = select->integer(3);
        const auto name = select->text(1);
        const auto expected = static_cast<std::int64_t>(materials.size());
        if (!id || *id != expected) {
            return database.damaged("table material: id %lld, expected %lld",
                                    static_cast<long long>(id.value_or(-1)),
                                    static_cast<long long>(expected));
        }
        const int number = static_cast<int>(expected);
        if (!name) return database.damaged("material %d: the name is not a text", number);
        if (!kind || *kind < 0 || *kind > 2) {
            return database.damaged("material %d: kind %lld, expected 0 to 2", number,
                                    static_cast<long long>(kind.value_or(-1)));
        }
        if (!color || *color < 0 || *color > 0xffffff) {
            return database.damaged("material %d: color %lld, expected 0 to 16777215", number,
                                    static_cast<long long>(color.value_or(-1)));
        }
        Material material;
        material.name = *name;
        material.kind = static_cast<MaterialKind>(*kind);
        material.color = {static_cast<std::uint8_t>(*color >> 16),
                          static_cast<std::uint8_t>(*color >> 8 & 0xff),
                          static_cast<std::uint8_t>(*color & 0xff)};
        materials.push_back(std::move(material));
    }
    return materials;
}

}  // namespace

Result<void> writeSchema(Database& database, const GridPlacement& placement, const MaterialTable& materials) {
    if (Result<void> made = database.execute(kSchema, "making the tables"); !made) return made;
    Result<Statement> world = Statement::prepare(
        database, "INSERT INTO world VALUES (1, 32, ?, ?, ?, ?, 0, ?)", "writing the placement");
    if (!world) return world.error();
    world->bind(0, placement.cellSize);
    world->bind(1, placement.origin.x);
    world->bind(2, placement.origin.y);
    world->bind(3, placement.origin.z);
    world->bind(4, checksumOf(placement, materials));
    if (Result<void> written = world->run(); !written) return written;
    Result<Statement> insert =
        Statement::prepare(database, "INSERT INTO material VALUES (?, ?, ?, ?)", "writing the materials");
    if (!insert) return insert.error();
    for (std::size_t i = 0; i < materials.size(); ++i) {
        const Material& material = materials[static_cast<MaterialId>(i)];
        insert->bind(0, static_cast<std::int64_t>(i));
        insert->bind(1, std::string_view(material.name));
        insert->bind(2, static_cast<std::int64_t>(material.kind));
        insert->bind(3, std::int64_t{material.color[0]} << 16 | std::int64_t{material.color[1]} << 8 |
                            std::int64_t{material.color[2]});
        if (Result<void> written = insert->run(); !written) return written;
    }
    return {};
}

Result<void> checkIdentity(Database& database) {
    const Result<std::int64_t> id = database.number("PRAGMA application_id", "reading the header");
    if (!id) return id.error();
    if (*id != kApplicationId) {
        return database.damaged("not a voxel store: application id 0x%08llx, expected 0x%08llx",
                                static_cast<unsigned long long>(*id & 0xffffffff),
                                static_cast<unsigned long long>(kApplicationId));
    }
    const Result<std::int64_t> version = database.number("PRAGMA user_version", "reading the header");
    if (!version) return version.error();
    if (*version != kVersion) {
        return makeError(ErrorCode::Unsupported, "voxel store %s: version %lld, this reads %lld",
                         database.path().c_str(), static_cast<long long>(*version),
                         static_cast<long long>(kVersion));
    }
    return {};
}

Result<World> readWorld(Database& database) {
    Result<Statement> select = Statement::prepare(database,
                                                  "SELECT chunk_size, cell_size, origin_x, origin_y, "
                                                  "origin_z, revision, checksum FROM world WHERE id = 1",
                                                  "reading the placement");
    if (!select) return select.error();
    const Result<bool> row = select->step();
    if (!row) return row.error();
    if (!*row) return database.damaged("table world is empty");
    const auto chunkSize = select->integer(0), revision = select->integer(5);
    if (!chunkSize || *chunkSize != kChunkSize) {
        return database.damaged("table world: chunk_size %lld, expected %d",
                                static_cast<long long>(chunkSize.value_or(-1)), kChunkSize);
    }
    // The next one must fit, too.
    if (!revision || *revision < 0 || *revision == INT64_MAX) {
        return database.damaged("table world: revision %lld, expected 0 to 2^63 - 2",
                                static_cast<long long>(revision.value_or(-1)));
    }
    World world;
    world.revision = static_cast<StoreRevision>(*revision);
    const char* const names[] = {"cell_size", "origin_x", "origin_y", "origin_z"};
    double* const fields[] = {&world.placement.cellSize, &world.placement.origin.x, &world.placement.origin.y,
                              &world.placement.origin.z};
    for (int i = 0; i < 4; ++i) {
        const auto value = select->real(i + 1);
        if (!value || !std::isfinite(*value) || (i == 0 && *value <= 0)) {
            return database.damaged("table world: %s is %g, expected a finite number%s", names[i],
                                    value.value_or(NAN), i == 0 ? " above 0" : "");
        }
        *fields[i] = *value;
    }
    Result<std::vector<Material>> entries = readMaterials(database);
    if (!entries) return entries.error();
    Result<MaterialTable> materials = MaterialTable::create(*entries);
    if (!materials) return database.damaged("table material: %s", materials.error().message.c_str());
    world.materials = *materials;
    if (select->integer(6) != checksumOf(world.placement, world.materials)) {
        return database.damaged("table world: wrong checksum of the placement and the materials");
    }
    return world;
}

Result<void> writeRevision(Database& database, StoreRevision revision) {
    Result<Statement> update =
        Statement::prepare(database, "UPDATE world SET revision = ? WHERE id = 1", "writing the revision");
    if (!update) return update.error();
    update->bind(0, static_cast<std::int64_t>(revision));
    return update->run();
}

}  // namespace karst::voxel
