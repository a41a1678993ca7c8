#include <cstdio>
#include <cstdlib>

#include "voxel_command.h"

namespace karst::tool {
namespace {

// NAME,KIND,RRGGBB
Result<voxel::Material> parseMaterial(const std::string& text) {
    const std::size_t last = text.rfind(',');
    const std::size_t middle =
        last == std::string::npos || last == 0 ? std::string::npos : text.rfind(',', last - 1);
    if (middle == std::string::npos) {
        return makeError(ErrorCode::InvalidArgument, "'%s' is not NAME,KIND,RRGGBB", text.c_str());
    }
    voxel::Material material;
    material.name = text.substr(0, middle);
    const std::string kind = text.substr(middle + 1, last - middle - 1), color = text.substr(last + 1);
    if (kind != "solid" && kind != "water") {
        return makeError(ErrorCode::InvalidArgument, "'%s': the kind '%s' is neither solid nor water",
                         text.c_str(), kind.c_str());
    }
    material.kind = kind == "solid" ? voxel::MaterialKind::Solid : voxel::MaterialKind::Water;
    if (color.size() != 6 || color.find_first_not_of("0123456789abcdefABCDEF") != std::string::npos) {
        return makeError(ErrorCode::InvalidArgument, "'%s': the colour '%s' is not six hexadecimal digits",
                         text.c_str(), color.c_str());
    }
    const unsigned long value = std::strtoul(color.c_str(), nullptr, 16);
    for (std::size_t i = 0; i < 3; ++i)
        material.color[i] = static_cast<std::uint8_t>(value >> (16 - 8 * i));
    return material;
}

}  // namespace

int runVoxelNew(CommandArguments arguments, const Externals&) {
    Arguments parser("voxel new",
                     "Makes an empty file of voxels. X is east, Y is up, Z is south. Its materials are air,\n"
                     "water, grass, ground, rock, sand, snow, mud, clay, gravel, limestone, basalt, ice and\n"
                     "wood, or air and the given ones.");
    std::string file;
    voxel::GridPlacement placement;
    std::optional<Vec3d> origin;
    std::vector<voxel::Material> materials{{"air", voxel::MaterialKind::Air, {0, 0, 0}}};
    parser.positional("FILE", "the file to make, by habit *.voxels", intoString(file));
    parser.option("--cell-size", "S", "a cell's edge in world units (4)", intoPositive(placement.cellSize));
    parser.option("--origin", "X,Y,Z", "the corner of cell 0, 0, 0 in the world (0,0,0)", intoPoint(origin));
    parser.option("--material", "NAME,KIND,RRGGBB", "solid or water, and its colour; may come several times",
                  [&](const std::string& text) -> Result<void> {
                      auto material = parseMaterial(text);
                      if (!material) return material.error();
                      materials.push_back(std::move(*material));
                      return {};
                  });
    if (const auto code = parseOrExit(parser, arguments)) return *code;
    placement.origin = origin.value_or(Vec3d{});
    voxel::MaterialTable table;
    if (materials.size() > 1) {
        auto made = voxel::MaterialTable::create(materials);
        if (!made) return usageError(parser, made.error());
        table = std::move(*made);
    }
    const auto store = voxel::VoxelStore::create(file, placement, table);
    if (!store) return failure(parser, file, store.error());
    std::printf("%s: cells of %g, %zu materials\n", file.c_str(), placement.cellSize, table.size());
    return kOk;
}

}  // namespace karst::tool
