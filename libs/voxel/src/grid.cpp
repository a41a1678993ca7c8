#include <karst/voxel/grid.h>

#include <cmath>

#include "grid_state.h"

namespace karst::voxel {

Grid::State::State(const Externals& ext, const GridPlacement& place, const MaterialTable& table,
                   std::uint32_t capacity, const ChunkMap& map, Revision first)
    : externals(ext),
      placement(place),
      materials(table),
      generation(std::make_shared<const char>()),
      revision(first),
      firstRevision(first),
      chunks(map),
      removals(capacity, first) {}

Grid::State::~State() {
    if (scratch) externals.allocator->deallocate(scratch, kCellArrayBytes, alignof(Cell));
}

Grid::Grid(std::unique_ptr<State> state) : m_state(std::move(state)) {}
Grid::Grid(Grid&&) noexcept = default;
Grid& Grid::operator=(Grid&&) noexcept = default;
Grid::~Grid() = default;

Result<Grid> Grid::create(const GridDefinition& definition, const Externals& externals) {
    const GridPlacement& placement = definition.placement;
    if (!std::isfinite(placement.cellSize) || placement.cellSize <= 0) {
        return makeError(ErrorCode::InvalidArgument, "grid: cell size %g, expected a finite one above 0",
                         placement.cellSize);
    }
    if (!isFinite(placement.origin)) {
        return makeError(ErrorCode::InvalidArgument, "grid: origin (%g, %g, %g) is not finite",
                         placement.origin.x, placement.origin.y, placement.origin.z);
    }
    if (definition.removalLogCapacity == 0) {
        return makeError(ErrorCode::InvalidArgument, "grid: removal log capacity 0, expected at least 1");
    }
    return Grid(std::make_unique<State>(externals, placement, definition.materials,
                                        definition.removalLogCapacity, ChunkMap(*externals.allocator), 0));
}

Grid Grid::clone() const {
    return Grid(std::make_unique<State>(m_state->externals, m_state->placement, m_state->materials,
                                        m_state->removals.capacity(), m_state->chunks, m_state->revision));
}

const GridGeneration& Grid::generation() const {
    return m_state->generation;
}

Revision Grid::revision() const {
    return m_state->revision;
}

const GridPlacement& Grid::placement() const {
    return m_state->placement;
}

const MaterialTable& Grid::materials() const {
    return m_state->materials;
}

const Externals& Grid::externals() const {
    return m_state->externals;
}

Cell Grid::cell(CellCoord cell) const {
    const Chunk* found = chunk(chunkOf(cell));
    return found ? found->cell(cellIndex(cell)) : Cell{};
}

const Chunk* Grid::chunk(ChunkCoord coord) const {
    return m_state->chunks.chunk(coord);
}

std::size_t Grid::chunkCount() const {
    return m_state->chunks.count();
}

std::size_t Grid::memoryBytes() const {
    return sizeof(State) + m_state->chunks.memoryBytes() + m_state->histories.memoryBytes() +
           m_state->removals.memoryBytes() + (m_state->scratch ? kCellArrayBytes : 0);
}

GridSnapshot Grid::snapshot() const {
    const StdAllocator<ChunkMap> allocator(*m_state->externals.allocator);
    return GridSnapshot(*this, std::allocate_shared<const ChunkMap>(allocator, m_state->chunks));
}

GridSnapshot Grid::snapshot(std::span<const ChunkCoord> chunks) const {
    Allocator& allocator = *m_state->externals.allocator;
    const auto map = std::allocate_shared<ChunkMap>(StdAllocator<ChunkMap>(allocator), allocator);
    for (const ChunkCoord c : chunks) {
        for (std::int32_t i = 0; i < 27; ++i) {
            const ChunkCoord near{c.x + i % 3 - 1, c.y + i / 9 - 1, c.z + i / 3 % 3 - 1};
            const ChunkRecord* record = m_state->chunks.find(near);
            if (!record) continue;
            ChunkRecord& own = map->write(near, record->revision);
            if (!own.chunk) own = *record;
        }
    }
    return GridSnapshot(*this, map);
}

}  // namespace karst::voxel
