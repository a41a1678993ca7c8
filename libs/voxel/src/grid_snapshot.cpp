#include <karst/voxel/grid.h>

#include <algorithm>
#include <vector>

#include "chunk_map.h"

namespace karst::voxel {

GridSnapshot::GridSnapshot() = default;

GridSnapshot::GridSnapshot(const Grid& grid, std::shared_ptr<const ChunkMap> chunks)
    : m_chunks(std::move(chunks)),
      m_generation(grid.generation()),
      m_revision(grid.revision()),
      m_placement(grid.placement()),
      m_materials(grid.materials()) {}

const Chunk* GridSnapshot::chunk(ChunkCoord coord) const {
    return m_chunks ? m_chunks->chunk(coord) : nullptr;
}

ChunkRef GridSnapshot::chunkRef(ChunkCoord coord) const {
    const ChunkRecord* record = m_chunks ? m_chunks->find(coord) : nullptr;
    return record ? record->chunk : ChunkRef();
}

Revision GridSnapshot::chunkRevision(ChunkCoord coord) const {
    const ChunkRecord* record = m_chunks ? m_chunks->find(coord) : nullptr;
    return record ? record->revision : 0;
}

Cell GridSnapshot::cell(CellCoord cell) const {
    const Chunk* found = chunk(chunkOf(cell));
    return found ? found->cell(cellIndex(cell)) : Cell{};
}

std::size_t GridSnapshot::chunkCount() const {
    return m_chunks ? m_chunks->count() : 0;
}

void GridSnapshot::forEachChunk(FunctionRef<void(ChunkCoord, const Chunk&)> visit) const {
    if (!m_chunks) return;
    std::vector<const ChunkRecord*> records;
    records.reserve(m_chunks->count());
    m_chunks->forEach([&](const ChunkRecord& record) { records.push_back(&record); });
    std::sort(records.begin(), records.end(),
              [](const ChunkRecord* a, const ChunkRecord* b) { return a->coord < b->coord; });
    for (const ChunkRecord* record : records)
        visit(record->coord, *record->chunk);
}

void GridSnapshot::forEachChunkUnordered(FunctionRef<void(ChunkCoord, const Chunk&)> visit) const {
    if (m_chunks) m_chunks->forEach([&](const ChunkRecord& record) { visit(record.coord, *record.chunk); });
}

CellBox GridSnapshot::chunkBounds() const {
    CellBox bounds;
    if (!m_chunks) return bounds;
    m_chunks->forEach([&](const ChunkRecord& record) { bounds = unite(bounds, chunkBox(record.coord)); });
    return bounds;
}

std::size_t GridSnapshot::memoryBytes() const {
    return sizeof(GridSnapshot) + (m_chunks ? m_chunks->memoryBytes() : 0);
}

}  // namespace karst::voxel
