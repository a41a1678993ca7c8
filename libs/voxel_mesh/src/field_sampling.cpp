#include "chunk_neighborhood.h"

#include <karst/base/assert.h>
#include <karst/voxel_mesh/field_sampling.h>

#include <algorithm>
#include <cstring>

namespace karst::voxel_mesh {
namespace {

using voxel::Cell;
using voxel::ChunkCoord;
using voxel::GridSnapshot;
using voxel::kChunkSize;
using voxel::MaterialId;

// What the kind of a chunk alone says: a uniform one is all air or all solid at every level.
FieldContent kindOf(const GridSnapshot& grid, ChunkCoord coord) {
    const voxel::Chunk* chunk = grid.chunk(coord);
    if (!chunk) return FieldContent::AllAir;
    if (!chunk->uniform()) return FieldContent::Mixed;
    return grid.materials().solidOccupancy(chunk->uniformCell()) >= 128 ? FieldContent::AllSolid
                                                                        : FieldContent::AllAir;
}

// Of all samples that the chunk's own edges touch: its own and the first ones of three neighbours.
FieldContent kindOfOwned(const GridSnapshot& grid, ChunkCoord c) {
    const FieldContent kind = kindOf(grid, c);
    if (kind == FieldContent::Mixed) return kind;
    for (const ChunkCoord next :
         {ChunkCoord{c.x + 1, c.y, c.z}, ChunkCoord{c.x, c.y + 1, c.z}, ChunkCoord{c.x, c.y, c.z + 1}}) {
        if (kindOf(grid, next) != kind) return FieldContent::Mixed;
    }
    return kind;
}

// `count` cells of one source, of the row that starts at `row` in its array.
void readPart(const ChunkSource& source, const CellChannel& channel, std::int32_t row, int first, int count,
              std::uint8_t* samples, MaterialId* ids) {
    if (source.cells) {
        channel.read(source.cells + row + first, count, samples, ids);
        return;
    }
    std::memset(samples, source.occupancy, static_cast<std::size_t>(count));
    if (ids) std::memset(ids, source.material, static_cast<std::size_t>(count));
}

void readCells(const ChunkNeighborhood& around, const CellChannel& channel, std::uint8_t* samples,
               MaterialId* ids) {
    constexpr int kPad = kFieldPadding, kEnd = kChunkSize + kPad, kStride = kChunkSize + 2 * kPad;
    constexpr std::size_t kLayer = kStride * kStride;
    const auto third = [](int c) { return c < 0 ? 0 : c < kChunkSize ? 1 : 2; };
    for (int y = -kPad; y < kEnd; ++y) {
        for (int z = -kPad; z < kEnd;) {
            const ChunkSource* row = around.row(third(y), third(z));
            const int zEnd = z < 0 ? 0 : z < kChunkSize ? kChunkSize : kEnd;
            if (!row[0].cells && !row[1].cells && !row[2].cells && row[0].occupancy == row[1].occupancy &&
                row[1].occupancy == row[2].occupancy && row[0].material == row[1].material &&
                row[1].material == row[2].material) {
                const std::size_t count = static_cast<std::size_t>(zEnd - z) * kStride;
                std::memset(samples, row[0].occupancy, count);
                samples += count;
                if (ids) {
                    std::memset(ids, row[0].material, count);
                    ids += count;
                }
                z = zEnd;
                continue;
            }
            for (; z < zEnd; ++z, samples += kStride) {
                const std::int32_t first = voxel::cellIndex(0, y, z);
                readPart(row[0], channel, first, kChunkSize - kPad, kPad, samples, ids);
                readPart(row[1], channel, first, 0, kChunkSize, samples + kPad, ids ? ids + kPad : nullptr);
                readPart(row[2], channel, first, 0, kPad, samples + kPad + kChunkSize,
                         ids ? ids + kPad + kChunkSize : nullptr);
                if (ids) ids += kStride;
            }
        }
    }
    static_assert(kLayer * kStride == kMaxFieldSamples);
}

// Whether the samples from 0 to size are all on one side.
FieldContent contentOf(const std::uint8_t* samples, int size) {
    const int stride = size + 2 * kFieldPadding;
    unsigned any = 0, all = 0xff;
    for (int y = 0; y <= size; ++y) {
        for (int z = 0; z <= size; ++z) {
            const std::uint8_t* row =
                samples + kFieldPadding + stride * ((z + kFieldPadding) + stride * (y + kFieldPadding));
            unsigned rowAny = row[size], rowAll = row[size];
            for (int x = 0; x < size; ++x) {
                rowAny |= row[x];
                rowAll &= row[x];
            }
            any |= rowAny;
            all &= rowAll;
        }
        if ((any & 0x80) != 0 && (all & 0x80) == 0) return FieldContent::Mixed;
    }
    return (any & 0x80) == 0 ? FieldContent::AllAir : FieldContent::AllSolid;
}

}  // namespace

FieldContent samplePaddedField(const GridSnapshot& grid, ChunkCoord chunk, int level,
                               std::span<std::uint8_t> samples, std::span<MaterialId> materials,
                               std::span<std::uint8_t> water, const MaterialVote& vote) {
    KARST_ASSERT(level >= 0 && level < kMeshLevels);
    KARST_ASSERT(vote.exposed >= 1 && vote.buried >= 1);
    const int size = samplesPerAxis(level), stride = size + 2 * kFieldPadding;
    const auto count = static_cast<std::size_t>(stride) * static_cast<std::size_t>(stride) *
                       static_cast<std::size_t>(stride);
    KARST_ASSERT(samples.size() >= count && (materials.empty() || materials.size() >= count) &&
                 (water.empty() || water.size() >= count));

    if (!water.empty()) {
        const CellChannel channel(grid.materials(), voxel::MaterialKind::Water);
        const ChunkNeighborhood around(grid, chunk, channel);
        if (level == 0) {
            readCells(around, channel, water.data(), nullptr);
        } else {
            averageBlocks(around, channel, level, water.data(), nullptr);
        }
    }

    const FieldContent kind = kindOfOwned(grid, chunk);
    if (kind != FieldContent::Mixed) return kind;
    const CellChannel channel(grid.materials(), voxel::MaterialKind::Solid);
    const ChunkNeighborhood around(grid, chunk, channel);
    MaterialId* const ids = materials.empty() ? nullptr : materials.data();
    if (level == 0) {
        readCells(around, channel, samples.data(), ids);
        return contentOf(samples.data(), size);
    }
    BlockBits bits;
    averageBlocks(around, channel, level, samples.data(), ids ? &bits : nullptr);
    const FieldContent content = contentOf(samples.data(), size);
    if (ids && content == FieldContent::Mixed) voteMaterials(around, level, samples.data(), bits, vote, ids);
    return content;
}

bool mayOwnSurface(const GridSnapshot& grid, ChunkCoord chunk) {
    return kindOfOwned(grid, chunk) == FieldContent::Mixed;
}

std::vector<ChunkCoord> meshCandidates(const GridSnapshot& grid) {
    std::vector<ChunkCoord> written;
    written.reserve(grid.chunkCount());
    grid.forEachChunk([&](ChunkCoord coord, const voxel::Chunk&) { written.push_back(coord); });

    // Moving all of a sorted list by one step keeps its order, so four readers of it merge into one.
    constexpr ChunkCoord kSteps[4] = {{0, 0, 0}, {-1, 0, 0}, {0, -1, 0}, {0, 0, -1}};
    std::size_t next[4] = {};
    const auto at = [&](int reader) {
        const ChunkCoord c = written[next[reader]], step = kSteps[reader];
        return ChunkCoord{c.x + step.x, c.y + step.y, c.z + step.z};
    };
    std::vector<ChunkCoord> out;
    for (;;) {
        int least = -1;
        for (int reader = 0; reader < 4; ++reader) {
            if (next[reader] < written.size() && (least < 0 || at(reader) < at(least))) least = reader;
        }
        if (least < 0) return out;
        const ChunkCoord coord = at(least);
        for (int reader = 0; reader < 4; ++reader) {
            if (next[reader] < written.size() && at(reader) == coord) ++next[reader];
        }
        if (mayOwnSurface(grid, coord)) out.push_back(coord);
    }
}

}  // namespace karst::voxel_mesh
