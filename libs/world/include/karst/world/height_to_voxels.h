#pragma once

#include <karst/base/rect.h>
#include <karst/heightfield/height_raster.h>
#include <karst/voxel/grid.h>

#include <limits>
#include <optional>

namespace karst::world {

/// What ground is made of, from its top down. The ids must be solid materials of the grid's table; the
/// defaults are those of MaterialTable::standard(). Lengths and heights are world units of the grid.
struct GroundMaterials {
    voxel::MaterialId grass = 2;   ///< the top layer, where nothing else is said
    voxel::MaterialId rock = 4;    ///< the top layer and all beneath where steep
    voxel::MaterialId snow = 6;    ///< the top layer high up
    voxel::MaterialId ground = 3;  ///< under grass and snow
    voxel::MaterialId deep = 4;    ///< under the ground
    double rockSlope = 0.70;       ///< radians; rock where steeper
    double snowHeight = std::numeric_limits<double>::infinity();  ///< snow above
    double topDepth =
        4;  ///< thickness of the top layer; 2 cells at least, as a surface blends what is in its reach
    double groundDepth = 16;  ///< of the ground under it
};

struct HeightToVoxelsOptions {
    /// The part of the raster that is taken, in the raster's own x and z; all of it where absent.
    std::optional<Rect> window;
    /// A point of the raster (x, height, z) becomes (x, height * heightScale, z) * scale + offset in the
    /// world.
    double scale = 1;
    double heightScale = 1;
    Vec3d offset;
    /// Ground is solid down to this world height; where absent, to `depth` below the window's lowest point.
    std::optional<double> baseHeight;
    double depth = 64;
    GroundMaterials materials;
    /// Chunks that the window's box may span.
    std::int64_t maxChunks = 1 << 22;
};

struct HeightToVoxelsReport {
    voxel::EditSummary edit;
    std::int64_t columns = 0;        ///< of cells, that became ground
    std::int64_t openColumns = 0;    ///< in the window, over a hole of the raster
    double lowest = 0, highest = 0;  ///< of the columns' surface, world units
};

/// Turns a window of a raster into solid cells, as one edit. A column of cells is ground where its middle
/// lies in the window and over no hole; a hole stays open down to the base. Cells only gain: one that is
/// fuller of something solid already stays as it is.
///
/// A column's surface is the raster's at its middle. With d the height of the surface over a cell's middle in
/// cells, its occupancy is 255 (1 + d / max(1, slope)) / 2, held to 0..255: a ramp over two cells and more,
/// of which linear interpolation finds the surface again, where a cell's true fill would bend it by 0.09
/// cells and its normals by 10 degrees. On level ground the extracted surface is within 0.005 cells of the
/// raster at any height, on slopes below 45 degrees within 0.05 where the raster's samples are not closer
/// than the cells.
///
/// Whole chunks beneath are stored as uniform ones. Work is by columns of chunks on the grid's job system;
/// the result does not depend on the number of workers. Errors, before anything changes: InvalidArgument for
/// a scale or depth that is not above 0, numbers that are not finite, a window that has no cell's middle, a
/// material that is not solid; TooLarge beyond maxChunks or the grid's limits.
Result<HeightToVoxelsReport> heightToVoxels(voxel::Grid& grid, const heightfield::HeightRaster& raster,
                                            const HeightToVoxelsOptions& options = {});

}  // namespace karst::world
