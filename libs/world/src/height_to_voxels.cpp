#include <karst/world/height_to_voxels.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace karst::world {
namespace {

using heightfield::HeightRaster;
using voxel::Cell;
using voxel::ChunkCoord;
using voxel::kChunkSize;
using voxel::MaterialId;

// Chunks min <= c < max along one axis.
struct Range {
    std::int64_t min = 0, max = 0;
    std::int64_t size() const { return max - min; }
};

// A column of cells: where its surface is, in cells of the grid, and what it is made of.
struct Column {
    double surface = 0;
    double ramp = 1;  // occupancy lost for each cell of height, of 127.5
    MaterialId top = 0, under = 0;
    bool ground = false;
};

// The raster as the grid sees it: everything in cells of the grid.
class RasterView {
  public:
    RasterView(const HeightRaster& raster, const HeightToVoxelsOptions& options,
               const voxel::GridPlacement& placement)
        : m_raster(raster), m_options(options), m_placement(placement) {
        const double cell = placement.cellSize / options.scale;
        m_stepX = std::max(cell, raster.spacingX());
        m_stepZ = std::max(cell, raster.spacingZ());
    }

    // The raster's x or z of the middle of a cell.
    double rasterX(std::int64_t cell) const {
        return (m_placement.origin.x + (static_cast<double>(cell) + 0.5) * m_placement.cellSize -
                m_options.offset.x) /
               m_options.scale;
    }
    double rasterZ(std::int64_t cell) const {
        return (m_placement.origin.z + (static_cast<double>(cell) + 0.5) * m_placement.cellSize -
                m_options.offset.z) /
               m_options.scale;
    }
    double worldHeight(double rasterHeight) const {
        return rasterHeight * m_options.heightScale * m_options.scale + m_options.offset.y;
    }
    double cellsOfHeight(double world) const { return (world - m_placement.origin.y) / m_placement.cellSize; }

    Column column(std::int64_t cellX, std::int64_t cellZ) const;

  private:
    double slopeAt(double x, double z, double height) const;

    const HeightRaster& m_raster;
    const HeightToVoxelsOptions& m_options;
    const voxel::GridPlacement& m_placement;
    double m_stepX, m_stepZ;
};

// Rise per length, from the heights a step to each side; a side without ground does not count.
double RasterView::slopeAt(double x, double z, double height) const {
    const auto along = [&](double dx, double dz, double step) {
        const auto before = m_raster.heightAt(x - dx, z - dz), after = m_raster.heightAt(x + dx, z + dz);
        const double width = step * ((before ? 1 : 0) + (after ? 1 : 0));
        return width > 0 ? (after.value_or(height) - before.value_or(height)) / width : 0.0;
    };
    const double sx = along(m_stepX, 0, m_stepX), sz = along(0, m_stepZ, m_stepZ);
    return std::sqrt(sx * sx + sz * sz) * std::abs(m_options.heightScale);
}

Column RasterView::column(std::int64_t cellX, std::int64_t cellZ) const {
    Column column;
    const double x = rasterX(cellX), z = rasterZ(cellZ);
    const std::optional<double> height = m_raster.heightAt(x, z);
    if (!height) return column;
    const double world = worldHeight(*height), slope = slopeAt(x, z, *height);
    const GroundMaterials& materials = m_options.materials;
    column.ground = true;
    column.surface = cellsOfHeight(world);
    column.ramp = 1 / std::max(1.0, slope);
    const bool steep = std::atan(slope) > materials.rockSlope;
    column.top = steep ? materials.rock : (world > materials.snowHeight ? materials.snow : materials.grass);
    column.under = steep ? materials.rock : materials.ground;
    return column;
}

// Columns with ground and over holes, and where their surfaces lie, in cells.
struct ColumnStatistics {
    std::int64_t grounds = 0, opens = 0;
    double lowest = std::numeric_limits<double>::max(), highest = std::numeric_limits<double>::lowest();
};

// The columns of cells over one chunk, from which its chunks are filled bottom to top.
class ChunkColumn {
  public:
    ChunkColumn(const RasterView& view, const HeightToVoxelsOptions& options, const Range& cellsX,
                const Range& cellsZ, std::int64_t chunkX, std::int64_t chunkZ, double cellSize);

    const ColumnStatistics& statistics() const { return m_statistics; }

    // The first chunk layer above all ground.
    std::int64_t endLayer() const;
    // All cells of the layer are deep ground.
    bool wholeAndDeep(std::int64_t layer, std::int64_t baseCell) const;
    // Raises the cells of a layer to what the ground fills.
    void fill(std::int64_t layer, std::int64_t baseCell, const voxel::MaterialTable& table,
              std::span<Cell> cells) const;

  private:
    // Cells above and below a surface that its ramp reaches.
    static double reach(const Column& column) { return 1 / column.ramp; }

    std::array<Column, kChunkSize * kChunkSize> m_columns;
    ColumnStatistics m_statistics;
    MaterialId m_deep;
    double m_topCells, m_groundCells;
    double m_reachTop = std::numeric_limits<double>::lowest();
    double m_deepTop = std::numeric_limits<double>::max();  // below it every column is full and deep
};

ChunkColumn::ChunkColumn(const RasterView& view, const HeightToVoxelsOptions& options, const Range& cellsX,
                         const Range& cellsZ, std::int64_t chunkX, std::int64_t chunkZ, double cellSize)
    : m_deep(options.materials.deep),
      m_topCells(std::max(2.0, options.materials.topDepth / cellSize)),
      m_groundCells(options.materials.groundDepth / cellSize) {
    for (std::int64_t z = 0; z < kChunkSize; ++z) {
        for (std::int64_t x = 0; x < kChunkSize; ++x) {
            const std::int64_t cellX = chunkX * kChunkSize + x, cellZ = chunkZ * kChunkSize + z;
            if (cellX < cellsX.min || cellX >= cellsX.max || cellZ < cellsZ.min || cellZ >= cellsZ.max)
                continue;
            Column& column = m_columns[static_cast<std::size_t>(x + kChunkSize * z)];
            column = view.column(cellX, cellZ);
            if (!column.ground) {
                ++m_statistics.opens;
                continue;
            }
            ++m_statistics.grounds;
            m_statistics.lowest = std::min(m_statistics.lowest, column.surface);
            m_statistics.highest = std::max(m_statistics.highest, column.surface);
            m_reachTop = std::max(m_reachTop, column.surface + reach(column));
            m_deepTop =
                std::min(m_deepTop, column.surface - std::max(reach(column), m_topCells + m_groundCells) - 1);
        }
    }
}

std::int64_t ChunkColumn::endLayer() const {
    return static_cast<std::int64_t>(std::floor((m_reachTop + 0.5) / kChunkSize)) + 1;
}

bool ChunkColumn::wholeAndDeep(std::int64_t layer, std::int64_t baseCell) const {
    return m_statistics.grounds == kChunkSize * kChunkSize && layer * kChunkSize >= baseCell &&
           static_cast<double>((layer + 1) * kChunkSize) <= m_deepTop;
}

void ChunkColumn::fill(std::int64_t layer, std::int64_t baseCell, const voxel::MaterialTable& table,
                       std::span<Cell> cells) const {
    const std::int64_t first = layer * kChunkSize;
    for (std::int32_t y = static_cast<std::int32_t>(std::max<std::int64_t>(0, baseCell - first));
         y < kChunkSize; ++y) {
        const double middle = static_cast<double>(first + y) + 0.5;
        Cell* row = cells.data() + voxel::cellIndex(0, y, 0);
        for (std::size_t i = 0; i < m_columns.size(); ++i) {
            const Column& column = m_columns[i];
            if (!column.ground) continue;
            const double depth = column.surface - middle;
            const double filled = std::floor(127.5 + 127.5 * depth * column.ramp + 0.5);
            if (filled < 1) continue;
            const auto occupancy = static_cast<std::uint8_t>(std::min(filled, 255.0));
            if (table.solidOccupancy(row[i]) >= occupancy) continue;
            row[i] = {depth < m_topCells                   ? column.top
                      : depth < m_topCells + m_groundCells ? column.under
                                                           : m_deep,
                      occupancy};
        }
    }
}

Result<void> checkOptions(const voxel::Grid& grid, const HeightToVoxelsOptions& options) {
    const GroundMaterials& m = options.materials;
    const auto number = [](const char* name, double value, const char* expected) {
        return makeError(ErrorCode::InvalidArgument, "height to voxels: %s is %g, expected %s", name, value,
                         expected);
    };
    if (!(options.scale > 0 && std::isfinite(options.scale)))
        return number("scale", options.scale, "above 0");
    if (!(options.heightScale > 0 && std::isfinite(options.heightScale))) {
        return number("heightScale", options.heightScale, "above 0");
    }
    if (!(options.depth > 0 && std::isfinite(options.depth)))
        return number("depth", options.depth, "above 0");
    if (!isFinite(options.offset)) return number("offset", options.offset.x, "finite numbers");
    if (options.baseHeight && !std::isfinite(*options.baseHeight)) {
        return number("baseHeight", *options.baseHeight, "a finite number");
    }
    if (std::isnan(m.rockSlope)) return number("rockSlope", m.rockSlope, "an angle");
    if (std::isnan(m.snowHeight)) return number("snowHeight", m.snowHeight, "a height");
    if (!(m.topDepth >= 0)) return number("topDepth", m.topDepth, "0 or more");
    if (!(m.groundDepth >= 0)) return number("groundDepth", m.groundDepth, "0 or more");
    const std::pair<const char*, MaterialId> ids[] = {
        {"grass", m.grass}, {"rock", m.rock}, {"snow", m.snow}, {"ground", m.ground}, {"deep", m.deep}};
    for (const auto& [name, id] : ids) {
        if (grid.materials().isSolid(id)) continue;
        return makeError(ErrorCode::InvalidArgument, "height to voxels: %s is material %d, which is no solid",
                         name, id);
    }
    return {};
}

// The cells whose middle lies in low..high, both world coordinates.
Result<Range> cellsBetween(double low, double high, double origin, double cellSize, const char* axis) {
    const double first = std::ceil((low - origin) / cellSize - 0.5);
    const double last = std::floor((high - origin) / cellSize - 0.5);
    if (!(first <= last)) {
        return makeError(ErrorCode::InvalidArgument,
                         "height to voxels: no cell's middle lies between %s = %g and %g", axis, low, high);
    }
    if (first < -voxel::kCellLimit || last >= voxel::kCellLimit) {
        return makeError(ErrorCode::TooLarge,
                         "height to voxels: cells from %g to %g along %s leave -%d .. %d", first, last, axis,
                         voxel::kCellLimit, voxel::kCellLimit);
    }
    return Range{static_cast<std::int64_t>(first), static_cast<std::int64_t>(last) + 1};
}

Range chunksOf(const Range& cells) {
    return {cells.min >> 5, ((cells.max - 1) >> 5) + 1};
}

}  // namespace

Result<HeightToVoxelsReport> heightToVoxels(voxel::Grid& grid, const HeightRaster& raster,
                                            const HeightToVoxelsOptions& options) {
    if (auto good = checkOptions(grid, options); !good) return good.error();
    const voxel::GridPlacement& placement = grid.placement();
    const RasterView view(raster, options, placement);
    const Rect window = options.window ? intersect(raster.rect(), *options.window) : raster.rect();
    const auto cellsX = cellsBetween(window.minX * options.scale + options.offset.x,
                                     window.maxX * options.scale + options.offset.x, placement.origin.x,
                                     placement.cellSize, "x");
    if (!cellsX) return cellsX.error();
    const auto cellsZ = cellsBetween(window.minZ * options.scale + options.offset.z,
                                     window.maxZ * options.scale + options.offset.z, placement.origin.z,
                                     placement.cellSize, "z");
    if (!cellsZ) return cellsZ.error();
    const Range chunksX = chunksOf(*cellsX), chunksZ = chunksOf(*cellsZ);
    if (chunksX.size() * chunksZ.size() > options.maxChunks) {
        return makeError(ErrorCode::TooLarge,
                         "height to voxels: %lld x %lld columns of chunks, the limit is %lld chunks",
                         static_cast<long long>(chunksX.size()), static_cast<long long>(chunksZ.size()),
                         static_cast<long long>(options.maxChunks));
    }
    const auto columnCount = static_cast<std::size_t>(chunksX.size() * chunksZ.size());
    const auto chunkColumn = [&](std::size_t index) {
        const auto i = static_cast<std::int64_t>(index);
        return std::pair(chunksX.min + i % chunksX.size(), chunksZ.min + i / chunksX.size());
    };
    const auto makeColumn = [&](std::size_t index) {
        const auto [x, z] = chunkColumn(index);
        return ChunkColumn(view, options, *cellsX, *cellsZ, x, z, placement.cellSize);
    };

    // The base and the number of chunks need the extremes of the whole window first.
    JobSystem& jobs = *grid.externals().jobs;
    std::vector<ColumnStatistics> statistics(columnCount);
    jobs.parallelFor(columnCount, 4, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            statistics[i] = makeColumn(i).statistics();
        }
    });
    HeightToVoxelsReport report;
    ColumnStatistics all;
    for (const ColumnStatistics& one : statistics) {
        all.grounds += one.grounds;
        all.opens += one.opens;
        all.lowest = std::min(all.lowest, one.lowest);
        all.highest = std::max(all.highest, one.highest);
    }
    report.columns = all.grounds;
    report.openColumns = all.opens;
    report.edit.revision = grid.revision();
    if (all.grounds == 0) return report;
    report.lowest = all.lowest * placement.cellSize + placement.origin.y;
    report.highest = all.highest * placement.cellSize + placement.origin.y;
    const double base =
        std::floor(view.cellsOfHeight(options.baseHeight.value_or(report.lowest - options.depth)));
    if (base < -voxel::kCellLimit || all.highest > voxel::kCellLimit - 2 * kChunkSize) {
        return makeError(ErrorCode::TooLarge, "height to voxels: cells from %g to %g along y leave -%d .. %d",
                         base, all.highest, voxel::kCellLimit, voxel::kCellLimit);
    }
    const auto baseCell = static_cast<std::int64_t>(base);
    const std::int64_t firstLayer = baseCell >> 5;
    const std::int64_t layers = static_cast<std::int64_t>(all.highest) / kChunkSize - firstLayer + 2;
    if (layers > 0 && layers > options.maxChunks / static_cast<std::int64_t>(columnCount)) {
        return makeError(ErrorCode::TooLarge,
                         "height to voxels: %zu columns of up to %lld chunks, the limit is %lld chunks",
                         columnCount, static_cast<long long>(layers),
                         static_cast<long long>(options.maxChunks));
    }

    const voxel::GridSnapshot before = grid.snapshot();
    Allocator& allocator = *grid.externals().allocator;
    const voxel::ChunkRef deep = voxel::Chunk::makeUniform({options.materials.deep, 255}, allocator);
    std::vector<std::vector<voxel::ChunkReplacement>> filled(columnCount);
    jobs.parallelFor(columnCount, 1, [&](std::size_t begin, std::size_t end) {
        std::vector<Cell> cells(voxel::kChunkCellCount);
        for (std::size_t i = begin; i < end; ++i) {
            const ChunkColumn column = makeColumn(i);
            if (column.statistics().grounds == 0) continue;
            const auto [x, z] = chunkColumn(i);
            for (std::int64_t layer = firstLayer; layer < column.endLayer(); ++layer) {
                const ChunkCoord coord{static_cast<std::int32_t>(x), static_cast<std::int32_t>(layer),
                                       static_cast<std::int32_t>(z)};
                const voxel::Chunk* old = before.chunk(coord);
                if (!old && column.wholeAndDeep(layer, baseCell)) {
                    filled[i].push_back({coord, deep});
                    continue;
                }
                if (old) {
                    old->copyTo(cells);
                } else {
                    std::fill(cells.begin(), cells.end(), Cell{});
                }
                column.fill(layer, baseCell, grid.materials(), cells);
                filled[i].push_back({coord, voxel::Chunk::make(cells, allocator)});
            }
        }
    });
    std::vector<voxel::ChunkReplacement> replacements;
    for (const auto& column : filled)
        replacements.insert(replacements.end(), column.begin(), column.end());
    const auto edit = grid.replaceChunks(replacements);
    if (!edit) return edit.error();
    report.edit = *edit;
    return report;
}

}  // namespace karst::world
