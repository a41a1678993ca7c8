#include <karst/import/raster_source.h>
#include <karst/voxel/grid_sampling.h>
#include <karst/voxel/magica_voxel_place.h>
#include <karst/world/height_to_voxels.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "import_arguments.h"
#include "voxel_command.h"

namespace karst::tool {
namespace {

namespace fs = std::filesystem;
using voxel::Grid;
using voxel::VoxelStore;

struct ImportRequest {
    std::string file, source;
    std::optional<double> cellSize;
    std::optional<Vec3d> at;
    // .vox
    std::vector<std::pair<int, std::string>> palette;
    bool hidden = false;
    // heights
    importer::ImportOptions import;
    std::vector<Rect> windows;
    double scale = 1, heightScale = 1;
    std::optional<double> depth, base, snow, rockSlope, topDepth, groundDepth;
};

// The file to import into, and its grid.
struct Target {
    VoxelStore store;
    Grid grid;
};

Result<Target> openTarget(const std::string& file, const Externals& externals) {
    auto store = VoxelStore::open(file);
    if (!store) return store.error();
    auto grid = store->load(externals);
    if (!grid) return grid.error();
    return Target{std::move(*store), std::move(*grid)};
}

// The file is made only when there is something to put into it.
Result<Target> makeTarget(const std::string& file, double cellSize, const voxel::MaterialTable& materials,
                          const Externals& externals) {
    const voxel::GridPlacement placement{cellSize, {}};
    auto store = VoxelStore::create(file, placement, materials);
    if (!store) return store.error();
    auto grid = store->load(externals);
    if (!grid) return grid.error();
    return Target{std::move(*store), std::move(*grid)};
}

Result<std::vector<std::byte>> readFile(const std::string& path) {
    constexpr std::uintmax_t kMost = std::uintmax_t{1} << 30;
    std::error_code code;
    const std::uintmax_t size = fs::file_size(path, code);
    if (code) return makeError(ErrorCode::NotFound, "%s: %s", path.c_str(), code.message().c_str());
    if (size > kMost) {
        return makeError(ErrorCode::TooLarge, "%s: %ju bytes are more than 1 GiB", path.c_str(), size);
    }
    std::vector<std::byte> bytes(size);
    std::ifstream in(path, std::ios::binary);
    in.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(size));
    if (!in) return makeError(ErrorCode::Io, "%s: reading failed", path.c_str());
    return bytes;
}

// Imports into a file that is there with the materials nearest in colour, into a new one with the scene's
// own.
Result<std::string> importScene(const ImportRequest& request, bool exists, const Externals& externals) {
    const auto bytes = readFile(request.source);
    if (!bytes) return bytes.error();
    voxel::MagicaVoxelLimits limits;
    limits.includeHidden = request.hidden;
    const auto scene = voxel::readMagicaVoxel(*bytes, limits);
    if (!scene) return scene.error();
    voxel::MagicaVoxelMaterials own = voxel::materialsOf(*scene);
    auto target = exists ? openTarget(request.file, externals)
                         : makeTarget(request.file, request.cellSize.value_or(4), own.table, externals);
    if (!target) return target.error();
    voxel::PaletteMaterials ids = own.ids;
    if (exists) {
        const auto nearest = voxel::nearestMaterials(*scene, target->grid.materials());
        if (!nearest) return nearest.error();
        ids = *nearest;
    }
    for (const auto& [index, name] : request.palette) {
        const auto id = findMaterial(target->grid.materials(), name);
        if (!id) return id.error();
        ids[static_cast<std::size_t>(index)] = *id;
    }
    const auto at = voxel::worldToCell(target->grid.placement(), request.at.value_or(Vec3d{}));
    if (!at) return at.error();
    const auto edit = voxel::placeMagicaVoxel(target->grid, *scene, *at, ids);
    if (!edit) return edit.error();
    const auto saved = target->store.save(target->grid);
    if (!saved) return saved.error();
    return std::to_string(scene->models.size()) + " models placed " +
           std::to_string(scene->instances.size()) + " times, " + describeEdit(*edit, *saved);
}

// The window's samples and a few around it.
Result<heightfield::HeightRaster> readWindow(importer::RasterSource& source, const ImportRequest& request,
                                             const Externals& externals) {
    const importer::RasterInfo& info = source.info();
    GridRect texels{0, 0, info.width, info.height};
    if (!request.windows.empty()) {
        const Rect& w = request.windows.back();
        const auto hold = [](double value, int most) {
            return static_cast<int>(std::clamp(value, 0.0, static_cast<double>(most)));
        };
        constexpr double kMargin = 3;
        texels = {hold(std::floor(w.minX / info.spacingX) - kMargin, info.width),
                  hold(std::floor(w.minZ / info.spacingZ) - kMargin, info.height),
                  hold(std::ceil(w.maxX / info.spacingX) + kMargin + 1, info.width),
                  hold(std::ceil(w.maxZ / info.spacingZ) + kMargin + 1, info.height)};
        if (texels.empty()) {
            return makeError(ErrorCode::InvalidArgument,
                             "--window %g,%g,%g,%g lies outside of the ground from (0, 0) to (%g, %g)",
                             w.minX, w.minZ, w.maxX, w.maxZ, (info.width - 1) * info.spacingX,
                             (info.height - 1) * info.spacingZ);
        }
    }
    const std::size_t count =
        static_cast<std::size_t>(texels.width()) * static_cast<std::size_t>(texels.depth());
    const std::uint64_t limit = importer::importMemoryLimit(request.import);
    if (count > limit / 5) {
        return makeError(ErrorCode::TooLarge,
                         "%d x %d samples do not fit the limit of %llu MiB; take a part with --window",
                         texels.width(), texels.depth(), static_cast<unsigned long long>(limit >> 20));
    }
    Vector<float> heights(count, StdAllocator<float>(*externals.allocator));
    std::vector<std::uint8_t> voids(count);
    if (auto read = source.readWindow(texels, heights, voids); !read) return read.error();
    heightfield::HeightRasterDesc desc;
    desc.columns = texels.width();
    desc.rows = texels.depth();
    desc.rect = heightfield::rectOfSamples(texels.minX * info.spacingX, texels.minZ * info.spacingZ,
                                           desc.columns, desc.rows, info.spacingX, info.spacingZ);
    return heightfield::HeightRaster::create(desc, std::move(heights), voids, externals);
}

Result<void> chooseMaterials(const ImportRequest& request, const voxel::MaterialTable& table, double cellSize,
                             world::GroundMaterials& out) {
    const std::pair<const char*, voxel::MaterialId*> names[] = {{"grass", &out.grass},
                                                                {"rock", &out.rock},
                                                                {"snow", &out.snow},
                                                                {"ground", &out.ground},
                                                                {"rock", &out.deep}};
    for (const auto& [name, id] : names) {
        const auto found = table.find(name);
        if (!found) {
            return makeError(ErrorCode::InvalidArgument,
                             "its materials have no '%s', which ground from heights needs", name);
        }
        *id = *found;
    }
    if (request.snow) out.snowHeight = *request.snow;
    if (request.rockSlope) out.rockSlope = *request.rockSlope * (3.14159265358979323846 / 180);
    out.topDepth = request.topDepth.value_or(2 * cellSize);
    out.groundDepth = request.groundDepth.value_or(4 * cellSize);
    return {};
}

Result<std::string> importHeights(const ImportRequest& request, bool exists, const Externals& externals) {
    auto source = importer::openRaster(request.source, request.import, externals);
    if (!source) return source.error();
    const importer::RasterInfo& info = (*source)->info();
    const auto raster = readWindow(**source, request, externals);
    if (!raster) return raster.error();
    const double natural = std::max(info.spacingX, info.spacingZ) * request.scale;
    auto target = exists ? openTarget(request.file, externals)
                         : makeTarget(request.file, request.cellSize.value_or(natural),
                                      voxel::MaterialTable::standard(), externals);
    if (!target) return target.error();
    const double cellSize = target->grid.placement().cellSize;
    world::HeightToVoxelsOptions options;
    if (!request.windows.empty()) options.window = request.windows.back();
    options.scale = request.scale;
    options.heightScale = request.heightScale;
    options.offset = request.at.value_or(Vec3d{});
    options.baseHeight = request.base;
    options.depth = request.depth.value_or(16 * cellSize);
    // As if none of them were uniform.
    constexpr std::uint64_t kChunkBytes = 66 * 1024;
    options.maxChunks = static_cast<std::int64_t>(importer::importMemoryLimit(request.import) / kChunkBytes);
    if (auto chosen = chooseMaterials(request, target->grid.materials(), cellSize, options.materials);
        !chosen) {
        return chosen.error();
    }
    const auto report = world::heightToVoxels(target->grid, *raster, options);
    if (!report) return report.error();
    const auto saved = target->store.save(target->grid);
    if (!saved) return saved.error();
    char heights[96];
    std::snprintf(heights, sizeof heights, ", heights %.6g .. %.6g", report->lowest, report->highest);
    std::string text = std::to_string(report->columns) + " columns of cells of " + std::to_string(cellSize);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
    if (report->columns > 0) text += heights;
    if (report->openColumns > 0) text += ", " + std::to_string(report->openColumns) + " open ones";
    return text + ", " + describeEdit(report->edit, *saved);
}

Setter intoPalette(std::vector<std::pair<int, std::string>>& palette) {
    return [&palette](const std::string& text) -> Result<void> {
        const std::size_t at = text.find('=');
        if (at == std::string::npos || at + 1 == text.size()) {
            return makeError(ErrorCode::InvalidArgument, "'%s' is not INDEX=MATERIAL", text.c_str());
        }
        const auto index = parseInteger(text.substr(0, at), 1, 255);
        if (!index) return index.error();
        palette.emplace_back(*index, text.substr(at + 1));
        return {};
    };
}

Setter intoAngle(std::optional<double>& value) {
    return [&value](const std::string& text) -> Result<void> {
        const auto number = parseNumber(text);
        if (!number) return number.error();
        if (!(*number > 0 && *number <= 90)) {
            return makeError(ErrorCode::InvalidArgument, "'%s' is not in 0..90", text.c_str());
        }
        value = *number;
        return {};
    };
}

Setter intoAny(std::optional<double>& value) {
    return [&value](const std::string& text) -> Result<void> { return intoNumber(value.emplace())(text); };
}

}  // namespace

int runVoxelImport(CommandArguments arguments, const Externals& externals) {
    Arguments parser(
        "voxel import",
        "Takes a MagicaVoxel scene (.vox), or a DEM or heightmap, into a file of voxels, which is\n"
        "made where there is none. Heights become solid ground with materials by slope and height;\n"
        "holes and samples without data stay open. What is solid there already stays.");
    ImportRequest request;
    parser.positional("FILE", "a file of voxels", intoString(request.file));
    parser.positional("SOURCE", "a .vox, DEM or heightmap", intoString(request.source));
    parser.option("--at", "X,Y,Z",
                  "where it goes: a scene's lowest corner, a DEM's first sample at height 0 (0,0,0)",
                  intoPoint(request.at));
    parser.option("--cell-size", "S", "of a new file: a cell's edge (4; of a DEM, its sample spacing)",
                  intoPositive(request.cellSize));
    parser.section("MagicaVoxel scenes");
    parser.option("--palette", "INDEX=MATERIAL",
                  "what a palette colour becomes (the nearest in colour); may come several times",
                  intoPalette(request.palette));
    parser.flag("--hidden", "takes what the scene hides too", request.hidden);
    parser.section("Heights");
    parser.option("--window", "X0,Z0,X1,Z1", "only this part, in metres from the first sample",
                  intoRects(request.windows));
    parser.option("--scale", "F", "world units for each metre (1)", intoPositive(request.scale));
    parser.option("--height-scale", "F", "makes heights greater before that (1)",
                  intoPositive(request.heightScale));
    parser.option("--depth", "D", "ground below the lowest point (16 cells)", intoPositive(request.depth));
    parser.option("--base", "Y", "where the ground ends below, instead of --depth", intoAny(request.base));
    parser.option("--snow", "Y", "snow above this height (none)", intoAny(request.snow));
    parser.option("--rock-slope", "DEGREES", "rock where steeper (40)", intoAngle(request.rockSlope));
    parser.option("--top-depth", "D", "thickness of grass and snow (2 cells)",
                  intoPositive(request.topDepth));
    parser.option("--ground-depth", "D", "of the ground under them (4 cells)",
                  intoPositive(request.groundDepth));
    addImportArguments(parser, request.import);
    if (const auto code = parseOrExit(parser, arguments)) return *code;

    std::error_code code;
    const bool exists = fs::exists(request.file, code);
    if (exists && request.cellSize) {
        return usageError(
            parser, makeError(ErrorCode::InvalidArgument, "--cell-size is for a new file; '%s' has its own",
                              request.file.c_str()));
    }
    const bool scene = fs::path(request.source).extension() == ".vox";
    const auto done =
        scene ? importScene(request, exists, externals) : importHeights(request, exists, externals);
    if (!done) {
        // A file that was only just made holds nothing that anyone wants.
        if (!exists) fs::remove(request.file, code);
        return failure(parser, request.source, done.error());
    }
    std::printf("%s: %s\n", request.file.c_str(), done->c_str());
    return kOk;
}

}  // namespace karst::tool
