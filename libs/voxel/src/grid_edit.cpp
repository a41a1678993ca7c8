#include <algorithm>

#include "grid_state.h"

namespace karst::voxel {
namespace {

constexpr std::int32_t kChunkLimit = kCellLimit / kChunkSize;

bool inLimits(CellCoord c) {
    const auto inside = [](std::int32_t v) { return v >= -kCellLimit && v < kCellLimit; };
    return inside(c.x) && inside(c.y) && inside(c.z);
}

Error unknownMaterial(CellCoord cell, MaterialId material, std::size_t count) {
    return makeError(ErrorCode::InvalidArgument,
                     "voxel edit: unknown material %d in cell (%d, %d, %d); the table has %zu", material,
                     cell.x, cell.y, cell.z, count);
}

CellBox toLocal(const CellBox& box, CellCoord first) {
    return {{box.min.x - first.x, box.min.y - first.y, box.min.z - first.z},
            {box.max.x - first.x, box.max.y - first.y, box.max.z - first.z}};
}

CellBox toGrid(const CellBox& local, CellCoord first) {
    return toLocal(local, {-first.x, -first.y, -first.z});
}

}  // namespace

Cell* Grid::State::scratchCells() {
    if (!scratch) {
        scratch = static_cast<Cell*>(externals.allocator->allocate(kCellArrayBytes, alignof(Cell)));
        std::fill_n(scratch, kChunkCellCount, Cell{});
    }
    return scratch;
}

Chunk* Grid::State::writable(ChunkCoord coord) const {
    const ChunkRecord* record = chunks.findOwned(coord);
    if (!record || !record->chunk->unshared() || record->chunk->uniform()) return nullptr;
    return record->chunk.m_chunk;
}

void Grid::State::stage(ChunkCoord coord, const Chunk* before, const CellBox& local,
                        const BlockDifference& difference, bool undo) {
    if (const auto uniform = uniformAfter(before, scratch, local)) {
        ChunkRef cells;
        if (!uniform->empty()) cells = Chunk::makeUniform(*uniform, *externals.allocator);
        stageReplacement(coord, std::move(cells), difference);
        return;
    }
    if (Chunk* chunk = writable(coord)) {
        if (undo) {
            const std::size_t first = undoCells.size();
            undos.push_back({chunk, difference.bounds, first});
            undoCells.resize(first + static_cast<std::size_t>(difference.bounds.cellCount()));
            packBlock(chunk->m_cells, difference.bounds, undoCells.data() + first);
        }
        copyBlock(scratch, chunk->m_cells, difference.bounds);
        stageReplacement(coord, ChunkRef(), difference);
        updates.back().inPlace = true;
        return;
    }
    Chunk* chunk = Chunk::makeArray(*externals.allocator);
    if (local == kWholeChunk) {
        copyBlock(scratch, chunk->m_cells, kWholeChunk);
    } else {
        readBlock(before, kWholeChunk, chunk->m_cells);
        copyBlock(scratch, chunk->m_cells, difference.bounds);
    }
    stageReplacement(coord, ChunkRef(chunk), difference);
}

void Grid::State::stageReplacement(ChunkCoord coord, ChunkRef cells, const BlockDifference& difference) {
    updates.push_back({coord, std::move(cells), false, difference.bounds});
    staged.changedCells += difference.count;
    staged.bounds = unite(staged.bounds, toGrid(difference.bounds, firstCell(coord)));
}

void Grid::State::takeBack() {
    for (const Undo& entry : undos)
        unpackBlock(undoCells.data() + entry.firstCell, entry.local, entry.chunk->m_cells);
    forgetStaged();
}

void Grid::State::forgetStaged() {
    updates.clear();
    undos.clear();
    undoCells.clear();
    // What one huge edit needed is not kept for the small ones.
    constexpr std::size_t kKeptCells = 1 << 20;
    if (undoCells.capacity() > kKeptCells) undoCells.shrink_to_fit();
    staged = {};
}

EditSummary Grid::State::commit() {
    if (!updates.empty()) ++revision;
    for (Update& update : updates) {
        if (!update.inPlace && !update.cells) {
            const ChunkRecord* record = chunks.find(update.chunk);
            if (record->revision > firstRevision) histories.release(record->history);
            chunks.remove(update.chunk);
            removals.add(revision, update.chunk);
            continue;
        }
        ChunkRecord& record = chunks.write(update.chunk, revision);
        if (!record.chunk) {
            // To any reader it is new as a whole.
            record.history = histories.add(EditHistory());
            histories[record.history].add(revision, kWholeChunk);
        } else {
            if (record.revision <= firstRevision)
                record.history = histories.add(EditHistory(record.revision));
            histories[record.history].add(revision, update.local);
        }
        record.revision = revision;
        if (!update.inPlace) record.chunk = std::move(update.cells);
    }
    EditSummary summary = staged;
    summary.revision = revision;
    forgetStaged();
    return summary;
}

Result<EditSummary> Grid::edit(const CellBox& box, FunctionRef<void(const EditBlock&)> change) {
    State& state = *m_state;
    if (box.empty()) return state.commit();
    const CellCoord last{box.max.x - 1, box.max.y - 1, box.max.z - 1};
    if (!inLimits(box.min) || !inLimits(last)) {
        return makeError(ErrorCode::InvalidArgument,
                         "voxel edit: box (%d, %d, %d) to (%d, %d, %d) is outside of +-%d cells", box.min.x,
                         box.min.y, box.min.z, box.max.x, box.max.y, box.max.z, kCellLimit);
    }
    const ChunkCoord low = chunkOf(box.min), high = chunkOf(last);
    Cell* scratch = state.scratchCells();
    const std::size_t materialCount = state.materials.size();
    for (std::int32_t y = low.y; y <= high.y; ++y) {
        for (std::int32_t z = low.z; z <= high.z; ++z) {
            for (std::int32_t x = low.x; x <= high.x; ++x) {
                const ChunkCoord coord{x, y, z};
                const Chunk* before = state.chunks.chunk(coord);
                EditBlock block{coord, intersect(box, chunkBox(coord)), scratch, std::nullopt};
                if (!before || before->uniform()) block.uniform = before ? before->uniformCell() : Cell{};
                const CellBox local = toLocal(block.box, firstCell(coord));
                readBlock(before, local, scratch);
                change(block);
                const BlockDifference difference = compareBlock(before, scratch, local, materialCount);
                if (difference.unknown) {
                    const CellCoord at = *difference.unknown, first = firstCell(coord);
                    state.takeBack();
                    return unknownMaterial({first.x + at.x, first.y + at.y, first.z + at.z},
                                           scratch[cellIndex(at)].material, materialCount);
                }
                // Nothing can fail after the last chunk.
                const bool undo = materialCount < 256 && !(coord == high);
                if (difference.count > 0) state.stage(coord, before, local, difference, undo);
            }
        }
    }
    return state.commit();
}

Result<EditSummary> Grid::setCell(CellCoord coord, Cell cell) {
    State& state = *m_state;
    if (!inLimits(coord)) {
        return makeError(ErrorCode::InvalidArgument, "voxel edit: cell (%d, %d, %d) is outside of +-%d cells",
                         coord.x, coord.y, coord.z, kCellLimit);
    }
    cell = canonical(cell);
    if (!state.materials.contains(cell.material)) {
        return unknownMaterial(coord, cell.material, state.materials.size());
    }
    const ChunkCoord chunk = chunkOf(coord);
    const Chunk* before = state.chunks.chunk(chunk);
    const std::int32_t index = cellIndex(coord);
    if ((before ? before->cell(index) : Cell{}) == cell) return state.commit();
    const CellBox local = toLocal({coord, {coord.x + 1, coord.y + 1, coord.z + 1}}, firstCell(chunk));
    state.scratchCells()[index] = cell;
    state.stage(chunk, before, local, {1, local, {}}, false);
    return state.commit();
}

Result<EditSummary> Grid::replaceChunks(std::span<const ChunkReplacement> chunks) {
    State& state = *m_state;
    std::vector<const ChunkReplacement*> ordered;
    ordered.reserve(chunks.size());
    for (const ChunkReplacement& replacement : chunks) {
        const ChunkCoord c = replacement.chunk;
        const auto inside = [](std::int32_t v) { return v >= -kChunkLimit && v < kChunkLimit; };
        if (!inside(c.x) || !inside(c.y) || !inside(c.z)) {
            return makeError(ErrorCode::InvalidArgument,
                             "voxel edit: chunk (%d, %d, %d) is outside of +-%d chunks", c.x, c.y, c.z,
                             kChunkLimit);
        }
        ordered.push_back(&replacement);
    }
    std::sort(ordered.begin(), ordered.end(),
              [](const ChunkReplacement* a, const ChunkReplacement* b) { return a->chunk < b->chunk; });
    for (std::size_t i = 0; i < ordered.size(); ++i) {
        const ChunkCoord c = ordered[i]->chunk;
        if (i > 0 && ordered[i - 1]->chunk == c) {
            state.takeBack();
            return makeError(ErrorCode::InvalidArgument, "voxel edit: chunk (%d, %d, %d) is given twice", c.x,
                             c.y, c.z);
        }
        const ChunkRef& cells = ordered[i]->cells;
        const Chunk* before = state.chunks.chunk(c);
        if (cells.get() == before) continue;
        if (const auto unknown = unknownMaterialIn(cells.get(), state.materials.size())) {
            state.takeBack();
            const CellCoord first = firstCell(c);
            return unknownMaterial({first.x + unknown->x, first.y + unknown->y, first.z + unknown->z},
                                   cells->cell(cellIndex(*unknown)).material, state.materials.size());
        }
        const BlockDifference difference = compareChunks(before, cells.get());
        if (difference.count == 0) continue;
        const bool empty = !cells || (cells->uniform() && cells->uniformCell().empty());
        state.stageReplacement(c, empty ? ChunkRef() : cells, difference);
    }
    return state.commit();
}

EditSummary Grid::clear() {
    State& state = *m_state;
    std::vector<const ChunkRecord*> records;
    records.reserve(state.chunks.count());
    state.chunks.forEach([&](const ChunkRecord& record) { records.push_back(&record); });
    std::sort(records.begin(), records.end(),
              [](const ChunkRecord* a, const ChunkRecord* b) { return a->coord < b->coord; });
    for (const ChunkRecord* record : records)
        state.stageReplacement(record->coord, ChunkRef(), compareChunks(record->chunk.get(), nullptr));
    return state.commit();
}

}  // namespace karst::voxel
