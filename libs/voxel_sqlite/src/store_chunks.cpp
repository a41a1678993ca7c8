#include "store_chunks.h"

#include <karst/base/byte_writer.h>
#include <karst/base/checksum.h>
#include <karst/voxel/chunk_codec.h>

#include <algorithm>

namespace karst::voxel {
namespace {

// Chunks are coded by several workers, this many at a time, while one talks to the database.
constexpr std::size_t kBatch = 256, kGrain = 8;

// The conditions of a box; the parameters are its bounds.
constexpr const char* kInBox = " WHERE y >= ? AND y < ? AND z >= ? AND z < ? AND x >= ? AND x < ?";

void bindBox(Statement& statement, const ChunkBox& box) {
    const std::int32_t bounds[] = {box.min.y, box.max.y, box.min.z, box.max.z, box.min.x, box.max.x};
    for (int i = 0; i < 6; ++i)
        statement.bind(i, std::int64_t{bounds[i]});
}

void bindCoord(Statement& statement, ChunkCoord coord) {
    statement.bind(0, std::int64_t{coord.y});
    statement.bind(1, std::int64_t{coord.z});
    statement.bind(2, std::int64_t{coord.x});
}

Result<ChunkCoord> readCoord(const Database& database, const Statement& row) {
    std::int32_t coord[3];
    for (int i = 0; i < 3; ++i) {
        const auto value = row.integer(i);
        if (!value) return database.damaged("table chunk: a coordinate that is no integer");
        if (*value < -kChunkLimit || *value >= kChunkLimit) {
            return database.damaged("table chunk: coordinate %c is %lld, expected %d to %d", "yzx"[i],
                                    static_cast<long long>(*value), -kChunkLimit, kChunkLimit - 1);
        }
        coord[i] = static_cast<std::int32_t>(*value);
    }
    return ChunkCoord{coord[2], coord[0], coord[1]};
}

struct CodedChunk {
    ChunkCoord coord;
    std::int64_t checksum = 0;
    std::vector<std::byte> bytes;
};

// Covers the place too, so that damage cannot move a chunk.
std::int64_t checksumOf(ChunkCoord coord, std::span<const std::byte> cells) {
    std::vector<std::byte> place;
    ByteWriter writer(place);
    writer.i32(coord.y);
    writer.i32(coord.z);
    writer.i32(coord.x);
    return static_cast<std::int64_t>(xxh64(cells, xxh64(place)));
}

// Decodes a batch and appends it; the error is the one of the first chunk that has one.
Result<void> decodeBatch(const Database& database, std::span<const CodedChunk> batch,
                         std::size_t materialCount, const Externals& externals,
                         std::vector<ChunkReplacement>& out) {
    std::vector<std::optional<Result<ChunkRef>>> decoded(batch.size());
    externals.jobs->parallelFor(batch.size(), kGrain, [&](std::size_t begin, std::size_t end) {
        ChunkCodecScratch scratch;
        for (std::size_t i = begin; i < end; ++i)
            decoded[i] = decodeChunk(batch[i].bytes, materialCount, scratch, *externals.allocator);
    });
    for (std::size_t i = 0; i < batch.size(); ++i) {
        const ChunkCoord c = batch[i].coord;
        if (!decoded[i]->ok()) {
            const Error& error = decoded[i]->error();
            return makeError(error.code, "voxel store %s: chunk (%d, %d, %d): %s", database.path().c_str(),
                             c.x, c.y, c.z, error.message.c_str());
        }
        if (batch[i].checksum != checksumOf(c, batch[i].bytes)) {
            return database.damaged("chunk (%d, %d, %d): wrong checksum of its place and cells", c.x, c.y,
                                    c.z);
        }
        const ChunkRef& cells = **decoded[i];
        if (cells->uniform() && cells->uniformCell().empty()) {
            return database.damaged("chunk (%d, %d, %d) is empty, which is not stored", c.x, c.y, c.z);
        }
        out.push_back({c, cells});
    }
    return {};
}

}  // namespace

Result<std::vector<ChunkReplacement>> readChunks(Database& database, const std::optional<ChunkBox>& box,
                                                 std::size_t materialCount, const Externals& externals) {
    const std::string sql =
        std::string("SELECT y, z, x, checksum, cells FROM chunk") + (box ? kInBox : "") + " ORDER BY y, z, x";
    Result<Statement> select = Statement::prepare(database, sql.c_str(), "reading the chunks");
    if (!select) return select.error();
    if (box) bindBox(*select, *box);
    std::vector<ChunkReplacement> chunks;
    std::vector<CodedChunk> batch;
    std::optional<ChunkCoord> last;
    for (bool more = true; more;) {
        const Result<bool> row = select->step();
        if (!row) return row.error();
        more = *row;
        if (more) {
            const Result<ChunkCoord> coord = readCoord(database, *select);
            if (!coord) return coord.error();
            const auto cells = select->blob(4);
            if (!cells) {
                return database.damaged("chunk (%d, %d, %d): the cells are not a blob", coord->x, coord->y,
                                        coord->z);
            }
            // A damaged index may give rows twice, or in circles.
            if (last && !(*last < *coord)) {
                return database.damaged("chunk (%d, %d, %d) comes after (%d, %d, %d)", coord->x, coord->y,
                                        coord->z, last->x, last->y, last->z);
            }
            last = *coord;
            if (cells->size() > kMaxChunkBytes) {
                return database.damaged("chunk (%d, %d, %d): %zu bytes, at most %zu are possible", coord->x,
                                        coord->y, coord->z, cells->size(), kMaxChunkBytes);
            }
            const auto checksum = select->integer(3);
            if (!checksum) {
                return database.damaged("chunk (%d, %d, %d): the checksum is no integer", coord->x, coord->y,
                                        coord->z);
            }
            batch.push_back({*coord, *checksum, {cells->begin(), cells->end()}});
        }
        if (batch.size() == kBatch || !more) {
            if (Result<void> decoded = decodeBatch(database, batch, materialCount, externals, chunks);
                !decoded)
                return decoded.error();
            batch.clear();
        }
    }
    return chunks;
}

Result<void> removeChunks(Database& database, const std::optional<ChunkBox>& box) {
    const std::string sql = std::string("DELETE FROM chunk") + (box ? kInBox : "");
    Result<Statement> remove = Statement::prepare(database, sql.c_str(), "removing chunks");
    if (!remove) return remove.error();
    if (box) bindBox(*remove, *box);
    return remove->run();
}

Result<void> removeChunks(Database& database, std::span<const ChunkCoord> chunks) {
    Result<Statement> remove =
        Statement::prepare(database, "DELETE FROM chunk WHERE y = ? AND z = ? AND x = ?", "removing chunks");
    if (!remove) return remove.error();
    for (const ChunkCoord coord : chunks) {
        bindCoord(*remove, coord);
        if (Result<void> removed = remove->run(); !removed) return removed;
    }
    return {};
}

Result<void> writeChunks(Database& database, std::span<const ChunkReplacement> chunks, StoreRevision revision,
                         const Externals& externals) {
    Result<Statement> insert = Statement::prepare(
        database,
        "INSERT INTO chunk (y, z, x, revision, checksum, cells) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (y, z, "
        "x)"
        " DO UPDATE SET revision = excluded.revision, checksum = excluded.checksum, cells = excluded.cells",
        "writing chunks");
    if (!insert) return insert.error();
    std::vector<std::vector<std::byte>> coded(std::min(kBatch, chunks.size()));
    for (std::size_t at = 0; at < chunks.size(); at += kBatch) {
        const auto batch = chunks.subspan(at, std::min(kBatch, chunks.size() - at));
        externals.jobs->parallelFor(batch.size(), kGrain, [&](std::size_t begin, std::size_t end) {
            ChunkCodecScratch scratch;
            for (std::size_t i = begin; i < end; ++i)
                encodeChunk(*batch[i].cells, scratch, coded[i]);
        });
        for (std::size_t i = 0; i < batch.size(); ++i) {
            bindCoord(*insert, batch[i].chunk);
            insert->bind(3, static_cast<std::int64_t>(revision));
            insert->bind(4, checksumOf(batch[i].chunk, coded[i]));
            insert->bind(5, std::span<const std::byte>(coded[i]));
            if (Result<void> written = insert->run(); !written) return written;
        }
    }
    return {};
}

Result<void> summariseChunks(Database& database, StoreInfo& info) {
    Result<Statement> select = Statement::prepare(
        database,
        "SELECT min(y), min(z), min(x), max(y), max(z), max(x), count(*), sum(length(cells)) FROM chunk",
        "counting the chunks");
    if (!select) return select.error();
    const Result<bool> row = select->step();
    if (!row) return row.error();
    info.chunkCount = static_cast<std::uint64_t>(select->integer(6).value_or(0));
    if (info.chunkCount == 0) return {};
    info.chunkBytes = static_cast<std::uint64_t>(select->integer(7).value_or(0));
    std::int32_t bounds[6];
    for (int i = 0; i < 6; ++i) {
        const auto value = select->integer(i);
        if (!value || *value < -kChunkLimit || *value >= kChunkLimit) {
            return database.damaged("table chunk: a coordinate %c is not within %d to %d", "yzxyzx"[i],
                                    -kChunkLimit, kChunkLimit - 1);
        }
        bounds[i] = static_cast<std::int32_t>(*value);
    }
    info.chunkBounds = {{bounds[2], bounds[0], bounds[1]}, {bounds[5] + 1, bounds[3] + 1, bounds[4] + 1}};
    return {};
}

}  // namespace karst::voxel
